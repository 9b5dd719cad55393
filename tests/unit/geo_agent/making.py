"""Makes a table of a few rows as the registry would know it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agents.domain import Bounds, Column, ColumnKind, Table

Row = dict[str, Any]


def make_table(
    id: str,
    geometry: str | None,
    comment: str,
    columns: Sequence[tuple[str, ColumnKind, str]],
    rows: Sequence[Sequence[Any]],
) -> tuple[Table, list[Row]]:
    """A table and its rows; the last value of a row of a table with geometry is its position."""
    schema, _, name = id.partition(".")
    names = [column[0] for column in columns] + (["geom"] if geometry else [])
    made = [dict(zip(names, row, strict=True)) for row in rows]
    found = [_column(*column, [row[column[0]] for row in made]) for column in columns]
    if geometry:
        found.append(Column(name="geom", kind="geometry", sql_type=f"geometry({geometry}, 4326)"))
    points = [row["geom"] for row in made] if geometry else []
    table = Table(
        id=id,
        schema_name=schema,
        name=name.strip('"'),
        columns=tuple(found),
        key=("id",),
        geometry_column="geom" if geometry else None,
        geometry_type=geometry,
        srid=4326 if geometry else 0,
        bounds=box_of(points) if points else None,
        row_estimate=len(made),
        comment=comment,
    )
    return table, made


def full(made: tuple[Table, list[Row]]) -> tuple[Table, list[Row]]:
    """No row lacks a value, as the registry knows."""
    table, rows = made
    columns = tuple(each.model_copy(update={"nullable": False}) for each in table.columns)
    return table.model_copy(update={"columns": columns}), rows


def referring(made: tuple[Table, list[Row]], *references: tuple[str, str, str]) -> tuple[Table, list[Row]]:
    """With foreign keys: the column, the id of the other table, and the column there."""
    table, rows = made
    return table.model_copy(update={"references": references}), rows


def _column(name: str, kind: ColumnKind, comment: str, values: list[Any]) -> Column:
    there = [value for value in values if value is not None]
    numeric = kind in ("integer", "number")
    return Column(
        name=name,
        kind=kind,
        sql_type={"text": "text", "integer": "bigint", "number": "double precision"}.get(kind, kind),
        comment=comment or None,
        samples=tuple(sorted({str(value) for value in there}))[:5] if kind == "text" else (),
        minimum=min(there) if numeric and there else None,
        maximum=max(there) if numeric and there else None,
    )


def box_of(points: Sequence[tuple[float, float]]) -> Bounds | None:
    if not points:
        return None
    xs, ys = [point[0] for point in points], [point[1] for point in points]
    return (min(xs), min(ys), max(xs), max(ys))


def as_json(value: Any) -> Any:
    """The place of a row as GeoJSON; other values as they are."""
    return {"type": "Point", "coordinates": list(value)} if isinstance(value, tuple) else value
