"""Building blocks of the offline model's sentences, from facts in tool results. Text from the data is escaped."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from agents.chart_rows import EMPTY, OTHERS
from agents.core.messages import ToolResult
from agents.domain import Column, SqlAnswer
from agents.geo.wording.phrases import (
    MAX_LISTED,
    about,
    count_of,
    filter_words,
    listed,
    number,
    row_values,
    table_rows,
    value,
)
from agents.geo.wording.texts import WHERE
from agents.offline.answers import requests, texts
from agents.offline.language.words import name_words
from agents.offline.meaning.columns import holds_years
from agents.offline.meaning.cql2 import is_null, negated
from agents.offline.meaning.intents import Command
from agents.offline.meaning.row_names import name_column
from agents.offline.meaning.units import column_unit, convert
from agents.units import Unit
from agents.worded import Worded, joined

Facts = Mapping[str, Any]
FIGURE_NAMES = {
    "sum": "Total", "mean": "Average", "median": "Median", "max": "Highest", "min": "Lowest",
    "distinct": "Number of different", "stddev": "Standard deviation of", "p10": "10th percentile of",
    "p25": "Lower quartile of", "p75": "Upper quartile of", "p90": "90th percentile of",
}  # fmt: skip
_ENDINGS = {"cancelled": texts.STOPPED, "timeout": texts.TIMED_OUT, "denied": texts.DENIED}
_MARKUP = re.compile(r"([\\`*\[\]|]|<(?=[a-zA-Z/!?])|\b_|_\b)")


def did_not_go_on(commands: Sequence[Command]) -> str:
    """A sentence that names the commands that were not carried out; empty without any."""
    return texts.DID_NOT_GO_ON(commands=listed([f"“{each.text}”" for each in commands])) if commands else ""


def how_read(corrections: Mapping[str, str], remarks: Sequence[str]) -> list[Worded]:
    """Sentences that tell which words were read as others, and which were not used."""
    right = [texts.CORRECTION(was=was, right=right) for was, right in corrections.items()]
    read = [texts.CORRECTED(corrections=listed(right))] if right else []
    return [*read, *(texts.REMARK(words=each) for each in remarks)]


def failed(result: ToolResult) -> str:
    """A sentence that a call failed, and why."""
    if result.error in _ENDINGS:
        return _ENDINGS[result.error]()
    return texts.FAILED(why=why_failed(result))


def why_failed(result: ToolResult) -> str:
    """The reason why a call failed, in the tool's words."""
    if result.error in _ENDINGS:
        return _ENDINGS[result.error]()
    lines = _FOR_MODELS.sub("", result.content).strip().splitlines()
    words = "\n".join(line for line in lines if not line.startswith(("Filled in for you:", "Note:")))
    if isinstance(result.content, Worded) and words == result.content:
        return plain(result.content)
    if result.error in ("invalid_arguments", "unknown_tool", "malformed_json"):
        lines = [line.removeprefix("- ") for line in words.splitlines() if line.startswith("- ")]
        words = "; ".join(lines) or words.partition("\n")[0]
    return plain(words)


_FOR_MODELS = re.compile(r"</?data>| \(\w+='\w+'\)")
"""Markup and operation arguments that the text already states."""


def selected_words(answer: SqlAnswer) -> str:
    """The result of a user's SQL statement."""
    if not answer.rows:
        return texts.NO_ROW_PASSED()
    head = texts.FIRST_ROWS if answer.truncated else texts.ROWS_FOLLOW
    return head(count=count_of(len(answer.rows), "row")) + f"\n\n{table_rows(answer.columns, answer.rows)}"


def name_of(table: Any) -> str | None:
    """The column with the names of a table's rows; None if there is none."""
    column = name_column(table)
    return column.name if column is not None else None


def asked_for_time(arguments: Facts) -> bool:
    """Whether a call changed the time column of a layer."""
    style = arguments.get("style")
    return isinstance(style, Mapping) and "time" in style


def group_words(name: str, group: str | None) -> str:
    """The group that a layer now belongs to."""
    return texts.GROUPED(name=name, group=plain(group)) if group else texts.UNGROUPED(name=name)


def legend_words(facts: Facts) -> str:
    """A note on the classes; the legend on the map shows the classes themselves."""
    if not facts.get("legend") or facts.get("style", {}).get("kind") not in ("graduated", "categorical"):
        return ""
    # The style already says that some values share a colour.
    return plain(facts["note"]) if facts.get("note") and not facts.get("has_others") else ""


def drawn_words(facts: Facts) -> str:
    """What the browsers reported, if it is news."""
    words = str(facts.get("drawn", "")).rstrip(".")
    if words.startswith("drawn: 0 ") and facts.get("count"):
        return texts.OUT_OF_VIEW(zoom=requests.ZOOM(name=plain(facts["name"])))
    if words.startswith("drawn") and ";" in words:
        return f"({plain(words.partition('; ')[2].capitalize())}.)"
    if words.startswith("not confirmed"):
        return texts.STILL_DRAWING()
    if not words or words.startswith(("drawn", "no browser")):
        return ""
    return f"({plain(words[:1].upper() + words[1:])}.)"


def sampled_words(facts: Facts) -> str:
    """The sample from which numbers of a lake table are estimated; empty if they are exact."""
    return texts.ESTIMATED_FROM(sample=facts["sampled_from"]) if facts.get("sampled_from") else ""


def where_words(facts: Facts) -> str:
    """A filter as ` where …`; empty without a filter."""
    words = filter_words(facts.get("filter"))
    return WHERE(condition=plain(words)) if words else ""


def without_known(filter: Any, ranked: str) -> Any:
    """A filter without the `is known` condition that a ranking by a column adds."""
    if not isinstance(filter, Mapping):
        return filter
    if filter == negated(is_null(ranked)):
        return None
    if filter.get("op") == "and":
        parts = [part for part in filter["args"] if without_known(part, ranked) is not None]
        return None if not parts else parts[0] if len(parts) == 1 else {**filter, "args": parts}
    return filter


def table_line(table: Facts) -> str:
    """A table as an item of a Markdown list."""
    head = texts.TABLE(name=plain(table["id"]), count=rows_in(table), shapes=geometry_words(table))
    comment = f": {plain(table['comment'])}" if table.get("comment") else ""
    return joined("", ("- ", head, comment))


def rows_in(table: Facts) -> str:
    """`161 rows`, or `about 10.0 million rows` if they were not counted."""
    return count_of(table["rows"], "row") if "rows" in table else about(table["about_rows"], "row")


def geometry_words(facts: Facts) -> str:
    """The geometry type of a table in plain words, after a comma."""
    kind = str(facts.get("geometry") or "").upper()
    for word, plural in (("POINT", "points"), ("LINE", "lines"), ("POLYGON", "areas")):
        if word in kind:
            return texts.SHAPES[plural]()
    return texts.SHAPES["shapes" if kind else "none"]()


def system_words(facts: Facts) -> str:
    """The reference system of a table; empty without geometry."""
    if not facts.get("geometry"):
        return ""
    return texts.IN_SYSTEM(srid=str(facts["srid"])) if facts.get("srid") else texts.NO_SYSTEM()


def column_line(column: Facts) -> str:
    """A column as an item of a Markdown list."""
    comment = texts.COLUMN_COMMENT(comment=plain(column["comment"])) if column.get("comment") else ""
    low, high = column.get("range", (None, None))
    values: str = ""
    if isinstance(low, int | float) and column["type"] in ("integer", "number"):
        values = texts.RANGE(low=value(low), high=value(high))
    elif samples := column.get("samples"):
        values = texts.SUCH_AS(samples=plain(", ".join(str(item) for item in samples[:3])))
    kind = texts.KINDS[column["type"]]() if column["type"] in texts.KINDS else column["type"]
    return "- " + texts.COLUMN(name=column["name"], kind=kind, comment=comment, values=values)


def quality_words(quality: Facts) -> str:
    """The data problems of a table, as a paragraph; empty if they are unknown."""
    if not quality:
        return ""
    counts = {code: quality.get(code) for code in texts.FAULTS}
    found = [texts.FAULTS[code](n=count) for code, count in counts.items() if count]
    for code, template in texts.FAULTS_IN.items():
        columns = quality.get(code) or {}
        found += [template(n=count, column=column) for column, count in columns.items()]
    kinds = listed([joined(" ", (number(n), kind)) for kind, n in quality.get("types", {}).items()])
    geometries = [texts.GEOMETRIES(kinds=kinds)] if kinds else []
    if quality.get("exact"):
        summary = texts.FAULTS_FOUND(faults=listed(found)) if found else texts.NO_FAULTS()
    else:
        summary = texts.FAULTS_ESTIMATED(faults=listed(found)) if found else texts.NO_FAULTS_ESTIMATED()
    return joined(" ", [*geometries, summary])


def measured(column: Column | None, item: Any, wanted: Unit | None = None) -> str:
    """A value with its column's unit, converted to `wanted` if given."""
    unit = column_unit(column) if column is not None else None
    if unit is not None and wanted is not None:
        item, unit = convert(float(item), unit, wanted), wanted
    if column is not None and holds_years(column) and isinstance(item, int):
        return str(item)
    text = plain(value(item))
    if unit is None or unit.symbol in ("people", "days", "years"):
        return text
    return texts.MEASURED(value=text, unit=unit.symbol)


def place_words(place: Facts, alike: Sequence[Facts] = ()) -> str:
    """A place with details that distinguish it from others of that name, from those `alike` by its population."""
    name, kind = plain(place["name"]), plain(place["kind"])
    named = [
        each
        for each in alike
        if all(each.get(part) == place.get(part) for part in ("name", "kind", "detail"))
    ]
    if len(named) > 1 and place.get("detail") and place.get("population"):
        people = number(place["population"])
        return texts.PLACE_OF(name=name, kind=kind, detail=plain(place["detail"]), people=people)
    if place.get("detail"):
        return texts.PLACE_IN(name=name, kind=kind, detail=plain(place["detail"]))
    return texts.PLACE(name=name, kind=kind)


def sentences(*parts: str) -> str:
    """Joins sentences, leaving out empty ones."""
    return joined(" ", filter(None, parts))


def unsearched_words(facts: Facts) -> str:
    """A sentence about the tables that a place search skipped; else empty."""
    missed = [plain(table) for table in facts.get("not_searched_in_time", ())]
    return texts.NOT_SEARCHED(tables=listed(missed, most=MAX_LISTED)) if missed else ""


def position_words(place: Facts) -> str:
    """Latitude and longitude in degrees, with their hemispheres."""
    north, east = place["latitude"], place["longitude"]
    return f"{abs(north):.3f}° {'N' if north >= 0 else 'S'}, {abs(east):.3f}° {'E' if east >= 0 else 'W'}"


def takes_plural_verb(name: str) -> bool:
    """Whether a name is written as a plural."""
    return name.lower().endswith("s")


def plain(text: str) -> str:
    """Text from the data for use inside Markdown: on one line, with markup escaped. `_` within a word is not
    markup."""
    if isinstance(text, Worded) and text.wording:
        return text.escaped(lambda piece: _MARKUP.sub(r"\\\1", re.sub(r"\s+", " ", piece)))
    return _MARKUP.sub(r"\\\1", " ".join(str(text).split()))


def chart_words(facts: Facts) -> str:
    """The greatest bars, or the most frequent range of a histogram."""
    rows = [row for row in facts["drawn"] if isinstance(row[-1], int | float)]
    if facts["kind"] == "bar" and len(facts["columns"]) <= 3:
        split = any(isinstance(row[1], str) for row in rows)
        at = 2 if split else 1
        measured = [row for row in rows if row[at] is not None and row[0] not in (OTHERS, EMPTY)]
        best = sorted(measured, key=lambda row: -row[at])[:3]
        shown = listed([joined("", (_bar(row[:at]), " (", number(row[at]), ")")) for row in best])
        return texts.CHART_GREATEST(names=shown) if best else ""
    if facts["kind"] == "histogram" and len(facts["columns"]) == 3 and rows:
        low, high, count = max(rows, key=lambda row: row[2])
        low, high = (str(value(each)).removesuffix("T00:00:00Z") for each in (low, high))
        return texts.CHART_MOST_ROWS(n=count, low=low, high=high)
    return ""


def _bar(names: Sequence[Any]) -> str:
    """The label of a bar: `Ulm`, or of a split bar `Ulm, good`."""
    return joined(", ", map(plain, map(value, names)))


def tables_words(facts: Facts) -> str:
    """A list of tables, one per line."""
    if not facts["total"]:
        return texts.NO_TABLES()
    shown = facts["tables"][:30]
    lines = [texts.TABLES(n=facts["total"], count=count_of(facts["total"], "table")), *map(table_line, shown)]
    more = facts["total"] - len(shown)
    return joined("\n", [*lines, *([texts.MORE_TABLES(n=more)] if more > 0 else [])])


def description_words(facts: Facts) -> str:
    """A table with its columns, one per line, and its data problems."""
    head = texts.DESCRIBED(
        name=plain(facts["id"]),
        count=rows_in(facts),
        shapes=geometry_words(facts),
        system=system_words(facts),
    )
    if facts.get("comment"):
        head += f" {plain(facts['comment'])}.".replace("..", ".")
    lines = [column_line(column) for column in facts["columns"] if column["type"] != "geometry"]
    quality = quality_words(facts.get("quality", {}))
    return joined("\n", [head, *lines, *(["\n" + quality] if quality else [])])


def export_words(facts: Facts) -> str:
    """`Wrote 117 rows in EPSG:2154: [airports.gpkg](…)`, and notes on what the format changed."""
    layers = facts.get("layers", ())
    rows = count_of(sum(int(each["rows"]) for each in layers), "row")
    systems = ", ".join(dict.fromkeys(str(each["crs"]) for each in layers if each.get("crs")))
    sentence = (
        texts.WROTE_IN(count=rows, systems=systems, link=facts["link"])
        if systems
        else texts.WROTE(count=rows, link=facts["link"])
    )
    return joined(" ", [sentence, *map(plain, facts.get("notes", ()))])


def order_words(name: str, order: Any, layers: int) -> str:
    """The position of a layer among `layers` layers."""
    if order in (0, layers - 1):
        order = "top" if order else "bottom"
    if isinstance(order, str):
        return texts.PLACED[order](name=name)
    return texts.PLACED_AT(name=name, place=int(order) + 1)


def columns_to_show(columns: Sequence[str], rows: Sequence[Any], asked: str = "") -> list[str]:
    """The columns with a value in some row, and those that the request names."""
    words = set(name_words(asked))
    table = [row_values(columns, row) for row in rows]
    shown = [
        name
        for index, name in enumerate(columns)
        if any(row[index] is not None for row in table) or words >= set(name_words(name))
    ]
    return shown or list(columns)
