"""Puts the rows of a table that was just loaded into another one: appended to it, or in place of all its rows.

Both work in the transaction of the caller, as the owner, so that either all of it happened or nothing. What does not
fit is refused with the columns that differ, before a row is written."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection

from agents.worded import Template
from server.database.engines import Database
from server.database.quoting import quoted
from server.database.sqlstates import LOCK_NOT_AVAILABLE, QUERY_CANCELED, sqlstate
from server.gis.errors import DataBusy, GisError, InvalidQuestion, UnknownTable, listed
from server.gis.expressions.identifiers import ADDED_KEY, join_id
from server.gis.ingest.fault_texts import BEING_READ, ROWS_REFUSED
from server.gis.ingest.limits import CannotLoad
from server.gis.ingest.load import SCHEMA, SHARE_WAIT_S, IngestReport, load_file

NO_TABLE = Template("merge_no_table", "There is no table {table} in {schema}.")
VIEW_READS = Template(
    "merge_view_reads", "The table cannot be replaced: a view of the database reads it. Append instead."
)
TOO_SLOW = Template("merge_too_slow", "The database takes too long for this many rows.")
TRANSFORMED = Template("merge_transformed", "The shapes were transformed from EPSG:{old} to EPSG:{new}.")
NO_HEIGHTS = Template("merge_no_heights", "The table has no heights; those of the file were left out.")
KNOWN_KEYS = Template(
    "merge_known_keys",
    "{n|one=# row of the file has|other=# rows of the file have} a value of {key} that the table has already, for "
    "example {example}. Replace the table, or give {n|one=this row another number|other=these rows other numbers}.",
)

Mode = Literal["append", "replace"]
PREFIX = "upload-"
"""The prefix of tables that wait to be merged."""

INTEGER_TYPES = ("smallint", "integer", "bigint")
NUMBERS = (*INTEGER_TYPES, "numeric", "real", "double precision")
TEXTS = ("text", "character varying", "character")
TIMES = ("date", "timestamp without time zone", "timestamp with time zone")
TYPE_NAMES = {
    **dict.fromkeys(INTEGER_TYPES, "whole numbers"),
    **dict.fromkeys(NUMBERS[3:], "numbers"),
    **dict.fromkeys(TEXTS, "texts"),
    "date": "dates",
    **dict.fromkeys(TIMES[1:], "times"),
    "boolean": "yes or no",
}
SHAPES = {"POINT": "points", "LINESTRING": "lines", "POLYGON": "areas"}

_COLUMNS = sa.text("""
    SELECT a.attname AS name, format_type(a.atttypid, NULL) AS kind,
        postgis_typmod_type(a.atttypmod) AS shape, postgis_typmod_srid(a.atttypmod) AS srid,
        postgis_typmod_dims(a.atttypmod) AS dimensions,
        coalesce(col_description(a.attrelid, a.attnum) = :added, false) AS is_added,
        a.attnum = ANY (coalesce(i.indkey::smallint[], '{}')) AS is_key
    FROM pg_attribute a
    LEFT JOIN pg_index i ON i.indrelid = a.attrelid AND i.indisprimary
    WHERE a.attrelid = to_regclass(:relation) AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
    ORDER BY a.attnum
""")


class ColumnsDiffer(CannotLoad):
    """The file has other columns than the table."""

    code = "columns_differ"

    def __init__(self, message: str, **columns: list[str]) -> None:
        super().__init__(message)
        self.details = {name: names for name, names in columns.items() if names}


@dataclass(frozen=True)
class Column:
    """A column as PostgreSQL has it: `shape`, `srid` and `dimensions` are those of a geometry."""

    name: str
    kind: str
    shape: str
    srid: int
    dimensions: int
    is_added: bool
    """GeoAgent's own key, which the file did not have."""
    is_key: bool

    @property
    def family(self) -> str:
        """POINT, LINESTRING, POLYGON, or another type of geometry; empty where any is allowed."""
        base = self.shape.upper().removeprefix("MULTI").removesuffix("M").removesuffix("Z")
        return "" if base.startswith("GEOMETRY") else base


def staging_name() -> str:
    """A name for a table that waits."""
    return PREFIX + secrets.token_hex(12)


async def load_into_table(
    database: Database, path: Path, target: str, mode: Mode, **options: Any
) -> IngestReport:
    """`load_file` with these options, and `merge` into the table `target` of the schema `data`. Raises as both do, and
    then nothing has changed."""
    name = target.removeprefix(f"{SCHEMA}.")
    staged = staging_name()
    async with database.owner.connect() as connection:
        if not await columns_of(connection, name):
            raise UnknownTable(NO_TABLE(table=repr(name), schema=SCHEMA))
    report = await load_file(database, path, staged, shared=False, **options)
    try:
        async with database.owner.begin() as connection:
            remarks = await merge(connection, staged, name, mode)
    except DBAPIError as error:
        raise merge_fault(error) or error from error
    finally:
        async with database.owner.begin() as connection:
            await connection.exec_driver_sql(f"DROP TABLE IF EXISTS {relation(staged)}")
    return report.model_copy(update={"table": join_id(SCHEMA, name), "remarks": [*report.remarks, *remarks]})


async def merge(connection: AsyncConnection, staged: str, target: str, mode: Mode) -> list[str]:
    """Append the rows of the table `staged` to `target`, or put it in the place of `target`; returns remarks.

    `staged` is dropped. Raises ColumnsDiffer, CannotLoad or DataBusy; then the caller rolls back."""
    lock = "SHARE ROW EXCLUSIVE" if mode == "append" else "ACCESS EXCLUSIVE"
    await connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{SHARE_WAIT_S}s'")
    await connection.exec_driver_sql(f"LOCK TABLE {relation(target)} IN {lock} MODE")
    theirs = await columns_of(connection, target)
    await _name_geometry_alike(connection, staged, theirs)
    ours = await columns_of(connection, staged)
    await _check(connection, staged, theirs, ours, mode)
    if mode == "replace":
        return await _replace(connection, staged, target, theirs, ours)
    return await _append(connection, staged, target, theirs, ours)


def relation(name: str) -> str:
    """The quoted name of an upload with its schema."""
    return quoted(SCHEMA, name)


async def columns_of(connection: AsyncConnection, name: str) -> list[Column]:
    """The columns of an upload, in order."""
    rows = await connection.execute(_COLUMNS, {"relation": relation(name), "added": ADDED_KEY})
    return [Column(*row) for row in rows]


def merge_fault(error: DBAPIError) -> GisError | None:
    """Advice for the user on a PostgreSQL error during the merge; None for unexpected errors."""
    state = sqlstate(error)
    detail = str(error.orig).partition(": ")[2].split("\n")[0][:200]
    if state == LOCK_NOT_AVAILABLE:
        return DataBusy(BEING_READ(), SHARE_WAIT_S)
    if state == "2BP01":
        return CannotLoad(VIEW_READS())
    if state == QUERY_CANCELED:
        return InvalidQuestion(TOO_SLOW())
    if state[:2] in ("22", "23", "0A"):
        return CannotLoad(ROWS_REFUSED(why=detail))
    return None


async def _name_geometry_alike(connection: AsyncConnection, staged: str, theirs: list[Column]) -> None:
    """File formats use different names for their only geometry column; they are treated as equal."""
    ours = await columns_of(connection, staged)
    one, other = ([each.name for each in columns if each.kind == "geometry"] for columns in (theirs, ours))
    if len(one) == len(other) == 1 and one[0] not in {each.name for each in ours}:
        await connection.exec_driver_sql(
            f"ALTER TABLE {relation(staged)} RENAME COLUMN {quoted(other[0])} TO {quoted(one[0])}"
        )


async def _check(
    connection: AsyncConnection, staged: str, theirs: list[Column], ours: list[Column], mode: Mode
) -> None:
    table = {each.name: each for each in theirs if not each.is_added}
    file = {each.name: each for each in ours if not each.is_added}
    missing = [name for name in table if name not in file]
    unknown = [name for name in file if name not in table] if mode == "append" else []
    different: dict[str, str] = {}
    for name, column in table.items():
        if name in file and (fault := await _difference(connection, staged, column, file[name], mode)):
            different[name] = fault
    sentences = [
        *([f"The file has no column {listed(missing)}, which the table has."] if missing else []),
        *([f"The table has no column {listed(unknown)}, which the file has."] if unknown else []),
        *different.values(),
    ]
    if sentences:
        raise ColumnsDiffer(" ".join(sentences), missing=missing, unknown=unknown, different=list(different))


async def _difference(
    connection: AsyncConnection, staged: str, table: Column, file: Column, mode: Mode
) -> str | None:
    """Why the values of a column of the file cannot be those of the table's."""
    if "geometry" in (table.kind, file.kind):
        if table.kind != file.kind:
            where = "the table" if table.kind == "geometry" else "the file"
            return f"Column {table.name!r} is a geometry only in {where}."
        if table.family in ("", file.family):
            return None
        shapes = [SHAPES.get(each.family, "shapes of several kinds") for each in (table, file)]
        return f"The table has {shapes[0]}, the file {shapes[1]}."
    accepts = _alike if mode == "replace" else _assignable
    if accepts(table.kind, file.kind) or await _is_empty(connection, staged, file.name):
        return None
    return (
        f"Column {table.name!r} has {_worded(table.kind)} in the table and {_worded(file.kind)} in the file."
    )


def _worded(kind: str) -> str:
    return TYPE_NAMES.get(kind, kind)


def _alike(table: str, file: str) -> bool:
    """Whether filters and styles of the one work with the other."""
    return table == file or any(table in kinds and file in kinds for kinds in (NUMBERS, TEXTS, TIMES))


def _assignable(table: str, file: str) -> bool:
    """Whether each value keeps what it says; a number that is too large is refused when it is written."""
    return (
        table == file
        or table in TEXTS
        or (table in NUMBERS and file in INTEGER_TYPES)
        or (table in NUMBERS[3:] and file in NUMBERS)
        or (table in TIMES[1:] and file in TIMES)
    )


async def _is_empty(connection: AsyncConnection, table: str, column: str) -> bool:
    found = await connection.exec_driver_sql(
        f"SELECT EXISTS (SELECT FROM {relation(table)} WHERE {quoted(column)} IS NOT NULL)"  # noqa: S608 - quoted
    )
    return not found.scalar()


async def _replace(
    connection: AsyncConnection, staged: str, target: str, theirs: list[Column], ours: list[Column]
) -> list[str]:
    is_private = await connection.scalar(
        sa.text(
            "SELECT pg_get_userbyid(relowner) = geoagent.role_name('loader') FROM pg_class"
            " WHERE oid = to_regclass(:relation)"
        ),
        {"relation": relation(target)},
    )
    await connection.exec_driver_sql(f"DROP TABLE {relation(target)}")
    await connection.exec_driver_sql(f"ALTER TABLE {relation(staged)} RENAME TO {quoted(target)}")
    if not is_private:
        await connection.exec_driver_sql(f"ALTER TABLE {relation(target)} OWNER TO CURRENT_USER")
    known = {each.name for each in theirs}
    added = [each.name for each in ours if each.name not in known and not each.is_added]
    return [f"New columns: {listed(added)}."] if added else []


async def _append(
    connection: AsyncConnection, staged: str, target: str, theirs: list[Column], ours: list[Column]
) -> list[str]:
    remarks: list[str] = []
    file = {each.name: each for each in ours}
    names, values = [], []
    for column in theirs:
        if column.is_added:
            continue
        names.append(quoted(column.name))
        if column.kind == "geometry":
            values.append(await _fitting_geometry(connection, target, column, file[column.name], remarks))
        else:
            values.append(f"CAST(s.{quoted(column.name)} AS {column.kind})")
    await _refuse_known_keys(connection, staged, target, theirs)
    await connection.exec_driver_sql(
        f"INSERT INTO {relation(target)} ({', '.join(names)}) "  # noqa: S608 - quoted names
        f"SELECT {', '.join(values)} FROM {relation(staged)} AS s"
    )
    await _comment(connection, staged, target)
    await connection.exec_driver_sql(f"DROP TABLE {relation(staged)}")
    await connection.exec_driver_sql(f"ANALYZE {relation(target)}")
    return remarks


async def _fitting_geometry(
    connection: AsyncConnection, target: str, table: Column, file: Column, remarks: list[str]
) -> str:
    """The geometry of the file as the table has it. A table of single shapes becomes one of multiple shapes for a
    file of those."""
    value = f"s.{quoted(table.name)}"
    if table.srid and table.srid != file.srid:
        value = f"ST_Transform({value}, {table.srid})"
        remarks.append(TRANSFORMED(old=str(file.srid), new=str(table.srid)))
    if table.dimensions != file.dimensions and table.family:
        value = f"ST_Force{min(table.dimensions, 3)}D({value})"
        if table.dimensions < file.dimensions:
            remarks.append(NO_HEIGHTS())
    is_multiple = table.shape.upper().startswith("MULTI")
    if table.family and not is_multiple and file.shape.upper().startswith("MULTI"):
        suffix = {2: "", 3: "Z", 4: "ZM"}[table.dimensions]
        column = quoted(table.name)
        await connection.exec_driver_sql(
            f"ALTER TABLE {relation(target)} ALTER COLUMN {column} "
            f"TYPE geometry(MULTI{table.family}{suffix}, {table.srid}) USING ST_Multi({column})"
        )
        is_multiple = True
    return f"ST_Multi({value})" if is_multiple else value


async def _refuse_known_keys(
    connection: AsyncConnection, staged: str, target: str, theirs: list[Column]
) -> None:
    keys = [each for each in theirs if each.is_key and not each.is_added]
    if not keys:
        return
    same = " AND ".join(f"s.{quoted(key.name)} = t.{quoted(key.name)}" for key in keys)
    found = await connection.exec_driver_sql(
        f"SELECT count(*), min(CAST(s.{quoted(keys[0].name)} AS text)) "  # noqa: S608 - quoted names
        f"FROM {relation(staged)} AS s JOIN {relation(target)} AS t ON {same}"
    )
    count, example = tuple(found.one())
    if count:
        raise CannotLoad(KNOWN_KEYS(n=count, key=repr(keys[0].name), example=str(example)))


async def _comment(connection: AsyncConnection, staged: str, target: str) -> None:
    """The table's comment names the files of all its rows."""
    literal: Any = await connection.execute(
        sa.text("SELECT quote_literal(left(concat_ws(' ', obj_description(to_regclass(:target)), "
                "'Appended: ' || obj_description(to_regclass(:staged))), 4000))"),
        {"target": relation(target), "staged": relation(staged)},
    )  # fmt: skip
    await connection.exec_driver_sql(f"COMMENT ON TABLE {relation(target)} IS {literal.scalar()}")
