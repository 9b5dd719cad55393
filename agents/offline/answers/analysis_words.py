"""Phrases the result of an analysis: the answer first, then the interpretation, the rows and the notes."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from agents.domain import Column
from agents.geo.wording.phrases import (
    breakdown_words,
    count_of,
    listed,
    number,
    row_values,
    table_rows,
    value_of,
)
from agents.geo.wording.positions import spot_words
from agents.offline.analysis_plan import SHARE
from agents.offline.answers import texts
from agents.offline.answers.wording import columns_to_show, measured, plain, sentences
from agents.offline.commands.analyses.analysis import Chain
from agents.offline.language.lexicon import spelt_out
from agents.offline.meaning.conditions import filled_columns, parts_of
from agents.offline.meaning.features import Features
from agents.offline.meaning.row_names import is_code
from agents.offline.meaning.scene import Done
from agents.offline.meaning.steps import AnalysisStep, Grouped, title_of
from agents.ports import OperationInfo, OperationTrait
from agents.units import Unit
from agents.worded import Worded, joined, numeral

LOOK, COUNT = "query_features", "count_features"
"""Tools called for the answer: the rows of the result, and the number of rows left out."""
MOST_SHOWN = 20
"""Maximum number of rows of a result that the answer shows."""
MOST_METRES = 10_000
"""Distances from here on are given in kilometres."""
MAX_SHARING = 5
"""Maximum number of names listed for rows that share the greatest value."""


def summary_words(
    chain: Chain,
    ran: Sequence[Done],
    looks: Mapping[str, Done],
    operations: Sequence[OperationInfo],
    meant: Sequence[str],
    method: Collection[str],
    unvalued: Sequence[str],
    among: Sequence[str] = (),
) -> str:
    """The answer: the finding with its number of rows, the rows if they are few, and what happened to the data. Notes
    about the `method` are left out; the receipt has them. `among`: places that are rows of the result themselves."""
    *_, before, traits = frozenset[OperationTrait](), *(traits_of(each, operations) for each in ran)
    facts, look = ran[-1].result.data, looks.get(LOOK)
    last = chain.parts[-1]
    title = ", then ".join(title if not i else title[:1].lower() + title[1:] for i, title in _titles(chain))
    by_distance = _by_distance(ran[-1], traits, before)
    first, *more = _opening(title, ran, traits, by_distance)
    more += (said := _interpreted(meant))
    if among:
        more.append(texts.PLACES_AMONG(n=len(among), places=listed([plain(each) for each in among])))
    more += _keys(ran, operations)
    notes = _notes(ran, operations, method)
    found = look.result.data if look is not None and look.result.ok else {}
    if unvalued and "count" in found.get("columns", ()):
        notes = sentences(notes, texts.COUNT_OF_ALL(columns=listed([f"`{each}`" for each in unvalued], "or")))
    tied = 0 < len(found.get("rows", ())) == facts["rows"] and ran[-1].arguments.get("ties")
    whole = "ranks" in traits and not ran[-1].arguments.get("per")
    asked = ran[-1].arguments.get("n")
    if whole and not by_distance and (len(found.get("rows", ())) == 1 or (tied and asked == 1)):
        named = _COUNTED.search(title)
        counted = named[1] if named is not None else _counted(ran, operations)
        first = _first(ran[-1], found, counted)
    elif whole and ran[-1].arguments.get("ties") and facts["rows"] > ran[-1].arguments["n"]:
        more.append(texts.MORE_THAN_ASKED(n=ran[-1].arguments["n"]))
    unit = last.unit if isinstance(last, AnalysisStep) else None
    distance = _distance(found, unit) if by_distance or "measures_distance" in traits else None
    if distance is not None and by_distance:
        nearest = _nearest(ran, found, distance)
        has_only_distances = all(name.startswith(("near_", "distance_m")) for name in found["columns"][1:])
        if nearest is not None and has_only_distances:
            return sentences(nearest, *more, notes)  # the row has no other columns
        first = nearest or first
    elif distance is not None:
        first = texts.FIGURE(title=title, value=distance)
    if {"groups", "makes_areas"} <= traits and list(found.get("columns", ())) == ["count"]:
        (merged,) = row_values(["count"], found["rows"][0])
        return sentences(texts.ONE_SHAPE(title=title, count=count_of(merged, "row")), *more, notes)
    is_sum = {"counts", "groups"} <= traits or "expression" in ran[-1].arguments
    total = _total(title, ran[-1], found) if is_sum else None
    if total is not None:
        return sentences(total, *more, notes)
    figure = look.arguments.get("sort") if look is not None and has_figure(ran[-1], operations) else None
    if isinstance(last, Grouped) and figure in found.get("columns", ()):
        first, more = (
            _greatest(title, found, str(figure), facts["rows"]),
            [*said, _left_out(ran, looks.get(COUNT))],
        )
    elif (
        figure in found.get("columns", ())
        and "ranks" not in traits
        and not _are_several(ran[-1])
        and (ran[-1].arguments.keys() & {"aggregates", "expression"})
    ):
        first = _greatest(title, found, str(figure), facts["rows"])
        by_name = getattr(last, "operation", "") == "spatial_join" and bool(ran[-1].arguments.get("by"))
        is_grouped = by_name or any(isinstance(each, Grouped) for each in chain.parts)
        more = [*said, *([_left_out(ran, looks.get(COUNT))] if is_grouped else ())]
    elif any("key" in each.arguments and brings_counts(each, traits_of(each, operations)) for each in ran):
        more.append(_left_out(ran, looks.get(COUNT)))
    text = sentences(first, *more, _lacking(chain, looks.get(COUNT)))
    if len(found.get("rows", ())) == 1 and len(found["columns"]) == 2 and "ranks" in traits:
        return sentences(text, notes)
    if found.get("rows"):
        return joined("\n\n", filter(None, (text, *_listing(found, ran[-1], title), notes)))
    return sentences(text, notes)


def _interpreted(meant: Sequence[str]) -> list[Worded]:
    places = "; ".join(plain(each) for each in dict.fromkeys(meant))
    return [texts.MEANT(places=places)] if places else []


def _listing(found: Mapping[str, Any], last: Done, title: str) -> list[str]:
    """The rows as a table, preceded by how many of the total it shows."""
    rows = [
        dict(zip(found["columns"], row_values(found["columns"], row), strict=True)) for row in found["rows"]
    ]
    listing = [table_rows(columns_to_show(found["columns"], found["rows"], title), rows, MOST_SHOWN)]
    total = last.result.data["rows"]
    if len(found["rows"]) < total:
        some = texts.SOME_OF[bool(last.arguments.get("smallest"))]
        listing.insert(0, some(n=len(found["rows"]), total=total))
    return listing


_COUNTED = re.compile(r" with the (?:most|fewest) (.+)")
"""The counted things in the title of a ranking."""


def _opening(
    title: str, ran: Sequence[Done], traits: frozenset[OperationTrait], by_distance: str
) -> list[str]:
    """Sentences with the number of rows, and the step that left none if it is not the last."""
    facts = ran[-1].result.data
    rows, classes = facts["rows"], breakdown_words(facts.get("breakdown", {}))
    found = (texts.FOUND if rows else texts.FOUND_NONE)(title=title, rows=rows, classes=classes)
    if by_distance:
        short = rows != ran[-1].arguments.get("n")
        shown = (rows or "none") if short else ""
        template = texts.FOUND_SOME_DISTANCES if short else texts.FOUND_DISTANCES
        found = template(title=title, rows=shown, column=by_distance)
    elif "ranks" in traits and 1 < rows == ran[-1].arguments.get("n"):
        found = texts.FOUND_TITLE(title=title)
    elif rows and "makes_areas" not in traits and _lists_figures(ran[-1], traits):
        found = texts.FOUND_TITLE(title=title)  # the number of figures is not one itself
    elif brings_counts(ran[-1], traits) and "aggregates" not in ran[-1].arguments:
        found = texts.COUNTED_FOR(title=title, n=rows) if rows else texts.FOUND_NONE(title=title, classes="")
    empty = next((each for each in ran if not each.result.data["rows"]), None)
    if empty is None or empty is ran[-1]:
        return [found]
    return [found, texts.EMPTIED_BY(step=empty.arguments.get("title", empty.call.name))]


def _lists_figures(last: Done, traits: frozenset[OperationTrait]) -> bool:
    """Whether the rows are figures of all rows, or of groups by several columns."""
    return "groups" in traits and "aggregates" in last.arguments and len(last.arguments.get("by", ())) != 1


def _notes(ran: Sequence[Done], operations: Sequence[OperationInfo], method: Collection[str]) -> str:
    """The distinct notes of all steps, except notes about the method."""
    # In a share, groups without matching rows have no partner in the join: their share is 0 %.
    shares = ran[-1].arguments.get("expression") == SHARE
    noted = [each for each in ran if not (shares and "joins" in traits_of(each, operations))]
    notes = [note for each in noted for note in each.result.data.get("notes", ()) if note not in method]
    ended = (note if note.endswith(".") else joined("", (note, ".")) for note in notes)
    return sentences(*dict.fromkeys(ended))


def _keys(ran: Sequence[Done], operations: Sequence[OperationInfo]) -> list[str]:
    """The columns by which rows of two tables were matched."""
    keys = [
        (str(each.arguments["key"]), str(each.arguments["other_key"]))
        for each in ran
        if "matches" in traits_of(each, operations)
    ]
    return [texts.MATCHED_BY[key == other](key=key, other=other) for key, other in dict.fromkeys(keys)]


def _by_distance(last: Done, traits: frozenset[OperationTrait], before: frozenset[OperationTrait]) -> str:
    """The column of distances if the rows are nearest neighbours or ranked by distance; else empty."""
    if traits >= NEAREST:
        return "distance_m"
    ranked = str(last.arguments.get("by", "")) if "ranks" in traits else ""
    return ranked if ranked.startswith("distance_m") and before >= NEAREST else ""


NEAREST = frozenset(("measures_distance", "keeps_geometry"))
"""Traits of an operation that adds distances to rows."""


def _counted(ran: Sequence[Done], operations: Sequence[OperationInfo]) -> str | None:
    """The noun for the counted rows: `airports`; empty for a selection, None if nothing was counted."""
    results = {each.result.data.get("step") for each in ran}
    counting = next((each for each in reversed(ran) if "counts" in traits_of(each, operations)), None)
    if counting is None:
        return None
    table = counting.arguments.get("other" if "joins" in traits_of(counting, operations) else "source")
    if table in results or "filter" in counting.arguments:
        return ""
    return plain(str(table).rpartition(".")[2].replace("_", " "))


def _first(done: Done, found: Mapping[str, Any], counted: str | None) -> str:
    """`United States has the most airports: 12,579.`; `Mill Park and Old Town have …` for a tie; `has the greatest
    depth_m` for other figures than a count."""
    columns, ranked = list(found["columns"]), str(done.arguments.get("by"))
    rows = [dict(zip(columns, row_values(columns, row), strict=True)) for row in found["rows"]]
    labels = [column for column in columns if column != ranked]
    texts_only = [
        each
        for each in labels
        if isinstance(rows[0].get(each), str) and not (is_code(each) or "code" in spelt_out(each))
    ]
    names = [value_of(each, row[each]) for row in rows for each in (texts_only or labels or [ranked])[:1]]
    smallest = bool(done.arguments.get("smallest"))
    slots: dict[str, str | float] = {
        "names": listed([plain(name) for name in names], most=MAX_SHARING),
        "n": len(names),
        "value": _measured(ranked, rows[0].get(ranked)),
    }
    if ranked in ("count", "passing") and counted is not None:
        return texts.HAS_MOST[smallest, bool(counted)](things=counted, **slots)
    function, _, column = ranked.partition("_")
    named = texts.FIGURE_BY_NAME.get(function)
    figure = f"`{ranked}`" if named is None else named(column=column)
    return texts.HAS_EXTREME[smallest](figure=figure, **slots)


def _nearest(ran: Sequence[Done], found: Mapping[str, Any], distance: str) -> str | None:
    """`Old Town is nearest to H-0042: 412 m.`, if both have a name or one is a point; else None. In a ranking by
    distance the row itself is the answer, otherwise what is nearest to it."""
    done, columns = ran[-1], list(found["columns"])
    row = dict(zip(columns, row_values(columns, found["rows"][0]), strict=True))
    near = next((name for name in columns if name.startswith("near_")), "")
    spot = next((each.arguments for each in ran if {"longitude", "latitude"} <= each.arguments.keys()), None)
    if spot is not None:
        row[near] = spot_words(spot["longitude"], spot["latitude"])
    if columns[0].startswith(("near_", "distance_m")) or None in (row[columns[0]], row.get(near)):
        return None
    name, other = (plain(value_of(each, row[each])) for each in (columns[0], near))
    is_ranked = "by" in done.arguments
    if not is_ranked:
        name, other = other, name
    template = texts.IS_NEAREST if not is_ranked or done.arguments.get("smallest") else texts.IS_FARTHEST
    return template(name=name, other=other, distance=distance)


def _distance(found: Mapping[str, Any], unit: Unit | None) -> str | None:
    """The distance between two places in the requested unit: `505 km`; None unless there is one row."""
    if len(found.get("rows", ())) != 1:
        return None
    row = dict(zip(found["columns"], row_values(list(found["columns"]), found["rows"][0]), strict=True))
    metres = next((each for name, each in row.items() if name.startswith("distance_m")), None)
    if not isinstance(metres, int | float):
        return None
    if unit is not None:
        return texts.MEASURED(value=number(metres / unit.factor), unit=unit.symbol)
    if metres >= MOST_METRES:
        return texts.MEASURED(value=numeral(metres / 1000, f"{metres / 1000:,.1f}"), unit="km")
    return texts.MEASURED(value=numeral(metres, f"{metres:,.0f}"), unit="m")


def _total(title: str, done: Done, found: Mapping[str, Any]) -> str | None:
    """`13,508,391 (268 rows)`, if the result is a single figure of all rows; else None."""
    if done.arguments.get("by") or len(found.get("rows", ())) != 1:
        return None
    columns = list(found["columns"])
    row = dict(zip(columns, row_values(columns, found["rows"][0]), strict=True))
    is_quotient = "count" in row and columns[0] == done.arguments.get("name")  # of totals, which follow
    names = columns[:1] if is_quotient else [each for each in columns if each != "count"]
    figures = [_measured(name, row[name]) for name in names]
    if len(figures) != 1 or ("expression" in done.arguments and not is_quotient):
        return None
    if not row.get("count"):
        return texts.NO_ROWS(title=title)
    return texts.TOTAL(title=title, value=figures[0], count=count_of(row["count"], "row"))


def _greatest(title: str, found: Mapping[str, Any], figure_name: str, total: int) -> str:
    """`Average elevation of airports per country: Nepal has the greatest, 2,345.`, naming a few that share it, but
    not the rows without a value of the column. `found` has the first of `total` rows."""
    columns = list(found["columns"])
    rows = [row_values(columns, row) for row in found["rows"]]
    at = columns.index(figure_name)
    if at == 0 and "count" in columns:  # rows united without groups
        united = count_of(rows[0][columns.index("count")], "row")
        return texts.TOTAL(title=title, value=_measured(figure_name, rows[0][at]), count=united)
    shown = [each for each in columns[:at] if not is_code(each)] or columns[:at]
    named = [row for row in rows if any(each is not None for each in row[:at])] or rows
    rows, total = named, total - (len(rows) - len(named))
    figure = rows[0][at]
    names = [
        " ".join(plain(value_of(*each)) for each in _known(columns[:at], row, shown))
        for row in rows
        if row[at] == figure
    ]
    few, count = listed(names, most=MAX_SHARING), len(names)
    if len(names) == len(rows) < total:
        few, count = texts.AND_OTHERS(names=", ".join(names[:MAX_SHARING])), total
    return texts.GREATEST_IS(title=title, names=few, n=count, value=_measured(figure_name, figure))


def _known(columns: Sequence[str], row: Sequence[Any], shown: Sequence[str]) -> list[tuple[str, Any]]:
    """What a group is called: the values of the columns shown, else those that it has."""
    values = [(name, item) for name, item in zip(columns, row, strict=False) if item is not None]
    return [each for each in values if each[0] in shown] or values or [(name, None) for name in columns[:1]]


def _measured(column: str, figure: Any) -> str:
    """The figure with the unit that its column's name ends with."""
    return measured(Column(name=column, kind="number", sql_type="double precision"), figure)


def _left_out(ran: Sequence[Done], counted: Done | None) -> str:
    """The column by which the rows are grouped, and the number of rows without a value."""
    column = next(by[0] for each in reversed(ran) if isinstance(by := each.arguments.get("by"), list) and by)
    missing = counted.result.data.get("count") if counted is not None and counted.result.ok else None
    brought = (str(each.arguments["other"]) for each in ran if column in each.arguments.get("columns", ()))
    table = next((each.rpartition(".")[2].replace("_", " ") for each in brought if "." in each), "")
    if table:
        return texts.GROUPED_BY_OF(column=column, table=plain(table))
    if not missing:
        return texts.GROUPED_BY(column=column)
    by_key = any("zero" in each.arguments for each in ran)
    text = texts.GROUPED_UNMATCHED if by_key else texts.GROUPED_LEFT_OUT
    return text(column=column, count=count_of(missing, "row"))


def _are_several(done: Done) -> bool:
    """Whether each group has several figures, none of which ranks them."""
    figures = [each for each in done.arguments.get("aggregates") or () if each.get("function") != "count"]
    return len(figures) > 1


def _lacking(chain: Chain, counted: Done | None) -> str:
    """The number of rows without a value that the calculation needs."""
    missing = counted.result.data.get("count") if counted is not None and counted.result.ok else None
    wheres = [each.where for part in chain.parts for each in parts_of(part) if isinstance(each, Features)]
    columns = dict.fromkeys(name for where in wheres for name in filled_columns(where)[0])
    if not missing or not columns:
        return ""
    return texts.LACKING_LEFT_OUT(
        count=count_of(missing, "row"), columns=listed([f"`{each}`" for each in columns], "or")
    )


def _titles(chain: Chain) -> list[tuple[int, str]]:
    """The numbered titles of the parts; of several steps with the same words, only the last."""
    ends = [
        part
        for part, following in zip(chain.parts, (*chain.parts[1:], None), strict=True)
        if following is None or following.text != part.text
    ]
    return list(enumerate(map(title_of, ends)))


def has_figure(done: Done, operations: Sequence[OperationInfo]) -> bool:
    """Whether a step gives each group or area a figure, so that the greatest are worth naming."""
    given, traits = done.arguments, traits_of(done, operations)
    return (
        "counts" in traits
        or brings_counts(done, traits)
        or bool(given.get("aggregates") or given.get("per"))
        or "expression" in given
    )


def brings_counts(done: Done, traits: frozenset[OperationTrait]) -> bool:
    """Whether each row of the step has the number of others that lie in it, or refer to it by a key."""
    return "joins" in traits and ("counts" in traits or bool(done.arguments.get("zero")))


def traits_of(done: Done, operations: Sequence[OperationInfo]) -> frozenset[OperationTrait]:
    """The traits of the operation that was called."""
    return next((each.traits for each in operations if each.name == done.call.name), frozenset())
