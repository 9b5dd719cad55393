"""Texts of refusals that are recognised by their words, as templates: a reason, and what to do instead."""

from __future__ import annotations

from agents.worded import Template

UNSUPPORTED_DATA = Template(
    "unsupported_data", "the data itself cannot be changed from here: GeoAgent only reads your tables"
)
UNSUPPORTED_DATA_DO = Template(
    "unsupported_data_do", "Change it in the database or upload a file; what the map shows follows at once."
)
UNSUPPORTED_FILES = Template("unsupported_files", "files are saved by hand")
UNSUPPORTED_FILES_DO = Template(
    "unsupported_files_do",
    "Open the menu of the layer and choose its format there, or share the whole map from the top of the "
    "page.",
)
UNSUPPORTED_EXPORT = Template("unsupported_export", "it is not said what to export and as which kind of file")
UNSUPPORTED_EXPORT_DO = Template(
    "unsupported_export_do",
    "Say for example “export airports as GeoPackage in EPSG:3857”, or open the menu of the layer.",
)
UNSUPPORTED_LAKE = Template(
    "unsupported_lake",
    "no folder and no address may be read for lake tables (GEOAGENT_LAKE_PATHS, GEOAGENT_LAKE_ADDRESSES), or no path "
    "was given",
)
UNSUPPORTED_LAKE_DO = Template(
    "unsupported_lake_do", "Say for example “add the dataset /srv/lake/pings as pings”, or upload a file."
)
UNSUPPORTED_SQL = Template(
    "unsupported_sql", "SQL is only run behind “/sql”, on servers that allow it (GEOAGENT_SQL=on)"
)
UNSUPPORTED_SQL_DO = Template(
    "unsupported_sql_do",
    "Ask in words, for example “list the airports in Peru by elevation”, or send “/sql select …”.",
)
UNSUPPORTED_PRINT = Template("unsupported_print", "printing is for your browser")
UNSUPPORTED_PRINT_DO = Template("unsupported_print_do", "Use its print command, or share the map.")
UNSUPPORTED_PLAY = Template("unsupported_play", "time is not played by words")
UNSUPPORTED_PLAY_DO = Template(
    "unsupported_play_do",
    "Say “time slider for …” and move the slider, or show a part: “only the ones in 2021”.",
)
UNSUPPORTED_TEXT_LENGTH = Template(
    "unsupported_text_length", "texts are ranked by the alphabet here, not by how long they are"
)
UNSUPPORTED_TEXT_LENGTH_DO = Template(
    "unsupported_text_length_do", "Say for example “whose name contains international”."
)
UNSUPPORTED_ROUTES = Template(
    "unsupported_routes",
    "no route, way or travel time (drive, walk or minutes on the road) is calculated here",
)
UNSUPPORTED_ROUTES_DO = Template(
    "unsupported_routes_do",
    "Distances are straight lines: say for example “distance from Berlin to Ulm”, or “within 2 km of …”.",
)
UNSUPPORTED_BASE_MAP = Template(
    "unsupported_base_map", "the base map is chosen by hand, each user for themselves"
)
UNSUPPORTED_BASE_MAP_DO = Template(
    "unsupported_base_map_do",
    "The menu “Base map” lists those of this server. Where there is no such menu, there is only the built-in one, "
    "with land, borders and names; the setting GEOAGENT_BASEMAPS adds others, such as aerial images.",
)
UNSUPPORTED_TWO_COLUMNS = Template(
    "unsupported_two_columns", "a layer is coloured or sized by one column, not by two at once"
)
UNSUPPORTED_TWO_COLUMNS_DO = Template(
    "unsupported_two_columns_do", "Say it by one of them, or show the table twice."
)
