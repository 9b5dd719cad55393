"""The map and data tools of GeoAgent by theme, with the words it uses for people and for models."""
