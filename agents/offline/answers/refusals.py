"""Texts of refusals and alternatives, as templates."""

from __future__ import annotations

from agents.worded import Template

# --- reasons, after "I cannot do that: " --------------------------------------------------------------------

UNKNOWN_WORD = Template(
    "no_word", "{words} is not a word of this language, nor the name of a table or column that you mention"
)
UNKNOWN_WORDS = Template(
    "no_words", "{words} are not words of this language, nor names of tables or columns that you mention"
)
NO_PLACE = Template("no_place_called", "no table and no place is called “{text}”")
NO_PLACE_THERE = Template("no_place_there", "no place called “{name}” is known to be in {where}")
NO_LAYER = Template("no_layer_called", "no layer on the map is called “{text}”")
NOT_SPOKEN_OF = Template(
    "not_spoken_of",
    "it is not clear which rows “{text}” are; show them first, or leave out “{word}” for all of them",
)
ROWS_UNCLEAR = Template(
    "rows_unclear", "I did not carry out your last request, so it is not clear which rows you mean"
)
PARTLY_DONE = Template(
    "partly_done", "I carried out only a part of your last request, so it is not clear what “{text}” means"
)
NO_LAYERS = Template("no_layers", "the map has no layers yet")
NO_COLUMN_FOR = Template("no_column_for", "no table has a column for “{text}”")
NO_COLUMN = Template("no_column_called", "{table} has no column “{text}”")
NO_OTHER_TIMES = Template(
    "no_times", "no table here holds dates or years, so there are no figures of other times"
)
NO_TABLE = Template("no_table_here", "no table here is about “{text}”")
VALUE_IN_TABLES = Template("value_in_tables", "“{text}” are rows of several tables: {names}")
NO_TABLES = Template("no_tables_yet", "there are no tables yet")
EVERYTHING = Template("everything", "“everything” is too much to show")
NOTHING_INSIDE = Template("nothing_inside", "nothing of {table} lies in {area}, of {areas}")
NO_GEOMETRY = Template("no_geometry", "{table} has no geometry, so it lies nowhere")
TWO_VALUES = Template(
    "two_values", "no row of {table} has two values of {column}: say “or” for the rows with either"
)
NOT_DRAWABLE = Template("not_drawable", "{table} has no geometry, so it cannot be drawn")
NOTHING_SELECTED = Template("nothing_selected", "nothing is selected on the map")
NO_VIEW = Template("no_view", "I do not know which part of the map you look at")
SAME_ROWS = Template("same_rows", "I would take “{other}” for the same rows as “{one}”")
NO_STEPS = Template("no_steps", "I could not read all of that as steps of an analysis")
NO_PLANNER = Template("no_planner", "without a language model I cannot plan this analysis")
SAME_NAMES = Template("same_names", "{n} places are called “{text}”, and their names do not tell them apart")
NO_ROW_CALLED = Template("no_row_called", "nothing in {table} is called “{text}”")
NOT_ONE_NUMBER = Template("not_one_number", "{table} has no single row “{text}” with a value of {column}")
NO_ROW_VALUE = Template("no_row_value", "no row of {table} has the value “{text}”")
NO_ROW_AS = Template("no_row_as", "no row of {table} has “{text}” as its {column}")
NO_NUMBERS = Template("no_numbers", "{table} has no numbers to rank by")
WENT_WRONG = Template("went_wrong", "something went wrong while I looked it up in the data")

# --- alternatives -----------------------------------------------------------------------------------------

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

# --- requests that were not understood ----------------------------------------------------------------------

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
UNCLEAR_PLACE = Template(
    "plan_unclear_place", "it is not clear whether the {source} or the {noun} are meant to be in {place}"
)
SAY_WITHOUT = Template(
    "plan_say_without", "Say “{source} in {place} without {noun}”, or leave the place out."
)
RELATED_TO_ALL = Template(
    "plan_related_to_all", "I can only compare with any of the rows, and not with “{text}” at once"
)
NO_RELATION = Template("plan_no_relation", "nothing says which {other} belong to which {rows}")
SAY_ANY = Template("plan_say_any", "Say “any {text}” where one of them is enough.")
NO_ROW = Template("plan_no_row", "the row of “{name}” cannot be picked out of {table}")
NO_SHARE = Template("plan_no_share", "I know shares of the rows of a table or a layer, and not of a result")
POINTS_NO_SIZE = Template("plan_points_no_size", "points have no size")
SAY_TOP = Template("plan_say_top", "Say by which column: “the top 10 by …”.")
IN_POINTS = Template("plan_in_points", "{text} are points, and nothing lies in a point")
SAY_DISTANCE = Template("plan_say_distance", "Say how far around them: “within 10 km of {text}”.")
NO_AGE = Template("plan_no_age", "{column} says when, not how old")
SAY_EARLIEST = Template("plan_say_earliest", "Say “the earliest” or “the latest”.")
NO_NAMES = Template("plan_no_names", "no column of {table} says what its rows are called")
TABLES_CHANGED = Template("plan_tables_changed", "the tables changed while the analysis ran")
ASK_AGAIN = Template("plan_ask_again", "Ask again.")
NO_OPERATION = Template("plan_no_operation", "the operation {name} is not offered here")
HELLO = Template("say_hello", "Hello.{hint}")
SAY_NO_LAYERS = Template("say_no_layers", "The map has no layers yet.")
SAY_NO_TABLES = Template(
    "say_no_tables", "There are no tables to show yet. Upload a file, or load one with `geoagent load`."
)
RANKED_BARS = Template(
    "plan_ranked_bars", "the first ones of a ranking are charted as bars of one number each"
)
OTHER_CHART = Template("plan_other_chart", "what the last chart shows cannot be drawn as a {kind} chart")
NO_REST = Template("plan_no_rest", "I cannot tell which rows of {table} are the rest")
NO_CHARTS = Template("plan_no_charts", "the map has no charts")
EMPTY = Template("say_empty", "The map is empty already.")
NO_OTHER_LAYER = Template("say_no_other_layer", "There is no other layer on the map.")
NOT_ITSELF = Template("say_not_itself", "{layer} cannot be drawn {to} itself.")
ON_THE_MAP = Template("say_on_the_map", "{layer} is on the map already{only}: {count}.")
NO_KEY = Template("plan_no_key", "{table} has no single key, so its first rows cannot be picked out")
ASK_LIST = Template("plan_ask_list", "Ask for a list: “list the top {n} {table}”.")
MOST_RANKED = Template("plan_most_ranked", "at most {n} features can be picked out by rank")
FILTER_INSTEAD = Template("plan_filter_instead", "Filter by a value instead.")
NOT_RANKED = Template("plan_not_ranked", "no row of {table} can be ranked so")
STAYS = Template("say_stays", "{layer} stays as it is.")
ALL_SHOWN = Template("say_all_shown", "{layer} shows all its features already: {count}.")
NO_FILTER = Template("say_no_filter", "{layer} has no filter: it shows all {count}.")
LOOKS_SO = Template("say_looks_so", "{layer} looks like that already.")
CLASSES = Template("look_classes", "{n} classes cannot be told apart")
CLASSES_RANGE = Template("look_classes_range", "Between 2 and 9 can be drawn.")
NEEDS_NUMBERS = Template("look_needs_numbers", "{column} of {table} holds no numbers, which {kind} need")
NO_TIME = Template("look_no_time", "{table} has no column of dates, times or years")
ASK_DESCRIBE = Template("look_ask_describe", "Ask “describe …” for what it has.")
LOOK_NO_NAMES = Template("look_no_names", "{table} has no names to write")
SAY_LABEL = Template("look_say_label", "Say which column: “label … by …”.")
RAMP_COLUMN = Template("look_ramp_column", "a colour ramp needs a column to show")
SAY_RAMP = Template("look_say_ramp", "Say for example “colour {table} by … in {ramp}”.")
NO_LABELS = Template("say_no_labels", "{layer} has no labels.")
CLASSES_COLUMN = Template("look_classes_column", "classes need a column with numbers")
COLOURS_OF_WHAT = Template("look_colours_of_what", "it is not clear what the colours are to tell apart")
SAY_BY = Template("look_say_by", "Say for example “colour {table} by …”.")
SIZES_IN_CLASSES = Template("look_sizes_in_classes", "the sizes of circles follow a number without classes")
SAY_CLASSES = Template("look_say_classes", "Say for example “colour {table} by … with 7 classes”.")
CHECK_SPELLING = Template("question_check_spelling", "Check the spelling, or ask “where is …”.")
NO_FIGURE = Template("question_no_figure", "{column} of {table} holds no numbers, so it has no {figure}")
NO_WORLD = Template(
    "question_no_world", "no one table of areas has a column for “{words}” of the whole world"
)
QUESTION_NO_SHARE = Template(
    "question_no_share", "the share of “{text}” cannot be told from the areas in {tables}"
)
CONFIGURE = Template(
    "question_configure",
    "Configure a model (GEOAGENT_MODEL), or ask for what the columns hold: filter, count, rank, colour.",
)
NO_ANALYST = Template(
    "question_no_analyst",
    "this needs a spatial analysis (distances, buffers, joins and the like), and no analyst is at hand here",
)
I_CAN = Template("question_i_can", "I can filter by what the columns hold, count, rank and colour.")
NO_SQL = Template("question_no_sql", "raw SQL is switched off on this server")
ALLOW_SQL = Template("question_allow_sql", "Set GEOAGENT_SQL=on to allow it.")
NO_ONE_PLACE = Template(
    "view_no_one_place", "“{text}” is not a place of its own, but what several {table} have in common"
)
NO_SIDE = Template(
    "view_no_side",
    "“{place}” reaches across the 180th meridian, so nothing is clearly to the east or west of it",
)
SAY_SHOW = Template("view_say_show", "Say “show {table} in {text}, then zoom to them”.")
SAY_WHERE = Template("view_say_where", "Say where to: “zoom to …”.")
NO_FEATURES = Template("view_no_features", "no layer has any features to zoom to")
NOT_KNOWN = Template("view_not_known", "it is not known where the features of {table} lie")
SAY_FIRST = Template("view_say_first", "Say “show {table}” first.")
NO_UNIT = Template("column_no_unit", "it is not known what {column} of {table} is in {unit}")
NO_RANK = Template("column_no_rank", "the values of `{column}` of {table} have no rank")
SAY_RANK = Template("column_say_rank", "Rank by a number: “{word} {n} {table} by {column}”.")
NONE_TO_COMPARE = Template("column_none_to_compare", "{table} has no column with numbers to compare with")
TOO_SLOW = Template(
    "place_too_slow",
    "it would take the database too long to look for “{text}” in {tables}, and the place that you mean "
    "may be there",
)
ASK_LATER = Template(
    "place_ask_later",
    "Ask again later, or make the names there faster to search: with fewer rows, or as a table with an "
    "index.",
)
TOO_FEW = Template(
    "rank_too_few",
    "fewer than {n|one=# row|other=# rows} of {table} {n|one=has|other=have} a value of {column}",
)
SHARED = Template(
    "rank_shared", "several rows of {table} share a better place by {column}, so none is the {word}"
)
ASK_FIRST = Template("rank_ask_first", "Ask for the first {n} by {column}.")
OTHER_KIND = Template("value_other_kind", "{column} of {table} holds {kind} values, and “{text}” is not one")
NO_DATE = Template("value_no_date", "{column} holds dates, and “{text}” is not a date")
NOT_LASTING = Template(
    "value_not_lasting", "{table} has no two columns of dates on which its rows start and end"
)
SAY_DATE = Template("value_say_date", "Say a year, or a date such as 2019-05-01.")
OTHER_SELECTION = Template(
    "value_other_selection", "what is selected are features of {layer}, not of {table}"
)
WITHOUT_SELECTION = Template(
    "value_without_selection", "To mean the area or the view, take the selection out of the message."
)
NO_GEOMETRIES = Template("value_no_geometries", "{table} has no geometries")
NO_TEXT = Template("value_no_text", "{column} of {table} holds no text to look into")
IS_AGE = Template("value_is_age", "{column} says when, and “{text}” is an age")
SAY_YEAR = Template("value_say_year", "Say a year: “built before 1950”.")
ITSELF = Template("value_itself", "“{text}” is {column} itself")
TWO_COLUMNS = Template("value_two_columns", "Name two columns.")
NOT_COMPARABLE = Template(
    "value_not_comparable",
    "{column} holds {kind} values and {other} holds {other_kind} values, which cannot be compared",
)
UNITS = Template("value_units", "{column} is in {unit} and {other} is in {other_unit}")
CALCULATE = Template("value_calculate", "Calculate a column in the same unit first, then compare with that.")
NO_YEARS = Template("value_no_years", "{column} of {table} holds no dates and no years")
NO_BOOLEAN = Template("value_no_boolean", "{column} of {table} holds {kind} values, not yes or no")
NO_TIMES = Template("value_no_times", "{column} of {table} holds days without a time")
NO_DATES = Template("value_no_dates", "{column} of {table} holds no dates")
LAYER_GONE = Template("value_layer_gone", "the layer of what was selected is not on the map any more")
SELECT_AGAIN = Template("value_select_again", "Select features again, and ask again.")
VALUE_NO_NUMBERS = Template("value_no_numbers", "{column} of {table} holds no numbers")
VALUE_NO_UNIT = Template("value_no_unit", "it is not known in which unit {column} of {table} is")
SAY_NUMBER = Template("value_say_number", "Say the number alone: “{column} … {value}”.")
UNIT_UNLIKE = Template(
    "value_unit_unlike", "{column} of {table} is in {unit}, which “{text}” cannot be brought to"
)
TABLE_GONE = Template("scene_table_gone", "the table {table} is not there any more")
SCENE_LAYER_GONE = Template("scene_layer_gone", "the layer {layer} is not on the map any more")
VALUE_NO_NAMES = Template("value_no_names", "{table} has no names")
NO_TOOL = Template("plan_no_tool", "the tool {name} is not offered here")
SAVED = Template("recipe_saved", "Saved as a recipe. {how}")
RENAMED = Template("recipe_renamed", "The recipe is called “{name}” now.")
REMOVED = Template("recipe_removed", "The recipe “{name}” is gone.")
DROPPED = Template("recipe_dropped", "{table} is deleted; its evidence stays.")
ALSO = Template("recipe_also", " Also to be given: {names}.")
NO_RECIPES = Template(
    "recipe_none",
    "This map has no recipes yet. After an analysis, write for example “save this as recipe remote cities”.",
)
NO_PARAMETERS = Template("recipe_no_parameters", "without parameters")
WHICH = Template("column_which", "Which column do you mean by {purpose}: {names} or {last}?")
NONE_TELLS = Template("column_none_tells", "no column of {table} tells {what}")
ONLY_BUILT = Template(
    "column_only_built", "`{column}` of {table} tells when something was built, not when a figure is of"
)
NONE_IS = Template("column_none_is", "no column of {table} is {what}")
NUMBERS = Template("column_numbers", "Its numbers are {names}.")
COLUMN_NO_NUMBERS = Template("column_no_numbers", "It has no columns with numbers.")
WHICH_DEPTH = Template("which_depth", "What is meant by “{text}” of a depth: {first} or {second}?")
DEPTH_UNCLEAR = Template(
    "depth_unclear", "it is not clear whether the lowest of “{text}” is the deepest or the smallest number"
)
VALUE_WHICH = Template("value_which", "Which do you mean by “{text}”: the {first} or the {second}?")
EXAMPLES = Template("value_examples", "Its values are for example {values}.")
IS_NAME = Template("value_is_name", "It is the name of one: say “{table} named {text}”.")
LOOKED_IN = Template("value_looked_in", "I looked in its columns {columns}.")
VALUE_NO_COLUMN = Template("value_no_column", "no column")
TRY = Template("say_try", " Try: {examples}.")
WITH_FILTER = Template("say_with_filter", " (with its filter)")
SEVERAL = Template("plan_several", "this can mean several things")
RUN_AGAIN = Template("recipe_run_again", "Run it again with: {request}.")
NOT_IN = Template("question_not_in", "“{text}” {n|one=is|other=are} not in {tables}")
SHOWN_ALREADY = Template("say_shown_already", "{names} {n|one=is|other=are} shown already.")
HIDDEN_ALREADY = Template("say_hidden_already", "{names} {n|one=is|other=are} hidden already.")
KINDS = {
    "proportional": Template("look_sized_circles", "sized circles"),
    "heatmap": Template("look_weights", "the weights of a heat map"),
    "cells": Template("look_statistics", "statistics of cells"),
    "classes": Template("look_class", "classes"),
}
"""Styles that need a numeric column."""
MEASURES = {
    measure: Template(f"measure_{measure}", words)
    for measure, words in (
        ("high", "how high they are"),
        ("tall", "how tall they are"),
        ("big", "how big they are"),
        ("area", "an area"),
        ("long", "how long they are"),
        ("deep", "how deep they are"),
        ("old", "how old they are"),
        ("fast", "how fast they are"),
        ("thick", "how thick they are"),
        ("heavy", "how heavy they are"),
        ("wide", "how wide they are"),
        ("strong", "how strong they are"),
        ("rich", "how rich they are"),
        ("dense", "how dense they are"),
        ("people", "how many people there are"),
        ("time", "a date or time"),
        ("wet", "how wet they are"),
        ("hot", "how warm they are"),
        ("worth", "what they cost"),
    )
}
"""Measures in refusals."""
DIMENSIONS = {
    dimension: Template(f"dimension_{dimension}", words)
    for dimension, words in (
        ("people", "a number of people"),
        ("area", "an area"),
        ("mass", "a weight"),
        ("time", "a duration"),
    )
}
TOO_LONG = Template(
    "say_too_long",
    "That is too long for me to read at once: without a language model I read up to {words} words and "
    "signs ({characters} characters) and {commands} commands in a message. Send it in parts.",
)
ONE_COLUMN = Template(
    "say_one_column", "A layer can show one column at a time, by size or by colour. Say which."
)
TOO_INVOLVED = Template(
    "say_too_involved",
    "That can be read in too many ways for me to be sure of one. Say it in shorter sentences, one "
    "command each.",
)
TOO_MANY_NUMBERS = Template(
    "too_many_numbers", "`{column}` of {table} has {count} different numbers, too many for groups"
)
NOTHING_TO_CHART = Template("nothing_to_chart", "“{layer}” shows no column that a chart could be made of")
SAY_CHART = Template("say_chart", "Say for example “bar chart of countries by continent”.")
OTHERS_COLOUR = Template("others_colour", "values without a colour of their own are always drawn in grey")
ONE_NUMBER = Template("unsupported_one_number", "“{both}” are counted one after the other, not in one number")
ONE_NUMBER_DO = Template("unsupported_one_number_do", "Ask for each by itself.")
NO_LAYER_SHOWS = Template("no_layer_shows", "no layer on the map shows {text}")
ONLY_HIDDEN_SHOWS = Template(
    "only_hidden_shows", "no layer on the map shows {text} now, for “{layer}” is hidden"
)
SAY_SHOW_FIRST = Template("say_show_first", "Say “show {text}” first.")
