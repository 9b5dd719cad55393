"""Bands of dense tiles, for the zoom levels whose other tiles are drawn from the table.

Cells that are fine enough for those zoom levels would take too much of the disk for the whole map, but not for its
fullest tiles, which take the longest to draw.
"""
