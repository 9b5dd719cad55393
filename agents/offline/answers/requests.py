"""Example requests in answers and on the page, as templates.

The built-in model reads the English text; clients show it in the language of the page. Codes begin with `ask_`.
"""

from __future__ import annotations

from agents.worded import Template

SHOW = Template("ask_show", "show {name}")
SHOW_ALL = Template("ask_show_all", "show all {name}")
SHOW_IN = {
    colour: Template(f"ask_show_{colour}", f"show {{name}} in {colour}")
    for colour in ("red", "blue", "green", "orange", "purple")
}
SHOW_LARGEST = Template("ask_largest", "show the {n} largest {name}")
SHOW_NAMED = Template("ask_show_named", "show {name} named {text}")
CIRCLES = Template("ask_circles", "show {name} as circles sized by {column}")
COLOUR = Template("ask_colour", "colour {name} by {column}")
LABEL = Template("ask_label", "label the {name}")
ONLY_ABOVE = Template("ask_above", "only the {name} with {column} above {value}")
TOP = Template("ask_top", "top {n} {name} by {column}")
COUNT = Template("ask_count", "how many {name} are there?")
NUMBER_BY = Template("ask_number_by", "number of {name} by {column}")
AVERAGE_BY = Template("ask_average_by", "average {measure} of {name} by {column}")
ZOOM = Template("ask_zoom", "zoom to {name}")
ZOOM_LAYER = Template("ask_zoom_layer", "zoom to the {name}")
TABLES = Template("ask_tables", "which tables are there?")
UNDO = Template("ask_undo", "undo")
