"""Geometry that operations share: validity, shapes, overlays, coverages, lattices."""
