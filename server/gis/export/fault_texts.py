"""Why an export is refused."""

from agents.worded import Template

KML = Template("export_kml", "KML is always in longitude and latitude (EPSG:4326). Use gpkg for another CRS.")
SAME_COLUMNS = Template("export_same_columns", "Two columns of the file would be called {name}.")
SHAPEFILE_COLUMNS = Template(
    "export_shapefile_columns",
    "{layer} has {n} columns; a Shapefile holds {most}. Choose fewer, or use gpkg.",
)
SHAPEFILE_KINDS = Template(
    "export_shapefile_kinds",
    "{layer} holds {kinds}; a Shapefile holds one kind. Filter by the geometry type, or use gpkg.",
)
NO_PLACE_FOR = Template(
    "export_no_place_for",
    "{layer} cannot be written as {kind}, which has no place for some of its shapes or values, such as coordinates "
    "outside of the earth. Filter those out, or use another format.",
)
SHEET_ROWS = Template("export_sheet_rows", "{layer} has {n} rows; a sheet holds {most}. Use csv.")
SHEET_NAME = Template("export_sheet_name", "The sheet of {layer} is called {name}.")
NOT_TRANSFORMABLE = Template(
    "export_not_transformable", "{far}, and not all of them can be transformed. {choice}"
)
NO_ENCODING = Template("export_no_encoding", "There is no encoding {encoding}. {examples}")
NO_TEXT_ENCODING = Template("export_no_text_encoding", "{encoding} is not an encoding of text. {examples}")
ENCODINGS = Template("export_encodings", "Examples: utf-8, utf-8-sig, windows-1252.")
HAS_NO_GEOMETRY = Template(
    "export_has_no_geometry",
    "{kind} holds geometries, and {table} has none. Use gpkg, parquet, csv, xlsx or json.",
)
GOES_WITHOUT = Template(
    "export_goes_without",
    "{kind} holds geometries, and {table} is exported without them. Use gpkg, parquet, csv, xlsx or json.",
)
