"""Limits of looking into tables, also for `geoagent tables`, which cannot wait for the imports of the registry."""

PROBE_TIMEOUT_S = 1.5
"""Time limit of one query about one table."""
MAX_COUNTED_ROWS = 20_000
"""Tables with up to this many rows are counted and measured exactly; larger ones are estimated."""
MAX_MEASURED_ROWS = 1_000_000
"""The extent of views and other relations without statistics of their shapes is read from all rows, up to this many;
of larger ones it would not be known before the time is up."""
