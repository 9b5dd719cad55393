"""Overviews: tables of weighted representatives, from which tiles of large tables are drawn at low zoom."""
