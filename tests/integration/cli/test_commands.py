"""The command line as people use it: a process, its output, its exit status."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path

import asyncpg
import pyogrio
import pytest
import sqlalchemy as sa

from server.app import Server
from server.cli.listing import from_catalogue
from server.settings import OWN_SCHEMAS
from tests.support.children import Ran
from tests.support.forking import ran
from tests.support.looking import until
from tests.support.models import ScriptedModel
from tests.support.server import ROOT, client


async def geoagent(*arguments: str, stdin: str = "", cwd: Path = ROOT, **environment: str) -> Ran:
    env = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "100", "NO_COLOR": "1", **environment}
    return await ran(*arguments, stdin=stdin, cwd=cwd, env=env)


async def test_help_teaches_every_command() -> None:
    helped = await geoagent("--help")
    assert helped.status == 0
    for command in ("serve", "load", "tables", "chat", "notes", "eval", "tools", "migrate", "database-url"):
        assert command in helped.out
    assert "geoagent load lakes.geojson --table lakes" in helped.out


async def test_chat_prints_the_answer_and_what_happens_on_the_map(
    server: Server, model: ScriptedModel
) -> None:
    model.then([("add_map_layer", {"table": "data.airports"})], ["There are ", "many airports."])
    result = await geoagent("chat", "show airports", "--server", server.url)
    assert (result.status, result.out) == (0, "There are many airports.\n")
    lines = result.err.splitlines()
    assert lines[0].startswith("  + airports (data.airports, ")
    assert lines[1].startswith("  ✓ add_map_layer: ")
    assert lines[-1].startswith(f"{server.url}/m/")
    map_id = lines[-1].rsplit("/", 1)[1]
    model.then([("remove_map_layer", {"layer_id": "airports"})], ["Gone."])
    again = await geoagent("chat", "remove them", "--map", lines[-1])
    assert "  - airports" in again.err
    async with client(server) as one:
        assert (await one.ask("join", map_id=map_id))["snapshot"]["layers"] == []


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("chat", "  "), "Invalid value for text: it is empty."),
        (("export", "data.airports", "--out", "a.csv", "--options", "{crs"), "--options is not JSON: "),
        (("export", "data.airports", "--out", "a.csv", "--options", "[1]"), "--options takes a JSON object"),
    ],
)
async def test_arguments_that_make_no_sense_are_named(arguments: tuple[str, ...], told: str) -> None:
    result = await geoagent(*arguments)
    assert result.status != 0
    assert told in result.err
    assert "Traceback" not in result.err


async def test_a_host_that_does_not_exist_is_not_taken_for_the_databases(samples_url: str) -> None:
    result = await geoagent("serve", DATABASE_URL=samples_url, HOST="nowhere.invalid", PORT="0")
    assert (result.status, result.out) == (1, "")
    assert result.err.startswith("The server cannot listen there: ")


async def test_a_search_without_a_match_says_so(samples_url: str) -> None:
    result = await geoagent("tables", "zzzz", DATABASE_URL=samples_url)
    assert (result.status, result.out, result.err) == (0, "", "No table matches 'zzzz'.\n")


@pytest.mark.parametrize("map_id", ["nope", "my map", "http://127.0.0.1:1/m/nope"])
async def test_a_map_that_is_not_there_is_named(server: Server, map_id: str) -> None:
    result = await geoagent("chat", "hello", "--map", map_id, "--server", server.url)
    name = map_id.rsplit("/", 1)[-1]
    assert (result.status, result.out) == (1, "")
    assert result.err == f"There is no map '{name}'. Leave out --map to make a new one.\n"


async def test_chat_says_which_numbers_no_tool_gave(server: Server, model: ScriptedModel) -> None:
    made_up = ["28,298 airports and 7,777 pilots."]
    # Also when it is asked to write the answer again.
    model.then([("count_features", {"table": "data.airports"})], made_up, made_up)
    result = await geoagent("chat", "how many?", "--server", server.url)
    assert (result.status, result.out) == (0, "28,298 airports and 7,777 pilots.\n")
    assert "  ? found in no result: 7,777\n" in result.err


@pytest.mark.parametrize("address", ["http://127.0.0.1:9", "nonsense", "http://"])
async def test_chat_without_a_server_says_how_to_start_one(address: str) -> None:
    result = await geoagent("chat", "hello", "--server", address, PYTHONASYNCIODEBUG="1")
    assert result.status == 1
    # On a busy machine asyncio also reports steps that take long.
    said = [line for line in result.err.splitlines(keepends=True) if not line.startswith("Executing <")]
    assert "".join(said) == (
        f"There is no server at {address.rstrip('/')}. Start one with `geoagent serve`, or name it with --server.\n"
    )


async def test_chat_with_a_server_of_another_kind_says_so_and_nothing_else() -> None:
    async def hang_up(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()

    async with await asyncio.start_server(hang_up, "127.0.0.1", 0) as other:
        port = other.sockets[0].getsockname()[1]
        result = await geoagent("chat", "hello", "--server", f"http://127.0.0.1:{port}")
    assert result.status == 1
    assert len(result.err.splitlines()) == 1, result.err


async def test_tables_are_listed_and_searched(samples_url: str) -> None:
    listed = await geoagent("tables", DATABASE_URL=samples_url)
    assert listed.status == 0
    assert [line.split()[0] for line in listed.out.splitlines()] == [
        "data.airports",
        "data.cities",
        "data.countries",
    ]
    found = await geoagent("tables", "airport", "--json", DATABASE_URL=samples_url)
    assert json.loads(found.out)[0]["id"] == "data.airports"


BIG_CITIES = "AS SELECT * FROM data.cities WHERE population > 9e6"


@pytest.mark.parametrize(
    ("special", "quick"),
    [
        ("SELECT", True),
        (f"CREATE VIEW data.more {BIG_CITIES}", True),
        (f"CREATE TABLE data.more {BIG_CITIES}", True),
        ("CREATE TABLE data.more AS SELECT generate_series(1, 30000) n", True),
        ("CREATE TABLE data.more AS SELECT ST_Buffer(geom, 1) FROM data.cities LIMIT 5", False),
    ],
    ids=["analysed", "view", "small table", "large table", "any geometry"],
)
async def test_the_quick_listing_and_the_registry_list_the_same(
    samples_url: str, special: str, quick: bool
) -> None:
    """Where the catalogue does not know everything, the listing comes from the registry."""
    connection = await asyncpg.connect(samples_url)
    try:
        await connection.execute(special)
        straight = await from_catalogue(samples_url, OWN_SCHEMAS)
        listed = (await geoagent("tables", DATABASE_URL=samples_url)).out
        known = json.loads((await geoagent("tables", "--json", DATABASE_URL=samples_url)).out)
        if special.startswith("CREATE"):
            await connection.execute(f"DROP {special.split()[1]} data.more")
    finally:
        await connection.close()
    assert (straight is not None) == quick
    for line, table in zip(listed.splitlines(), known, strict=True):
        kind = (table["geometry_type"] or "no geometry").lower()
        assert line.startswith(table["id"])
        assert f" {kind} " in line
        assert f" {table['row_estimate']:,} " in line


async def test_notes_are_added_found_and_removed(
    samples_url: str, server: Server, model: ScriptedModel
) -> None:
    added = await geoagent(
        "notes", "add", "Airport elevations", "--table", "airports",
        stdin="elevation_m is in metres above sea level.", DATABASE_URL=samples_url,
    )  # fmt: skip
    note_id = added.out.strip()
    assert note_id.startswith("note_")
    listed = await geoagent("notes", "list", DATABASE_URL=samples_url)
    assert f"{note_id}  Airport elevations  [data.airports]\n" in listed.out
    async with client(server) as one:
        await one.ask("join")
        await one.says("how high are the airports?")
    assert "metres above sea level" in "\n".join(model.requests[-1].system)
    assert (await geoagent("notes", "remove", note_id, DATABASE_URL=samples_url)).status == 0
    gone = await geoagent("notes", "remove", note_id, DATABASE_URL=samples_url)
    assert (gone.status, gone.err) == (1, f"There is no note {note_id}.\n")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--table", "airport", "--text", "In metres."), "There is no table 'airport'."),
        (("--text", " "), "Invalid value for the note: it is empty."),
        ((), "Invalid value for the note: it is empty."),
    ],
)
async def test_notes_that_would_never_be_found_are_refused(
    samples_url: str, arguments: tuple[str, ...], told: str
) -> None:
    added = await geoagent("notes", "add", "Elevations", *arguments, DATABASE_URL=samples_url)
    assert added.status != 0
    assert told in added.err
    assert "Elevations" not in (await geoagent("notes", "list", DATABASE_URL=samples_url)).out


async def test_migrate_and_the_address_of_the_database(samples_url: str) -> None:
    assert (await geoagent("migrate", DATABASE_URL=samples_url)).out == "The database is up to date.\n"
    assert (await geoagent("database-url", DATABASE_URL=samples_url)).out.startswith("postgresql://")


async def test_a_database_that_is_not_there_is_reported_in_one_sentence() -> None:
    served = await geoagent("serve", DATABASE_URL="postgresql://nobody@127.0.0.1:9/nothing", PORT="0")
    assert served.status == 1
    assert served.out == ""
    assert "DATABASE_URL" in served.err
    assert "Traceback" not in served.err


@pytest.mark.parametrize(
    ("environment", "reason"),
    [
        ({"PORT": "many"}, "PORT"),
        ({"GEOAGENT_MODEL": "nonsense"}, "nonsense"),
        ({"GEOAGENT_EMBEDDINGS": "nonsense"}, "GEOAGENT_EMBEDDINGS: 'nonsense' names no embedding model"),
        ({"GEOAGENT_EMBEDDINGS": "nobody:model"}, "GEOAGENT_EMBEDDINGS: There is no provider 'nobody'"),
        ({"GEOAGENT_EMBEDDINGS": "openai:text-embedding-3-small"}, "OPENAI_API_KEY"),
        ({"GEOAGENT_TOOLS": "no_such_module"}, "GEOAGENT_TOOLS: there is no module 'no_such_module'"),
        ({"GEOAGENT_AGENT": "no_such_module:Agent"}, "GEOAGENT_AGENT: there is no module 'no_such_module'"),
        ({"GEOAGENT_AGENT": "agents.core:Agent"}, "'agents.core:Agent' is not a subclass of"),
        ({"GEOAGENT_AGENT": "agents.core"}, "Name it as module:Class"),
    ],
)
async def test_a_wrong_setting_is_reported_in_one_sentence(environment: dict[str, str], reason: str) -> None:
    nowhere = {"DATABASE_URL": "postgresql://nobody@127.0.0.1:9/nothing", "PORT": "0"}
    ran = await geoagent("serve", **{**nowhere, **environment})
    assert ran.status == 1
    assert reason in ran.err
    assert "Traceback" not in ran.err


async def test_the_catalogue_of_tools_is_printed() -> None:
    markdown = await geoagent("tools")
    assert "add_map_layer" in markdown.out
    as_json = await geoagent("tools", "--format", "openai")
    assert "add_map_layer" in {one["name"] for one in json.loads(as_json.out)}
    assert (await geoagent("tools", "--format", "nonsense")).status == 2


async def test_a_file_is_loaded_and_the_running_server_knows_it(
    server: Server, samples_url: str, tmp_path: Path
) -> None:
    lake = {"type": "Point", "coordinates": [9.4, 47.6]}
    feature = {"type": "Feature", "properties": {"name": "Bodensee", "depth_m": 251}, "geometry": lake}
    file = tmp_path / "lakes.geojson"
    file.write_text(json.dumps({"type": "FeatureCollection", "features": [feature]}))
    loaded = await geoagent("load", file.name, "--table", "lakes", cwd=tmp_path, DATABASE_URL=samples_url)
    assert loaded.status == 0, loaded.err
    assert loaded.out.startswith("data.lakes: 1 rows")
    await until(lambda: "data.lakes" in {table.id for table in server.registry.tables()})
    async with client(server) as one:
        await one.ask("join")
        await one.ask("layer_add", table="lakes", filter="depth_m > 200")
        assert (await one.hears("layer_added"))["layer"]["count"] == 1
    again = await geoagent("load", str(file), "--table", "lakes", DATABASE_URL=samples_url)
    assert (again.status, "already" in again.err) == (1, True)
    for mode, total in (("append", 2), ("replace", 1)):
        merged = await geoagent(
            "load", str(file), "--table", "lakes", "--mode", mode, DATABASE_URL=samples_url
        )
        assert merged.out.startswith("data.lakes: 1 rows"), merged.err
        async with server.database.owner.connect() as connection:
            assert await connection.scalar(sa.text("SELECT count(*) FROM data.lakes")) == total


async def test_tables_are_written_into_one_file(samples_url: str, tmp_path: Path) -> None:
    several = ("export", "airports", "cities", "--out", "world.gpkg", "--options", '{"crs": "EPSG:3857"}')
    written = await geoagent(*several, cwd=tmp_path, DATABASE_URL=samples_url)
    assert written.status == 0, written.err
    assert written.out.startswith("world.gpkg: ")
    assert "airports: 28,298 rows, Point EPSG:3857" in written.out
    assert [str(name) for name, _ in pyogrio.list_layers(tmp_path / "world.gpkg")] == ["airports", "cities"]
    chosen = ("--columns", "name", "--columns", "population AS people", "--where", "population > 20000000")
    some = ("export", "cities", "--out", "big.csv", *chosen)
    assert (await geoagent(*some, cwd=tmp_path, DATABASE_URL=samples_url)).status == 0
    assert (tmp_path / "big.csv").read_text().startswith("name,people,longitude,latitude")
    missing = await geoagent(
        "export", "cities", "--out", "nowhere/x.csv", cwd=tmp_path, DATABASE_URL=samples_url
    )
    assert f"There is no folder {tmp_path / 'nowhere'}." in " ".join(missing.err.split())
    wrong = ("export", "cities", "--out", "x.doc")
    assert (await geoagent(*wrong, cwd=tmp_path, DATABASE_URL=samples_url)).status == 1
