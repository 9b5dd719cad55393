"""Rows that belong together: by key, by location, as neighbours, side by side."""
