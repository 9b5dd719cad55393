"""A linear mapping of the data's coordinates to units of a tile, and the SQL that uses it."""
