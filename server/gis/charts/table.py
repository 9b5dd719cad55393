"""A chart as CSV."""

from __future__ import annotations

import csv
import io

from agents.chart_rows import columns_of, rows_of
from agents.charts import Chart, ChartData
from server.gis.export.layers import harmless


def csv_of(chart: Chart, data: ChartData) -> bytes:
    """The chart's data as CSV: UTF-8 with a header. Texts that a spreadsheet would run as formulas get a leading
    apostrophe."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\r\n")
    writer.writerow([harmless(name) for name in columns_of(chart, data)])
    writer.writerows([harmless(value) for value in row] for row in rows_of(chart, data))
    return buffer.getvalue().encode()
