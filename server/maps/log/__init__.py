"""The event log of maps: append, read, replay, undo."""
