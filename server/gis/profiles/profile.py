"""What a table profile holds, and how it is kept in the database."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

import sqlalchemy as sa
from cachetools import TTLCache
from pydantic import BaseModel, ConfigDict
from sqlalchemy.ext.asyncio import AsyncEngine

from agents.domain import Bounds
from server.database.engines import single_reads
from server.gis.profiles.versions import MAX_AGE_S, MAX_TABLES, TableState
from server.gis.styles.statistics import Category, Distribution, Frequencies


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", ser_json_inf_nan="strings")


class ColumnProfile(_Value):
    """Statistics of one column over all rows."""

    nulls: int
    minimum: float | None = None
    maximum: float | None = None
    earliest: str | None = None
    latest: str | None = None
    """The range of dates and times, as PostgreSQL writes them."""
    sketch: tuple[float, ...] = ()
    """Numbers at even steps of rank, from the least to the greatest."""
    top: tuple[tuple[Category, int], ...] = ()
    """The most frequent values, each with its count."""
    distinct: int = 0

    def distribution(self, rows: int) -> Distribution:
        """The distribution, given the number of rows of the table."""
        return Distribution(rows, rows - self.nulls, self.minimum, self.maximum, self.sketch)

    def frequencies(self, rows: int, limit: int) -> Frequencies:
        """The `limit` most frequent values, and what the others are together."""
        top = self.top[:limit]
        shown = sum(count for _, count in top)
        return Frequencies(top, rows - self.nulls - shown, max(0, self.distinct - len(top)), self.nulls)


class TableProfile(_Value):
    """All of it exact, counted from the rows as of `data_version`."""

    data_version: str
    rows: int
    bounds: Bounds | None = None
    geometry_types: dict[str, int] = {}
    """How many geometries of each type, as PostGIS names it; what has no geometry is in none."""
    is_sound: bool = False
    """All geometries are finite and without empty parts, so that every PostGIS function may be given them."""
    is_valid: bool = False
    """All geometries are valid, as ST_IsValid sees it."""
    is_on_earth: bool = False
    """In longitude and latitude: all within 180 and 90 degrees."""
    empty_geometries: int | None = None
    """None in profiles of earlier versions, as with the next."""
    invalid_geometries: int | None = None
    """As ST_IsValid sees it; geometries that are not sound count as invalid."""
    invalid_rows: tuple[int, ...] = ()
    """The values of `invalid_key` in the rows with invalid geometries, where these are few and the key is a number."""
    invalid_key: str = ""
    complete_before: int | None = None
    """The facts about geometries hold for all rows that were written by transactions before this one, even if
    others have changed since, as long as `layout` is that of the table."""
    layout: str = ""
    """As in `TableState`, while the geometries were read."""
    geometry_column: str = ""
    """Empty in profiles of earlier versions."""
    vertices: float = 0.0
    """Vertices of a feature on average."""
    columns: dict[str, ColumnProfile] = {}


@dataclass(frozen=True)
class ProfileRow:
    """A stored profile, or the reason why the table has none."""

    data_version: str
    profile: TableProfile | None
    error: str | None
    seconds: float
    age_s: float
    next_transaction: int = 0
    """The id of the next transaction when the profile was read."""


_READ = sa.text(
    "SELECT data_version, document, error, seconds, extract(epoch FROM now() - measured_at) AS age_s,"
    " CAST(CAST(pg_snapshot_xmax(pg_current_snapshot()) AS text) AS bigint) AS next_transaction"
    " FROM geoagent.table_profile WHERE relid = CAST(CAST(:relid AS bigint) AS oid)"
)
_WRITE = sa.text(
    "INSERT INTO geoagent.table_profile (relid, data_version, document, error, seconds)"
    " VALUES (CAST(CAST(:relid AS bigint) AS oid), :version, CAST(:document AS jsonb), :error, :seconds)"
    " ON CONFLICT (relid) DO UPDATE SET data_version = excluded.data_version, document = excluded.document,"
    " error = excluded.error, seconds = excluded.seconds, measured_at = now()"
)
_SWEEP = sa.text(
    "DELETE FROM geoagent.table_profile AS p WHERE NOT EXISTS (SELECT FROM pg_class WHERE oid = p.relid)"
)


class ProfileStore:
    """Reads and writes table profiles (`geoagent.table_profile`)."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self._rows: TTLCache[int, ProfileRow | None] = TTLCache(MAX_TABLES, MAX_AGE_S)

    async def row(self, relid: int, fresh: bool = False) -> ProfileRow | None:
        """The profile of a table, of whatever data version; with `fresh`, not from memory."""
        if not fresh:
            with suppress(KeyError):
                return self._rows[relid]
        async with single_reads(self._engine) as connection:
            row = (await connection.execute(_READ, {"relid": relid})).one_or_none()
        found = None
        if row is not None:
            profile = None if row.document is None else TableProfile.model_validate(row.document)
            found = ProfileRow(
                row.data_version, profile, row.error, row.seconds, float(row.age_s), row.next_transaction
            )
        self._rows[relid] = found
        return found

    async def current(self, state: TableState) -> TableProfile | None:
        """The profile of the table as it is now."""
        row = await self.row(state.relid) if state.relid else None
        return row.profile if row is not None and row.data_version == state.version else None

    async def write(
        self, relid: int, version: str, profile: TableProfile | None, error: str | None, seconds: float
    ) -> None:
        """Store the profile of a data version, or the error that prevented it, and how long it took."""
        values = {
            "relid": relid,
            "version": version,
            "document": None if profile is None else profile.model_dump_json(),
            "error": error,
            "seconds": seconds,
        }
        async with self._engine.begin() as connection:
            await connection.execute(_WRITE, values)
        self._rows.pop(relid, None)

    async def sweep(self) -> None:
        """Remove the profiles of dropped tables."""
        async with self._engine.begin() as connection:
            await connection.execute(_SWEEP)
