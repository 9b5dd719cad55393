"""Texts of the built-in model's answers, as templates: changes of the map, and facts of the data."""

from __future__ import annotations

from agents.worded import Template

# --- outcomes of calls ---------------------------------------------------------------------------------------

STOPPED = Template("call_stopped", "That was stopped.")
TIMED_OUT = Template("call_timed_out", "That took too long and was stopped. Ask for less at once.")
DENIED = Template("call_denied", "You did not allow that, so I left it.")
FAILED = Template("call_failed", "That did not work: {why}")
NO_ROW_PASSED = Template("statement_empty", "The statement ran, and no row passed.")
FIRST_ROWS = Template("first_rows", "The first {count}:")
ROWS_FOLLOW = Template("rows_follow", "{count}:")

# --- styles of layers ----------------------------------------------------------------------------------------

LOOKS = Template("looks", "{first}, {second}")
LOOK_AFTER, LOOK_APART = Template("look_after", " {look}"), Template("look_apart", ", {look}")
IN_COLOUR = Template("look_colour", "in {colour}")
UNOUTLINED = Template("look_unoutlined", "without outlines")
UNFILLED = Template("look_unfilled", "without a fill")
SEE_THROUGH = Template("look_opacity", "{percent}% opaque")
VALUES_IN = Template("look_values", "coloured by `{column}` ({values})")
VALUE_IN = Template("look_value", "{value} in {colour}")
NO_SYMBOLS = Template("no_symbols", "Points are always drawn as circles, not as {symbols}.")
NO_WIDTHS = Template("no_widths", "Line width cannot show a value; circles on the lines show it instead.")
NOT_ON_CHARTS = {
    "colours": Template("chart_colours", "The colours of charts cannot be chosen."),
    "values": Template(
        "chart_values", "Values are not written on bars: point at one, or open the chart's table."
    ),
}
NO_PIE = Template("no_pie", "There are no pie charts: these are bars.")
NO_LINE = Template("no_line", "Lines are drawn along numbers and times: these are bars.")
SIZED = Template("look_size", "size {size}")
RISING = Template("look_extrude", "in 3D by `{column}`")
LABELLED = Template("look_label", "labelled by `{column}`")
LABELLED_TEXT = Template("look_label_text", "labelled `{column}`")
OUTLINED = Template("look_outline", "outlined in {colour}")
BLENDED = Template("look_blend", "blended with what is below ({blend})")
COLOURED_BY = Template("look_graduated", "coloured by `{column}`{ramp}")
METHODS = {
    "quantile": Template("look_quantile", "in quantiles, with as many features in each class"),
    "equal": Template("look_equal", "in classes of equal intervals"),
    "jenks": Template("look_jenks", "in natural breaks (Jenks)"),
}
IN_RAMP = Template("look_ramp", " in {ramp}")
EACH_VALUE = Template("look_categorical", "with a colour for each `{column}`")
MOST_VALUES = Template(
    "look_most_values",
    "with a colour for each of the {count} of `{column}` that most rows have, and one for all others",
)
CIRCLES = Template("look_circles", "as circles sized by `{column}`")
CIRCLES_IN = Template("look_circles_colour", "as circles sized by `{column}` in {colour}")
HEAT = Template("look_heat", "as a heat map")
WEIGHTED_HEAT = Template("look_heat_weighted", "as a heat map weighted by `{column}`")
CLUSTERS = Template("look_clusters", "as clusters, numbered circles that split when you zoom in")
CELLS = {
    cells: (
        Template(f"look_{cells}", f"as {cells} that show the {{figure}} in each{{ramp}}"),
        Template(
            f"look_{cells}_wide", f"as {cells} {{width}} pixels wide that show the {{figure}} in each{{ramp}}"
        ),
    )
    for cells in ("hexagons", "squares")
}
FIGURE_OF = {
    code: Template(f"figure_{code}", f"{word} of `{{column}}`")
    for code, word in (
        ("count", "number"), ("mean", "average"), ("sum", "sum"), ("min", "lowest"), ("max", "highest"),
    )
}  # fmt: skip
NUMBER_OF_FEATURES = Template("figure_features", "number of features")
AS_ASKED = Template("look_as_asked", "as asked")

# --- changes of the map --------------------------------------------------------------------------------------

ADDED = Template("layer_added", "Added **{name}**{look}: {count}{where}.")
ADDED_EMPTY = Template("layer_added_empty", "I added **{name}**, but it is empty: no feature{where}.")
ADDED_RANKED = Template(
    "layer_added_ranked", "Added **{name}**{look}: the {count} with the {most} `{column}`{names}."
)
SHOWS_RANKED = Template(
    "layer_shows_ranked", "**{name}** now shows the {count} with the {most} `{column}`{names}."
)
NAMES_FOLLOW = Template("names_follow", ": {names}")
TAKE_AWAY = Template("say_take_away", "Say “{undo}” to take it away.")
GO_BACK = Template("say_go_back", "Say “{undo}” to go back.")
GET_BACK = Template("say_get_back", "Say “{undo}” to get {n|one=it|other=them} back.")
LEGEND_UNIT = Template(
    "legend_unit", "The legend is in {unit}, as `{column}` is stored: 1 {asked} is {factor} {unit}."
)
SLIDES = Template("layer_slides", "{name} can be slid through in time along `{column}`.")
DRAWN = (
    Template("layer_drawn", "{name} is now drawn {look}."),
    Template("layers_drawn", "{name} are now drawn {look}."),
)
HIDDEN = Template("layer_hidden", "{name} is hidden now."), Template("layer_shown", "{name} is shown now.")
RENAMED = Template("layer_renamed", "The layer is called {name} now.")
OPAQUE = Template("layer_opaque", "{name} is {percent}% opaque now.")
GROUPED = Template("layer_grouped", "{name} is now in the group **{group}**.")
UNGROUPED = Template("layer_ungrouped", "{name} is in no group now.")
PLACED = {
    place: Template(f"layer_placed_{place}", f"{{name}} is drawn {words} now.")
    for place, words in (
        ("top", "on top"), ("bottom", "at the bottom"), ("up", "one higher"), ("down", "one lower"),
    )
}  # fmt: skip
PLACED_AT = Template("layer_placed_at", "{name} is drawn at place {place} from the bottom now.")
SHOWS = Template("layer_shows", "{name} now shows {count}{where}.")
SHOWS_BEFORE = Template("layer_shows_before", "{name} now shows {count}{where} (before: {before}).")
SHOWS_ALL = Template("layer_shows_all", "{name} shows all its {count} again.")
EMPTIED = Template("layer_emptied", "{name} is empty now: none of its {count} is left{where}.")
EMPTY = Template("layer_empty", "{name} is empty now: no feature is left{where}.")
REMOVED = Template("layer_removed", "Removed **{name}**.")
RESET = Template("map_reset", "The map is empty now: {count} removed.")
OUT_OF_VIEW = Template("out_of_view", "None of them is in view now: say “{zoom}” to see them.")
STILL_DRAWING = Template("still_drawing", "Still drawing…")
ZOOMED_LAYER = Template("zoomed_layer", "Zoomed to **{name}**.")
ZOOMED = Template("zoomed", "Zoomed to {place}.")
PLACE = Template("place", "**{name}** ({kind})")
PLACE_IN = Template("place_in", "**{name}** ({kind}, {detail})")
PLACE_OF = Template("place_of", "**{name}** ({kind}, {detail}, population {people})")
ALSO_PLACES = Template("also_places", "There {n|one=is|other=are} also {places}.")
ALSO = Template("also", "Also: {places}.")
PLACE_AT = Template("place_at", "{place} at {position}")
ONLY_ALIKE = Template("only_alike_places", "No place is called exactly “{text}”. The nearest: {place}")
GO_THERE = Template("say_go_there", "Say “{zoom}” to go there.")
NO_PLACE = Template("no_place", "No place called “{text}” is in your tables.")
NOT_SEARCHED = Template(
    "not_searched",
    "Not searched, because it would take the database too long: {tables}. A place of that name may be there.",
)
UNDONE, REDONE = Template("undone", "Undone: {what}."), Template("redone", "Done again: {what}.")
NOTHING_TO_UNDO = Template("nothing_to_undo", "There is nothing to undo.")
NOTHING_TO_REDO = Template("nothing_to_redo", "There is nothing to redo.")

# --- tables --------------------------------------------------------------------------------------------------

NO_TABLES = Template("no_tables", "There are no tables yet. Upload a file, or load one with `geoagent load`.")
TABLES = Template("tables", "There {n|one=is|other=are} {count}:")
MORE_TABLES = Template("more_tables", "… and {n} more; “search …” finds them.")
TABLES_ABOUT = Template("tables_about", "{count} about “{text}”:")
NO_TABLE_ABOUT = Template("no_table_about", "No table is about “{text}”.")
TABLE = Template("table", "**{name}** ({count}{shapes})")
DESCRIBED = Template("table_described", "**{name}** has about {count}{shapes}{system}.")
SHAPES = {
    kind: Template(f"shapes_{kind}", f", {words}")
    for kind, words in (
        ("points", "points"), ("lines", "lines"), ("areas", "areas"), ("shapes", "shapes"), ("none", "no geometry"),
    )
}  # fmt: skip
IN_SYSTEM = Template("in_system", " in EPSG:{srid}")
NO_SYSTEM = Template("no_system", " without a reference system (SRID 0)")
COLUMN = Template("column", "`{name}`, {kind}{comment}{values}")
KINDS = {
    kind: Template(f"kind_{kind}", kind)
    for kind in ("integer", "number", "text", "boolean", "date", "datetime", "geometry", "other")
}
COLUMN_COMMENT = Template("column_comment", ": {comment}")
RANGE = Template("column_range", " ({low} to {high})")
SUCH_AS = Template("column_samples", " (such as {samples})")
GEOMETRIES = Template("geometries", "Geometries: {kinds}.")
FAULTS = {
    code: Template(f"faults_{code}", f"{{n|one=# {one}|other=# {many}}}")
    for code, one, many in (
        ("missing", "row without geometry", "rows without geometry"),
        ("empty", "empty geometry", "empty geometries"),
        ("invalid", "invalid geometry", "invalid geometries"),
        ("duplicates", "duplicate geometry", "duplicate geometries"),
    )
}
FAULTS_IN = {
    code: Template(f"faults_{code}", f"{{n|one=# {word}|other=# {word}s}} in `{{column}}`")
    for code, word in (("nulls", "null"), ("empty_texts", "empty text"), ("duplicate_keys", "repeated value"))
}
NO_FAULTS = Template("no_faults", "No missing, invalid or repeated values.")
FAULTS_FOUND = Template("faults_found", "{faults}.")
FAULTS_ESTIMATED = Template("faults_estimated", "Estimated from a sample: {faults}.")
NO_FAULTS_ESTIMATED = Template(
    "no_faults_estimated", "Estimated from a sample: no missing, invalid or repeated values."
)

# --- figures and rows ----------------------------------------------------------------------------------------

ESTIMATED_FROM = Template("estimated_from", "(Estimated from {sample}.)")
COUNTED = Template("counted", "There {n|one=is|other=are} {count}{where}.")
MEASURED = Template("measured", "{value} {unit}")
VALUES_KNOWN = Template("values_known", "({count})")
VALUES_MISSING = Template("values_missing", "({count}, {empty} empty)")
FIGURES = {
    code: Template(f"statistic_{code}", f"The {word} {{column}} of {{name}}{{where}} is {{value}} {{basis}}.")
    for code, word in (
        ("mean", "average"), ("median", "median"), ("sum", "total"), ("minimum", "smallest"), ("maximum", "greatest"),
    )
}  # fmt: skip
"""Sentences for the figures of a column."""
ALL_FIGURES = Template(
    "statistics",
    "{column} of {name}{where}: from {low} to {high}, average {mean}, median {median} {basis}.",
)
DISTINCT = Template("statistic_distinct", "{column} of {name}{where} has {different} {basis}.")
MOST_COMMON = Template("most_common", "Most common: {values}.")
NO_VALUE = Template("no_value", "No row of {name}{where} has a {column}.")
SPAN_OF_TIME = Template("time_span", "From {low} to {high} {column} has {count} in {name}{where}")
ONE_TIME = Template("time_one", "{span}, all at one time, so there is no average per {unit}.")
YEARS_AGO = Template("time_years_ago", "That is {n|one=# year|other=# years} before {year}.")
RATE = Template("time_rate", "{span}: {rate} per {unit} on average.")
TIED = Template(
    "place_shared",
    "The last place is shared: {count} have a `{column}` of {value} or {more}, and {n} of them are in this list.",
)
TIED_MORE, TIED_LESS = Template("or_more", "more"), Template("or_less", "less")
SHARE = Template("share", "{percent} % of the {whole}: {n} where {condition}.")
SHARE_OF_TOTAL = Template(
    "share_of_total",
    "{percent} % of the total `{column}` of {name}{where}: {part} of {whole}, where {condition}.",
)
COMPARED = Template("counts_compared", "{one}, and {other}. The difference is {n}.")
VERDICTS = {True: Template("verdict_yes", "Yes: {answer}"), False: Template("verdict_no", "No: {answer}")}
MOST = {True: Template("greatest", "greatest"), False: Template("smallest", "smallest")}
NTH_MOST = Template("nth_most", "{nth} {most}")
NO_ROW = Template("no_row", "No row of {name}{where}.")
ROWS = Template("rows", "{n} {name}{where}{order}:")
ROWS_OF = Template("rows_of", "{n} of {total} {name}{where}{order}:")
IN_ORDER = Template("rows_in_order", ", in the order of `{column}`")
FIRST = {
    True: Template("rows_greatest", ", greatest `{column}` first"),
    False: Template("rows_smallest", ", smallest `{column}` first"),
}
HAVE_MOST = Template("rows_have_most", "{names} have the {most} `{column}`: {value}.")
N_MORE = Template("n_more", "{n} more")
CORRECTED = Template("corrected", "Read {corrections}.")
CORRECTION = Template("correction", "“{was}” as “{right}”")
REMARK = Template("remark", "“{words}” was taken for a remark and not used.")
ONE_ROW = Template("one_row", "One row")
SAME = Template("rows_same", "{first} and {second} have the same `{column}`: {value}.")
HAS_GREATER = Template(
    "rows_greater", "{first} has the greater `{column}`, {value}: {difference} more than {second}."
)
HAS_TIMES = Template(
    "rows_times", "{first} has the greater `{column}`, {value}: {times} times that of {second}."
)
HAS_GREATEST = Template(
    "rows_greatest_of", "{first} has the greatest `{column}`, {value}: {difference} more than {second}."
)

# --- charts and files ----------------------------------------------------------------------------------------

CHART = Template("chart", "Here is a chart: **{title}**, of {count}{where}.")
CHART_EMPTY = Template("chart_empty", "Here is a chart: **{title}**{where}. It is empty: no row passes.")
CHART_GREATEST = Template("chart_greatest", "Greatest: {names}.")
CHART_MOST_ROWS = Template(
    "chart_most_rows", "The most common values are from {low} to {high}: {n|one=# row|other=# rows}."
)
CHART_REMOVED = Template("chart_removed", "Removed the chart **{title}**.")
WROTE = Template("file_written", "Wrote {count}: {link}.")
WROTE_IN = Template("file_written_in", "Wrote {count} in {systems}: {link}.")

# --- the conversation ---------------------------------------------------------------------------------------

NO_ANALYSIS = Template("no_analysis", "This needed no analysis, so “{words}” changes nothing.")
NOTHING_ASKED = Template("nothing_asked", "What would you like to see?")
NOTHING_ASKED_FOR = Template("nothing_asked_for", "What would you like to see? For example “{example}”.")
DID_NOT_GO_ON = Template("did_not_go_on", "I did not go on to {commands}.")
COULD_SAY = Template("could_say", "You could say:")

# --- analyses ------------------------------------------------------------------------------------------------

FOUND = Template("analysis_found", "{title}: {rows}{classes}.")
FOUND_NONE = Template("analysis_none", "{title}: none{classes}.")
FOUND_TITLE = Template("analysis_title", "{title}.")
FOUND_DISTANCES = Template("analysis_distances", "{title}; `{column}` tells how far, in metres.")
FOUND_SOME_DISTANCES = Template(
    "analysis_some_distances", "{title}: {rows}; `{column}` tells how far, in metres."
)
IS_NEAREST = Template("analysis_is_nearest", "**{name}** is nearest to {other}: {distance}.")
IS_FARTHEST = Template("analysis_is_farthest", "**{name}** is farthest: {distance} from {other}.")
COUNTED_FOR = Template("analysis_counted_for", "{title}: counted for {n} of them.")
EMPTIED_BY = Template("analysis_emptied_by", "The step “{step}” left no rows.")
MEANT = Template("interpreted_as", "Interpreted as {places}.")
PLACES_AMONG = Template("places_among", "This includes {places} {n|one=itself|other=themselves}.")
INDISTINCT_ROWS = Template(
    "indistinct_rows",
    "{table} has no column that separates {noun} from its other rows, so all rows are included.",
)
ROWS_OF_OTHER_KINDS = Template(
    "rows_of_other_kinds",
    "“{noun}” is taken for all rows of {table}, also those whose `{column}` is not {value}.",
)
MORE_THAN_ASKED = Template(
    "analysis_more_than_asked", "Several share the last place, so that there are more than {n}."
)
ONE_SHAPE = Template("analysis_one_shape", "{title}: {count} as one shape.")
TOTAL = Template("analysis_total", "{title}: {value} ({count}).")
NO_ROWS = Template("analysis_no_rows", "{title}: no rows.")
FIGURE = Template("analysis_figure", "{title}: {value}.")
SOME_OF = {
    True: Template("analysis_smallest_of", "The {n} smallest of {total}:"),
    False: Template("analysis_greatest_of", "The {n} greatest of {total}:"),
}
GREATEST_IS = Template("analysis_greatest", "{title}: {names} {n|one=has|other=have} the greatest, {value}.")
HAS_MOST = {
    (smallest, counted): Template(
        f"analysis_{word}{'_of' if counted else ''}",
        f"{{names}} {{n|one=has|other=have}} the {word}{' {things}' if counted else ''}: {{value}}.",
    )
    for smallest, word in ((False, "most"), (True, "fewest"))
    for counted in (False, True)
}
"""By whether the fewest were requested, and whether the counted things are known."""
HAS_EXTREME = {
    smallest: Template(
        f"analysis_has_{word}", f"{{names}} {{n|one=has|other=have}} the {word} {{figure}}: {{value}}."
    )
    for smallest, word in ((False, "greatest"), (True, "smallest"))
}
FIGURE_BY_NAME = {
    function: Template(f"figure_named_{function}", f"{word} `{{column}}`")
    for function, word in (
        ("sum", "total"), ("mean", "average"), ("median", "median"), ("max", "highest"), ("min", "lowest"),
    )
}  # fmt: skip
AND_OTHERS = Template("and_others", "{names} and others")
GROUPED_BY = Template("grouped_by", "Grouped by the column `{column}`.")
GROUPED_BY_OF = Template("grouped_by_of", "Grouped by the column `{column}` of {table}.")
MATCHED_BY = {
    True: Template("matched_by", "Matched by the column `{key}`."),
    False: Template("matched_by_two", "Matched by the columns `{key}` and `{other}`."),
}
"""By whether the column has one name in both tables."""
COUNT_OF_ALL = Template(
    "count_of_all", "`count` is that of all rows, also of those without a value of {columns}."
)
LACKING_LEFT_OUT = Template("lacking_left_out", "{count} without a value of {columns} left out.")
GROUPED_LEFT_OUT = Template(
    "grouped_left_out", "Grouped by the column `{column}`; {count} without a value left out."
)
GROUPED_UNMATCHED = Template(
    "grouped_unmatched", "Grouped by the column `{column}`; {count} without a match left out."
)
