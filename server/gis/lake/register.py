"""Registers a dataset of Parquet files as a table: its sample is copied into PostGIS, the files stay where they are."""

from __future__ import annotations

import asyncio
import datetime
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

import asyncpg
import pyarrow as pa
import structlog
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from agents.domain import Bounds
from agents.worded import Template
from server.database.engines import driver_of
from server.database.quoting import quoted
from server.database.sqlstates import DUPLICATE_TABLE, sqlstate
from server.gis.errors import GisError, faults_about, translated
from server.gis.expressions.declared_types import common_type
from server.gis.expressions.identifiers import join_id, split_id
from server.gis.ingest.crs import find_srid
from server.gis.ingest.table import TablePlan, plan_table
from server.gis.lake import store
from server.gis.lake.bounds import lonlat_bounds, sample_bounds
from server.gis.lake.dataset import KEY, Dataset, plain_type
from server.gis.lake.errors import LakeTableExists, NoLakeTable
from server.gis.lake.remote.addresses import is_address
from server.gis.lake.remote.ranges import Allowance
from server.gis.lake.sample import REMOTE_BYTES, SAMPLE_ROWS, Sampled, SampleLimits, sample
from server.gis.lake.storage import LakeStorage
from server.gis.reading.copy_rows import copy_rows
from server.gis.reading.notes import Layout

NOT_REGISTERED = Template(
    "lake_not_registered", "The dataset could not be registered. The log of the server says why."
)
NO_SRID = Template(
    "lake_no_srid",
    "The reference system of the files has no number in this database. If there is one, give it (--srid).",
)
NAME_TAKEN = Template("lake_name_taken", "There is a table {name} in {schema} already. Choose another name.")
ROWS_REFUSED = Template("lake_rows_refused", "PostgreSQL refused rows of the sample: {why}.")
NO_LAKE_TABLE = Template("lake_no_table", "There is no lake table {table}. There are: {names}.")
NO_LAKE_NAME = Template(
    "lake_other_table",
    "There is a table {name} in {schema} already, which is not a lake table. Choose another name.",
)
LAKE_NAME = Template(
    "lake_table_exists",
    "There is a lake table {name} already. Choose another name, or refresh it (geoagent lake refresh).",
)
CHANGING = Template(
    "lake_changing", "The files changed while they were read. Try again when they are complete."
)


log = structlog.get_logger(__name__)

SCHEMA = "data"
LOCK_SECONDS = 10
"""Wait for readers of a table that is replaced or removed."""
_LOADER = text("SELECT quote_ident(geoagent.role_name('loader'))")


@dataclass(frozen=True)
class LakeReport:
    """What was registered, and what people should know about it."""

    table: str
    dataset: Dataset
    sample_rows: int
    bounds: Bounds | None
    remarks: Sequence[str]
    seconds: float


class Lake:
    """Registers and removes lake tables, with the owner's rights."""

    def __init__(
        self,
        owner: AsyncEngine,
        storage: LakeStorage,
        sample_rows: int = SAMPLE_ROWS,
        remote_bytes: int = REMOTE_BYTES,
    ) -> None:
        """A sample has at most `sample_rows`, and of a dataset at an address it is from row groups of so many bytes."""
        self._owner, self._storage = owner, storage
        self._limits = SampleLimits(sample_rows, remote_bytes=remote_bytes)

    async def add(
        self,
        name: str,
        location: str,
        *,
        srid: int | None = None,
        replace: bool = False,
        private: bool = False,
    ) -> LakeReport:
        """Register the files at `location` (a path or an address) as `data.<name>`; `srid` applies where they do not
        say it. A `private` table belongs to the loading role, as uploads do that are not shared; one that is replaced
        stays private.

        Raises PathRefused, NoLakeTable or LakeTableExists; nothing has changed then."""
        started = time.monotonic()
        dataset, batches, sampled = await self._read(location)
        plan = plan_table(
            SCHEMA,
            name,
            [(column.name, column.sql) for column in dataset.columns],
            next((column.name for column in dataset.columns if column.is_geometry), None),
        )
        remarks = list(dataset.remarks)
        if sampled.read < dataset.rows:
            remarks.append(
                f"The sample is from row groups with {sampled.read:,} of {dataset.rows:,} rows, because reading all "
                "takes too long: the map may have gaps where the others lie."
            )
        try:
            async with self._owner.begin() as connection:
                await connection.execute(text(f"SET LOCAL lock_timeout = '{LOCK_SECONDS}s'"))
                private |= await self._make_room(connection, plan, replace)
                dataset, bounds = await _make(connection, plan, dataset, batches, srid, remarks)
                await store.keep(connection, plan.relation, dataset, sampled.rows, bounds)
                if private:
                    loader = await connection.scalar(_LOADER)
                    await connection.exec_driver_sql(f"ALTER TABLE {plan.relation} OWNER TO {loader}")
        except (DBAPIError, asyncpg.PostgresError, OSError) as error:
            raise _fault(error, plan) from error
        return LakeReport(
            join_id(SCHEMA, plan.name), dataset, sampled.rows, bounds, remarks, time.monotonic() - started
        )

    async def _read(self, location: str) -> tuple[Dataset, Sequence[pa.RecordBatch], Sampled]:
        """The metadata of all files, and the rows of the sample."""
        remote = self._storage.remote
        if is_address(location) and remote is not None and remote.copies is not None:
            used = [path for each in await self.tables() for path in (each.root, *each.named)]
            await asyncio.to_thread(remote.copies.remove_abandoned, used)
        allowance, sampled = Allowance(), Sampled()

        def read() -> tuple[Dataset, Sequence[pa.RecordBatch]]:
            found = self._storage.find(location, allowance)
            dataset = self._storage.dataset(found, allowance)
            reader = self._storage.reader(dataset, allowance)
            batches = list(sample(reader, sampled, self._limits))
            if reader.is_remote and self._storage.find(location, allowance) != found:
                raise NoLakeTable(CHANGING())
            return dataset, batches

        try:
            dataset, batches = await asyncio.to_thread(read)
        except asyncio.CancelledError:
            allowance.stopped.set()
            raise
        return dataset, batches, sampled

    async def refresh(self, table: str) -> LakeReport:
        """Register a lake table again, from its files as they are now."""
        known = await self.named(table)
        return await self.add(split_id(known.table)[1], known.location, replace=True)

    async def remove(self, table: str) -> str:
        """Drop a lake table; its files stay. Returns its id. Raises NoLakeTable for any other table."""
        known = await self.named(table)
        schema, name = split_id(known.table)
        with faults_about(known.table):
            async with self._owner.begin() as connection:
                await connection.execute(text(f"SET LOCAL lock_timeout = '{LOCK_SECONDS}s'"))
                await connection.exec_driver_sql(f"DROP TABLE {quoted(schema, name)}")
        await store.registered(self._owner)
        return known.table

    async def tables(self) -> Sequence[store.Registered]:
        """All lake tables."""
        return await store.registered(self._owner)

    async def named(self, table: str) -> store.Registered:
        """A lake table by its id or its name."""
        known = [each for each in await self.tables() if split_id(each.table)[0] == SCHEMA]
        found = next((each for each in known if table in (each.table, split_id(each.table)[1])), None)
        if found is None:
            names = ", ".join(each.table for each in known) or "none"
            raise NoLakeTable(NO_LAKE_TABLE(table=repr(table), names=names))
        return found

    async def _make_room(self, connection: AsyncConnection, plan: TablePlan, replace: bool) -> bool:
        """Drop the lake table that is replaced; whether it was private. Raises LakeTableExists."""
        found = await connection.execute(
            text("SELECT d.relation IS NOT NULL AS is_lake, pg_get_userbyid(c.relowner) = geoagent.role_name('loader')"
                 " AS is_private FROM pg_class AS c LEFT JOIN geoagent_lake.dataset AS d ON d.relation = c.oid"
                 " WHERE c.oid = to_regclass(:relation)"),
            {"relation": plan.relation},
        )  # fmt: skip
        there = found.one_or_none()
        if there is None:
            return False
        if not there.is_lake:
            raise LakeTableExists(NO_LAKE_NAME(name=repr(plan.name), schema=SCHEMA))
        if not replace:
            raise LakeTableExists(LAKE_NAME(name=repr(plan.name)))
        await connection.execute(
            text("DELETE FROM geoagent_lake.dataset WHERE relation = to_regclass(:relation)"),
            {"relation": plan.relation},
        )
        await connection.exec_driver_sql(f"DROP TABLE {plan.relation}")
        return bool(there.is_private)


async def _make(
    connection: AsyncConnection,
    plan: TablePlan,
    dataset: Dataset,
    batches: Sequence[pa.RecordBatch],
    srid: int | None,
    remarks: list[str],
) -> tuple[Dataset, Bounds | None]:
    driver = await driver_of(connection)
    await driver.execute(plan.create())
    place = None if plan.geometry is None else [name for name, _ in plan.columns].index(plan.geometry)
    await driver.copy_to_table(
        plan.name,
        schema_name=plan.schema,
        columns=[name for name, _ in plan.columns],
        source=_pieces(batches, place),
        format="csv",
    )
    bounds = None
    if plan.geometry is not None:
        dataset = await _declare(driver, plan, dataset, srid, remarks)
        bounds = await lonlat_bounds(driver, dataset)
        if bounds is None:
            remarks.append("The files do not state their extent: it is that of the sample.")
            bounds = await sample_bounds(driver, plan.relation, plan.geometry)
        await driver.execute(f"CREATE INDEX ON {plan.relation} USING gist ({quoted(plan.geometry)})")
    # A column that is unique in the sample may not be in the files, so we add a key of our own.
    await driver.execute(plan.add_key(KEY))
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    comment = (
        f"Lake table of {dataset.rows:,} rows in {len(dataset.files):,} Parquet files, registered on {today}."
    )
    await driver.execute(f"COMMENT ON TABLE {plan.relation} IS '{comment}'")
    await driver.execute(f"ANALYZE {plan.relation}")
    return dataset, bounds


async def _pieces(batches: Sequence[pa.RecordBatch], geometry: int | None) -> AsyncIterator[bytes]:
    for batch in batches:
        names = [str(number) for number in range(batch.num_columns)]
        arrays = [
            column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
            for column in batch.columns
        ]
        piece, _ = await asyncio.to_thread(copy_rows, pa.record_batch(arrays, names=names), geometry)
        yield piece


async def _declare(
    driver: asyncpg.Connection, plan: TablePlan, dataset: Dataset, srid: int | None, remarks: list[str]
) -> Dataset:
    """Give the geometry column its type and reference system, and note both in the dataset."""
    facts = dataset.geometry
    assert facts is not None and plan.geometry is not None  # noqa: S101, PT018 - the caller checked
    layout = Layout(geometry=plan.geometry, crs=facts.crs)
    found, definition = await find_srid(driver, plan, layout, srid, "The dataset", remarks)
    if definition is not None:
        raise NoLakeTable(NO_SRID())
    kind = await _kind(driver, plan, dataset)
    column = quoted(plan.geometry)
    value = f"ST_SetSRID(ST_Force2D({column}), {found})"
    value = f"ST_Multi({value})" if kind.startswith("MULTI") else value
    await driver.execute(
        f"ALTER TABLE {plan.relation} ALTER COLUMN {column} TYPE geometry({kind}, {found}) USING {value}"
    )
    if any(plain_type(name)[1] for name in facts.types):
        remarks.append("Heights and measures of coordinates are left out.")
    return dataset.model_copy(update={"srid": found, "geometry_type": kind})


async def _kind(driver: asyncpg.Connection, plan: TablePlan, dataset: Dataset) -> str:
    """The kind of all rows by the metadata; else that of the sample, where a single line or area may have several parts
    elsewhere."""
    facts = dataset.geometry
    kinds = {plain_type(name)[0] for name in facts.types} if facts is not None else set()
    if not kinds:
        rows = await driver.fetch(
            f"SELECT DISTINCT GeometryType({quoted(plan.geometry or '')}) AS kind FROM {plan.relation}"  # noqa: S608
        )
        kinds = {row["kind"].removesuffix("M") for row in rows if row["kind"]}
        if len(kinds) == 1 and kinds <= {"LINESTRING", "POLYGON"}:
            return f"MULTI{kinds.pop()}"
    return common_type(kinds)


def _fault(error: Exception, plan: TablePlan) -> GisError:
    state, cause = sqlstate(error), getattr(error, "orig", error)
    if state == DUPLICATE_TABLE:
        return LakeTableExists(NAME_TAKEN(name=repr(plan.name), schema=SCHEMA))
    if state[:2] in ("22", "XX"):
        return NoLakeTable(ROWS_REFUSED(why=str(cause).splitlines()[0][:200]))
    log.error("a lake table could not be registered", table=plan.relation, error=str(error)[:500])
    try:
        translated(error, plan.name)
    except GisError as fault:
        return fault
    return GisError(NOT_REGISTERED())
