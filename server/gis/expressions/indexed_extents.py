"""The extent of a table as its spatial index knows it, found without a look at rows.

It contains all rows, and may be a little wider: bounds are rounded outwards to seven digits, and rows that were deleted
may count. A row with a coordinate that is not a finite number makes it as wide as numbers get."""

from __future__ import annotations

_EXTENT = """
SELECT ST_XMin(box) AS west, ST_YMin(box) AS south, ST_XMax(box) AS east, ST_YMax(box) AS north
FROM (
  SELECT CASE WHEN bool_and(
      index.relkind = 'i' AND indisvalid AND NOT indcheckxmin AND indpred IS NULL
      AND NOT EXISTS (SELECT FROM pg_inherits WHERE inhparent = indrelid))
    THEN ST_EstimatedExtent({schema}, {table}, {column}) END AS box
  FROM pg_index
  JOIN pg_class AS index ON index.oid = indexrelid
  JOIN pg_am ON pg_am.oid = index.relam AND amname = 'gist'
  JOIN pg_attribute ON attrelid = indrelid AND attnum = indkey[0] AND attname = {column}
  WHERE indrelid = to_regclass(format('%I.%I', {schema}, {table}))
) AS indexed
"""
"""PostGIS reads one of the column's indexes, so all must be of all rows; without any it would read statistics."""


def indexed_extent(schema: str, table: str, column: str) -> str:
    """The SELECT of west, south, east and north in units of the data, all NULL where no index tells; the arguments are
    parameters of it."""
    names = {"schema": schema, "table": table, "column": column}
    return _EXTENT.format(**{name: f"CAST({parameter} AS text)" for name, parameter in names.items()})
