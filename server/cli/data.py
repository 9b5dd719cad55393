"""`geoagent load`, `tables`, `migrate`, `database-url`: on the database, with or without a running server."""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable, Sequence
from contextlib import asynccontextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, ParamSpec

from server import postgres
from server.settings import Settings

if TYPE_CHECKING:
    from server.cli.listing import ListedTable
    from server.database.engines import Database
    from server.gis.catalog.registry import Registry

P = ParamSpec("P")
PROBE_TIMEOUT_S = 5.0
"""Time that a command waits for tables to be probed."""


@asynccontextmanager
async def open_database() -> AsyncIterator[Database]:
    """The database of a server with the same settings, migrated."""
    settings = Settings()
    async with postgres.ensure(settings) as url, connect(settings, url) as database:
        yield database


def in_event_loop(command: Callable[P, Coroutine[Any, Any, None]]) -> Callable[P, None]:
    """Decorator of a coroutine function: calling it runs an event loop until it has ended."""

    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        asyncio.run(command(*args, **kwargs))

    return run


def with_database(work: Callable[[Database], Awaitable[Any]]) -> Any:
    """Run `work` with a connected database and return its result."""

    async def run() -> Any:
        async with open_database() as database:
            return await work(database)

    return asyncio.run(run())


@asynccontextmanager
async def connect(settings: Settings, url: str) -> AsyncIterator[Database]:
    """The database at `url`, migrated."""
    from server import logs
    from server.database import migrate
    from server.database.engines import Database

    logs.set_up(settings.log_level)
    await migrate.upgrade(url, settings.exposed_schemas)
    async with await Database.connect(settings, url) as database:
        yield database


async def read_tables(database: Database, timeout_s: float = PROBE_TIMEOUT_S) -> Registry:
    """The registry with the tables as they are now; tables whose probes take longer than `timeout_s` lack what these
    find."""
    from server.gis.catalog.registry import Registry

    registry = Registry(database.reader, Settings().exposed_schemas)
    await registry.refresh(timeout_s)
    return registry


@in_event_loop
async def load_into(
    file: Path,
    table: str | None,
    layer: str | None,
    layers: Literal["each", "united"] | None,
    srid: int | None,
    encoding: str | None,
    subdivide: bool = False,
    quoted_text: bool = False,
    mode: Literal["new", "append", "replace"] = "new",
) -> None:
    """Load a file as tables of the schema `data`, or into one that is there, and print rows, remarks and problems."""
    from server.gis.errors import InvalidQuestion
    from server.gis.ingest import IngestLimits, layer_names, load_file, table_for
    from server.gis.ingest.merge import load_into_table

    if mode != "new" and (table is None or layers == "each"):
        raise InvalidQuestion("Name the table with --table, and load one layer, or --layers united.")

    # Absolute, because the process that reads it runs in another folder.
    path = file.absolute()  # noqa: ASYNC240 - nothing else runs in this loop
    async with open_database() as database:
        settings = Settings()
        limits = IngestLimits(
            rows=settings.upload_rows,
            vertices=settings.upload_vertices,
            subdivide=subdivide,
            quoted_text=quoted_text,
        )
        wanted: list[tuple[str | None, str | None]] = [(table, layer)]
        if layers == "each":
            names = await layer_names(path, encoding=encoding, limits=limits)
            wanted = [(table_for(table or path.stem, name), name) for name in names]
        for name, each in wanted:
            options: dict[str, Any] = {
                "layer": each, "unite": layers == "united", "srid": srid, "encoding": encoding, "limits": limits,
                "file": path.name,
            }  # fmt: skip
            if mode == "new" or name is None:
                report = await load_file(database, path, name, **options)
            else:
                report = await load_into_table(database, path, name, mode, **options)
            print(f"{report.table}: {report.rows:,} rows in {report.seconds:.1f} s")
            for line in (*report.remarks, *report.problems):
                print(f"  {line}", file=sys.stderr)


@in_event_loop
async def export_to(
    tables: Sequence[str],
    out: Path,
    columns: Sequence[str] | None,
    where: str | None,
    format: str | None,
    options: str | None,
) -> None:
    """Write the file and print its content."""
    from server.gis.errors import InvalidQuestion
    from server.gis.export.deliverable import resolved, wanted_of, write
    from server.transfers.deliveries import checked

    further = read_options(options)
    beside = out.absolute().parent  # noqa: ASYNC240 - as above
    if not beside.is_dir():
        raise InvalidQuestion(f"There is no folder {beside}.")

    if len(tables) > 1 and (columns or where):
        raise InvalidQuestion("--columns and --where are for one table.")
    ending = out.suffix[1:].lower()
    items = [{"source": each, "columns": columns or None, "filter": where} for each in tables]
    request = checked(
        {
            **further,
            "items": items,
            "format": format or {"zip": "shp"}.get(ending, ending),
            "file_name": out.name,
        }
    )
    async with open_database() as database:
        registry = await read_tables(database)
        wanted = [wanted_of(item, registry.get(item.source)) for item in request.items]
        parts = await resolved(database.exporter, request, wanted)
        with tempfile.TemporaryDirectory(dir=beside) as folder:
            path, report = await write(request, parts, Path(folder), most_rows=Settings().export_rows)
            target = out.with_suffix(path.suffix)
            path.replace(target)
    print(f"{target}: {report.bytes:,} bytes")
    for layer in report.layers:
        shapes = "mixed geometries" if layer.geometry == "Unknown" else layer.geometry or "no geometry"
        kind = f"{shapes} {layer.crs or ''}".strip()
        print(f"  {layer.name}: {layer.rows:,} rows, {kind}")
    for note in report.notes:
        print(f"  {note}", file=sys.stderr)


def read_options(text: str | None) -> dict[str, Any]:
    """The JSON object of `--options`. Raises InvalidQuestion."""
    from server.gis.errors import InvalidQuestion

    try:
        options = json.loads(text or "{}")
    except ValueError as error:
        raise InvalidQuestion(f"--options is not JSON: {error}.") from None
    if not isinstance(options, dict):
        raise InvalidQuestion('--options takes a JSON object, as in {"crs": "EPSG:2154"}.')
    return options


@in_event_loop
async def list_tables(words: str | None, as_json: bool) -> None:
    """Print all tables or the matches for `words`, as lines or as JSON."""
    from server.cli.listing import ListedTable, from_catalogue

    settings = Settings()
    async with postgres.ensure(settings) as url:
        if not words and not as_json:
            listed = await from_catalogue(url, settings.exposed_schemas)
            if listed is not None:
                print_tables(listed)
                return
        async with connect(settings, url) as database:
            registry = await read_tables(database)
            found = await registry.search(words) if words else registry.tables()
    if words and not found:
        print(f"No table matches '{words}'.", file=sys.stderr)
    if as_json:
        print("[" + ",\n".join(table.model_dump_json() for table in found) + "]")
    else:
        print_tables(
            ListedTable(table.id, table.geometry_type, table.row_estimate, table.comment) for table in found
        )


@in_event_loop
async def describe(table_id: str) -> None:
    """Print columns, bounds and quality of a table as JSON."""
    from server.gis.query.data import PostgisData
    from server.large_tables import LargeTables

    async with open_database() as database:
        registry = await read_tables(database)
        table = registry.get(table_id)
        large = LargeTables(database, Settings())
        data = PostgisData(database.reader, registry, profile_of=large.profile_of)
        facts = {
            "table": table.id,
            "comment": table.comment,
            "key": table.key,
            **await data.bounds(table.id),
            "quality": await data.quality(table.id),
            "columns": {column.name: column.sql_type for column in table.columns},
        }
    print(json.dumps(facts, ensure_ascii=False, indent=2))


def print_tables(tables: Iterable[ListedTable]) -> None:
    """One line per table."""
    for table in tables:
        kind = (table.geometry_type or "no geometry").lower()
        comment = (table.comment or "").partition("\n")[0][:80]
        print(f"{table.id:<32} {kind:<18} {table.rows:>12,}  {comment}")


@in_event_loop
async def migrate_database() -> None:
    """Migrate the database, and do nothing else."""
    async with open_database():
        print("The database is up to date.")


@in_event_loop
async def print_url() -> None:
    """Print the URL of the database."""
    async with postgres.ensure(Settings()) as url:
        print(url)
