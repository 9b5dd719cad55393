"""Conditions as CQL2 filters: finds columns, looks up values, and compares dates, places and geometries."""
