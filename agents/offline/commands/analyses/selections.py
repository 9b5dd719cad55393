"""The first rows of a ranking as input of another step, rows selected by the number of others near or in them, and
areas bounded by circles around others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from agents.domain import Table
from agents.offline.commands.analyses.groups import by_own_column, share
from agents.offline.commands.analyses.rules import Context, Rules, Steps
from agents.offline.language.names.columns import columns_called
from agents.offline.language.words import is_plural, name_words, plural
from agents.offline.meaning.conditions import ColumnMention, Compare, Condition, Quantity, all_of, joined
from agents.offline.meaning.features import RESULT, Features
from agents.offline.meaning.steps import (
    AddedColumn,
    AnalysisStep,
    ColumnWords,
    Grouped,
    LateCondition,
    Ranking,
    count_in_areas,
    first_groups_step,
    near_step,
    quoted,
    step,
    top_step,
)

_MANY = "said=({many:many})"
_MANY_OF_BOTH = (
    f"{{areas:named}} <having> {_MANY} {{one:bare}} [,] and=(and|but) [also|only|<having>]"
    " (few=({fewer:many})|without=(no|without|without any)) {other:bare}"
)
_BETWEEN = "{source:named} [<are>] said=([at a distance of] between {distances:lengths} <away>) {other:any}"
_MANY_NEAR = (
    f"{{source:named}} <having> {_MANY} {{other:rows}} (within|less than|closer than|no more than)"
    " {distance:length} [of (them|it|each)]"
)
_NEAR = "(<closer> {distance:length} <away>|(up to|at most) {distance:length} (out|away) from) {other:any}"
_NEAREST_FIRST = "[,] [sorted|ordered|by|from] [the] ((nearest|closest) [ones] (first|on top)|by distance)"
_BORDER_BETWEEN = "(border|boundary) (between|of) {one:place} and {other:place}"
_BORDER_OF = "((border|borders|boundary) (of|with) {one:place}|{one:place} (border|boundary))"
_OTHERS = "[direct] (neighbours|neighbors|(neighbouring|neighboring|bordering|adjacent) {other:bare})"
_NUMBER = "(number|count) of"
_BORDERED = (
    f"<having> [the] how=(most|fewest|least) {_OTHERS}|(borders|border) [on] [the] how=(most|fewest|least) [other]"
    " {other:bare}"
)
RULES = Rules()
on = RULES.on


@on(
    "[<ask>|<what>] [is|are] [the] {top:top} {source:rows} [by {by:column}]",
    "(which|what) [of [the]] {source:rows} (one=(is|was|lies)|are|were|lie) [the] {top:top}",
    rows="[the] {top:top} {source:rows} [by {by:column}]",
)
def _first(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`the largest city without an airport within 50 km`: of selected rows; of others only as the rows of another
    step (`buffer the 20 largest cities by 5 km`)."""
    top, rows = bindings["top"], bindings["source"]
    if rows.mention is None or rows.guessed or not (rows.made or context.within):
        return None
    limit = 1 if "one" in bindings else top.of_several(rows.mention.text).limit
    few = f"{limit} " if limit > 1 else ""
    title = f"The {few}{top.word} {rows.noun}"
    by = bindings.get("by") or Ranking(top)
    ties = {"ties": True} if rows.made else {}
    return (top_step(rows, by, limit, smallest=not top.descending, title=title, **ties),)


@on("<ask> [the] {source:rows} [that|which] ((are|is|were|was) {where:condition}|{where:had})", cost=1.0)
def _near_and(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`how many cities within 200 km of Milan have more than 100,000 people`: a condition behind what they are near."""
    rows, where = bindings["source"], bindings["where"]
    first = rows.made[0] if rows.made else None
    if not isinstance(first, AnalysisStep) or first.operation != "select_by_location" or len(rows.made) > 1:
        return None
    (name, source), *others = first.inputs
    if source.made or source.mention is None:
        return None
    source = replace(source, where=all_of(source.where, where))
    return (replace(first, inputs=((name, source), *others), title=""),)


@on(f"<ask> {_BETWEEN}", rows=_BETWEEN)
def _between_distances(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`airports between 50 and 100 km from Berlin`."""
    rows, other, distances = bindings["source"], bindings["other"], bindings["distances"]
    if rows.mention is None or rows.guessed or len(distances) != 2:
        return None
    least, most = distances
    near = near_step(rows, other, most, f"{rows.heading} within {most.text} of {other.text}")
    title = f"{rows.heading} {bindings['said']} {other.text}"
    return (near, near_step(RESULT, other, least, title, invert=True))


@on(
    f"<ask> {{source:named}} [<are>] {_NEAR} <how_far> [{_NEAREST_FIRST}]",
    f"<ask> {{source:named}} [<are>] {_NEAR} {_NEAREST_FIRST} [<how_far>]",
    cost=-1.0,
)
def _near_with_distance(bindings: Mapping[str, Any], _: Context) -> Steps:
    """`airports within 100 km of Berlin with their distance, nearest first`."""
    rows, other, far = bindings["source"], bindings["other"], bindings["distance"]
    title = f"{rows.heading} within {far.text} of {other.text}"
    away = step("nearest", RESULT, ("target", other), title=f"Distance from {other.text}", k=1)
    by = AddedColumn("distance_m")
    return (
        near_step(rows, other, far, title),
        away,
        step("sort", RESULT, title=title, by=by, ascending=True),
    )


@on(
    "(<ask>|(is|are|were) any) {source:named} [<are>] (closer|nearer) to {one:any} than (to|from) {other:any}",
    cost=-1.0,
)
def _nearer_to_one(bindings: Mapping[str, Any], _: Context) -> Steps:
    """`cities closer to Jakarta than to Canberra`."""
    rows, one, other = bindings["source"], bindings["one"], bindings["other"]
    both = [
        step("nearest", of, ("target", to), title=f"Distance from {to.text}", k=1)
        for of, to in ((rows, other), (RESULT, one))
    ]
    to_other, to_one = (ColumnMention(name, (name,)) for name in ("distance_m", "distance_m_2"))
    title = f"{rows.heading} closer to {one.text} than to {other.text}"
    nearer = LateCondition(Compare("<", to_other, to_one))
    return (*both, step("filter", RESULT, title=title, filter=nearer))


@on(
    "<ask> {source:any} [<are>] <closer> {distance:length} <away> both {one:place} and [of|from|to] {other:place}",
    cost=-4.0,
)
def _near_both(bindings: Mapping[str, Any], _: Context) -> Steps:
    """`cities within 300 km of both Paris and Brussels`."""
    rows, one, other, far = (bindings[name] for name in ("source", "one", "other", "distance"))
    title = f"{rows.heading} within {far.text} of both {one.text} and {other.text}"
    first = near_step(rows, one, far, f"{rows.heading} within {far.text} of {one.text}")
    return (first, near_step(RESULT, other, far, title))


@on(f"<ask> {_MANY_NEAR} <counted>", rows=_MANY_NEAR)
def _with_many_near(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`cities with more than 3 airports within 50 km`."""
    rows, others = bindings["source"], bindings["other"]
    if not (rows.named and others.named):
        return None
    far = bindings["distance"]
    title = f"{others.heading} within {far.text} of each of {rows.noun}"
    joined = near_step(rows, others, far, title, "spatial_join")
    return (joined, kept_by_count(bindings, f"{others.noun} within {far.text}"))


@on(
    "(which|what) {source:bare} (has|have) [the] how=(most|fewest|least) {other:bare} (within|less than)"
    " {distance:length}"
)
def _most_near(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`which hospital has the most schools within 2 km`."""
    rows, others, far = bindings["source"], bindings["other"], bindings["distance"]
    if not (rows.named and others.named):
        return None
    title = f"{others.heading} within {far.text} of each {rows.noun}"
    joined = near_step(rows, others, far, title, "spatial_join")
    what = f"{others.noun} within {far.text}"
    return (joined, first_groups_step(rows.noun, bindings["how"], what, "count"))


@on(f"(which|what) [{{n:count}}] {{source:bare}} ({_BORDERED})")
@on(f"<ask> how=(top|bottom) [{{n:count}}] {{source:bare}} by [the] {_NUMBER} [their] {_OTHERS}")
@on(f"[<ask>|<what>] [the] [{_NUMBER}] {_OTHERS} (<for_each>|<in_each>) {{source:named}} [has]")
@on(f"<how_many> {_OTHERS} (does|do|has|have) (each|every) {{source:named}} [have]")
@on(
    f"<ask> {{source:bare}} (<having> {_MANY} {_OTHERS}|[that] (border|borders) [on] {_MANY} [other] {{other:bare}})"
)
def _neighbours(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`which country has the most neighbours`, `districts with more than 5 neighbours`: of each area those that touch
    it, also of another kind (`the neighbours of each European country`)."""
    areas, table = bindings["source"], context.table(bindings["source"])
    others = bindings.get("other") or areas
    is_area = table is not None and table.geometry_family == "polygon"
    if not is_area or not areas.named or context.table(others) != table:
        return None
    others = replace(others, where=None if others is areas else others.where, text="neighbours")
    title = f"Number of neighbours {'of' if is_plural(areas.noun) else 'per'} {areas.noun}"
    counted = step("spatial_join", areas, ("other", others), title=title, predicate="touches")
    if "many" in bindings:
        return (counted, kept_by_count(bindings, "neighbours"))
    if "how" not in bindings:
        return (counted,)
    n = bindings.get("n") or (10 if bindings["how"] in ("top", "bottom") else 1)
    how = {"top": "most", "bottom": "fewest"}.get(bindings["how"], bindings["how"])
    return (counted, first_groups_step(areas.noun, how, "neighbours", "count", n))


@on(f"<ask> {{by:column}} <having> {_MANY} {{source:rows}} <counted>", cost=1.0)
def _groups_with_many(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`streets with more than 5 crashes`, by a column of the crashes."""
    rows: Features = bindings["source"]
    if not rows.named or context.vocabulary.is_named(name_words(bindings["by"].text)):
        return None
    source = Features(text=bindings["by"].text)
    few = bindings["many"]
    is_few = isinstance(few, Compare) and few.op in ("<", "<=", "=")
    if is_few and rows.where is not None:  # groups without such rows count too
        found = share(bindings, context)
        if not found or not isinstance(found[0], Grouped) or found[0].part is None:
            return None
        few = replace(few, column=ColumnMention("passing"))
    else:
        found = by_own_column(bindings, context)
    return (*found, kept_by_count({**bindings, "source": source, "many": few}, rows.noun)) if found else None


_SEVERAL = "(more than one|several|multiple|two or more|at least two)"
_AGAIN = "(twice|more than once|several times|repeatedly|more than one time)"
_OF = "[(in|of|among|for) {source:rows}]"


@on(
    f"<ask> {{by:column}} [that|which] [are|is] (used|shared|held|given|had) by {_SEVERAL} {{source:rows}}",
    f"<ask> [the] (duplicate|duplicated|repeated|non-unique) {{by:column}} {_OF}",
    f"<ask> {{by:column}} [that|which] [are|is|were] (used|given|found|occur|occurs|appear|appears|exist|exists|there)"
    f" {_AGAIN} {_OF}",
)
def _values_of_several(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`iata codes used by more than one airport`, `duplicate iata codes`: values that several rows have."""
    by: ColumnWords = bindings["by"]
    having = [each for each in context.vocabulary.few_tables if columns_called((each,), name_words(by.text))]
    if "source" not in bindings and len(having) != 1:
        return None
    rows: Features = bindings.get("source") or Features.of_table(having[0])
    found = by_own_column({"source": rows, "by": by}, context) if rows.named else None
    if not found or not isinstance(found[0], Grouped):
        return None
    several = Compare(">", Quantity(1.0, text="1"), ColumnMention("count"))
    title = f"{by.text[:1].upper()}{by.text[1:]} of several {plural(rows.noun)}"
    return (
        replace(found[0], shapes=False),
        step("filter", RESULT, title=title, filter=LateCondition(several)),
    )


def kept_by_count(bindings: Mapping[str, Any], others: str) -> AnalysisStep:
    """A filter on the number of `others`."""
    title = f"{bindings['source'].heading} with {bindings['said']} {others}"
    return step("filter", RESULT, title=title, filter=LateCondition(bindings["many"]))


@on("<ask> {areas:bare} (have|with|that have|having|has) how=(more|fewer) {one:bare} than {other:bare}")
@on(f"<ask> {_MANY_OF_BOTH}", rows=_MANY_OF_BOTH, cost=-1.0)
def _more_of_one(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`which countries have more cities than airports`, `… more than 50 cities but fewer than 20 airports`."""
    counted = _counted_both(bindings, context)
    if counted is None:
        return None
    areas, one, other = bindings["areas"], bindings["one"], bindings["other"]
    more, less = (ColumnMention(name.replace("_", " "), (name,)) for name in counted[1])
    kept: Condition = Compare(">" if bindings.get("how") == "more" else "<", less, more)
    said = f"{bindings.get('how')} {one.noun} than {other.noun}"
    if "many" in bindings:
        second = bindings.get("fewer", Compare("=", Quantity(0.0)))
        kept = joined("and", [replace(bindings["many"], column=more), replace(second, column=less)])
        said = f"{bindings['said']} {one.noun} {bindings['and']} {bindings.get('few', 'no')} {other.noun}"
    title = f"{areas.heading} with {said}"
    return (*counted[0], step("filter", RESULT, title=title, filter=LateCondition(kept)))


@on("<what> ratio of [the] {one:bare} to {other:bare} (<for_each>|<in_each>|of) [of] {areas:bare}")
def _ratio(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`ratio of cities to airports per country`."""
    counted = _counted_both(bindings, context)
    if counted is None:
        return None
    title = f"Ratio of {bindings['one'].noun} to {bindings['other'].noun} by {bindings['areas'].noun}"
    expression = " / ".join(map(quoted, counted[1]))
    return (*counted[0], step("calculate", RESULT, title=title, name="ratio", expression=expression))


def _counted_both(bindings: Mapping[str, Any], context: Context) -> tuple[Steps, list[str]] | None:
    """The areas with the numbers of rows of two other tables, and the columns of these."""
    areas, one, other = bindings["areas"], bindings["one"], bindings["other"]
    tables = [context.table(each) for each in (areas, one, other)]
    if not (areas.named and one.named and other.named) or not _counts_apart(tables):
        return None
    names = [f"number_of_{table.name}" for table in tables[1:] if table is not None]
    titles = [f"{areas.heading} with their {rows.noun}" for rows in (one, other)]
    first, second = (
        replace(count_in_areas(source, rows, title=title), arguments=_count_as(name))
        for source, rows, title, name in zip((areas, RESULT), (one, other), titles, names, strict=True)
    )
    return (first, second), names


def _counts_apart(tables: list[Table | None]) -> bool:
    """Whether these are three tables, and the columns of counts do not exist in the first one."""
    known = [table for table in tables if table is not None]
    return (
        len({table.id for table in known}) == len(tables) == len({table.name for table in known})
        and known[0].geometry_family == "polygon"
        and not any(known[0].column(f"number_of_{table.name}") for table in known)
    )


def _count_as(name: str) -> tuple[tuple[str, Any], ...]:
    return (("predicate", "shares_interior"), ("aggregates", [{"function": "count", "name": name}]))


@on(
    "<open> (overlap|intersection) of {distance:length} (circles|buffers|rings|zones) (around|round|of) {one:any} and"
    " {other:any}",
    "where (do|does) {distance:length} (circles|buffers|rings|zones) (around|round|of) {one:any} and {other:any}"
    " overlap [[?] [,] (draw|show) [only|just] overlap]",
)
def _common_part(bindings: Mapping[str, Any], _: Context) -> Steps:
    """`the overlap of the 200 km circles around Paris and Brussels`."""
    far, one, other = bindings["distance"], bindings["one"], bindings["other"]
    title = f"Overlap of {far.text} around {one.text} and {other.text}"
    return (step("intersection", _circle(one, far), ("other", _circle(other, far)), title=title),)


@on(
    "<open> {source:any} (minus|without|except|excluding|but not) [for] (everything|anything|all|area|areas|part|parts)"
    " [<are>] near=(<closer> {distance:length} <away>) {other:any}"
)
def _outside_circle(bindings: Mapping[str, Any], _: Context) -> Steps:
    """`Italy minus everything within 100 km of Rome`: the shape without the circle."""
    rows, other = bindings["source"], bindings["other"]
    title = f"{rows.heading} without what is {bindings['near']} {other.text}"
    return (step("difference", rows, ("other", _circle(other, bindings["distance"])), title=title),)


def _circle(rows: Features, far: Any) -> Features:
    words = f"{far.text} around {rows.text}"
    return Features(text=words, made=(step("buffer", rows, title=words, distance=far),))


@on(f"(show|show me|draw|map|highlight) [the] {_BORDER_BETWEEN}", rows=f"[the] {_BORDER_BETWEEN}")
@on(f"(show|show me|draw|map|highlight) [the] {_BORDER_OF}", rows=f"[the] {_BORDER_OF}", cost=-2.0)
def _border(bindings: Mapping[str, Any], _: Context) -> Steps:
    """`the border between France and Spain`, `within 30 km of the Mexican border`."""
    one, other = bindings["one"], bindings.get("other")
    line = step("boundary", replace(one, areas=True), title=f"Border of {one.noun}")
    if other is None:
        return (line,)
    title = f"Border between {one.noun} and {other.noun}"
    return (line, step("intersection", RESULT, ("other", replace(other, areas=True)), title=title))


@on("<open> (bounding|extent) (box|rectangle) (of|around) {source:any}")
def _box_of_points(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`the bounding box of the cities in Kenya`: one around all points, because a point has none."""
    rows: Features = bindings["source"]
    table = context.table(rows)
    if rows.made or rows.mention is None or table is None or table.geometry_family != "point":
        return None
    if not is_plural(rows.mention.text):
        return None
    return (step("hull", rows), step("envelope", RESULT, title=f"Bounding box of {rows.text}"))
