"""Bounded, read-only questions to PostGIS and what comes back."""
