"""CQL2 filters: JSON from models, text from people, checked against a table's columns and compiled to SQL.

`compile_filter` gives the condition, `normalize` the canonical JSON that a layer keeps, `to_text` a form
for people. Every value in the SQL is a bound parameter with the column's type; every identifier comes from
the registry's entry.
"""

from server.gis.filters.compiler import MAX_DEPTH, MAX_NODES, compile_filter, normalize
from server.gis.filters.reading import MAX_TEXT
from server.gis.filters.writing import to_text

__all__ = ["MAX_DEPTH", "MAX_NODES", "MAX_TEXT", "compile_filter", "normalize", "to_text"]
