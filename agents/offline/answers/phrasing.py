"""From tool results to sentences: what the offline model answers. It says only what a result says.

One function a tool, each from the arguments and the result's data; failures are told as failures.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from agents.domain import SqlAnswer
from agents.geo.phrases import (
    bounds_words,
    count_of,
    filter_words,
    listed,
    number,
    refusal,
    rounded,
    value,
)
from agents.offline.answers.rows_words import rows_words, unit_asked
from agents.offline.answers.wording import (
    FIGURE_WORDS,
    Facts,
    asked_for_time,
    chart_words,
    description_words,
    drawn_words,
    export_words,
    failed,
    group_words,
    is_plural,
    legend_words,
    look_words,
    measured,
    name_of,
    order_words,
    place_words,
    plain,
    position_words,
    rate_words,
    sampled_words,
    selected_words,
    table_line,
    tables_words,
    unsearched_words,
    where_words,
)
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.meaning.intents import Command, Count, Look, Lookup, Statistic
from agents.offline.meaning.scene import Done
from agents.offline.meaning.units import column_unit, convert
from agents.units import Unit


class Phrasing:
    """Sentences about the calls of one command."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self._tools: Mapping[str, Callable[[Done, Facts, Command | None], str]] = {
            "add_map_layer": self.added,
            "update_map_layer": self.updated,
            "remove_map_layer": self.removed,
            "reset_map": self.reset,
            "zoom_to": self.zoomed,
            "undo": self.retraced,
            "redo": self.retraced,
            "list_tables": self.listed_tables,
            "search_tables": self.found_tables,
            "describe_table": self.described,
            "count_features": self.counted,
            "column_stats": self.statistics,
            "query_features": self.rows,
            "find_place": self.placed,
            "make_chart": self.charted,
            "remove_chart": self.chart_removed,
            "export": self.exported,
            "cannot_do": self.refused,
        }

    def sentences(self, calls: Sequence[Done], command: Command | None = None) -> str:
        """About all calls of one command, in order. Rows that were only looked up on the way are not repeated."""
        last = calls[-1].call.name if calls else ""
        ranked = (
            calls[0]
            if last in ("add_map_layer", "update_map_layer") and calls[0].call.name == "query_features"
            else None
        )
        tie = self._tie(calls)
        if ranked is not None and calls[-1].result.ok:
            return f"{self._ranked(ranked, calls[-1], command)}{tie}"
        if tie:
            return f"{self.sentence(calls[0], command)}\n\n{tie.strip()}"
        asked = command.intent if command is not None else None
        counts = [done.result.data for done in calls if done.result.ok] if isinstance(asked, Count) else []
        if isinstance(asked, Count) and len(counts) == 2:
            if asked.versus is not None:
                return self._compared(asked, *counts)
            if counts[1]["count"]:
                return self._share(*counts)
        if isinstance(asked, Lookup) and asked.share and len(calls) == 2 and all(c.result.ok for c in calls):
            return self._share_of_total(*(done.result.data for done in calls))
        if last == "make_chart":
            calls = calls[-1:]
        told = [self.sentence(done, command) for done in calls]
        if (
            len(told) > 1
            and len({done.call.name for done in calls}) == 1
            and calls[0].call.name in ("undo", "redo")
        ):
            return "\n".join(dict.fromkeys(told))
        return " ".join(part for part in told if part)

    def sentence(self, done: Done, command: Command | None = None) -> str:
        if not done.result.ok:
            return failed(done.result)
        tell = self._tools.get(done.call.name)
        facts = done.result.data
        if isinstance(facts, SqlAnswer):
            return selected_words(facts)
        if tell is None or not isinstance(facts, Mapping):
            return (
                str(facts["answer"])
                if isinstance(facts, Mapping) and "answer" in facts
                else done.result.content
            )
        return tell(done, facts, command)

    def _ranked(self, rows: Done, shown: Done, command: Command | None) -> str:
        """`the 3 airports with the greatest elevation_m: …`, of a layer whose features were picked by rank."""
        facts, found, unit = shown.result.data, rows.result.data, unit_asked(command)
        sort = str(rows.arguments.get("sort"))
        table = self.vocabulary.table(str(found.get("table")))
        named = name_of(table) if table is not None else None
        most = "greatest" if rows.arguments.get("descending") else "smallest"
        top = getattr(command and command.intent, "top", None)
        if top is not None and top.place > 1:
            most = f"{top.word.partition(' ')[0]} {most}"
        listing = [
            f"{plain(value(row.get(named)))} ({self._measured({**found, 'column': sort}, row.get(sort), unit)})"
            for row in found.get("rows", ())[:10]
            if named
        ]
        more = (
            f" and {number(facts['count'] - len(listing))} more"
            if listing and facts["count"] > len(listing)
            else ""
        )
        verb = (
            f"Added **{plain(facts['name'])}**{look_words(facts)}:"
            if shown.call.name == "add_map_layer"
            else f"**{plain(facts['name'])}** now shows"
        )
        which = f": {', '.join(listing)}{more}" if listing else ""
        return f"{verb} the {self._count(facts)} with the {most} `{sort}`{which}.{drawn_words(facts)}"

    def _tie(self, calls: Sequence[Done]) -> str:
        """That the last place of a ranking is shared by more rows than it lists, where they were counted."""
        names = [done.call.name for done in calls[:2]]
        if names != ["query_features", "count_features"] or not all(done.result.ok for done in calls[:2]):
            return ""
        found, counted = (done.result.data for done in calls[:2])
        sort, rows = str(calls[0].arguments.get("sort")), found.get("rows", ())
        if not rows or counted["count"] <= len(rows):
            return ""
        last = self._measured({**found, "column": sort}, rows[-1].get(sort))
        more = "more" if calls[0].arguments.get("descending") else "less"
        return (
            f" The last place is shared: {self._count({**counted, 'table': found.get('table')})} have a `{sort}` of "
            f"{last} or {more}, and {number(len(rows))} of them are in this list."
        )

    def _share(self, part: Facts, whole: Facts) -> str:
        """`12.7 % of the 300 trees: 38 where condition = 'dead'.`"""
        percent = f"{100 * part['count'] / whole['count']:.3g}"
        where = plain(filter_words(part["filter"]))
        return f"{percent} % of the {self._count(whole)}: {number(part['count'])} where {where}."

    def _share_of_total(self, part: Facts, whole: Facts) -> str:
        """`17.6 % of the total `population` of countries: 1,352,617,328 of 7,600,000,000, where name is India.`"""
        one, every = (facts["stats"].get("sum") for facts in (part, whole))
        table = self.vocabulary.table(str(whole["table"]))
        name = plain(table.title if table is not None else str(whole["table"]))
        if not one or not every:
            return f"No row of {name}{where_words(part)} has a `{part['column']}`."
        shown = " of ".join(self._measured(facts, value) for facts, value in ((part, one), (whole, every)))
        of = f"{f'{100 * one / every:.3g}'} % of the total `{whole['column']}` of {name}{where_words(whole)}"
        return f"{of}: {shown}, where {plain(filter_words(part['filter']))}."

    def _compared(self, asked: Count, one: Facts, other: Facts) -> str:
        """`Yes: 3 airports where country is Germany, and 2 where country is France.`"""
        more = one["count"] > other["count"] if asked.claim == ">" else one["count"] < other["count"]
        verdict = ("Yes: " if more else "No: ") if asked.claim else ""
        where = plain(filter_words(other["filter"]))
        return f"{verdict}{self._count(one)}{where_words(one)}, and {number(other['count'])} where {where}."

    # --- the map ---------------------------------------------------------------------------------------------

    def added(self, done: Done, facts: Facts, command: Command | None) -> str:
        if facts["count"] == 0:
            nothing = f"I added **{plain(facts['name'])}**, but it is empty: no feature{where_words(facts)}."
            return f"{nothing} Say “undo” to take it away."
        what = (
            f"Added **{plain(facts['name'])}**{look_words(facts)}: {self._count(facts)}{where_words(facts)}."
        )
        return what + legend_words(facts) + self._unit_of_legend(facts, command) + drawn_words(facts)

    def _unit_of_legend(self, facts: Facts, command: Command | None) -> str:
        """That a legend shows the values as they are stored, where another unit was asked for."""
        look, name = getattr(command and command.intent, "look", None), facts.get("style", {}).get("column")
        table = self.vocabulary.table(str(facts.get("table")))
        column = table.column(name) if table is not None and name else None
        own = column_unit(column) if column is not None else None
        if not isinstance(look, Look) or look.unit is None or own is None or own == look.unit:
            return ""
        return (
            f" The legend is in {own.symbol}, as `{name}` is stored: 1 {look.unit.symbol} is "
            f"{number(convert(1.0, look.unit, own))} {own.symbol}."
        )

    def updated(self, done: Done, facts: Facts, command: Command | None) -> str:
        changed = set(facts.get("changed", ()))
        name = f"**{plain(facts['name'])}**"
        parts = []
        if "filter" in changed:
            parts.append(self._filtered(name, facts))
        if "style" in changed and facts.get("style", {}).get("time") and asked_for_time(done.arguments):
            parts.append(f"{name} can be slid through in time along `{facts['style']['time']}`.")
        elif "style" in changed:
            look = look_words(facts).removeprefix(",").strip() or "as asked"
            parts.append(
                f"{name} {'are' if is_plural(facts['name']) else 'is'} now drawn {look}.{legend_words(facts)}"
                f"{self._unit_of_legend(facts, command)}"
            )
        if "visible" in changed:
            parts.append(f"{name} {'is hidden' if facts.get('visible') is False else 'is shown'} now.")
        if "name" in changed and "filter" not in changed:
            parts.append(f"The layer is called {name} now.")
        if "opacity" in changed:
            parts.append(f"{name} is {facts.get('opacity', 1.0):.0%} opaque now.")
        if "order" in changed:
            order = order_words(name, done.arguments.get("order"), len(self.vocabulary.layers))
            parts.append(order)
        if "group" in changed:
            parts.append(group_words(name, facts.get("group")))
        return " ".join(parts) + (drawn_words(facts) if changed & {"filter", "style"} else "")

    def _filtered(self, name: str, facts: Facts) -> str:
        before = facts.get("count_before")
        if "filter" not in facts:
            return f"{name} shows all its {self._count(facts)} again."
        if facts["count"] == 0:
            none = f"none of its {count_of(before, 'feature')} is left" if before else "no feature is left"
            return f"{name} is empty now: {none}{where_words(facts)}. Say “undo” to go back."
        of = f" (before: {number(before)})" if isinstance(before, int) and before != facts["count"] else ""
        return f"{name} now shows {self._count(facts)}{where_words(facts)}{of}."

    def _count(self, facts: Facts) -> str:
        """`7,813 airports` where the table's name is a plural, else `7,813 features`."""
        table = self.vocabulary.table(str(facts.get("table")))
        words = table.name.replace("_", " ") if table is not None and not table.is_result else "features"
        if not words.endswith("s") or not words.replace(" ", "").isalpha():
            words = "features"
        singular = (
            "feature" if words == "features" else (words[:-3] + "y" if words.endswith("ies") else words[:-1])
        )
        if facts.get("estimated"):
            return f"about {rounded(facts['count'])} {words}"
        return count_of(facts["count"], singular, words)

    def removed(self, done: Done, facts: Facts, command: Command | None) -> str:
        return f"Removed **{plain(facts['name'])}**."

    def reset(self, done: Done, facts: Facts, command: Command | None) -> str:
        it = "it" if facts["removed"] == 1 else "them"
        return f"The map is empty now: {count_of(facts['removed'], 'layer')} removed. Say “undo” to get {it} back."

    def zoomed(self, done: Done, facts: Facts, command: Command | None) -> str:
        if "layer" in facts:
            layer = self.vocabulary.layer(facts["layer"])
            return f"Zoomed to **{plain(layer.name if layer else facts['layer'])}**."
        if "place" not in facts:
            west, south, east, north = facts["bounds"]
            return f"Zoomed to {bounds_words((west, south, east, north))}."
        place = facts["place"]
        others = [place_words(item) for item in facts.get("others", ())]
        also = f" There {'is' if len(others) == 1 else 'are'} also {listed(others)}." if others else ""
        return f"Zoomed to {place_words(place)}.{also}{unsearched_words(facts)}"

    def retraced(self, done: Done, facts: Facts, command: Command | None) -> str:
        name, past = ("undone", "Undone") if done.call.name == "undo" else ("redone", "Done again")
        if facts[name] is None:
            return f"There is nothing to {done.call.name}."
        return f"{past}: {plain(facts[name]).rstrip('.')}."

    # --- the data --------------------------------------------------------------------------------------------

    def listed_tables(self, done: Done, facts: Facts, command: Command | None) -> str:
        return tables_words(facts)

    def found_tables(self, done: Done, facts: Facts, command: Command | None) -> str:
        wanted = plain(str(done.arguments.get("text", "")))
        if not facts["tables"]:
            return f"No table is about “{wanted}”."
        return f"{count_of(len(facts['tables']), 'table')} about “{wanted}”:\n" + "\n".join(
            table_line(table) for table in facts["tables"]
        )

    def described(self, done: Done, facts: Facts, command: Command | None) -> str:
        return description_words(facts)

    def counted(self, done: Done, facts: Facts, command: Command | None) -> str:
        where = f" where {plain(filter_words(facts['filter']))}" if facts.get("filter") else ""
        counted = self._count({**facts, "estimated": facts.get("sampled_from")})
        return f"There {'is' if facts['count'] == 1 else 'are'} {counted}{where}.{sampled_words(facts)}"

    def charted(self, done: Done, facts: Facts, command: Command | None) -> str:
        head = f"Here is a chart: **{plain(facts['title'])}**"
        where = f" where {plain(facts['filter_words'])}" if facts.get("filter_words") else ""
        if facts.get("empty"):
            return f"{head}{where}. It is empty: no row passes."
        note = f" {plain(facts['note'])}." if facts.get("note") else ""
        return f"{head}, of {count_of(facts['rows'], 'row')}{where}.{note}{chart_words(facts)}"

    def chart_removed(self, done: Done, facts: Facts, command: Command | None) -> str:
        return f"Removed the chart **{plain(facts['removed'])}**."

    def statistics(self, done: Done, facts: Facts, command: Command | None) -> str:
        intent = command.intent if command is not None else None
        asked = intent if isinstance(intent, Statistic) else None
        what = asked.what if asked is not None else "sum" if isinstance(intent, Lookup) else "all"
        unit = intent.unit if isinstance(intent, Statistic | Lookup) else None
        stats = facts["stats"]
        column = f"`{facts['column']}`"
        table = self.vocabulary.table(str(facts["table"]))
        name = plain(table.title if table is not None else str(facts["table"]))
        where = f" where {plain(filter_words(facts['filter']))}" if facts.get("filter") else ""
        known = stats.get("count", 0) - stats.get("nulls", 0)
        empty = f", {number(stats['nulls'])} empty" if stats.get("nulls") else ""
        basis = f" ({count_of(known, 'value')}{empty})"
        if not known:
            return f"No row of {name}{where} has a {column}."
        if what == "rate" and unit is not None:
            return rate_words(f"{name}{where}", column, known, (stats["minimum"], stats["maximum"]), unit)
        word = FIGURE_WORDS.get(what)
        if word is not None and stats.get(what) is not None:
            found = self._measured(facts, stats[what], unit)
            return f"The {word} {column} of {name}{where} is {found}{basis}.{sampled_words(stats)}"
        if what == "values" or stats.get("mean") is None:
            entries = stats.get("top", ())[:10]
            top = [f"{plain(value(each['value']))} ({number(each['count'])})" for each in entries]
            different = count_of(stats.get("distinct", 0), "different value")
            common = f"Most common: {', '.join(top)}.{sampled_words(stats)}"
            return f"{column} of {name}{where} has {different}{basis}. {common}"
        return (
            f"{column} of {name}{where}: from {self._measured(facts, stats['minimum'])} "
            f"to {self._measured(facts, stats['maximum'])}, average {self._measured(facts, stats['mean'])}, "
            f"median {self._measured(facts, stats['median'])}{basis}.{sampled_words(stats)}"
        )

    def _measured(self, facts: Facts, item: Any, wanted: Unit | None = None) -> str:
        table = self.vocabulary.table(str(facts.get("table")))
        return measured(table.column(str(facts.get("column"))) if table else None, item, wanted)

    def rows(self, done: Done, facts: Facts, command: Command | None) -> str:
        table = self.vocabulary.table(str(facts.get("table")))
        return rows_words(done, facts, command, table, self._count)

    def placed(self, done: Done, facts: Facts, command: Command | None) -> str:
        places = facts["places"]
        if not places:
            text = plain(str(done.arguments.get("text", "")))
            return f"No place called “{text}” is in your tables.{unsearched_words(facts)}"
        lines = [f"{place_words(place)} at {position_words(place)}" for place in places]
        first = places[0]["name"]
        more = "" if len(lines) == 1 else "\nAlso: " + "; ".join(lines[1:]) + "."
        return f"{lines[0]}.{more} Say “zoom to {plain(first)}” to go there.{unsearched_words(facts)}"

    def refused(self, done: Done, facts: Facts, command: Command | None) -> str:
        return refusal(str(facts.get("reason", "")), str(facts.get("alternative", "") or ""))

    def exported(self, _done: Done, facts: Facts, _command: Command | None) -> str:
        return export_words(facts)
