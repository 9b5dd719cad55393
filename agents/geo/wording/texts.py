"""Texts of counts, lists and conditions, which tools and answers have in common."""

from agents.worded import Template

YES, NO = Template("yes", "yes"), Template("no", "no")
ABOUT = Template("about", "about {count}")
LIST_AND = Template("list_and", "{first} and {last}")
LIST_OR = Template("list_or", "{first} or {last}")
LIST_MORE = Template("list_more", "{first} and {n} more")
SAMPLE_OF = Template("sample_of", "a sample of {n} of {total} rows")
TITLED = Template("tool_titled", "{title}: {count}")
ROWS_OF = Template("tool_rows_of", "{rows} of {table}")
WHERE = Template("where", " where {condition}")
CANNOT_BE_DONE = Template("cannot_be_done", "Cannot be done: {why}")
CANNOT = Template("cannot", "I cannot do that: {reason}.")

COUNTED = {
    noun: Template(f"count_{noun.replace(' ', '_')}", f"{{n|one=# {noun}|other=# {noun}s}}")
    for noun in ("feature", "row", "value", "table", "layer", "column", "place", "different value")
}
"""A number of things, by their name."""
COUNT_NAMED = Template("count_named", "{n} {noun}")
"""A number of things with their name in the data: `117 airports`."""

AND, OR = Template("and", "{first} and {second}"), Template("or", "{first} or {second}")
NOT = Template("not", "not ({condition})")
COMPARES = Template("compares", "{what} {sign} {value}")
BETWEEN = Template("between", "{what} between {low} and {high}")
GEOMETRY_TYPE = Template("geometry_type", "the geometry type")
GIVEN_AREA = Template("given_area", "the given area")
ONE_OF = Template("one_of", "one of {n} values ({first}, …)")
GIVEN_VALUES = Template("given_values", "one of {n} given values")

IS = Template("is", "{what} is {value}"), Template("is_not", "{what} is not {value}")
"""A condition and its opposite, as in the following."""
IS_EMPTY = Template("is_empty", "{what} is empty"), Template("is_not_empty", "{what} is not empty")
LIKE = {
    (True, True): (
        Template("contains", "{what} contains {text}"),
        Template("contains_not", "{what} does not contain {text}"),
    ),
    (False, True): (
        Template("starts", "{what} starts with {text}"),
        Template("starts_not", "{what} does not start with {text}"),
    ),
    (True, False): (
        Template("ends", "{what} ends with {text}"),
        Template("ends_not", "{what} does not end with {text}"),
    ),
    (False, False): (
        Template("like", "{what} is like {text}"),
        Template("like_not", "{what} is not like {text}"),
    ),
}
"""Templates of `like`, by whether the text may go on before and after."""
POSITIONS = {
    f"s_{op}": (
        Template(f"position_{op}", f"the position is {words} {{area}}"),
        Template(f"position_{op}_not", f"the position is not {words} {{area}}"),
    )
    for op, words in (
        ("intersects", "in"),
        ("within", "within"),
        ("disjoint", "outside of"),
        ("touches", "only at the border of"),
    )
}
NEAR = (
    Template("position_near", "the position is within {distance} of {area}"),
    Template("position_near_not", "the position is not within {distance} of {area}"),
)
MEETS = (
    Template("meets_line", "the shape meets {line}"),
    Template("meets_line_not", "the shape does not meet {line}"),
)
COVERS = (
    Template("covers_spot", "the shape covers {spot}"),
    Template("covers_spot_not", "the shape does not cover {spot}"),
)
SHAPES = {
    f"is_{fact}": (
        Template(f"geometry_{fact}", f"the geometry is {fact}"),
        Template(f"geometry_{fact}_not", f"the geometry is not {fact}"),
    )
    for fact in ("empty", "valid")
}

PARTS_OF_DATES = {
    part: Template(f"part_{part}", f"the {part} of {{what}}") for part in ("year", "month", "weekday", "hour")
}
_MONTHS = "January February March April May June July August September October November December"
_WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday"
NUMBERED = {
    part: {number: Template(f"{part}_{name.lower()}", name) for number, name in enumerate(names.split(), 1)}
    for part, names in (("month", _MONTHS), ("weekday", _WEEKDAYS))
}
"""Names of the numbers of a part of a date."""

COLOURS = {
    name: Template(f"colour_{name.replace(' ', '_')}", name)
    for name in (
        *("red", "blue", "green", "orange", "purple", "yellow", "black", "white", "grey", "brown", "pink"),
        *("vermilion", "sky blue", "cyan", "magenta", "gold", "dark green", "dark blue", "dark red"),
    )
}
"""Parts of a layer by their names."""
STYLED = {
    "categorical": Template("style_categorical", "with a colour for each {column}"),
    "values": Template("style_values", "coloured by {column} ({values})"),
    "graduated": Template("style_graduated", "coloured by {column} ({classes})"),
    "proportional": Template("style_proportional", "as circles sized by {column}"),
    "heatmap": Template("style_heatmap", "as a heat map"),
    "weighted": Template("style_weighted", "as a heat map weighted by {column}"),
    "cluster": Template("style_cluster", "as clusters"),
    "hexbin": Template("style_hexbin", "as hexagons with {figure} in each"),
    "grid": Template("style_grid", "as squares with {figure} in each"),
    "single": Template("style_single", "in {colour}"),
}
"""How a layer is drawn, after its name."""
STYLE_CLASSES = Template("style_classes", "{n} classes")
STYLE_METHOD = Template("style_method", "{n} {method} classes")
STYLE_STATISTIC = Template("style_statistic", "the {statistic} of {column}")
STYLE_NUMBER = Template("style_number", "the number")
STYLE_LABEL = Template("style_label", "labelled by {column}")
STYLE_LABEL_TEXT = Template("style_label_text", "labelled {column}")
CLASS_COUNT = Template("class_count", "{name}: {count}")
NO_COLUMN = Template("tool_no_column", "{table} has no column {column}. Its columns: {names}.")
