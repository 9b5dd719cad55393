"""The columns of a table as a list of changes works on them."""
