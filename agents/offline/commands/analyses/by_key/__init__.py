"""Analyses of the rows of two tables that belong together by a key."""
