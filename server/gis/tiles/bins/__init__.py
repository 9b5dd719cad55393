"""Tiles of styles that count rows in cells."""
