"""Plans the operations of an analysis: from parsed steps to calls of the operations, in order.

The same words give the same operations, whatever has run; only columns of tables that the steps make are resolved
later.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from agents.domain import Cql2, Table
from agents.offline.answers import refusals
from agents.offline.commands.analyses.analysis import Chain
from agents.offline.commands.analyses.asked_back import refuse_unclear
from agents.offline.language.names.columns import columns_called
from agents.offline.language.words import is_plural, name_words
from agents.offline.meaning.alike_places import full_name
from agents.offline.meaning.columns import check_age, check_when, column_called
from agents.offline.meaning.conditions import Condition, Mention, OneOf, filled_columns
from agents.offline.meaning.cql2 import combined, disjunction, is_null, negated
from agents.offline.meaning.features import Features
from agents.offline.meaning.filters.flags_in_words import rows_with_flag
from agents.offline.meaning.filters.named_in_part import parts_taken, row_named
from agents.offline.meaning.filters.resolver import to_cql2
from agents.offline.meaning.filters.times import date_taken
from agents.offline.meaning.places import (
    place_meant,
    places_meant,
    row_of,
    rows_of_places,
)
from agents.offline.meaning.scene import Refuse, Scene, unless_refused
from agents.offline.meaning.steps import (
    PEOPLE_THERE,
    VALUES_NAMED,
    AddedColumn,
    AnalysisStep,
    ColumnWords,
    Grouped,
    LateCondition,
    Ranking,
    are_related,
    counted,
    others_of,
    quoted,
    rows_of,
    title_behind,
    with_columns,
    words_of,
)
from agents.offline.meaning.stored_values import columns_with_several
from agents.offline.meaning.tables_meant import steps_with_rows_spoken_of, tables_meant
from agents.offline.meaning.units import in_one_unit
from agents.offline.operation_plan import OperationPlan, PlanReader

PERCENT = "percent"
SHARE = "100 * passing / count"


async def planned(scene: Scene, chain: Chain) -> OperationPlan:
    """The plan of a chain of steps. Raises Ask or Refuse."""
    planner = _Planner(scene, OperationPlan())
    for part in steps_with_rows_spoken_of(scene, chain.parts):
        planner.previous = await planner.part(part)
    if chain.look is not None and chain.look.figures:
        planner.add_figures(chain.look.figures)
    return planner.recipe


@dataclass(slots=True)
class _Planner(PlanReader):
    previous: str = ""
    """Reference to the result of the previous part."""
    rows: Mention | None = None
    """The rows of the part, which its places relate to."""
    title: str = ""
    """Title of the previous part."""

    async def part(self, part: AnalysisStep | Grouped) -> str:
        """Plan a part; returns the reference to its result."""
        title = self.title = title_behind(self.title, part)
        self.rows = rows_of(part)
        if isinstance(part, Grouped):
            return await self.grouped(part, title)
        return await self.step(part, title)

    async def grouped(self, part: Grouped, title: str) -> str:
        """A figure per value of a column; rows without a value are left out, and counted for the answer."""
        named = [ColumnWords(part.by)] if part.by != VALUES_NAMED else []
        figure = part.aggregate
        of = [each for each in figure.values() if isinstance(each, ColumnWords)]
        if of and part.source.mention is not None and not part.source.mention.pronoun:
            check_when(self.scene, self.scene.table_of(part.source.mention), part.source.where)
        base = await self.source(part.source, *named, *of)
        if not named:
            part = replace(part, by=self.column_of_values(base))
        await self.refuse_measured(base, part.by)
        by = [ColumnWords(name) for name in (part.by, *part.names)]
        figure = self.exact(figure, "source", base)
        source, names = await self.with_names(await self.grouped_rows(base, part.by), part.by)
        by += names
        if part.part is not None:
            return await self.share(part, base, source, by, title)
        group, count = self.grouping(base), {"function": "count", "name": "count"}
        wanted = [count] if figure["function"] == "count" else [figure, count]
        await self.note_unvalued(base, wanted)
        if not part.shapes:
            figures = {"aggregates": wanted} if figure["function"] != "count" else {}
            return self.recipe.add("summarise", title, source=source, by=by, **figures)
        if part.of_all:
            every = self.recipe.add(group, "Those of each", source=source, by=by, aggregates=wanted)
            percent = f"100 * {await self.part_of_all(base, part.by, figure)}"
            return self.recipe.add("calculate", title, source=every, name=PERCENT, expression=percent)
        return self.recipe.add(group, title, source=source, by=by, aggregates=wanted)

    def column_of_values(self, source: str) -> str:
        """The only column of which the rows' filter lists several values. Raises Refuse."""
        names = columns_with_several(self.table_of(source)[1])
        if len(names) != 1:
            raise Refuse(refusals.NO_STEPS())
        return names.pop()

    def grouping(self, source: str) -> str:
        """The operation that groups rows; those of a lake table are too many to unite their geometries."""
        base = self.table_of(source)[0]
        is_of_lake = not base.startswith("$") and self.scene.table(base).lake is not None
        return "summarise" if is_of_lake else "dissolve"

    async def grouped_rows(self, source: str, by: str) -> str:
        """The rows with a value of the column; the others are counted for the answer. Lake tables keep all rows."""
        base, kept = self.table_of(source)
        known = base.startswith("$") or self.grouping(base) == "summarise"
        if known or not (await self.scene.data.stats(base, by)).get("nulls"):
            return source
        unknown: Cql2 = is_null(by)
        self.recipe.left_out = (base, combined("and", kept, unknown))
        return self.recipe.add("filter", f"Keep those with a {by}", source=source, filter=negated(unknown))

    async def part_of_all(self, source: str, by: str, figure: Mapping[str, Any]) -> str:
        """The expression for a group's share of all rows, or of a column's total, over rows with a value of `by`.
        Raises Refuse for the result of a step."""
        base, kept = self.table_of(source)
        if base.startswith("$"):
            raise Refuse(refusals.NO_SHARE())
        known = combined("and", kept, negated(is_null(by)))
        if figure["function"] == "count":
            return f"count / {await self.scene.data.count(base, known)}"
        column = column_called(self.scene, self.scene.table(base), figure["column"].text)
        total = (await self.scene.data.stats(base, column, known)).get("sum")
        if not total:
            raise Refuse(refusals.NO_SHARE())
        return f"{quoted(f'sum_{column}')} / {float(total):.15g}"

    def exact(self, arguments: Any, of: str, source: str) -> Any:
        """The arguments with exact column names of a table, or of filtered rows of it."""
        base, _ = self.table_of(source)
        if base.startswith("$"):
            return arguments
        table = self.scene.table(base)

        def called(words: str) -> Sequence[str]:
            names = columns_called((table,), name_words(words))
            found = in_one_unit([each for each in table.columns if each.name in names])
            if len(found) == 1:
                check_age(words, found[0])
            return [each.name for each in found]

        return with_columns(arguments, of, called)

    def add_figures(self, figures: Sequence[Mapping[str, Any]]) -> None:
        """Add figures per group to the last operation, for the style of the result."""
        last = self.recipe.operations[-1]
        wanted = [*(last.arguments.get("aggregates") or counted(*figures)[:1]), *figures]
        exact = self.exact(wanted, "source", str(last.arguments["source"]))
        self.recipe.operations[-1] = replace(last, arguments={**last.arguments, "aggregates": exact})

    async def share(
        self, part: Grouped, base: str, source: str, groups: Sequence[ColumnWords], title: str
    ) -> str:
        """Count all rows and matching rows per group, join and divide. `base` has the columns."""
        assert part.part is not None  # noqa: S101  checked by the caller; for the type checker
        by = ColumnWords(part.by)
        wanted: Any = LateCondition(part.part)
        if not base.startswith("$"):
            table = self.scene.table(base)
            wanted = await to_cql2(self.scene, table, part.part)
            if (recorded := rows_with_flag(table, wanted)) is not None:
                source = self.recipe.add("filter", "Keep rows with a value", source=source, filter=recorded)
        passing = self.recipe.add("filter", "Keep those that pass", source=source, filter=wanted)
        counted = {"function": "count", "name": "count"}
        group = self.grouping(base)
        every = self.recipe.add(group, "Count all of each", source=source, by=groups, aggregates=[counted])
        some = self.recipe.add(
            "summarise", "Count those that pass", source=passing, by=[by],
            aggregates=[{**counted, "name": "passing"}],
        )  # fmt: skip
        keys = {"key": by, "other_key": ColumnWords(part.by, "other")}
        joined = self.recipe.add(
            "join_by_attribute", "Bring them together", source=every, other=some, **keys, columns=["passing"],
            zero=True,
        )  # fmt: skip
        return self.recipe.add("calculate", title, source=joined, name=PERCENT, expression=SHARE)

    async def step(self, part: AnalysisStep, title: str) -> str:
        """Plan an operation; returns the reference to its result."""
        refuse_unclear(part)
        if dict(part.arguments).get("predicate") == "touches" and (
            both := await self.touching_all(part, title)
        ):
            return both
        if dict(part.arguments).get("aggregates") == PEOPLE_THERE:
            return self.people_there(self.previous, title)
        inputs: dict[str, Any] = {}
        arguments, is_had = dict(part.arguments), are_related(part)
        for name, features in part.inputs:
            columns = [each for each in words_of(part.arguments) if each.of == name]
            tabular, others = is_had or self.is_tabular(part.operation), others_of(part, features)
            found = await self.area_of_value(
                features, part.operation, arguments, self.rows
            ) or await self.source(features, *columns, tabular=tabular, others=others)
            arguments = self.exact(arguments, name, found)
            if name == "other" and "predicate" in arguments:
                self.refuse_both(features, found)
            inputs[name] = (
                [*inputs[name], found] if name in inputs else [found] if name == "sources" else found
            )
            if features.areas and self.family(found) == "point":
                raise Refuse(
                    refusals.IN_POINTS(text=features.text), refusals.SAY_DISTANCE(text=features.text)
                )
        figures_of = str(inputs.get("other", inputs.get("source")))
        await self.note_unvalued(figures_of, arguments.get("aggregates") or ())
        link = await self.link(part, inputs) if is_had else await self.named_areas(part, inputs)
        if link is not None:
            by_place = arguments.pop("predicate", None) is not None
            operation = "select_by_attribute" if by_place else part.operation
            return self.recipe.add(
                operation, title, **inputs, key=link.own, other_key=link.other, **arguments
            )
        if by_key := await self.counted_by_key(part, inputs, title):
            return by_key
        if (groups := await self.figure_by_name(part, inputs)) is not None:
            return await self.grouped(groups, title)
        self.refuse_same_rows(part, inputs)
        if part.operation == "nearest":
            if among_all := self.nearest_of_all(part.operation, title, inputs, **arguments):
                return among_all
            inputs["source"] = self.without_itself(
                inputs["source"], inputs["target"], dict(part.inputs)["target"].place
            )
        ranking = arguments.get("by")
        if isinstance(ranking, Ranking):
            inputs["source"], arguments["by"] = self.ranked(inputs["source"], ranking)
        return self.recipe.add(part.operation, title, **inputs, **arguments)

    def refuse_same_rows(self, part: AnalysisStep, inputs: Mapping[str, Any]) -> None:
        """Refuse `fly tips more than 3 km from any tip`, where a part of a name means the same rows again."""
        said = dict(part.inputs)
        other = next((name for name in ("other", "target") if name in said), "")
        if not other or inputs["source"] != inputs[other] or said[other].where is not None:
            return
        one, again = said["source"].text, said[other].text
        if set(name_words(again)) < set(name_words(one)):
            raise Refuse(refusals.SAME_ROWS(one=one, other=again))

    async def touching_all(self, part: AnalysisStep, title: str) -> str:
        """The rows that border on each of several places (`Germany and Poland`); empty for a single place."""
        inputs = dict(part.inputs)
        if " and " not in inputs["other"].place:
            return ""
        places = await places_meant(
            self.scene, inputs["other"].place, self.rows, shapes=inputs["other"].areas
        )
        if len(places) < 2:
            return ""
        self.recipe.meant += map(full_name, places)
        found = await self.source(inputs["source"])
        for place in places:
            row = await row_of(self.scene, place, place.name)
            other = self.recipe.add("filter", f"Find {place.name}", source=place.table, filter=row)
            found = self.recipe.add(part.operation, title, source=found, other=other, **dict(part.arguments))
        return found

    def ranked(self, source: str, ranking: Ranking) -> tuple[str, Any]:
        """The rows and the column for `the largest` of a result: the area, the count, or a column of that measure."""
        last = self.maker(source)
        if ranking.rows is not None:
            return source, AddedColumn("count")
        if last is None or ranking.top.column is not None or ranking.top.measure not in ("big", ""):
            return source, ranking
        figures = [each for each in last.arguments.get("aggregates") or () if each.get("column") is not None]
        first_or_last = ranking.top.word in ("top", "bottom")
        if "expression" in last.arguments and (first_or_last or self.is_of_groups(last)):
            return source, AddedColumn(str(last.arguments["name"]))
        by_figure = "counts" in self.traits(last.name) or first_or_last
        if figures and by_figure:
            return source, ColumnWords(f"{figures[-1]['function']} {figures[-1]['column'].text}")
        is_count = "groups" in self.traits(last.name) and first_or_last  # `top 5`, of numbers by group
        if is_count or last.arguments.get("columns") == ["count"] or "counts" in self.traits(last.name):
            return source, AddedColumn("count")
        if "makes_areas" in self.traits(last.name) and self.family(source) == "point":
            if "groups" in self.traits(last.name):
                return source, AddedColumn("count")
            raise Refuse(refusals.POINTS_NO_SIZE(), refusals.SAY_TOP())
        if "makes_areas" in self.traits(last.name):
            measured = self.recipe.add("measure", "Measure their area", source=source, measures=["area"])
            return measured, AddedColumn("area_m2")
        return source, ranking

    async def source(
        self, features: Features, *columns: ColumnWords, tabular: bool = False, others: Sequence[Mention] = ()
    ) -> str:
        """The reference to rows: a result, a whole table, or one filtered in an extra step.

        `columns`, `others`: also mentioned in the step, to choose the table. `tabular`: accepts tables without
        geometry.
        """
        scene = self.scene
        if features.previous and self.previous:
            return self.previous
        if features.made:
            return await self.made(features)
        if features.rows_like:
            return (await place_meant(scene, features.rows_like, shapes=True)).table
        if features.mention is None and not features.previous:
            places, filters = await rows_of_places(scene, features.place, self.rows, shapes=features.areas)
            self.recipe.meant += map(full_name, places)
            source, title = places[0].table, f"Find {features.place}"
            found = self.recipe.add("filter", title, source=source, filter=filters)
            self.recipe.named[found] = (tuple(each.name for each in places), source)
            return found
        mention = features.mention
        layered = features.previous or features.drawn or (mention is not None and not mention.tables)
        layer = scene.layer_of(mention) if layered else None
        if layer is not None:
            table = scene.table(layer.table)
        else:
            assert mention is not None  # noqa: S101  checked above; for the type checker
            table = scene.table_of(await tables_meant(scene, mention, (features.where, *columns), others))
        if table.geometry_column is None and not features.previous and not tabular:
            raise Refuse(refusals.NO_GEOMETRY(table=table.title))
        wanted = layer.filter if layer is not None else None
        if (
            layer is None
            and (named := await row_named(scene, table, features.where, features.text)) is not None
        ):
            self.recipe.meant.append(full_name(named[0]))
            return self.recipe.add("filter", f"Find {named[0].name}", source=table.id, filter=named[1])
        if features.where is not None:
            await self.leave_out(table, wanted, features.where)
            kept = await unless_refused(to_cql2(scene, table, features.where))
            row = await self.row_in_small_letters(table, features) if kept is None else None
            if row is not None:
                return row
            kept = kept or await to_cql2(scene, table, features.where)
            self.recipe.meant += [*date_taken(table, features.where, kept), *parts_taken(features.where)]
            wanted = combined("and", wanted, kept)
        if wanted is None:
            return table.id
        name = features.text if layer is None else layer.name
        return self.recipe.add("filter", f"{name[:1].upper()}{name[1:]}", source=table.id, filter=wanted)

    async def row_in_small_letters(self, table: Table, features: Features) -> str | None:
        """The row of `roundhay park`, of parks, where no row is of that kind."""
        where = features.where
        if not isinstance(where, OneOf) or where.how != "kind" or is_plural(features.text):
            return None
        place = await unless_refused(place_meant(self.scene, features.text.removeprefix("the "), table.id))
        if place is None:
            return None
        self.recipe.meant.append(full_name(place))
        row = await row_of(self.scene, place, place.name)
        return self.recipe.add("filter", f"Find {place.name}", source=table.id, filter=row)

    async def leave_out(self, table: Table, kept: Cql2 | None, where: Condition) -> None:
        """Note the rows without a value that a calculation needs, to count them for the answer."""
        columns, others = filled_columns(where)
        if not columns:
            return
        if others is not None:
            kept = combined("and", kept, await to_cql2(self.scene, table, others))
        unknown: list[Cql2] = [is_null(each) for each in columns]
        lacking = disjunction(unknown)
        self.recipe.left_out = (table.id, combined("and", kept, lacking))

    async def made(self, features: Features) -> str:
        """The result of nested steps, with further conditions."""
        before, rows, title = self.previous, self.rows, self.title
        self.title = ""
        for part in features.made:
            self.previous = await self.part(part)
        found, self.previous, self.rows, self.title = self.previous, before, rows, title
        if features.where is None:
            return found
        return self.recipe.add(
            "filter", f"Keep {features.text}", source=found, filter=LateCondition(features.where)
        )
