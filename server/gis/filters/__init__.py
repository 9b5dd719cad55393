"""CQL2 filters (OGC 21-065r2): JSON from models or text from people, checked against a table's columns and
compiled to SQL.

`compile_filter` gives the condition, `normalize` the canonical JSON that a layer stores, `to_text` a readable form.
Every value in the SQL is a bound parameter with the column's type; every identifier comes from the registry."""

from server.gis.filters.compiler import (
    MAX_DEPTH,
    MAX_NODES,
    Condition,
    both,
    compile_filter,
    compile_normalized,
    normalize,
)
from server.gis.filters.reading import MAX_TEXT
from server.gis.filters.writing import to_text

__all__ = [
    "MAX_DEPTH",
    "MAX_NODES",
    "MAX_TEXT",
    "Condition",
    "both",
    "compile_filter",
    "compile_normalized",
    "normalize",
    "to_text",
]
