"""The table registry: the readable tables, their names and the search among them."""
