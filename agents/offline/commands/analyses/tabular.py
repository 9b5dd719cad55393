"""Changes of columns in words: `rename the column pop to people of cities`; and splitting at the antimeridian."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from agents.offline.commands.analyses.rules import Context, Rule, Steps, rule
from agents.offline.language.column_names import columns_called
from agents.offline.language.words import name_words
from agents.offline.meaning.conditions import Mention
from agents.offline.meaning.features import RESULT, Features
from agents.offline.meaning.steps import step

_OF = "[(of|in|from|for) {source:bare}]"
_TYPES = {
    "number": "(a number|numbers|numeric|a decimal number|decimal numbers)",
    "integer": "(an integer|integers|a whole number|whole numbers)",
    "text": "(a text|text|texts|a string|strings)",
    "boolean": "(yes or no|a boolean|booleans|true or false)",
    "date": "(a date|dates)",
    "timestamp": "(a time|times|a timestamp|timestamps)",
}
_FORMS = {
    "trim": "(trim|strip)",
    "upper": "(uppercase|upper case|capitalise|capitalize)",
    "lower": "(lowercase|lower case)",
}
_AS = "[as columns|as a column|as new columns]"
_IN = "[in [the] [crs|projection|coordinate system] epsg [:] {srid:count}]"
_SEPARATORS = {
    ",": "comma|commas", ";": "semicolon|semicolons", " ": "space|spaces|blank", "-": "hyphen|hyphens|dash",
    "/": "slash|slashes", ":": "colon|colons", "_": "underscore|underscores", "|": "vertical bar|pipe",
}  # fmt: skip
_FACTS = {
    "(coordinates|longitude and latitude|latitude and longitude|lon and lat|lat and lon)": ("lon", "lat"),
    "(x and y|x and y coordinates|x y)": ("x", "y"),
    "(bounding boxes|bounding box|extents|extent|xmin ymin xmax and ymax)": ("xmin", "ymin", "xmax", "ymax"),
    "(wkt|geometry as wkt|geometries as wkt)": ("wkt",),
    "(geometry type|geometry types)": ("type",),
    "(number of parts|part count)": ("parts",),
    "(number of points|number of vertices|vertex count)": ("points",),
    "(validity|validity and reason)": ("is_valid", "invalid_reason"),
}
"""Words, and what they say of geometries."""
_IN_SYSTEM = {"lon": "x", "lat": "y"}

Change = Callable[[Mapping[str, Any]], list[dict[str, Any]]]


def _rows(bindings: Mapping[str, Any], context: Context) -> Features:
    """Those that are named; else the layer spoken of last, or on an empty map the only table that has the column."""
    rows: Features = bindings.get("source", RESULT)
    column, vocabulary = bindings.get("column"), context.vocabulary
    if "source" in bindings or column is None or context.chained or vocabulary.layers:
        return rows
    having = [each for each in vocabulary.few_tables if columns_called((each,), name_words(column.text))]
    if len(having) != 1:
        return rows
    return Features(Mention(having[0].name, (having[0].id,)), text=having[0].name.replace("_", " "))


def _changed(change: Change, bindings: Mapping[str, Any], context: Context) -> Steps | None:
    rows = _rows(bindings, context)
    if rows.guessed:
        return None
    return (step("columns", rows, changes=change(bindings)),)


def _rule(text: str, change: Change) -> Rule:
    return rule(text, partial(_changed, change))


def _renamed(bindings: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{"function": "rename", "column": bindings["column"], "name": bindings["name"]}]


def _several(function: str, bindings: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{"function": function, "columns": list(bindings["columns"])}]


def _converted(to: str, bindings: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{"function": "cast", "column": bindings["column"], "to": to}]


def _with_format(to: str, bindings: Mapping[str, Any]) -> list[dict[str, Any]]:
    words = str(bindings["sign"])
    return [
        {
            "function": "cast",
            "column": bindings["column"],
            "to": to,
            "format": "," if "comma" in words else ".",
        }
    ]


def _formed(function: str, bindings: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{"function": function, "column": bindings["column"]}]


def _facts(facts: Sequence[str], bindings: Mapping[str, Any]) -> list[dict[str, Any]]:
    """In a reference system that is named, longitude and latitude are its x and y."""
    if "srid" not in bindings:
        return [{"function": "geometry", "fact": fact} for fact in facts]
    return [
        {"function": "geometry", "fact": _IN_SYSTEM.get(fact, fact), "srid": int(bindings["srid"])}
        for fact in facts
    ]


def _parted(separator: str, bindings: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{"function": "split", "column": bindings["column"], "separator": separator}]


def _numbered(bindings: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{"function": "number_rows", "name": bindings.get("name", "number")}]


def _split(bindings: Mapping[str, Any], _context: Context) -> Steps | None:
    """Cheaper than `split` into single parts, to which the antimeridian would be a place."""
    return (step("tidy", bindings["source"], antimeridian=True),)


RULES = (
    rule("split {source:bare} (at|along|on) [the] (antimeridian|date line|dateline)", _split),
    _rule(f"rename [the] column {{column:column}} (to|into|as) {{name:name}} {_OF}", _renamed),
    _rule(
        "rename [the] column {column:column} (of|in|from) {source:bare} (to|into|as) {name:name}", _renamed
    ),
    _rule(f"(drop|remove|delete) [the] column[s] {{columns:columns}} {_OF}", partial(_several, "drop")),
    _rule(f"keep [only] [the] column[s] {{columns:columns}} {_OF}", partial(_several, "keep")),
    *(
        _rule(
            f"(make|turn|convert|change|cast) [the] column {{column:column}} {_OF} [to|into] {words}",
            partial(_converted, to),
        )
        for to, words in _TYPES.items()
    ),
    *(
        _rule(
            f"(make|turn|convert|change|cast) [the] column {{column:column}} {_OF} [to|into] {_TYPES[to]} with "
            "sign=([a] decimal comma|[a] decimal point|decimal commas|decimal points)",
            partial(_with_format, to),
        )
        for to in ("number", "integer")
    ),
    *(
        _rule(
            f"(convert|cast|turn) {{column:column}} (of|in|from) {{source:bare}} (to|into) {words}",
            partial(_converted, to),
        )
        for to, words in _TYPES.items()
    ),
    *(
        _rule(f"{words} [the] column {{column:column}} {_OF}", partial(_formed, function))
        for function, words in _FORMS.items()
    ),
    *(
        _rule(
            f"(add|write|put) [the] {words} {_AS} {_IN} [(to|of|for|from) {{source:bare}}] {_AS} {_IN}",
            partial(_facts, facts),
        )
        for words, facts in _FACTS.items()
    ),
    *(
        _rule(
            f"split [the] column {{column:column}} {_OF} (at|by|on) [the|a|each|every] ({words}) {_OF} "
            "[into columns|into parts|in parts]",
            partial(_parted, separator),
        )
        for separator, words in _SEPARATORS.items()
    ),
    _rule("number [the] rows (of|in) {source:bare} [as {name:name}]", _numbered),
    _rule("(add|write) [the|a] row (number|numbers) [as {name:name}] (to|of|for) {source:bare}", _numbered),
)
