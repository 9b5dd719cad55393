"""Answers about lake tables from their samples: counts are scaled to all rows, and the answer says so.

`sampled_from` in an answer is what the numbers are estimated from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agents.domain import LakeSource, Table

SCALED = ("count", "nulls", "not_finite", "sum")


def lake_of(table: Table) -> LakeSource | None:
    """The files behind a table's sample; None where PostGIS holds all rows."""
    return table.lake if table.lake is not None and table.lake.is_sampled else None


def sampled_from(table: Table) -> dict[str, str]:
    """What the numbers of an answer are estimated from; nothing for a table whose rows PostGIS has."""
    lake = lake_of(table)
    return {} if lake is None else {"sampled_from": lake.words}


def scaled_count(table: Table, count: int) -> int:
    """A count of rows in PostGIS, scaled to all rows."""
    lake = lake_of(table)
    return count if lake is None else round(count * lake.factor)


def scaled_values(table: Table, found: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Values with their counts."""
    return [{**each, "count": scaled_count(table, each["count"])} for each in found]


def scaled_statistics(
    table: Table, column: str, found: Mapping[str, Any], *, whole: bool
) -> Mapping[str, Any]:
    """Statistics of a column of the sample; of all rows (`whole`) the least and greatest are those of the files."""
    lake = lake_of(table)
    if lake is None:
        return found
    made = dict(found)
    for name in SCALED:
        if isinstance(made.get(name), int | float):
            scaled = made[name] * lake.factor
            made[name] = round(scaled) if isinstance(made[name], int) else scaled
    if "top" in made:
        made["top"] = scaled_values(table, made["top"])
    known = table.column(column)
    if whole and known is not None and known.minimum is not None:
        made |= {"minimum": known.minimum, "maximum": known.maximum}
    if whole:
        made["count"] = lake.rows
    return {**made, **sampled_from(table)}


def lake_bounds(table: Table) -> Mapping[str, Any]:
    """The bounds of all rows, as the files state them."""
    box = None if table.bounds is None else list(table.bounds)
    name = "bounds" if table.srid in (0, 4326) else "bounds_lonlat"
    return {name: {"crs": "EPSG:4326", "box": box, "exact": False}}
