"""The extent of a table as its spatial index knows it, found without a look at rows.

It contains all rows. It may be wider: bounds are rounded outwards to seven digits, and where rows once were counts
until the index is built again. A row with a coordinate that is not a finite number makes it as wide as numbers get."""

from __future__ import annotations

_EXTENT = """
SELECT ST_XMin(box) AS west, ST_YMin(box) AS south, ST_XMax(box) AS east, ST_YMax(box) AS north
FROM (
  SELECT CASE WHEN bool_and(coalesce(
      index.relkind = 'i' AND indisvalid AND NOT indcheckxmin AND indpred IS NULL
      AND own.attnum = 1 AND indkey[0] = stored.attnum AND opcname = 'gist_geometry_ops_2d'
      AND NOT EXISTS (SELECT FROM pg_inherits WHERE inhparent = indrelid), false))
    THEN ST_EstimatedExtent({schema}, {table}, {column}) END AS box
  FROM pg_index
  JOIN pg_class AS index ON index.oid = indexrelid
  JOIN pg_am ON pg_am.oid = index.relam AND amname = 'gist'
  JOIN pg_opclass ON pg_opclass.oid = indclass[0]
  JOIN pg_attribute AS own ON own.attrelid = indexrelid AND own.attname = {column}
  LEFT JOIN pg_attribute AS stored ON stored.attrelid = indrelid AND stored.attname = {column}
  WHERE indrelid = to_regclass(format('%I.%I', {schema}, {table}))
) AS indexed
"""
"""PostGIS reads one of the indexes whose own attribute, which keeps its name when the column is renamed, has the name
of the column, and statistics where none of them is of flat boxes. So all of them must be of flat boxes of all rows of
the column."""


def indexed_extent(schema: str, table: str, column: str) -> str:
    """The SELECT of west, south, east and north in units of the data, all NULL if there is no suitable index. The
    arguments are placeholders of parameters, such as `$1`."""
    names = {"schema": schema, "table": table, "column": column}
    return _EXTENT.format(**{name: f"CAST({parameter} AS text)" for name, parameter in names.items()})
