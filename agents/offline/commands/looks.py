"""Commands for the style of layers: `colour countries by population`, `make the airports blue`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from agents.domain import (
    BINNED,
    USUAL_CELL_PX,
    USUAL_HEAT_PX,
    Blend,
    ClassMethod,
    Layer,
    Style,
    Table,
)
from agents.geo.choices import NO_LABEL
from agents.geo.styling.colours import NO_FILL, colour_name
from agents.geo.styling.ramps import DEFAULT_SEQUENTIAL, REVERSED
from agents.offline.answers import refusals
from agents.offline.commands.requests import command, tables_of
from agents.offline.language.lexicon import RAMP_OF_COLOUR
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import name_words
from agents.offline.meaning.columns import check_unit, column_called, named_column
from agents.offline.meaning.conditions import ColumnMention, Mention, all_of
from agents.offline.meaning.intents import Intent, Look, Restyle, Show
from agents.offline.meaning.row_names import name_column
from agents.offline.meaning.scene import Refuse, Say, Scene

_IN_BRACES = re.compile(r"\{([^{}]*)\}")
DENSITIES = ("heatmap", "hexbin", "grid")
"""Styles that a colour ramp applies to without a column."""

Bound = Mapping[str, Any]


def _style_alone(bound: Bound, vocabulary: Vocabulary) -> Intent | None:
    """`50 % transparent`, `bigger`, `show as normal points`: for the layer mentioned last. A colour alone may be a
    name, so it needs words before it."""
    look, wording = bound["look"], bound["said"]
    named = look == Look(color=look.color) and not wording.lower().startswith(("in ", "as ", "with "))
    return Restyle(None, look) if vocabulary.layers and not named else None


def _drawn(look: Look | None = None) -> Any:
    """The layer with a style, by default the one in the request."""
    return lambda bound, _: Restyle(bound.get("layer"), look or bound["look"])


def _coloured(bound: Bound, _: Vocabulary) -> Intent | None:
    """Style a layer; a part of its rows becomes a layer of its own."""
    rows = bound["rows"]
    where = all_of(rows.where, bound.get("where"))
    if rows.top is None:
        return Restyle(rows.mention, bound["look"], where)
    return Show(rows.mention, bound["look"], where, rows.top) if rows.mention.tables else None


def _by_any_column(bound: Bound, vocabulary: Vocabulary) -> Intent | None:
    """`colour by population` if no layer has such a column: any table that has one."""
    words, tables = bound["column"].text, vocabulary.few_tables
    having = [each for each in tables if each.geometry_column and vocabulary.columns_called((each,), words)]
    if not having:
        return None
    column = ColumnMention(words, vocabulary.columns_called(having, words))
    mention = Mention(words, tuple(table.id for table in having))
    return Restyle(mention, replace(bound.get("look", Look()), by=column))


def _labelled(bound: Bound, vocabulary: Vocabulary) -> Intent | None:
    """`label the cities by name`; a part of the rows, such as the capitals, becomes a layer of its own."""
    rows, words, text = bound.get("rows"), bound.get("columns", ()), bound.get("text", "")
    layer = rows.mention if rows is not None else bound.get("layer")
    is_part = rows is None or (rows.where is not None and rows.top is None and not rows.mention.pronoun)
    if ("{" in text) != ("text" in bound) or not is_part:
        return None
    tables = tables_of(layer, vocabulary) or vocabulary.few_tables
    mentions = tuple(ColumnMention(each.text, vocabulary.columns_called(tables, each.text)) for each in words)
    known = all(each.columns for each in mentions)
    look = Look(label=mentions, label_text=text, labelled=True)
    return Restyle(layer, look, rows.where if rows is not None else None) if known else None


def _by_column(look: Callable[[ColumnMention | None], Look]) -> Any:
    """A style by one column, of the layer or of those on the map."""

    def means(bound: Bound, vocabulary: Vocabulary) -> Intent | None:
        layer, words = bound.get("layer"), bound.get("column")
        if words is None:
            return Restyle(layer, look(None))
        tables = tables_of(layer, vocabulary) or vocabulary.few_tables  # earlier words may show the layer
        columns = vocabulary.columns_called(tables, words.text)
        return Restyle(layer, look(ColumnMention(words.text, columns))) if columns else None

    return means


_each = _by_column(lambda column: Look(by=column))
_timed = _by_column(lambda column: Look(timed=True, time=column))


def _sized(bound: Bound, vocabulary: Vocabulary) -> Intent | None:
    """Size or height by a column of the named rows or layer: in `colour airports by country and size by elevation` no
    layer has both."""
    rows, words = bound.get("rows"), bound["column"].text
    layer = rows.mention if rows is not None else None
    shown_before = layer is None or layer.pronoun  # in `show airports and size them by elevation`
    tables = tables_of(layer, vocabulary) or (vocabulary.few_tables if shown_before else ())
    columns = vocabulary.columns_called(tables, words)
    column = ColumnMention(words, columns)
    look = Look(height=column) if bound["verb"] == "extrude" else Look(by=column, kind="proportional")
    if not columns or (rows is not None and rows.top is not None):
        return None
    return Restyle(layer, look, rows.where if rows is not None else None)


def _choropleth(bound: Bound, vocabulary: Vocabulary) -> Intent | None:
    """Areas classified by a column: the named ones, else all with such a column."""
    layer, words = bound.get("layer"), bound["column"].text
    if layer is None and vocabulary.is_named(name_words(words)):
        return None
    tables = vocabulary.few_tables if layer is None else tables_of(layer, vocabulary)
    areas = (each for each in tables if each.geometry_family == "polygon")
    having = [each for each in areas if vocabulary.columns_called((each,), words)]
    if not having:
        return None
    column = ColumnMention(words, vocabulary.columns_called(having, words))
    mention = layer or Mention(words, tuple(table.id for table in having))
    return Restyle(mention, replace(bound.get("look", Look()), by=column), bound.get("where"))


_COLOUR = (
    "(colour|color|shade|paint|style|fill|recolour|recolor|tint|classify|categorise|categorize|symbolise"
    "|symbolize)"
)
_OF_LAYER = "[(of|for|on) {layer:mention}]"
_TO = "[to|into|look|appear]"
_LABEL_TEXT = "[(by|with|w|using|as|from) {columns:columns}|[by|with|using|as|from|:] {text:quoted}]"
_KIND_OF_MAP = "(choropleth [map]|[thematic|shaded|coloured|colored] map)"
_DARKER = "[[,] (darker|dark) (=|is|means|for|where) (more [crowded|populated]|higher|denser)]"
_SHOW = "[show [me]|make [me]|draw|create|add|give me|map|display|visualise|visualize]"
_CHOROPLETH = f"{_SHOW} {_KIND_OF_MAP}"
_OF_AREAS = "(of|by|for|per|in|across|over) [each] {layer:mention}"
_USE = "[use|using|with|apply|try|take|switch to|change to|classify (by|with)|make it|make them]"
_CLASSES = "[breaks|intervals|classes|classification|interval] [instead]"
_METHODS: dict[ClassMethod, str] = {
    "quantile": "quantile|quantiles|quartiles|quintiles|equal counts",
    "jenks": "natural breaks|jenks|jenks natural breaks|natural",
    "equal": "equal interval|equal intervals|equal",
}
_BLENDS: dict[Blend, str] = {
    "multiply": "multiply|multiplied|multiplication",
    "screen": "screen|screened",
    "add": "add|additive|additively",
}
COMMANDS = (
    command(f"{_COLOUR} [in] {{rows:selection}} {{look:look}} [{{where:where}}]", _coloured),
    command(f"{_COLOUR} {{look:look}}", _drawn()),
    command(f"{_COLOUR} (by|according to) {{column:column}} [{{look:look}}]", _by_any_column, 3.0),
    command(f"((set|change) [the] (colour|color) of|the colour of|change the style of) {{layer:mention}} {_TO}"
            " {look:look}", _drawn()),
    command(f"(set|change) [the] (colour|color) {_TO} {{look:look}}", _drawn()),
    command(f"(make|turn|change|draw|set|render|convert|transform) {{layer:mention}} {_TO} {{look:look}}", _drawn()),
    command("[show [me]|draw|display|render|visualise|visualize|make] said=({look:look})", _style_alone, 3.0),
    command("verb=(size|scale|extrude) [{rows:selection}] (by|according to|with) {column:column}", _sized),
    *(command(f"(make|let|have|set) [the|their] {words} [of [the] (points|circles|dots|lines|areas|them)]"
              " (depend on|depending on|follow|reflect|show|by|according to) {column:column}", meant)
      for words, meant in (("[point|circle|dot] verb=(size|sizes)", _sized), ("(colour|color|colours|colors)", _each))),
    command("(mark|highlight) (in|with|as) {look:look}", _drawn()),
    command(f"({_COLOUR}|show|map|draw) world (by|according to) {{column:column}} {_DARKER} [[,] {{look:look}}]",
            _choropleth),
    command("(reverse|invert|flip) [the] ((colours|colors|colour|color) [ramp|scale|scheme]|ramp|palette)"
            f" {_OF_LAYER}", _drawn(Look(reversed=True))),
    *(command(f"{_USE} ({words}) {_CLASSES} {_OF_LAYER}", _drawn(Look(method=method)))
      for method, words in _METHODS.items()),
    command("(use|apply|try|take|give|switch to|change to) {look:look}", _drawn(), 1.0),
    *(command(f"{words} [[,] {{look:look}}]", _choropleth, cost) for words, cost in (
        (f"{_CHOROPLETH} (of|for|showing) {{column:column}} [{{where:condition}}]", 0.0),
        (f"{_CHOROPLETH} (of|for|showing) {{column:column}} {_OF_AREAS} [{{where:condition}}]", -1.0),
        (f"{_CHOROPLETH} (of|for|showing) {{layer:mention}} by {{column:column}}", -1.0),
        (f"{_SHOW} {{column:column}} [{_OF_AREAS}] [{{where:condition}}] (as|in|on) [a|an] {_KIND_OF_MAP}", -1.0),
    )),
    command("(unlabel|(remove|delete|drop|hide|no|clear|turn off|switch off|take away|without) (labels|label|names)"
            " [from|of|on|for]) [{layer:mention}]", _drawn(Look(unlabel=True))),
    *(command(f"(blend|draw) [{{layer:mention}}] [with|by|as|in] [[the] blend] [mode] ({words}) [blending]",
              _drawn(Look(blend=blend)), 1.0) for blend, words in _BLENDS.items()),
    command("multiply the colours [(of|for) {layer:mention}]", _drawn(Look(blend="multiply")), 1.0),
    command("(unblend|do not blend|(stop|no) blending [of|for]) [{layer:mention}]", _drawn(Look(blend="normal")), 1.0),
    command(f"(label|annotate|caption) [each [one]|every one|{{layer:mention}}] {_LABEL_TEXT}", _labelled),
    command(f"(label|annotate|caption) {{rows:selection}} {_LABEL_TEXT}", _labelled, 6.0),
    command("(show|add|display|put|write|with|give me|turn on) [the|their] (labels|names|labelling|name labels)"
            f" [as labels] [(of|for|to|on|at|beside|next to) {{layer:mention}}|on] {_LABEL_TEXT}", _labelled),
    command("(show|add|display|put|write) {layer:mention} (labels|names) [on [it|them]]", _labelled, 0.5),
    command("[add|show|open|give me|use|make] (time slider|timeline|time line|time filter|slider)"
            " [(for|to|of|on) {layer:mention}] [(by|along|using) {column:column}]", _timed),
)  # fmt: skip


def style_arguments(scene: Scene, table: Table, look: Look, layer: Layer | None) -> dict[str, Any]:
    """Arguments of a map tool for a style: `color` for a single colour, `style` for everything else. Raises Say or
    Refuse."""
    now = layer.style if layer is not None else None
    style = _kind(scene, table, look, now)
    thematic = bool(style.get("column")) or (
        now is not None and now.kind in ("graduated", "categorical") and not style
    )
    in_classes = thematic and not style and (look.classes is not None or look.method is not None)
    is_shaded = in_classes or style.get("kind") in DENSITIES
    ramp = look.ramp or (RAMP_OF_COLOUR.get(look.color or "") if is_shaded else None)
    if ramp:
        if (
            not thematic
            and style.get("kind") not in DENSITIES
            and not (now is not None and now.kind in DENSITIES)
        ):
            raise Refuse(refusals.RAMP_COLUMN(), refusals.SAY_RAMP(table=table.title, ramp=ramp))
        style["ramp"] = ramp
    if look.reversed:
        style["ramp"] = _reversed_ramp(table, now)
    for name, value in (("classes", look.classes), ("method", look.method)):
        if value is not None:
            kind = style.get("kind", now.kind if now else "")
            if kind == "proportional":
                raise Refuse(refusals.SIZES_IN_CLASSES(), refusals.SAY_CLASSES(table=table.title))
            if not thematic or kind != "graduated":
                raise Refuse(refusals.CLASSES_COLUMN(), refusals.SAY_CLASSES(table=table.title))
            style[name] = value
            if in_classes and look.color is not None and now is not None and not ramp:
                style |= {"kind": now.kind, "column": now.column}  # a colour alone replaces the classes
    if look.classes is not None and not 2 <= look.classes <= 9:
        raise Refuse(refusals.CLASSES(n=look.classes), refusals.CLASSES_RANGE())
    unfilled = look.unfilled and not _is_only_line(table, look, layer)
    color = look.color if unfilled or not look.unfilled else look.outline or look.color
    if unfilled or (look.outline is not None and not look.unfilled):
        drawn = None if now is None else now.color if now.color != NO_FILL else now.stroke_color
        style["stroke_color"] = look.outline or look.color or drawn or "black"
    if look.outline_width is not None:
        style["stroke"] = look.outline_width
    elif unfilled and now is not None and now.stroke == 0:
        style["stroke"] = 1.0  # else nothing would be visible
    if look.blend is not None:
        style["blend"] = look.blend
    if look.height is not None:
        style["extrude"] = named_column(scene, table, look.height).name
    style.update(_time(scene, table, look))
    style.update(_sizes(table, look, layer), **_labels(scene, table, look, layer))
    arguments: dict[str, Any] = {"style": style} if style else {}
    if unfilled:
        arguments["color"] = NO_FILL
    elif color is not None and not ramp:
        arguments["color"] = color
    if look.opacity is not None:
        arguments["opacity"] = look.opacity
    elif look.fade is not None:
        arguments["opacity"] = round(min((layer.opacity if layer is not None else 1.0) * look.fade, 1.0), 2)
    return arguments


def _kind(scene: Scene, table: Table, look: Look, now: Style | None) -> dict[str, Any]:
    """The kind of style and its column. `now`: the layer's current style."""
    if look.values and look.by is not None:
        colours = [{"value": value, "color": color} for value, color in look.values]
        column = named_column(scene, table, look.by).name
        return {"kind": "categorical", "column": column, "values": colours}
    if look.by is not None:
        return _column_arguments(scene, table, look, look.by)
    if look.kind in ("heatmap", "single", *BINNED):
        is_by_column = now is not None and now.kind == look.kind and bool(now.column)
        return {"kind": look.kind, **({"column": ""} if is_by_column else {})}  # no column was named
    if look.color is not None and now is not None and now.kind in DENSITIES:
        return {"kind": now.kind}
    if look.kind == "proportional":
        is_by_number = now is not None and now.kind == "graduated" and now.column is not None
        return {"kind": "proportional", "column": now.column} if now and is_by_number else {"kind": "single"}
    return {}


def _is_only_line(table: Table, look: Look, layer: Layer | None) -> bool:
    """Whether lines are drawn without circles, so that their colour is not a fill."""
    kind = look.kind or (layer.style.kind if layer is not None else None)
    family = layer.geometry_type if layer is not None else table.geometry_family
    return family == "line" and kind != "proportional"


def _reversed_ramp(table: Table, now: Style | None) -> str:
    shades = (
        RAMP_OF_COLOUR.get(colour_name(now.color)) if now is not None and now.color else DEFAULT_SEQUENTIAL
    )
    ramp = (now.ramp or shades) if now is not None else None
    if now is None or ramp is None or now.kind not in ("graduated", *DENSITIES):
        raise Refuse(refusals.RAMP_COLUMN(), refusals.SAY_RAMP(table=table.title, ramp="Viridis"))
    return ramp.removesuffix(REVERSED) if ramp.endswith(REVERSED) else f"{ramp}{REVERSED}"


def _column_arguments(scene: Scene, table: Table, look: Look, by: ColumnMention) -> dict[str, Any]:
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


def _time(scene: Scene, table: Table, look: Look) -> dict[str, Any]:
    """The column of a time slider: the named one, else times before dates before years. Raises Refuse if there is
    none."""
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


_OUTLINED = ("single", "categorical", "graduated")
"""Kinds of styles that draw areas as areas, with an outline."""


def _sizes(table: Table, look: Look, layer: Layer | None) -> dict[str, Any]:
    if look.size is not None:
        return {"size": look.size}
    if look.grow is None:
        return {}
    family = layer.geometry_type if layer is not None else table.geometry_family
    kind = layer.style.kind if layer is not None else "single"
    if family == "polygon" and kind in _OUTLINED:  # areas themselves have no size
        stroke = (layer.style.stroke if layer is not None else None) or 1.0
        return {"stroke": round(min(max(stroke * look.grow, 0.2), 20), 1)}
    usual = {"point": 5.0, "line": 2.0}.get(family or "", 1.0)
    if layer is not None and layer.style.kind == "proportional":
        usual = 24.0
    if layer is not None and layer.style.kind in BINNED:
        usual = USUAL_CELL_PX[layer.style.kind]
    if layer is not None and layer.style.kind == "heatmap":
        usual = USUAL_HEAT_PX
    present = layer.style.size if layer is not None else None
    return {"size": round(min(max((present or usual) * look.grow, 0.5), 100), 1)}


def _labels(scene: Scene, table: Table, look: Look, layer: Layer | None) -> dict[str, Any]:
    if look.unlabel:
        if layer is None or layer.style.label is None:
            raise Say(refusals.NO_LABELS(layer=layer.name if layer else table.name))
        return {"label": NO_LABEL}
    if not look.labelled:
        return {}
    if "{" in look.label_text:
        text = _IN_BRACES.sub(lambda it: f"{{{column_called(scene, table, it[1])}}}", look.label_text)
        return {"label": text}
    if look.label_text:
        return {"label": column_called(scene, table, look.label_text)}
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
