"""The map and data tools of GeoAgent by topic, and the texts for people and models."""
