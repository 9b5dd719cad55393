"""Analyses of the rows of a table by ranges of a number."""
