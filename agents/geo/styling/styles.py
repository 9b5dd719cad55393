"""From what a model wrote about a style to a whole `StyleSpec`: what it left out is inferred or kept.

Colour for a column's numbers means classes, for its texts categories; a plain colour ends a thematic style."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from agents.core.errors import ToolFailed, faults_in
from agents.domain import BINNED, Legend, Style, StyleSpec, Table
from agents.geo.choices import NO_LABEL
from agents.worded import Template

NO_ENTRY = Template(
    "style_no_entry", "The legend has no entry {entry}, so it cannot be hidden. Its entries: {names}."
)
NEEDS_A_COLUMN = Template("style_needs_a_column", "A {kind} style needs `column`: the column that it shows.")
NOT_VALID = Template("style_not_valid", "The style is not valid: {faults}.")

_MEANINGS = {
    "kind": "categorical: a colour per value; graduated: classes of a number; proportional: circles sized by it; "
    "hexbin, grid: cells.",
    "color": "CSS colour.",
    "column": "What thematic kinds show.",
    "statistic": "",
    "method": "Of classes.",
    "classes": "5 unless asked.",
    "breaks": "Class limits, if the user names them.",
    "values": "Colours, in legend order.",
    "ramp": "viridis, Blues, ...",
    "size": "Pixels.",
    "stroke": "Outline width.",
    "stroke_color": "",
    "extrude": "3D height column.",
    "extrude_scale": "",
    "hidden": "Legend labels to hide.",
    "blend": "multiply darkens overlaps; screen and add lighten.",
    "label": "Column to write, or text as {name}: {pop}; (none) removes it.",
    "label_size": "",
    "label_overlap": "",
    "label_min_zoom": "",
    "tooltip": "Columns shown on hover.",
    "min_zoom": "",
    "max_zoom": "",
    "time": "Dates or years for a time slider; (none) removes it.",
}
"""What each field of a StyleSpec means, for models; empty where the name says it."""
_ABOUT = "How it is drawn; what is left out is chosen well or stays."
_BOUNDS = ("maxLength", "exclusiveMinimum", "maximum", "minimum")
"""Keywords that calls rarely exceed."""


def _style_schema() -> dict[str, Any]:
    """The JSON schema of StyleSpec as models are to fill it in: nothing required, nothing null."""
    whole = StyleSpec.model_json_schema()
    properties = {name: _plain(part, whole.get("$defs", {})) for name, part in whole["properties"].items()}
    described = {
        name: {**part, "description": _MEANINGS[name]} if _MEANINGS[name] else part
        for name, part in properties.items()
    }
    return {"type": "object", "additionalProperties": False, "description": _ABOUT, "properties": described}


def _plain(node: Any, definitions: Mapping[str, Any]) -> Any:
    """A schema without titles, defaults, null and references."""
    if isinstance(node, list):
        return [_plain(item, definitions) for item in node]
    if not isinstance(node, Mapping):
        return node
    if "$ref" in node:
        return _plain(definitions[str(node["$ref"]).rpartition("/")[2]], definitions)
    branches = [part for part in node.get("anyOf", ()) if part.get("type") != "null"]
    if len(branches) == 1:
        return _plain(branches[0], definitions)
    if branches and all(set(part) == {"type"} for part in branches):
        return {"type": sorted((part["type"] for part in branches), key=lambda kind: kind != "string")}
    dropped = ("title", "default", "description")
    kept = {key: value for key, value in node.items() if key not in dropped}
    if "properties" in kept:
        inner = {name: _plain(part, definitions) for name, part in kept["properties"].items()}
        return {**kept, "properties": inner}
    return {key: _plain(value, definitions) for key, value in kept.items()}


STYLE_SCHEMA = _style_schema()
"""The whole schema of a style, by which calls are checked."""
_SHOWN = ("kind", "column", "method", "classes", "ramp", "size", "label")
STYLE_SHOWN: dict[str, Any] = {
    "type": "object",
    "description": f"{_ABOUT} Also: statistic count|sum|mean|min|max (of cells), breaks [class limits], "
    "values [{value, color}], stroke, stroke_color, extrude (column of 3D heights), hidden [legend labels], blend "
    "multiply|screen|add, tooltip [columns], time (column of dates or years for a slider).",
    "properties": {
        name: {key: value for key, value in STYLE_SCHEMA["properties"][name].items() if key not in _BOUNDS}
        for name in _SHOWN
    },
}
"""What models see of it where layers are made: the most used fields as schemas, the others as text. Those that users
set in the style editor are left out; a call may still have them."""
STYLE_BRIEFLY: dict[str, Any] = {"type": "object", "description": "As in add_map_layer."}
_THEMATIC = ("categorical", "graduated", "heatmap", "hexbin", "grid")


def new_style(table: Table | None, color: str | None, wanted: Mapping[str, Any] | None) -> StyleSpec:
    """The style of a new layer."""
    fields = _with_kind(table, dict(wanted or {}))
    if color and not fields.get("color"):
        fields["color"] = color
    return _checked(fields)


def changed_style(
    table: Table | None, now: Style, color: str | None, wanted: Mapping[str, Any] | None
) -> StyleSpec:
    """The present style with the requested changes and nothing else."""
    kept = now.model_dump(include=set(StyleSpec.model_fields), exclude_none=True)
    asked = _with_kind(table, dict(wanted or {}))
    if color:
        asked.setdefault("color", color)
    if asked.get("color") and "kind" not in asked and now.kind in _THEMATIC:
        asked["kind"] = "single"
    kind = asked.get("kind", now.kind)
    for name in _outdated(now, asked, kind):
        kept.pop(name, None)
    return _checked({**kept, **asked})


def check_hidden(legend: Legend, now: Style, wanted: Mapping[str, Any]) -> None:
    """Raise ToolFailed where the style is to hide what the legend does not have; a new legend is not known yet."""
    if {"kind", "column", "breaks", "values", "classes", "method"} & {*wanted}:
        return
    labels = [entry.label for entry in legend.entries]
    missing = [
        label for label in wanted.get("hidden") or () if label not in labels and label not in now.hidden
    ]
    if missing:
        raise ToolFailed(NO_ENTRY(entry=repr(missing[0]), names=", ".join(labels)))


def _outdated(now: Style, asked: Mapping[str, Any], kind: str) -> list[str]:
    """Fields of the present style that have no meaning after the requested changes."""
    if kind != now.kind:
        cells = ["size"] if now.kind in BINNED or kind in BINNED else []
        return ["column", "statistic", "ramp", "method", "classes", "breaks", "values", "hidden", *cells]
    gone = ["ramp"] if "color" in asked else []
    if not asked.get("column", now.column):
        gone.append("statistic")
    if asked.get("column", now.column) != now.column or "ramp" in asked:
        gone.append("values")
    if asked.get("column", now.column) != now.column:
        gone.append("hidden")
    if asked.get("column", now.column) != now.column or "method" in asked or "classes" in asked:
        gone.append("breaks")
    return gone


def _with_kind(table: Table | None, fields: dict[str, Any]) -> dict[str, Any]:
    """A column without a kind: numbers become graduated, other values categorical."""
    if not fields.get("kind") and (fields.get("values") or fields.get("breaks")):
        fields["kind"] = "categorical" if fields.get("values") else "graduated"
    if fields.get("column") and not fields.get("kind"):
        column = table.column(fields["column"]) if table else None
        numeric = column is not None and column.kind in ("integer", "number")
        fields["kind"] = "graduated" if numeric else "categorical"
    return fields


def _checked(fields: dict[str, Any]) -> StyleSpec:
    if fields.get("kind") in ("categorical", "graduated", "proportional") and not fields.get("column"):
        raise ToolFailed(NEEDS_A_COLUMN(kind=fields["kind"]))
    try:
        return StyleSpec(
            **{name: value for name, value in fields.items() if value not in (None, "", NO_LABEL)}
        )
    except ValidationError as error:
        raise ToolFailed(NOT_VALID(faults=faults_in("style", error))) from None
