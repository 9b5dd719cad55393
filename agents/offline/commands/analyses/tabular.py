"""Changes of columns in words: `rename the column pop to people of cities`; and splitting at the antimeridian."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from agents.offline.commands.analyses.rules import Context, Rule, Steps, rule
from agents.offline.language.column_names import columns_called
from agents.offline.language.words import name_words
from agents.offline.meaning.conditions import Mention, Shaped
from agents.offline.meaning.features import RESULT, Features
from agents.offline.meaning.steps import step

_OF = "[(of|in|from|for) {source:bare}]"
_TYPES = {
    "number": "(a number|number|numbers|numeric|a decimal number|decimal numbers)",
    "integer": "(an integer|integer|integers|a whole number|whole numbers)",
    "text": "(a text|text|texts|a string|strings)",
    "boolean": "(yes or no|a boolean|boolean|booleans|true or false)",
    "date": "(a date|date|dates)",
    "timestamp": "(a time|times|a timestamp|timestamp|timestamps)",
}
_FORMS = {
    "trim": "(trim|strip)",
    "upper": "(uppercase|upper case|capitalise|capitalize)",
    "lower": "(lowercase|lower case)",
    "title": "(title case|titlecase)",
}
_INTO = "(make|turn|convert|change|cast)"
_COLUMN = "[the] [column] {column:column}"
_VALUE = "({value:name}|{value:number})"
_PARTS = "(year|quarter|month|week|day|weekday|hour)"
_AS = "[as columns|as a column|as new columns]"
_IN = "[in [the] [crs|projection|coordinate system] {srid:system}]"
_SEPARATORS = {
    ",": "comma|commas", ";": "semicolon|semicolons", " ": "space|spaces|blank", "-": "hyphen|hyphens|dash",
    "/": "slash|slashes", ":": "colon|colons", "_": "underscore|underscores", "|": "vertical bar|pipe",
}  # fmt: skip
_SEPARATED = (
    (" ", ""),
    *((sign, f"(with|separated by) [a|the] ({words})") for sign, words in _SEPARATORS.items()),
)
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


def _dated(to: str, bindings: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        {"function": "cast", "column": bindings["column"], "to": to, "format": bindings["format"].upper()}
    ]


def _value(bindings: Mapping[str, Any]) -> str | float:
    """A text, or a number as it was said."""
    value = getattr(bindings["value"], "value", bindings["value"])
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _filled(bindings: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{"function": "fill", "column": bindings["column"], "value": _value(bindings)}]


def _constant(bindings: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{"function": "constant", "name": bindings["name"], "value": _value(bindings)}]


def _replaced(bindings: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            "function": "replace",
            "column": bindings["column"],
            "find": bindings["find"],
            "value": bindings["value"],
        }
    ]


def _concatenated(separator: str, bindings: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            "function": "concatenate",
            "columns": list(bindings["columns"]),
            "separator": separator,
            "name": bindings["name"],
        }
    ]


def _padded(bindings: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            "function": "pad",
            "column": bindings["column"],
            "length": int(bindings["length"]),
            "value": str(_value(bindings)),
        }
    ]


def _dated_part(bindings: Mapping[str, Any]) -> list[dict[str, Any]]:
    part = bindings["part"]
    return [
        {
            "function": "date_part",
            "column": bindings["column"],
            "part": part,
            "name": bindings.get("name", part),
        }
    ]


def _ranked(bindings: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The greatest value is the first, unless the order is said."""
    return [
        {
            "function": "rank",
            "name": "rank",
            "columns": [bindings["column"]],
            "descending": "ascending" not in bindings,
        }
    ]


def _numbered(bindings: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{"function": "number_rows", "name": bindings.get("name", "number")}]


def _split(bindings: Mapping[str, Any], _context: Context) -> Steps | None:
    """Cheaper than `split` into single parts, to which the antimeridian would be a place."""
    return (step("tidy", bindings["source"], antimeridian=True),)


def _shrunk(bindings: Mapping[str, Any], _context: Context) -> Steps | None:
    distance = bindings["distance"]
    inward = replace(distance, value=-distance.value)
    return (step("buffer", bindings["source"], distance=inward),)


def _invalid(bindings: Mapping[str, Any], _: Context) -> Steps | None:
    """`which parcels are invalid and why?`"""
    rows: Features = bindings["source"]
    if not rows.named:
        return None
    invalid = replace(rows, where=Shaped("invalid"), text=f"invalid {rows.noun}")
    why = step("columns", invalid, changes=_facts(("invalid_reason",), {}))
    return (replace(why, title=f"Invalid {rows.noun} with the reason"),)


RULES = (
    rule(
        "(which|what|list|show [me]) {source:bare} (are invalid|have invalid (geometries|shapes)) [,] and why",
        _invalid,
    ),
    rule("(shrink|inset) {source:rows} by {distance:length}", _shrunk),
    rule("split {source:bare} (at|along|on) [the] (antimeridian|date line|dateline)", _split),
    _rule(f"rename [the] column {{column:column}} (to|into|as) {{name:name}} {_OF}", _renamed),
    _rule(
        "rename [the] column {column:column} (of|in|from) {source:bare} (to|into|as) {name:name}", _renamed
    ),
    _rule(f"(drop|remove|delete) [the] column[s] {{columns:columns}} {_OF}", partial(_several, "drop")),
    _rule(f"keep [only] [the] column[s] {{columns:columns}} {_OF}", partial(_several, "keep")),
    *(
        _rule(
            f"{_INTO} [the] column {{column:column}} {_OF} [to|into] {words}",
            partial(_converted, to),
        )
        for to, words in _TYPES.items()
    ),
    *(
        _rule(
            f"{_INTO} [the] column {{column:column}} {_OF} [to|into] {_TYPES[to]} with "
            "sign=([a] decimal comma|[a] decimal point|decimal commas|decimal points)",
            partial(_with_format, to),
        )
        for to in ("number", "integer")
    ),
    *(
        _rule(
            f"(convert|cast|turn|make) {{column:column}} (of|in|from) {{source:bare}} [to|into] {words}",
            partial(_converted, to),
        )
        for to, words in _TYPES.items()
    ),
    *(
        _rule(
            f"{_INTO} {_COLUMN} {_OF} [to|into] {_TYPES[to]} (with [the] format|in [the] format|formatted as|as) "
            "{format:name}",
            partial(_dated, to),
        )
        for to in ("date", "timestamp")
    ),
    *(_rule(f"{words} {_COLUMN} {_OF}", partial(_formed, function)) for function, words in _FORMS.items()),
    *(
        _rule(f"{_INTO} [the] column {{column:column}} {_OF} [to|into] {words}", partial(_formed, function))
        for function, words in _FORMS.items()
    ),
    _rule(f"fill [the] (missing|empty) values (of|in) {_COLUMN} {_OF} with {_VALUE}", _filled),
    _rule(f"fill [the] (missing|empty) {{column:column}} {_OF} with {_VALUE}", _filled),
    _rule(f"add [a] column {{name:name}} with [the] value {_VALUE} [to {{source:bare}}]", _constant),
    _rule(f"replace {{find:name}} (by|with) {{value:name}} in {_COLUMN} {_OF}", _replaced),
    *(
        _rule(
            f"concatenate [the] [columns] {{columns:columns}} {_OF} {words} (as|into) {{name:name}}",
            partial(_concatenated, sign),
        )
        for sign, words in _SEPARATED
    ),
    _rule(
        f"pad {_COLUMN} {_OF} to {{length:count}} [characters|digits] with ({{value:number}}|{{value:name}})",
        _padded,
    ),
    _rule(f"add [the] part={_PARTS} of {_COLUMN} [as {{name:name}}] [(to|of) {{source:bare}}]", _dated_part),
    _rule(
        "rank [the] {source:bare} by {column:column} [in] [ascending=(ascending)|descending] [order]", _ranked
    ),
    _rule(
        f"(order|reorder|arrange) [the] columns {_OF} [:|as|by] {{columns:columns}}",
        partial(_several, "order"),
    ),
    *(
        _rule(
            f"(add|write|put) [the] [column|columns] {words} [column|columns] {_AS} {_IN} "
            f"[(to|of|for|from) {{source:bare}}] {_AS} {_IN}",
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
