"""Changes of columns: `rename the column pop to people of cities`; and splitting at the antimeridian."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from agents.offline.commands.analyses.rules import Context, Rule, Steps, rule
from agents.offline.language.names.columns import columns_called
from agents.offline.language.words import name_words
from agents.offline.meaning.conditions import GeometryFact, Quantity
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
_PARTS = ("year", "quarter", "month", "week", "day", "weekday", "hour")
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
"""Words for facts of geometries."""
_IN_SYSTEM = {"lon": "x", "lat": "y"}


def _rows(bindings: Mapping[str, Any], context: Context) -> Features:
    """The named rows; else the layer mentioned last, or on an empty map the only table with the column."""
    rows: Features = bindings.get("source", RESULT)
    column, vocabulary = bindings.get("column"), context.vocabulary
    if "source" in bindings or column is None or context.chained or vocabulary.layers:
        return rows
    having = [each for each in vocabulary.few_tables if columns_called((each,), name_words(column.text))]
    if len(having) != 1:
        return rows
    return Features.of_table(having[0])


def _changes(text: str, *changes: Mapping[str, Any], as_text: bool = False) -> Rule:
    """A rule for column changes with these arguments; the words provide the others."""

    def built(bindings: Mapping[str, Any], context: Context) -> Steps | None:
        rows = _rows(bindings, context)
        arguments = {name: _argument(name, value) for name, value in bindings.items() if name != "source"}
        if as_text:
            arguments["value"] = str(arguments["value"])
        made = [_of_system({**each, **arguments}) for each in changes]
        return None if rows.guessed else (step("columns", rows, changes=made),)

    return rule(text, built)


def _change(text: str, function: str, *, as_text: bool = False, **arguments: Any) -> Rule:
    """A rule for one column change. `as_text`: a numeric value is stored as text."""
    return _changes(text, {"function": function, **arguments}, as_text=as_text)


def _argument(name: str, value: Any) -> Any:
    """An argument as the operation takes it."""
    if name == "format":
        return value.upper()
    if isinstance(value, Quantity):
        return int(value.value) if value.value.is_integer() else value.value
    return list(value) if isinstance(value, tuple) else value


def _of_system(change: dict[str, Any]) -> dict[str, Any]:
    """The change with x and y for longitude and latitude if a reference system is named."""
    fact = change.get("fact")
    return {**change, "fact": _IN_SYSTEM[fact]} if "srid" in change and fact in _IN_SYSTEM else change


def _split(bindings: Mapping[str, Any], _context: Context) -> Steps | None:
    """Cheaper than `split` into single parts, where the antimeridian would be a place."""
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
    invalid = replace(rows, where=GeometryFact("invalid"), text=f"invalid {rows.noun}")
    reason = {"function": "geometry", "fact": "invalid_reason"}
    return (step("columns", invalid, title=f"Invalid {rows.noun} with the reason", changes=[reason]),)


RULES = (
    rule(
        "(which|what|list|show [me]) {source:bare} (are invalid|have invalid (geometries|shapes)) [,] and why",
        _invalid,
    ),
    rule("(shrink|inset) {source:rows} by {distance:length}", _shrunk),
    rule("split {source:bare} (at|along|on) [the] (antimeridian|date line|dateline)", _split),
    _change(f"rename [the] column {{column:column}} {_OF} (to|into|as) {{name:name}} {_OF}", "rename"),
    _change(f"(drop|remove|delete) [the] column[s] {{columns:columns}} {_OF}", "drop"),
    _change(f"keep [only] [the] column[s] {{columns:columns}} {_OF}", "keep"),
    _change(f"(order|reorder|arrange) [the] columns {_OF} [:|as|by] {{columns:columns}}", "order"),
    *(
        _change(
            f"{_INTO} ([the] column {{column:column}} {_OF}|{{column:column}} (of|in|from) {{source:bare}})"
            f" [to|into] {words}",
            "cast",
            to=to,
        )
        for to, words in _TYPES.items()
    ),
    *(
        _change(
            f"{_INTO} [the] column {{column:column}} {_OF} [to|into] {_TYPES[to]} with {words}",
            "cast",
            to=to,
            format=sign,
        )
        for to in ("number", "integer")
        for sign, words in (
            (",", "([a] decimal comma|decimal commas)"),
            (".", "([a] decimal point|decimal points)"),
        )
    ),
    *(
        _change(
            f"{_INTO} {_COLUMN} {_OF} [to|into] {_TYPES[to]} (with [the] format|in [the] format|formatted as|as) "
            "{format:name}",
            "cast",
            to=to,
        )
        for to in ("date", "timestamp")
    ),
    *(
        _change(
            f"({words} {_COLUMN} {_OF}|{_INTO} [the] column {{column:column}} {_OF} [to|into] {words})",
            function,
        )
        for function, words in _FORMS.items()
    ),
    _change(
        f"fill [the] (missing|empty) (values (of|in) {_COLUMN}|{{column:column}}) {_OF} with {_VALUE}", "fill"
    ),
    _change(f"add [a] column {{name:name}} with [the] value {_VALUE} [to {{source:bare}}]", "constant"),
    _change(f"replace {{find:name}} (by|with) {{value:name}} in {_COLUMN} {_OF}", "replace"),
    *(
        _change(
            f"concatenate [the] [columns] {{columns:columns}} {_OF} {words} (as|into) {{name:name}}",
            "concatenate",
            separator=sign,
        )
        for sign, words in _SEPARATED
    ),
    _change(
        f"pad {_COLUMN} {_OF} to {{length:count}} [characters|digits] with {_VALUE}", "pad", as_text=True
    ),
    *(
        _change(
            f"add [the] {part} of {_COLUMN} [as {{name:name}}] [(to|of) {{source:bare}}]",
            "date_part",
            part=part,
            name=part,
        )
        for part in _PARTS
    ),
    _change(
        "rank [the] {source:bare} by {columns:columns} [in] [descending] [order]",
        "rank",
        name="rank",
        descending=True,
    ),
    _change(
        "rank [the] {source:bare} by {columns:columns} [in] ascending [order]",
        "rank",
        name="rank",
        descending=False,
    ),
    *(
        _changes(
            f"(add|write|put) [the] [column|columns] {words} [column|columns] {_AS} {_IN} "
            f"[(to|of|for|from) {{source:bare}}] {_AS} {_IN}",
            *({"function": "geometry", "fact": fact} for fact in facts),
        )
        for words, facts in _FACTS.items()
    ),
    *(
        _change(
            f"split [the] column {{column:column}} {_OF} (at|by|on) [the|a|each|every] ({words}) {_OF} "
            "[into columns|into parts|in parts]",
            "split",
            separator=separator,
        )
        for separator, words in _SEPARATORS.items()
    ),
    _change(
        "(number [the] rows (of|in) {source:bare} [as {name:name}]"
        "|(add|write) [the|a] row (number|numbers) [as {name:name}] (to|of|for) {source:bare})",
        "number_rows",
        name="number",
    ),
)
