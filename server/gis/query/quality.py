"""Finds data quality problems of a table: missing and empty values, mixed, invalid and duplicate geometries, repeated
keys.

Small tables are counted. For larger ones, values from the table profile are exact; all others are estimated from a
sample of pages, and marked as estimates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from agents.domain import Column, Table
from server.gis.errors import TooExpensive
from server.gis.expressions.declared_types import declared_type
from server.gis.expressions.geometry_checks import unsound_and_invalid
from server.gis.expressions.identifiers import Expression, column_of, geometry_of, relation
from server.gis.profiles.profile import TableProfile
from server.gis.query.table_samples import can_be_sampled, sample_of, sampled_share, within
from server.gis.statements.guard import Guard

COUNTED_ROWS = 50_000
"""Rows up to which a table is counted exactly."""
SAMPLED_ROWS = 10_000
STATEMENT_TIMEOUT_S = 5.0
"""Time limit for a statement; what takes longer is estimated."""
MAX_COLUMNS = 80
MAX_KEY_COLUMNS = 20
KEY_SHARE = 0.9
"""A column with distinct values in at least this share of the rows counts as a key."""
KEY_NAMES = frozenset({"id", "fid", "gid", "uid", "uuid", "ogc_fid", "objectid"})
"""Names of columns that count as a key, however often their values repeat."""


async def table_quality(guard: Guard, table: Table, profile: TableProfile | None) -> Mapping[str, Any]:
    """`{exact, rows, geometries: {types, missing, empty, invalid, duplicates}, nulls, empty_texts, duplicate_keys}`.

    `nulls` and `empty_texts` are by column, `duplicate_keys` the rows too many by column that is nearly unique or
    called a key; only columns with any are listed. Not exact numbers are scaled from `sampled` rows; duplicates are
    never estimated."""
    if table.lake is not None and table.lake.is_sampled:
        return await _estimated(guard, table)
    if table.row_estimate <= COUNTED_ROWS:
        try:
            return await _counted(guard, table)
        except TooExpensive:
            pass
    if profile is not None and profile.empty_geometries is not None:
        return _profiled(table, profile)
    return await _estimated(guard, table)


async def _counted(guard: Guard, table: Table) -> dict[str, Any]:
    found = await _measured(guard, table, None)
    if table.geometry_column is not None:
        same = _count_distinct(sa.func.ST_AsEWKB(geometry_of(table)))
        filled = sa.func.count(geometry_of(table))
        row = await guard.row(_of(table, filled - same), table.id, seconds=STATEMENT_TIMEOUT_S)
        found["geometries"]["duplicates"] = int(row[0]) if row else 0
    keys = [
        column
        for column in table.columns
        if column.kind in ("integer", "text") and [column.name] != list(table.key)
    ]
    keys = keys[:MAX_KEY_COLUMNS]
    if keys and found["rows"]:
        values = [column_of(table, column.name) for column in keys]
        row = await guard.row(
            _of(table, *map(_count_distinct, values)), table.id, seconds=STATEMENT_TIMEOUT_S
        )
        counts = dict(zip((column.name for column in keys), row or (), strict=False))
        repeated = {
            name: found["rows"] - found["nulls"].get(name, 0) - int(distinct)
            for name, distinct in counts.items()
        }
        found["duplicate_keys"] = {
            name: extra
            for name, extra in repeated.items()
            if extra and (name.lower() in KEY_NAMES or counts[name] >= KEY_SHARE * (counts[name] + extra))
        }
    return {"exact": True, **found}


async def _estimated(guard: Guard, table: Table) -> dict[str, Any]:
    if can_be_sampled(table):
        sample = sample_of(table, sampled_share(table, SAMPLED_ROWS))
    else:
        columns = [column_of(table, column.name) for column in table.columns]
        sample = sa.select(*columns).limit(SAMPLED_ROWS).subquery("sample")
    found = await _measured(guard, table, sample)
    seen = found["rows"]
    scale = max(table.row_estimate, seen) / max(1, seen)
    return {"exact": False, "sampled": seen, **_scaled(found, scale)}


def _profiled(table: Table, profile: TableProfile) -> dict[str, Any]:
    nulls = {name: column.nulls for name, column in profile.columns.items() if column.nulls}
    found: dict[str, Any] = {"exact": True, "rows": profile.rows, "nulls": nulls}
    if table.geometry_column is not None:
        found["geometries"] = {
            "types": profile.geometry_types,
            "missing": profile.rows - sum(profile.geometry_types.values()),
            "empty": profile.empty_geometries,
            "invalid": profile.invalid_geometries,
        }
    return found


async def _measured(guard: Guard, table: Table, sample: Any) -> dict[str, Any]:
    """All counts but those of duplicates, of the table or of a sample of it."""
    columns = [column for column in table.columns if column.kind != "geometry"][:MAX_COLUMNS]
    texts = [column for column in columns if column.kind == "text"]
    counts: list[Expression] = [
        sa.func.count(),
        *(sa.func.count(column_of(table, column.name)) for column in columns),
        *(sa.func.count().filter(_is_blank(table, column)) for column in texts),
    ]
    answer = await guard.row(within(_of(table, *counts), sample), table.id, seconds=STATEMENT_TIMEOUT_S)
    row = [int(value) for value in answer or [0] * len(counts)]
    rows, filled = row[0], row[1 : 1 + len(columns)]
    nulls = {column.name: rows - count for column, count in zip(columns, filled, strict=True) if count < rows}
    blank = {column.name: n for column, n in zip(texts, row[1 + len(columns) :], strict=True) if n}
    found: dict[str, Any] = {"rows": rows, "nulls": nulls, "empty_texts": blank}
    if table.geometry_column is not None:
        found["geometries"] = await _geometries(guard, table, sample)
    return found


async def _geometries(guard: Guard, table: Table, sample: Any) -> dict[str, Any]:
    geometry = geometry_of(table)
    _, is_invalid = unsound_and_invalid(geometry, declared_type(table)[0])
    kind = sa.func.GeometryType(geometry)
    counts = (sa.func.count().filter(sa.func.ST_IsEmpty(geometry)), sa.func.count().filter(is_invalid))
    query = _of(table, kind, sa.func.count(), *counts).group_by(kind).order_by(sa.func.count().desc(), kind)
    groups = await guard.rows(within(query, sample), table.id, seconds=STATEMENT_TIMEOUT_S)
    return {
        "types": {str(name): int(count) for name, count, _, _ in groups if name is not None},
        "missing": sum(int(count) for name, count, _, _ in groups if name is None),
        "empty": sum(int(empty) for _, _, empty, _ in groups),
        "invalid": sum(int(invalid) for _, _, _, invalid in groups),
    }


def _of(table: Table, *columns: Expression) -> sa.Select[*tuple[Any, ...]]:
    return sa.select(*columns).select_from(relation(table))


def _is_blank(table: Table, column: Column) -> Expression:
    return sa.func.btrim(sa.cast(column_of(table, column.name), sa.Text)) == sa.literal_column("''")


def _count_distinct(value: Expression) -> Expression:
    return sa.func.count(sa.distinct(value))


def _scaled(found: dict[str, Any], scale: float) -> dict[str, Any]:
    return {
        name: _scaled(value, scale) if isinstance(value, dict) else round(value * scale)
        for name, value in found.items()
    }
