"""Bounded, read-only queries of the data."""
