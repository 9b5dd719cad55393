"""Why the built-in model did nothing, and what can be said instead, as templates. The reasons that a table or a column
gives are in the modules that find them.
"""

from __future__ import annotations

from agents.worded import Template

# --- reasons: what follows "I cannot do that: " --------------------------------------------------------------

UNKNOWN_WORD = Template(
    "no_word", "{words} is not a word of this language, nor the name of a table or column that you mention"
)
UNKNOWN_WORDS = Template(
    "no_words", "{words} are not words of this language, nor names of tables or columns that you mention"
)
NO_PLACE = Template("no_place_called", "no table and no place is called “{text}”")
NO_LAYER = Template("no_layer_called", "no layer on the map is called “{text}”")
NO_LAYERS = Template("no_layers", "the map has no layers yet")
NO_COLUMN_FOR = Template("no_column_for", "no table has a column for “{text}”")
NO_COLUMN = Template("no_column_called", "{table} has no column “{text}”")
NO_TABLE = Template("no_table_here", "no table here is about “{text}”")
NO_TABLES = Template("no_tables_yet", "there are no tables yet")
EVERYTHING = Template("everything", "“everything” is too much to show")
NOTHING_INSIDE = Template("nothing_inside", "nothing of {table} lies in {area}, of {areas}")
NO_GEOMETRY = Template("no_geometry", "{table} has no geometry, so it lies nowhere")
NOT_DRAWABLE = Template("not_drawable", "{table} has no geometry, so it cannot be drawn")
NOTHING_SELECTED = Template("nothing_selected", "nothing is selected on the map")
NO_VIEW = Template("no_view", "I do not know which part of the map you look at")
NO_STEPS = Template("no_steps", "I could not read all of that as steps of an analysis")
NO_PLANNER = Template("no_planner", "without a language model I cannot plan this analysis")
SAME_NAMES = Template("same_names", "{n} places are called “{text}”, and their names do not tell them apart")
NO_DISTANCE = Template("no_distance", "the distance is missing")
NO_ROW_CALLED = Template("no_row_called", "nothing in {table} is called “{text}”")
NO_ROW_VALUE = Template("no_row_value", "no row of {table} has the value “{text}”")
NO_ROW_AS = Template("no_row_as", "no row of {table} has “{text}” as its {column}")
NO_NUMBERS = Template("no_numbers", "{table} has no numbers to rank by")
WENT_WRONG = Template("went_wrong", "something went wrong while I looked it up in the data")

# --- what can be done instead --------------------------------------------------------------------------------

THERE_ARE = Template("there_are", "There are {names}.")
TABLES_ARE = Template("tables_are", "The tables are {names}.")
LAYERS_ARE = Template("layers_are", "The layers are {names}.")
IT_HAS = Template("it_has", "It has {names}.")
NEAREST = Template("nearest_names", "The nearest names are {names}.")
DID_YOU_MEAN = Template("did_you_mean", "Did you mean {names}?")
CLICK_TO_SELECT = Template("click_to_select", "Click on features to select them.")
MOVE_OR_DRAW = Template("move_or_draw", "Move the map a little, or draw an area, and ask again.")
SAY_EXAMPLE = Template("say_example", "Say for example “{example}”.")
SAY_TO_SEE = Template("say_to_see", "Say “{show}” to see where they are.")
ASK_FOR_ROWS = Template("rows_instead", "Ask for its rows: “{list}”.")
UPLOAD = Template("upload_first", "Upload a file, or load one with `geoagent load`.")

# --- what was not understood ---------------------------------------------------------------------------------

UNDERSTOOD = Template("understood", "I understood “{understood}”, but not “{rest}”, so I changed nothing.")
NOT_UNDERSTOOD = Template(
    "not_understood", "I did not understand “{text}”. I know plain commands only, so I changed nothing."
)
NO_TABLES_HERE = Template(
    "no_tables_here", "There are no tables yet: upload a file, or load one with `geoagent load`."
)
MANY_MEANINGS = Template("many_meanings", "That can mean several things: {meanings}. Which do you mean?")
WHICH_LAYER = Template("which_layer", "Which layer do you mean: {names}?")
WHICH_TABLE = Template("which_table", "Which table do you mean: {names}?")
WHICH_PLACE = Template("which_place", "Which {name} do you mean: {places}; or {last}?")
HELP = Template(
    "help",
    "I work without a language model, so I understand plain commands: show, filter, colour, label, count, rank, "
    "zoom, undo. For example:",
)
WELCOME = Template("welcome", "You are welcome.")
LAYERS_LISTED = Template("layers_listed", "On the map, top first:")
