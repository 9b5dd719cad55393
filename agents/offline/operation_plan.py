"""The operations of an analysis, in the order of execution."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, runtime_checkable

from agents.domain import Cql2, Table
from agents.offline.answers import refusals
from agents.offline.language.names.columns import measure_columns
from agents.offline.language.names.keys import Link, links
from agents.offline.meaning.alike_places import PLACES, width_of_place
from agents.offline.meaning.columns import holds_years, number_columns, spoken_name
from agents.offline.meaning.conditions import Mention
from agents.offline.meaning.cql2 import combined, equals, is_null, negated
from agents.offline.meaning.features import Features
from agents.offline.meaning.filters.related import SMALL_TABLE, link_between
from agents.offline.meaning.places import rows_of_places
from agents.offline.meaning.row_names import has_row_names, name_column, text_columns
from agents.offline.meaning.scene import Refuse, Scene, unless_refused
from agents.offline.meaning.steps import AnalysisStep, ColumnWords, Grouped, counted, sum_of
from agents.offline.meaning.stored_values import stored_values
from agents.ports import AnalysisSession, OperationTrait

_LIE_IN = re.compile(r"(?i)\b(?:inside|outside|beyond|lie|lies|located|situated|fall)\b")
"""Words for where rows are, rather than what they belong to."""
_LIES_IN = re.compile(rf"(?i)\b(?:in|inside|within) (?:each|every|all)\b|{_LIE_IN.pattern[4:]}")
"""The same, where rows have a number or code of what they belong to, not its name."""

MAX_GROUPS_OF_NUMBERS, MAX_PART_DIFFERENT = 20, 0.3
"""A column of numbers makes groups if it has at most so many different ones, or so many as a part of its rows."""


@dataclass(frozen=True, slots=True)
class PlannedOperation:
    """An operation to call; `$0` in its arguments stands for the result of the first operation, and so on."""

    name: str
    arguments: Mapping[str, Any]
    title: str


@dataclass(slots=True)
class OperationPlan:
    """Operations in the order of execution, and facts for the answer."""

    operations: list[PlannedOperation] = field(default_factory=list)
    meant: list[str] = field(default_factory=list)
    """The places that were meant, with their locations, and times with their columns."""
    named: dict[str, tuple[tuple[str, ...], str]] = field(default_factory=dict)
    """The names of the places that a step selects, and their table, by the reference to the step."""
    left_out: tuple[str, Cql2] | None = None
    """A table, and the filter for its rows that belong to no group."""
    unvalued: list[str] = field(default_factory=list)
    """Columns of figures beside a count of rows, some of which have no value there."""

    def is_of_several(self, reference: str) -> bool:
        """Whether a step selects the rows of several places."""
        return (
            reference.startswith("$")
            and self.operations[int(reference[1:])].arguments["filter"]["op"] == "or"
        )

    def places_among_rows(self) -> Iterator[tuple[tuple[str, ...], Cql2]]:
        """The names and the filters of places that may be rows of the result, because the same table has both."""
        source, passed = f"${len(self.operations) - 1}", set[str]()
        while source.startswith("$"):
            passed.add(source)
            source = str(self.operations[int(source[1:])].arguments.get("source", ""))
        for reference, (names, table) in self.named.items():
            if table == source and reference not in passed:
                yield names, self.operations[int(reference[1:])].arguments["filter"]

    def add(self, operation: str, title: str, /, **arguments: Any) -> str:
        """Append an operation; returns the reference to its result. The same filter is made once: its rows are not
        their own neighbours."""
        known = [(each.name, each.arguments) for each in self.operations]
        if operation == "filter" and (operation, arguments) in known:
            return f"${known.index((operation, arguments))}"
        self.operations.append(PlannedOperation(operation, arguments, title))
        return f"${len(self.operations) - 1}"


@runtime_checkable
class AnalysisHost(Protocol):
    """An agent that runs an analysis."""

    session: AnalysisSession


@dataclass(slots=True)
class PlanReader:
    """What the planned operations make of their sources."""

    scene: Scene
    recipe: OperationPlan

    def maker(self, source: str) -> PlannedOperation | None:
        """The operation that made the rows, skipping operations that only filter or sort."""
        while source.startswith("$"):
            last = self.recipe.operations[int(source[1:])]
            traits = self.traits(last.name)
            if "keeps_geometry" not in traits or traits & {"counts", "groups", "makes_areas"}:
                return last
            source = str(last.arguments["source"])
        return None

    def is_of_groups(self, last: PlannedOperation) -> bool:
        """Whether an operation builds on groups or counts, such as those behind a share."""
        while (source := str(last.arguments.get("source", ""))).startswith("$"):
            last = self.recipe.operations[int(source[1:])]
            if self.traits(last.name) & {"counts", "groups"}:
                return True
        return False

    def traits(self, operation: str) -> frozenset[OperationTrait]:
        """The traits that the operation declares."""
        known = self.scene.agent.session.operations() if isinstance(self.scene.agent, AnalysisHost) else ()
        return next((each.traits for each in known if each.name == operation), frozenset())

    async def note_unvalued(self, source: str, aggregates: Sequence[Mapping[str, Any]]) -> None:
        """Note the columns of figures beside a count of all rows, if rows of the source have no value there."""
        base, kept = self.table_of(source)
        table = self.scene.vocabulary.table(base)
        if table is None or all(each.get("column") for each in aggregates):
            return
        names = {of.text for each in aggregates if isinstance(of := each.get("column"), ColumnWords)}
        for column in table.columns:
            if column.name in names and (await self.scene.data.stats(base, column.name, kept)).get("nulls"):
                self.recipe.unvalued.append(column.name)

    async def refuse_measured(self, source: str, by: str) -> None:
        """Refuse groups by a measurement, where most rows have their own: `number of cities by population`."""
        base, kept = self.table_of(source)
        table = self.scene.vocabulary.table(base)
        measured = number_columns(table) if table is not None else []
        if table is None or not any(each.name == by and not holds_years(each) for each in measured):
            return
        found = await self.scene.data.stats(base, by, kept)
        known, different = (int(found.get(name) or 0) for name in ("count", "distinct"))
        if different > max(MAX_GROUPS_OF_NUMBERS, MAX_PART_DIFFERENT * known):
            example = f"histogram of {table.name} by {spoken_name(table, by)}"
            reason = refusals.TOO_MANY_NUMBERS(column=by, table=table.name, count=different)
            raise Refuse(reason, refusals.SAY_EXAMPLE(example=example))

    def is_tabular(self, operation: str) -> bool:
        """Whether the operation takes tables without geometry."""
        return "tabular" in self.traits(operation)

    def family(self, reference: str) -> str | None:
        """The geometry of a table, or of the result of a step that keeps it; None if a step makes another."""
        table = self.stored(reference)
        return table.geometry_family if table is not None else None

    def stored(self, reference: str) -> Table | None:
        """The table whose rows these are, also behind steps that keep their geometry or bring columns; None if a step
        makes others."""
        while reference.startswith("$"):
            operation = self.recipe.operations[int(reference[1:])]
            if self.traits(operation.name).isdisjoint({"keeps_geometry", "joins"}):
                return None
            reference = str(operation.arguments["source"])
        return self.scene.table(reference)

    def table_of(self, source: str) -> tuple[str, Cql2 | None]:
        """The table behind a reference, and the filter on it."""
        if not source.startswith("$"):
            return source, None
        found = self.recipe.operations[int(source[1:])].arguments
        return (str(found["source"]), found["filter"]) if "filter" in found else (source, None)

    async def area_of_value(
        self, features: Features, operation: str, arguments: Mapping[str, Any], rows: Mention | None
    ) -> str:
        """The areas with a value that is said like a place, as one shape: `convex hull of Africa`; empty for a place.
        An operation that needs areas passes over points of that name. `rows`: what the place relates to."""
        if not features.place:
            return ""
        places = await unless_refused(rows_of_places(self.scene, features.place, rows))
        makes_shape = "makes_areas" in self.traits(operation) and "distance" not in arguments
        if places is not None and not (makes_shape and self.family(places[0][0].table) == "point"):
            return ""
        known = [
            (table, column, values)
            for table in self.scene.vocabulary.few_tables
            if table.geometry_family == "polygon" and not table.is_result
            for column, values in (await self._stored_in_places(table, features.place)).items()
        ]
        if len(known) != 1:
            return ""
        ((table, name, values),) = known
        found = self.recipe.add(
            "filter", f"Those in {values[0]}", source=table.id, filter=equals(name, values)
        )
        if "groups" in self.traits(operation):
            return found
        return self.recipe.add("dissolve", str(values[0]), source=found)

    async def _stored_in_places(self, table: Table, text: str) -> Mapping[str, list[Any]]:
        columns = [each for each in text_columns(table) if width_of_place(each) < len(PLACES)]
        others = [each for each in columns if each != name_column(table)]
        return await stored_values(self.scene, table, others, [text.removeprefix("the ")]) if others else {}

    def refuse_both(self, features: Features, found: str) -> None:
        """Refuse `near Ulm and Berlin`: near both, or near one of them?"""
        if " and " in features.place and self.recipe.is_of_several(found):
            raise Refuse(refusals.NO_PLACE(text=features.place))

    def people_there(self, source: str, title: str) -> str:
        """The people of rows that were selected, or united. Raises Refuse for what a step made otherwise: a ring around
        a city keeps the city's columns, but not its people."""
        maker = self.maker(source)
        is_whole = maker is None or ("groups" in self.traits(maker.name) and "by" not in maker.arguments)
        table = (
            self.stored(str(maker.arguments["source"]) if maker is not None else source) if is_whole else None
        )
        names = measure_columns(table, "people") if table is not None else []
        if len(names) != 1:
            raise Refuse(refusals.NO_STEPS())
        figures = {"aggregates": counted(sum_of(names[0]))}
        if maker is None:
            return self.recipe.add("summarise", title, source=source, **figures)
        at = self.recipe.operations.index(maker)
        self.recipe.operations[at] = replace(maker, arguments={**maker.arguments, **figures})
        return source

    def without_itself(self, source: str, target: str, place: str) -> str:
        """The rows without the target place itself: the city nearest to Ulm is not Ulm."""
        base, itself = self.table_of(target)
        if not place or itself is None or self.table_of(source)[0] != base:
            return source
        title = f"Leave out {place}"
        return self.recipe.add("filter", title, source=source, filter=negated(itself))

    def nearest_of_all(self, operation: str, title: str, inputs: Mapping[str, Any], **arguments: Any) -> str:
        """The nearest rows of the whole table for some of its rows, among all of them, so that none is its own; empty
        for others."""
        base, kept = self.table_of(inputs["source"])
        if kept is None or inputs.get("target") != base:
            return ""
        every = self.recipe.add(operation, title, source=base, target=base, **arguments)
        return self.recipe.add("filter", title, source=every, filter=kept)

    async def link(self, part: AnalysisStep, inputs: Mapping[str, str]) -> Link | None:
        """The key of related rows; None if those in the same place are meant. Raises Refuse if they have no key, and
        lie nowhere or are points, in which nothing lies."""
        source, other = self.stored(inputs["source"]), self.stored(inputs["other"])
        link = (
            await link_between(self.scene, source, other)
            if source is not None and other is not None
            else None
        )
        if link is not None and link.named and _LIE_IN.search(part.text):
            link = None
        families = {self.family(each) for each in inputs.values()}
        by_place = part.operation == "select_by_location" and families != {"point"} and "none" not in families
        repeats = link is not None and not link.refers and part.operation == "join_by_attribute"
        if repeats or (link is None and not by_place):
            rows, others = (features.noun for _, features in part.inputs)
            raise Refuse(refusals.NO_RELATION(rows=rows, other=others))
        return link

    async def named_areas(self, part: AnalysisStep, inputs: Mapping[str, str]) -> Link | None:
        """The column with the names of the areas in which rows are wanted: `cities in countries that use the euro`,
        by their country. None without it, and where the words ask for what lies there."""
        other = dict(part.inputs).get("other")
        if other is None or not other.areas or dict(part.arguments).get("predicate") != "shares_interior":
            return None
        link = await self.link(part, inputs)
        return link if link is not None and link.named and link.refers else None

    async def counted_by_key(self, part: AnalysisStep, inputs: Mapping[str, str], title: str) -> str:
        """Counts the rows that refer to each row by a key, with a figure of them that has a name, for a later step
        uses it; returns the reference to the result, empty without a key. Those `in each area` are those that lie
        there; of `per area` rows without a key are counted for the answer."""
        given = dict(part.arguments)
        count, *figures = given.get("aggregates") or [{"function": "count"}]
        if (
            part.operation != "spatial_join"
            or "distance" in given
            or any("name" not in each for each in figures)
        ):
            return ""
        source, other = self.stored(inputs["source"]), self.stored(inputs["other"])
        if source is None or other is None:
            return ""
        link = await link_between(self.scene, source, other)
        lie_in = _LIE_IN if link is not None and link.named else _LIES_IN
        if source.geometry_family == "polygon" and lie_in.search(part.text):
            return ""
        if link is None or link.refers:
            return ""
        if (unknown := await self.unmatched(source, other, link)) is not None:
            self.recipe.left_out = (other.id, combined("and", self.table_of(inputs["other"])[1], unknown))
        figures = [{**each, "column": replace(each["column"], of="source")} for each in figures]
        wanted = {"aggregates": [count, *figures]} if "aggregates" in given else {}
        counts = self.recipe.add(
            "summarise",
            "Count them by their key",
            source=inputs["other"],
            by=[ColumnWords(link.other)],
            **wanted,
        )
        keys = {"other": counts, "key": ColumnWords(link.own), "other_key": ColumnWords(link.other, "other")}
        joined, names = inputs["source"], [each["name"] for each in figures]
        if names:  # those of rows without any are unknown, not 0
            joined = self.recipe.add("join_by_attribute", title, source=joined, **keys, columns=names)
        return self.recipe.add(
            "join_by_attribute", title, source=joined, **keys, columns=[count.get("name", "count")], zero=True
        )

    async def figure_by_name(self, part: AnalysisStep, inputs: Mapping[str, str]) -> Grouped | None:
        """The groups of `average population of cities in each country`: all areas, by the column with their names."""
        given = dict(part.arguments)
        figures: Sequence[Mapping[str, Any]] = given.get("aggregates") or []
        if (
            part.operation != "spatial_join"
            or len(figures) != 2
            or "distance" in given
            or "name" in figures[-1]
        ):
            return None
        source, other = self.stored(inputs["source"]), self.stored(inputs["other"])
        if source is None or other is None:
            return None
        link = await link_between(self.scene, source, other)
        is_named = link is not None and link.named and not link.refers and not _LIE_IN.search(part.text)
        if link is None or not is_named or inputs["source"] != source.id:
            return None
        figure = {**figures[-1], "column": replace(figures[-1]["column"], of="source")}
        return Grouped(dict(part.inputs)["other"], link.other, figure, title=part.title)

    async def unmatched(self, source: Table, other: Table, link: Link) -> Cql2 | None:
        """The rows of `other` that are of no row of the source; None if there cannot be any."""
        empty = (
            is_null(link.other) if (await self.scene.data.stats(other.id, link.other)).get("nulls") else None
        )
        if link.declared:
            return empty
        answer = await self.scene.data.query(source.id, [link.own], limit=SMALL_TABLE)
        names = sorted({row[link.own] for row in answer.get("rows", ()) if row.get(link.own)})
        return combined("or", empty, negated(equals(link.other, names)))

    async def with_names(self, source: str, by: str) -> tuple[str, list[ColumnWords]]:
        """The rows of a table with the names of the rows that their key `by` refers to, and the column of these."""
        table, known = self.stored(source), self.scene.vocabulary.few_tables
        if table is None or table.is_result:
            return source, []
        for other in known:
            if not any(each.own == by and each.refers for each in links(table, other, known)):
                continue
            link, named = await link_between(self.scene, table, other), name_column(other)
            if link is None or not link.refers or named is None or not has_row_names(other):
                continue
            if named.name == link.other:
                continue
            keys = {"key": link.own, "other_key": link.other}
            joined = self.recipe.add(
                "join_by_attribute",
                "Bring their names",
                source=source,
                other=other.id,
                **keys,
                columns=[named.name],
            )
            is_taken = table.column(named.name) is not None
            return joined, [ColumnWords(f"{other.name}_{named.name}" if is_taken else named.name)]
        return source, []
