"""Limits of looking into tables, also for `geoagent tables`, which cannot wait for the imports of the registry."""

PROBE_TIMEOUT_S = 1.5
"""For one query about one table."""
MAX_COUNTED_ROWS = 20_000
"""Up to so many rows are counted and their extent is measured; beyond, estimates are taken."""
