"""Conditions as CQL2 filters: columns found, values looked up, dates, places and geometries compared."""
