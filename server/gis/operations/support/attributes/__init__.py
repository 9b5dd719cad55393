"""Attributes of results: columns, aggregates, groups and calculations."""
