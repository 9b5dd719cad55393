"""Spatial analysis: plans as data, run step by step in PostGIS, guarded, watched, stopped and traced."""
