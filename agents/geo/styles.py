"""From what a model wrote about a style to a whole `StyleSpec`: what it left out is inferred or kept.

Colour for a column's numbers means classes, for its texts categories; a plain colour ends a thematic style.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from agents.core import ToolFailed
from agents.domain import Style, StyleSpec, Table
from agents.geo.choices import NO_LABEL, column_names, label_columns

STYLE_SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "description": "How it is drawn; what is left out is chosen well, or stays as it is.",
    "properties": {
        "kind": {
            "type": "string",
            "enum": ["single", "categorical", "graduated", "proportional", "heatmap"],
            "description": (
                "single: one colour. categorical: a colour for each value. graduated: a colour ramp over classes "
                "of a number. proportional: circles sized by a number. heatmap: density of points."
            ),
        },
        "color": {"type": "string", "description": "A CSS colour: a name or #rrggbb."},
        "column": {
            "type": "string",
            "enum": column_names,
            "description": "What categorical, graduated and proportional show; the weight of a heatmap.",
        },
        "method": {
            "type": "string",
            "enum": ["quantile", "equal", "jenks"],
            "description": "How classes are cut; quantile unless asked.",
        },
        "classes": {"type": "integer", "minimum": 2, "maximum": 9, "description": "5 unless asked."},
        "breaks": {
            "type": "array",
            "items": {"type": "number"},
            "maxItems": 12,
            "description": "Where classes part, rising, if the user names them: [100, 500] makes three classes.",
        },
        "values": {
            "type": "array",
            "maxItems": 24,
            "items": {
                "type": "object",
                "properties": {
                    "value": {"type": ["string", "number", "boolean"]},
                    "color": {"type": "string"},
                },
                "required": ["value", "color"],
                "additionalProperties": False,
            },
            "description": "Colours of single values of a categorical style, in the order of the legend.",
        },
        "ramp": {"type": "string", "description": "A colour ramp: viridis, Blues, YlOrRd, ..."},
        "size": {
            "type": "number",
            "exclusiveMinimum": 0,
            "maximum": 100,
            "description": "Circle radius or line width in pixels; the largest radius of proportional.",
        },
        "label": {
            "type": "string",
            "enum": label_columns,
            "description": "A column to write beside the features; (none) takes the labels away.",
        },
        "time": {
            "type": "string",
            "enum": label_columns,
            "description": "A column of dates, times or years that people can slide through; (none) ends that.",
        },
    },
}
_THEMATIC = ("categorical", "graduated", "heatmap")


def new_style(table: Table | None, color: str | None, wanted: Mapping[str, Any] | None) -> StyleSpec:
    """The style of a new layer."""
    fields = _with_kind(table, dict(wanted or {}))
    if color and not fields.get("color"):
        fields["color"] = color
    return _checked(fields)


def changed_style(
    table: Table | None, now: Style, color: str | None, wanted: Mapping[str, Any] | None
) -> StyleSpec:
    """The present style with what was asked for; nothing else of it changes."""
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


def _outdated(now: Style, asked: Mapping[str, Any], kind: str) -> list[str]:
    """What of the present style says nothing any more beside what was asked for."""
    if kind != now.kind:
        return ["column", "ramp", "method", "classes", "breaks", "values"]
    gone = ["ramp"] if "color" in asked else []
    if asked.get("column", now.column) != now.column or "ramp" in asked:
        gone.append("values")
    if asked.get("column", now.column) != now.column or "method" in asked or "classes" in asked:
        gone.append("breaks")
    return gone


def _with_kind(table: Table | None, fields: dict[str, Any]) -> dict[str, Any]:
    """A column without a kind: numbers are graduated, everything else is categories."""
    if not fields.get("kind") and (fields.get("values") or fields.get("breaks")):
        fields["kind"] = "categorical" if fields.get("values") else "graduated"
    if fields.get("column") and not fields.get("kind"):
        column = table.column(fields["column"]) if table else None
        numeric = column is not None and column.kind in ("integer", "number")
        fields["kind"] = "graduated" if numeric else "categorical"
    return fields


def _checked(fields: dict[str, Any]) -> StyleSpec:
    if fields.get("kind") in ("categorical", "graduated", "proportional") and not fields.get("column"):
        raise ToolFailed(f"A {fields['kind']} style needs `column`: the column that it shows.")
    try:
        return StyleSpec(
            **{name: value for name, value in fields.items() if value not in (None, "", NO_LABEL)}
        )
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in error.errors())
        raise ToolFailed(f"The style is not valid: {faults}.") from None
