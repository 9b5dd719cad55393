"""Table profiles: the version of a table's data, its size, extent and statistics, estimated at once and exact later."""
