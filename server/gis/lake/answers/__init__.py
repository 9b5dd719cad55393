"""Exact answers about lake tables, from all rows of their files."""
