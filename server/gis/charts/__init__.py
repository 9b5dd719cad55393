"""Charts from PostGIS: aggregated in SQL by the reader role, within limits of time and cost."""

from server.gis.charts.service import Charts, ComputedChart

__all__ = ["Charts", "ComputedChart"]
