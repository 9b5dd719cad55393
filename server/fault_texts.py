"""Texts of faults that people meet on the page, as templates. What only programs can cause stays English."""

from agents.worded import Template

RATE_LIMITED = Template(
    "fault_rate",
    "Too many {what} from this network address. Try again in {seconds|one=# second|other=# seconds}.",
)
REQUESTS_LIMITED = Template(
    "fault_requests",
    "Too many requests from this {whose}. Try again in {seconds|one=# second|other=# seconds}.",
)
TOO_SLOW = Template("fault_too_slow", "The transfer took more than {minutes} minutes.")
FILE_TOO_LARGE = Template("fault_file_size", "The file is too large: at most {mb} MB are loaded.")
FILE_NAME = Template(
    "fault_file_name", "The file needs a name that ends in what it is: .geojson, .gpkg, .zip ..."
)
NO_EPSG = Template("fault_srid", "srid {text} is not an EPSG code. An example is 4326.")
NOT_WAITING = Template("fault_not_waiting", "This file is not waiting any more. Upload it again.")
NO_UPLOAD = Template("fault_no_upload", "This map has no upload of this name.")
LINK_EXPIRED = Template(
    "fault_link_expired", "There is no such file, or its link has expired. Export it again."
)
NOT_SHOWN = Template("fault_not_shown", "This file holds tables that this view link does not show.")
LOOK_ONLY = Template(
    "fault_look_only",
    "This link shows the map without changing it. Ask its owner for the map's own link, or `copy` the map.",
)
NO_LAYER = Template("fault_no_layer", "This map has no layer {layer}.")
NO_LAYER_VERSION = Template("fault_no_layer_version", "This map has no layer {layer} of version {version}.")
NOTHING_TO_UNDO = Template("fault_nothing_to_undo", "There is nothing to undo on this map.")
NOTHING_TO_REDO = Template("fault_nothing_to_redo", "There is nothing to redo on this map.")
BLANK_NAME = Template(
    "fault_blank_name", "A layer's name must not be blank. Leave it out to keep or choose one."
)
FILTER_CHANGED = Template(
    "fault_filter_changed", "The filter of layer {layer} was changed by others in the meantime."
)
LAYER_BUSY = Template("fault_layer_busy", "Layer {layer} is being changed by others. Try again.")
ON_THE_MAP = Template(
    "fault_on_the_map", "{table} is on the map as {names}. Remove that layer first, then drop it."
)
ANSWERED = Template("fault_answered", "This was answered already; the first answer counts.")
MAX_LAYERS = Template("fault_max_layers", "A map holds at most {n} layers. Remove some first.")
MAX_CHARTS = Template("fault_max_charts", "A map holds at most {n} charts. Remove some first.")
MAX_RECIPES = Template("fault_max_recipes", "A map keeps at most {n} recipes. Remove some first.")
MAX_VIEWS = Template("fault_max_views", "A map keeps at most {n} views. Remove some first.")
MAX_THREADS = Template("fault_max_threads", "A map keeps at most {n} threads. Remove some first.")
MAX_COMMENTS = Template("fault_max_comments", "A thread keeps at most {n} comments. Start another.")
RECIPE_EXISTS = Template(
    "fault_recipe_exists", "This map has a recipe {name} already. Choose another name, or remove that one."
)
RECIPE_NAME = Template("fault_recipe_name", "A recipe's name has 1 to 80 characters.")
NOTHING_TO_SAVE = Template(
    "fault_nothing_to_save",
    "There is no analysis with finished steps to save. Ask for one first, then save it.",
)
INTERNAL = Template("fault_internal", "The server made a mistake (error {id}). Its log says more.")
MAP_BUSY = Template("fault_map_busy", "This map is busy. Try again in a moment.")
NO_SPACE = Template(
    "fault_no_space",
    "The server's disk has no space left for this file. Try again once the operator of the server has made room.",
)
AWAY = Template("fault_away", "The database cannot be reached at the moment. Try again in a moment.")
