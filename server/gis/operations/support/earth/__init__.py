"""The earth as operations need it: units, geodesic lengths and areas, and projections."""
