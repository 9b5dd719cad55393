"""From a look to the `color` and `style` arguments of the map tools."""

from __future__ import annotations

import re
from typing import Any

from agents.domain import BINNED, USUAL_CELL_PX, USUAL_HEAT_PX, Layer, Table
from agents.geo.choices import NO_LABEL
from agents.offline.answers import refusals
from agents.offline.language.lexicon import RAMP_OF_COLOUR
from agents.offline.language.words import name_words
from agents.offline.meaning import intents as i
from agents.offline.meaning.columns import check_unit, column_called, name_column, named_column
from agents.offline.meaning.conditions import ColumnMention
from agents.offline.meaning.scene import Refuse, Say, Scene

_IN_BRACES = re.compile(r"\{([^{}]*)\}")
DENSITIES = ("heatmap", "hexbin", "grid")
"""Kinds that a ramp colours without a column."""


def style_arguments(scene: Scene, table: Table, look: i.Look, layer: Layer | None) -> dict[str, Any]:
    """`color` for one colour, `style` for everything else."""
    style: dict[str, Any] = {}
    now = layer.style if layer is not None else None
    if look.by is not None:
        style.update(_by_column(scene, table, look, look.by))
    elif look.kind in ("heatmap", "single", *BINNED):
        style["kind"] = look.kind
        if now is not None and now.kind == look.kind and now.column:
            style["column"] = ""  # it was not said again
    elif look.color is not None and now is not None and now.kind in DENSITIES:
        style["kind"] = now.kind
    elif look.kind == "proportional":
        raise Refuse(refusals.CIRCLES_COLUMN(), refusals.SAY_SIZE(table=table.title))
    thematic = bool(style.get("column")) or (
        now is not None and now.kind in ("graduated", "categorical") and not style
    )
    ramp = look.ramp or (RAMP_OF_COLOUR.get(look.color or "") if style.get("kind") in DENSITIES else None)
    if ramp:
        if (
            not thematic
            and style.get("kind") not in DENSITIES
            and not (now is not None and now.kind in DENSITIES)
        ):
            raise Refuse(
                refusals.RAMP_COLUMN(),
                refusals.SAY_RAMP(table=table.title, ramp=ramp),
            )
        style["ramp"] = ramp
    for name, value in (("classes", look.classes), ("method", look.method)):
        if value is not None:
            if not thematic or (style.get("kind", now.kind if now else "") != "graduated"):
                raise Refuse(
                    refusals.CLASSES_COLUMN(),
                    refusals.SAY_CLASSES(table=table.title),
                )
            style[name] = value
    if look.classes is not None and not 2 <= look.classes <= 9:
        raise Refuse(refusals.CLASSES(n=look.classes), refusals.CLASSES_RANGE())
    if look.outline is not None:
        style["stroke_color"] = look.outline
    if look.blend is not None:
        style["blend"] = look.blend
    style.update(_time(scene, table, look))
    style.update(_sizes(table, look, layer), **_labels(scene, table, look, layer))
    arguments: dict[str, Any] = {"style": style} if style else {}
    if look.color is not None and not ramp:
        arguments["color"] = look.color
    return arguments


def _by_column(scene: Scene, table: Table, look: i.Look, by: ColumnMention) -> dict[str, Any]:
    column = named_column(scene, table, by, unit=look.unit)
    check_unit(table, column, look.unit)
    numeric = column.kind in ("integer", "number")
    kind = look.kind or ("graduated" if numeric else "categorical")
    if kind in ("proportional", "graduated", *DENSITIES) and not numeric:
        raise Refuse(refusals.NEEDS_NUMBERS(column=column.name, table=table.title, kind=_kind_words(kind)))
    statistic = {"statistic": look.statistic or "mean"} if kind in BINNED else {}
    return {"kind": kind, "column": column.name, **statistic}


def _kind_words(kind: str) -> str:
    return refusals.KINDS["cells" if kind in BINNED else kind if kind in refusals.KINDS else "classes"]()


def _time(scene: Scene, table: Table, look: i.Look) -> dict[str, Any]:
    """The column that people slide through: the one that is named, else dates before times before years."""
    if not look.timed:
        return {}
    if look.time is not None:
        return {"time": named_column(scene, table, look.time).name}
    kinds = ("timestamp", "date")
    found = [column.name for kind in kinds for column in table.columns if column.kind == kind]
    found += [column.name for column in table.columns if "year" in name_words(column.name)]
    if not found:
        raise Refuse(refusals.NO_TIME(table=table.title), refusals.ASK_DESCRIBE())
    return {"time": found[0]}


def _sizes(table: Table, look: i.Look, layer: Layer | None) -> dict[str, Any]:
    if look.size is not None:
        return {"size": look.size}
    if look.grow is None:
        return {}
    usual = {"point": 5.0, "line": 2.0}.get(
        layer.geometry_type if layer else table.geometry_family or "", 1.0
    )
    if layer is not None and layer.style.kind == "proportional":
        usual = 24.0
    if layer is not None and layer.style.kind in BINNED:
        usual = USUAL_CELL_PX[layer.style.kind]
    if layer is not None and layer.style.kind == "heatmap":
        usual = USUAL_HEAT_PX
    present = layer.style.size if layer is not None else None
    return {"size": round(min(max((present or usual) * look.grow, 0.5), 100), 1)}


def _labels(scene: Scene, table: Table, look: i.Look, layer: Layer | None) -> dict[str, Any]:
    if look.unlabel:
        if layer is None or layer.style.label is None:
            raise Say(refusals.NO_LABELS(layer=layer.name if layer else table.name))
        return {"label": NO_LABEL}
    if not look.labelled:
        return {}
    if look.label_text:
        return {
            "label": _IN_BRACES.sub(lambda it: f"{{{column_called(scene, table, it[1])}}}", look.label_text)
        }
    usual = name_column(table)
    names = [named_column(scene, table, each).name for each in look.label]
    if not names and usual is not None:
        names = [usual.name]
    if not names:
        raise Refuse(refusals.LOOK_NO_NAMES(table=table.title), refusals.SAY_LABEL())
    return {
        "label": names[0]
        if len(names) == 1
        else f"{{{names[0]}}} ({', '.join(f'{{{name}}}' for name in names[1:])})"
    }
