"""The suite `analyst`: requests for files from the daily work of GIS analysts, judged on the file that was exported."""
