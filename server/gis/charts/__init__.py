"""Charts from PostGIS: what is drawn is aggregated in SQL, as the reader role, within limits of time and cost."""

from server.gis.charts.service import Charts, Made

__all__ = ["Charts", "Made"]
