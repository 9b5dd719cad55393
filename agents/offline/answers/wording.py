"""Pieces of the offline model's sentences, from the facts in tool results. Text from the data is escaped."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping
from typing import Any

from agents.core.messages import ToolResult
from agents.domain import Column, SqlAnswer
from agents.geo.phrases import MAX_LISTED, count_of, filter_words, listed, number, table_rows, value
from agents.geo.styling.colours import colour_name
from agents.offline.meaning.columns import holds_years, name_column
from agents.offline.meaning.units import column_unit, convert
from agents.units import Unit

Facts = Mapping[str, Any]
FIGURE_WORDS = {
    "mean": "average", "median": "median", "sum": "total", "minimum": "smallest", "maximum": "greatest",
}  # fmt: skip
"""Figures of a column, in a sentence."""
FIGURE_NAMES = {"sum": "Total", "mean": "Average", "median": "Median", "max": "Highest", "min": "Lowest"}
STATISTIC_WORDS = {"count": "number", "mean": "average", "sum": "sum", "min": "lowest", "max": "highest"}
_ENDINGS = {
    "cancelled": "That was stopped.",
    "timeout": "That took too long and was stopped. Ask for less at once.",
    "denied": "You did not allow that, so I left it.",
}


def failed(result: ToolResult) -> str:
    """That a call did not work, and why."""
    if result.error in _ENDINGS:
        return _ENDINGS[result.error]
    return f"That did not work: {why_failed(result)}"


def why_failed(result: ToolResult) -> str:
    """Why a call did not work, in the tool's own words."""
    if result.error in _ENDINGS:
        return _ENDINGS[result.error]
    lines = _FOR_MODELS.sub("", result.content).strip().splitlines()
    words = "\n".join(line for line in lines if not line.startswith(("Filled in for you:", "Note:")))
    if result.error in ("invalid_arguments", "unknown_tool", "malformed_json"):
        lines = [line.removeprefix("- ") for line in words.splitlines() if line.startswith("- ")]
        words = "; ".join(lines) or words.partition("\n")[0]
    return plain(words)


_FOR_MODELS = re.compile(r"</?data>| \(\w+='\w+'\)")
"""Marks, and arguments of operations that the words before them say already."""


def selected_words(answer: SqlAnswer) -> str:
    """What a statement of the user's gave."""
    if not answer.rows:
        return "The statement ran, and no row passed."
    first = "The first " if answer.truncated else ""
    return f"{first}{count_of(len(answer.rows), 'row')}:\n\n{table_rows(answer.columns, answer.rows)}"


def name_of(table: Any) -> str | None:
    """The column of a table that names its rows; None if no column does."""
    column = name_column(table)
    return column.name if column is not None else None


def look_words(facts: Facts) -> str:
    """How a layer is drawn, in words."""
    style = facts.get("style", {})
    kind, column = style.get("kind", "single"), style.get("column")
    label = f", size {number(style['size'])}" if style.get("size") else ""
    label += f", labelled by `{style['label']}`" if style.get("label") else ""
    label += f", outlined in {colour_name(style['stroke_color'])}" if style.get("stroke_color") else ""
    blend = style.get("blend", "normal")
    label += f", blended with what is below ({blend})" if blend != "normal" else ""
    ramp = f" in {style['ramp']}" if style.get("ramp") else ""
    if kind == "graduated":
        return f", coloured by `{column}`{ramp}{label}"
    if kind == "categorical":
        if facts.get("has_others"):
            most = count_of(int(facts["classes"]), "value")
            common = f"each of the {most} of `{column}` that most rows have"
            return f" with a colour for {common}, and one for all others{label}"
        return f" with a colour for each `{column}`{label}"
    if kind == "proportional":
        color = f" in {colour_name(style['color'])}" if style.get("color") else ""
        return f" as circles sized by `{column}`{color}{label}"
    if kind == "heatmap":
        return f" as a heat map{f' weighted by `{column}`' if column else ''}{label}"
    if kind == "cluster":
        return " as clusters, numbered circles that split when you zoom in"
    if kind in ("hexbin", "grid"):
        cells = "hexagons" if kind == "hexbin" else "squares"
        shown = (
            f"{STATISTIC_WORDS[style.get('statistic') or 'mean']} of `{column}`"
            if column
            else "number of features"
        )
        width = f" {number(style['size'])} pixels wide" if style.get("size") else ""
        return f" as {cells}{width} that show the {shown} in each{ramp}"
    color = f" in {colour_name(style['color'])}" if style.get("color") else ""
    return f"{color}{label}"


def asked_for_time(arguments: Facts) -> bool:
    """Whether a call changed which column tells the time of a layer."""
    style = arguments.get("style")
    return isinstance(style, Mapping) and "time" in style


def group_words(name: str, group: str | None) -> str:
    """Which group a layer belongs to now."""
    return f"{name} is now in the group **{plain(group)}**." if group else f"{name} is in no group now."


def legend_words(facts: Facts) -> str:
    """What is to be known of the classes; the classes themselves stand in the legend on the map."""
    if not facts.get("legend") or facts.get("style", {}).get("kind") not in ("graduated", "categorical"):
        return ""
    return f" {plain(str(facts['note']))}" if facts.get("note") else ""


def drawn_words(facts: Facts) -> str:
    """What the browsers reported, if they reported anything new."""
    words = str(facts.get("drawn", "")).rstrip(".")
    if words.startswith("drawn: 0 ") and facts.get("count"):
        return f" None of them is in view now: say “zoom to {plain(str(facts['name']))}” to see them."
    if words.startswith("drawn") and ";" in words:
        return f" ({plain(words.partition('; ')[2].capitalize())}.)"
    if words.startswith("not confirmed"):
        return " Still drawing…"
    if not words or words.startswith(("drawn", "no browser")):
        return ""
    return f" ({plain(words[:1].upper() + words[1:])}.)"


def sampled_words(facts: Facts) -> str:
    """What numbers of a lake table are estimated from; empty where they are exact."""
    return f" (Estimated from {facts['sampled_from']}.)" if facts.get("sampled_from") else ""


def where_words(facts: Facts) -> str:
    """The filter of a layer, as ` where …`; empty without a filter."""
    words = filter_words(facts.get("filter"))
    return f" where {plain(words)}" if words else ""


def without_known(filter: Any) -> Any:
    """A filter without the `is known` that a ranking adds."""
    if not isinstance(filter, Mapping):
        return filter
    if (
        filter.get("op") == "not"
        and isinstance(filter["args"][0], Mapping)
        and filter["args"][0].get("op") == "isNull"
    ):
        return None
    if filter.get("op") == "and":
        parts = [part for part in filter["args"] if without_known(part) is not None]
        return None if not parts else parts[0] if len(parts) == 1 else {**filter, "args": parts}
    return filter


def table_line(table: Facts) -> str:
    """A table as an item of a Markdown list."""
    comment = f": {plain(str(table['comment']))}" if table.get("comment") else ""
    return (
        f"- **{plain(str(table['id']))}** ({count_of(table['rows'], 'row')}{geometry_words(table)}){comment}"
    )


def geometry_words(facts: Facts) -> str:
    """The kind of geometry of a table in a word that people use, after a comma."""
    kind = str(facts.get("geometry") or "").upper()
    for word, plural in (("POINT", "points"), ("LINE", "lines"), ("POLYGON", "areas")):
        if word in kind:
            return f", {plural}"
    return ", shapes" if kind else ", no geometry"


def system_words(facts: Facts) -> str:
    """The kind of geometry of a table, and its reference system if there is any, after a comma."""
    system = f" in EPSG:{facts['srid']}" if facts.get("srid") else " without a reference system (SRID 0)"
    return geometry_words(facts) + (system if facts.get("geometry") else "")


def column_line(column: Facts) -> str:
    """A column as an item of a Markdown list."""
    comment = f": {plain(str(column['comment']))}" if column.get("comment") else ""
    low, high = column.get("range", (None, None))
    span = (
        f" ({value(low)} to {value(high)})"
        if isinstance(low, int | float) and column["type"] in ("integer", "number")
        else ""
    )
    samples = column.get("samples") if not span else None
    such = f" (such as {plain(', '.join(str(item) for item in samples[:3]))})" if samples else ""
    return f"- `{column['name']}`, {column['type']}{comment}{span}{such}"


def quality_words(quality: Facts) -> str:
    """What the table needs cleaned, as one paragraph; empty where nothing is known."""
    if not quality:
        return ""
    counts = {
        ("row without geometry", "rows without geometry"): quality.get("missing"),
        ("empty geometry", "empty geometries"): quality.get("empty"),
        ("invalid geometry", "invalid geometries"): quality.get("invalid"),
        ("duplicate geometry", "duplicate geometries"): quality.get("duplicates"),
    }
    found = [count_of(count, *names) for names, count in counts.items() if count]
    for name, columns in (
        ("null", quality.get("nulls")),
        ("empty text", quality.get("empty_texts")),
        ("repeated value", quality.get("duplicate_keys")),
    ):
        found += [f"{count_of(count, name)} in `{column}`" for column, count in (columns or {}).items()]
    types = quality.get("types", {})
    kinds = f"Geometries: {listed([f'{number(n)} {kind}' for kind, n in types.items()])}. " if types else ""
    basis = "" if quality.get("exact") else "Estimated from a sample: "
    said = f"{basis}{listed(found) if found else 'no missing, invalid or repeated values'}"
    return f"{kinds}{said[0].upper()}{said[1:]}."


def measured(column: Column | None, item: Any, wanted: Unit | None = None) -> str:
    """A value with its column's unit, or converted to the one that was `wanted`."""
    unit = column_unit(column) if column is not None else None
    if unit is not None and wanted is not None:
        item, unit = convert(float(item), unit, wanted), wanted
    if column is not None and holds_years(column) and isinstance(item, int):
        return str(item)
    text = plain(value(item))
    return (
        f"{text} {unit.symbol}"
        if unit is not None and unit.symbol not in ("people", "days", "years")
        else text
    )


def place_words(place: Facts) -> str:
    """A place with what tells it apart from others of the same name."""
    detail = f", {plain(place['detail'])}" if place.get("detail") else ""
    return f"**{plain(place['name'])}** ({plain(place['kind'])}{detail})"


def unsearched_words(facts: Facts) -> str:
    """The tables that a search for a place left out, as a sentence after a space; else nothing."""
    missed = [plain(table) for table in facts.get("not_searched_in_time", ())]
    if not missed:
        return ""
    return (
        f" Not searched, because it would take the database too long: {listed(missed, most=MAX_LISTED)}. "
        "A place of that name may be there."
    )


def position_words(place: Facts) -> str:
    """Latitude and longitude in degrees, with their hemispheres."""
    north, east = place["latitude"], place["longitude"]
    return f"{abs(north):.3f}° {'N' if north >= 0 else 'S'}, {abs(east):.3f}° {'E' if east >= 0 else 'W'}"


def is_plural(name: str) -> bool:
    """Whether a name is written as a plural."""
    return name.lower().endswith("s")


def plain(text: str) -> str:
    """Text from the data inside Markdown: no markup of its own, one line. Within a word `_` is no markup."""
    return re.sub(r"([\\`*\[\]|]|<(?=[a-zA-Z/!?])|\b_|_\b)", r"\\\1", " ".join(str(text).split()))


def chart_words(facts: Facts) -> str:
    """The greatest bars, or where most rows are."""
    rows = [row for row in facts["drawn"] if isinstance(row[-1], int | float)]
    if facts["kind"] == "bar" and len(facts["columns"]) <= 3:
        measured = [row for row in rows if len(row) == 2 or row[1] is not None]
        at = 1
        best = sorted((row for row in measured if row[0] != "(others)"), key=lambda row: -row[at])[:3]
        shown = listed([f"{plain(value(row[0]))} ({number(row[at])})" for row in best])
        return f" Greatest: {shown}." if best else ""
    if facts["kind"] == "histogram" and len(facts["columns"]) == 3 and rows:
        low, high, count = max(rows, key=lambda row: row[2])
        return f" Most rows, {number(count)}, are from {value(low)} to {value(high)}."
    return ""


def tables_words(facts: Facts) -> str:
    """A list of tables, a line each."""
    if not facts["total"]:
        return "There are no tables yet. Upload a file, or load one with `geoagent load`."
    shown = facts["tables"][:30]
    lines = [table_line(table) for table in shown]
    more = facts["total"] - len(shown)
    tail = f"\n… and {number(more)} more; “search …” finds them." if more > 0 else ""
    return (
        f"There {'is' if facts['total'] == 1 else 'are'} {count_of(facts['total'], 'table')}:\n"
        + "\n".join(lines)
        + tail
    )


def description_words(facts: Facts) -> str:
    """A table with its columns, a line each, and what is wrong with its rows."""
    comment = f" {plain(facts['comment'])}." if facts.get("comment") else ""
    lines = [column_line(column) for column in facts["columns"] if column["type"] != "geometry"]
    rows = f"about {count_of(facts['rows'], 'row')}{system_words(facts)}"
    head = f"**{plain(facts['id'])}** has {rows}.{comment.replace('..', '.')}"
    quality = quality_words(facts.get("quality", {}))
    return "\n".join([head, *lines, *([f"\n{quality}"] if quality else [])])


def export_words(facts: Facts) -> str:
    """`Wrote 117 rows in EPSG:2154: [airports.gpkg](…)`, and what the format changed."""
    layers = facts.get("layers", ())
    rows = count_of(sum(int(each["rows"]) for each in layers), "row")
    systems = list(dict.fromkeys(str(each["crs"]) for each in layers if each.get("crs")))
    where = f" in {', '.join(systems)}" if systems else ""
    return " ".join([f"Wrote {rows}{where}: {facts['link']}.", *map(plain, facts.get("notes", ()))])


def order_words(name: str, order: Any, layers: int) -> str:
    """Where a layer is drawn now, of so many."""
    words = {"top": "on top", "bottom": "at the bottom", "up": "one higher", "down": "one lower"}
    if order in (0, layers - 1):
        order = "top" if order else "bottom"
    place = words[order] if isinstance(order, str) else f"at place {int(order) + 1} from the bottom"
    return f"{name} is drawn {place} now."


def rate_words(whose: str, column: str, count: int, ends: tuple[Any, Any], unit: Unit) -> str:
    """How many rows there are in a year, day or hour, on average from the first to the last; of dates the last day
    counts."""
    first, last = (datetime.datetime.fromisoformat(str(each)) for each in ends)
    days = (last - first).total_seconds() / 86_400 + (len(str(ends[1])) <= len("2020-01-01"))
    span = f"From {plain(value(ends[0]))} to {plain(value(ends[1]))} {column} has {count_of(count, 'value')} in {whose}"
    if not days:
        return f"{span}, all at one time, so there is no average per {unit.symbol.removesuffix('s')}."
    return f"{span}: {number(count * unit.factor / days)} per {unit.symbol.removesuffix('s')} on average."
