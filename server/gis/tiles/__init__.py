"""Vector tiles straight from PostGIS."""
