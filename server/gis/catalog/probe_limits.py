"""Limits of looking into tables, also for `geoagent tables`, which cannot wait for the imports of the registry."""

PROBE_TIMEOUT_S = 1.5
"""Time limit of one query about one table."""
MAX_COUNTED_ROWS = 20_000
"""Tables with up to this many rows are counted and measured exactly; larger ones are estimated."""
