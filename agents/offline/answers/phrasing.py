"""Phrases tool results: the answers of the offline model. It states only what a result contains.

One function per tool, from the call's arguments and its result; failures are reported as failures.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from agents.domain import SqlAnswer
from agents.geo.wording.phrases import (
    count_of,
    filter_words,
    listed,
    number,
    refusal,
    rounded,
    value,
)
from agents.geo.wording.positions import bounds_words
from agents.geo.wording.texts import ABOUT, COUNT_NAMED, LIST_MORE, WHERE
from agents.offline.answers import requests, texts
from agents.offline.answers.figure_words import statistics_words
from agents.offline.answers.look_words import asked_words, look_phrase, look_words
from agents.offline.answers.rows_words import rows_words, unit_asked
from agents.offline.answers.wording import (
    Facts,
    asked_for_time,
    chart_words,
    description_words,
    drawn_words,
    export_words,
    failed,
    group_words,
    legend_words,
    measured,
    name_of,
    order_words,
    place_words,
    plain,
    position_words,
    sampled_words,
    selected_words,
    sentences,
    table_line,
    tables_words,
    takes_plural_verb,
    unsearched_words,
    where_words,
)
from agents.offline.language.names.singulars import shown_singular
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.meaning.intents import Command, Count, Lookup, Statistic
from agents.offline.meaning.scene import Done
from agents.units import Unit
from agents.worded import joined, numeral


class Phrasing:
    """Phrases the calls of a command: `sentences` for all, `sentence` for one, and one method or function per tool."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self._tools: Mapping[str, Callable[[Done, Facts, Command | None], str]] = {
            "add_map_layer": self.added,
            "update_map_layer": self.updated,
            "remove_map_layer": lambda _, facts, __: texts.REMOVED(name=plain(facts["name"])),
            "reset_map": self.reset,
            "zoom_to": self.zoomed,
            "undo": self.retraced,
            "redo": self.retraced,
            "list_tables": lambda _, facts, __: tables_words(facts),
            "search_tables": self.found_tables,
            "describe_table": lambda _, facts, __: description_words(facts),
            "count_features": self.counted,
            "column_stats": self.statistics,
            "query_features": self.rows,
            "find_place": self.placed,
            "make_chart": self.charted,
            "remove_chart": lambda _, facts, __: texts.CHART_REMOVED(title=plain(facts["removed"])),
            "export": lambda _, facts, __: export_words(facts),
            "cannot_do": lambda _, facts, __: refusal(
                facts.get("reason", ""), facts.get("alternative") or ""
            ),
        }

    def sentences(self, calls: Sequence[Done], command: Command | None = None) -> str:
        """The answer about all calls of a command, in order, without rows that were only looked up for it."""
        last = calls[-1].call.name if calls else ""
        if last == "zoom_to" and len(calls) > 1:
            return joined("\n\n", (self.sentences(calls[:-1], command), self.sentence(calls[-1], command)))
        ranked = (
            calls[0]
            if last in ("add_map_layer", "update_map_layer") and calls[0].call.name == "query_features"
            else None
        )
        tie = self._tie(calls)
        if ranked is not None and calls[-1].result.ok:
            return sentences(self._ranked(ranked, calls[-1], command), tie)
        if tie:
            return joined("\n\n", (self.sentence(calls[0], command), tie))
        asked = command.intent if command is not None else None
        counts = [done.result.data for done in calls if done.result.ok] if isinstance(asked, Count) else []
        if isinstance(asked, Count) and len(counts) == 2:
            if asked.versus is not None or asked.other is not None:
                return self._compared(asked, *counts)
            if counts[1]["count"]:
                return self._share(*counts)
        if (
            isinstance(asked, Lookup | Statistic)
            and asked.share
            and len(calls) == 2
            and all(c.result.ok for c in calls)
        ):
            return self._share_of_total(*(done.result.data for done in calls))
        if last == "make_chart":
            calls = calls[-1:]
        answers = [self.sentence(done, command) for done in calls]
        if (
            len(answers) > 1
            and len({done.call.name for done in calls}) == 1
            and calls[0].call.name in ("undo", "redo")
        ):
            return joined("\n", dict.fromkeys(answers))
        if calls and calls[0].call.name == "run_analysis":
            return joined("\n\n", answers)  # the first may end with a table
        return sentences(*answers)

    def sentence(self, done: Done, command: Command | None = None) -> str:
        if not done.result.ok:
            return failed(done.result)
        phrase = self._tools.get(done.call.name)
        facts = done.result.data
        if isinstance(facts, SqlAnswer):
            return selected_words(facts)
        if phrase is None or not isinstance(facts, Mapping):
            if not isinstance(facts, Mapping) or "answer" not in facts:
                return done.result.content
            answer = facts["answer"]
            return answer if isinstance(answer, str) else str(answer)
        return phrase(done, facts, command)

    def _ranked(self, rows: Done, shown: Done, command: Command | None) -> str:
        """`the 3 airports with the greatest elevation_m: …`, for a layer of ranked features."""
        facts, found, unit = shown.result.data, rows.result.data, unit_asked(command)
        sort = str(rows.arguments.get("sort"))
        table = self.vocabulary.table(str(found.get("table")))
        named = name_of(table) if table is not None else None
        most: str = texts.MOST[bool(rows.arguments.get("descending"))]()
        top = getattr(command and command.intent, "top", None)
        if top is not None and top.place > 1:
            most = texts.NTH_MOST(nth=top.word.partition(" ")[0], most=most)
        measured = {**found, "column": sort}
        listing: list[str] = [
            joined(
                "", (plain(value(row.get(named))), " (", self._measured(measured, row.get(sort), unit), ")")
            )
            for row in found.get("rows", ())[:10]
            if named
        ]
        names = joined(", ", listing)
        if listing and facts["count"] > len(listing):
            names = LIST_MORE(first=names, n=facts["count"] - len(listing))
        slots = {
            "name": plain(facts["name"]),
            "count": self._count(facts),
            "most": most,
            "column": sort,
            "names": texts.NAMES_FOLLOW(names=names) if listing else "",
        }
        if shown.call.name == "add_map_layer":
            return sentences(texts.ADDED_RANKED(look=look_words(facts), **slots), drawn_words(facts))
        return sentences(texts.SHOWS_RANKED(**slots), drawn_words(facts))

    def _tie(self, calls: Sequence[Done]) -> str:
        """A note that more rows share the last place than are listed, if they were counted."""
        names = [done.call.name for done in calls[:2]]
        if names != ["query_features", "count_features"] or not all(done.result.ok for done in calls[:2]):
            return ""
        found, counted = (done.result.data for done in calls[:2])
        sort, rows = str(calls[0].arguments.get("sort")), found.get("rows", ())
        if not rows or counted["count"] <= len(rows):
            return ""
        more = texts.TIED_MORE if calls[0].arguments.get("descending") else texts.TIED_LESS
        return texts.TIED(
            count=self._count({**counted, "table": found.get("table")}),
            column=sort,
            value=self._measured({**found, "column": sort}, rows[-1].get(sort)),
            more=more(),
            n=len(rows),
        )

    def _share(self, part: Facts, whole: Facts) -> str:
        """`12.7 % of the 300 trees: 38 where condition = 'dead'.`"""
        percent = 100 * part["count"] / whole["count"]
        return texts.SHARE(
            percent=numeral(percent, f"{percent:.3g}"),
            whole=self._count(whole),
            n=number(part["count"]),
            condition=plain(filter_words(part["filter"])),
        )

    def _share_of_total(self, part: Facts, whole: Facts) -> str:
        """`17.6 % of the total `population` of countries: 1,352,617,328 of 7,600,000,000, where name is India.`"""
        one, every = (facts["stats"].get("sum") for facts in (part, whole))
        table = self.vocabulary.table(str(whole["table"]))
        name = plain(table.title if table is not None else str(whole["table"]))
        if not one or not every:
            return texts.NO_VALUE(name=name, where=where_words(part), column=f"`{part['column']}`")
        percent = 100 * one / every
        return texts.SHARE_OF_TOTAL(
            percent=numeral(percent, f"{percent:.3g}"),
            column=whole["column"],
            name=name,
            where=where_words(whole),
            part=self._measured(part, one),
            whole=self._measured(whole, every),
            condition=plain(filter_words(part["filter"])),
        )

    def _compared(self, asked: Count, one: Facts, other: Facts) -> str:
        """`Yes: 3 airports where country is Germany, and 2 airports where country is France. The difference is 1.`"""
        more = one["count"] > other["count"] if asked.claim == ">" else one["count"] < other["count"]
        comparison = texts.COMPARED(
            one=joined("", (self._count(one), where_words(one))),
            other=joined("", (self._count(other), where_words(other))),
            n=number(abs(one["count"] - other["count"])),
        )
        return texts.VERDICTS[more](answer=comparison) if asked.claim else comparison

    # --- the map ---------------------------------------------------------------------------------------------

    def added(self, done: Done, facts: Facts, command: Command | None) -> str:
        name, where = plain(facts["name"]), where_words(facts)
        if facts["count"] == 0:
            return sentences(texts.ADDED_EMPTY(name=name, where=where), texts.TAKE_AWAY(undo=requests.UNDO()))
        return sentences(
            texts.ADDED(name=name, look=look_words(facts), count=self._count(facts), where=where),
            legend_words(facts),
            self._asked(facts, command),
            drawn_words(facts),
        )

    def _asked(self, facts: Facts, command: Command | None) -> str:
        look = getattr(command and command.intent, "look", None)
        return asked_words(facts, look, self.vocabulary.table(str(facts.get("table"))))

    def updated(self, done: Done, facts: Facts, command: Command | None) -> str:
        changed = set(facts.get("changed", ()))
        name = f"**{plain(facts['name'])}**"
        parts = []
        if "filter" in changed:
            parts.append(self._filtered(name, facts))
        if "style" in changed and facts.get("style", {}).get("time") and asked_for_time(done.arguments):
            parts.append(texts.SLIDES(name=name, column=facts["style"]["time"]))
        elif "style" in changed:
            drawn = texts.DRAWN[takes_plural_verb(facts["name"])]
            asked = {**facts, "asked": done.arguments.get("style", {})}
            parts.append(drawn(name=name, look=look_phrase(asked) or texts.AS_ASKED()))
            parts += [legend_words(facts), self._asked(facts, command)]
        if "visible" in changed:
            parts.append(texts.HIDDEN[facts.get("visible") is not False](name=name))
        if "name" in changed and "filter" not in changed:
            parts.append(texts.RENAMED(name=name))
        if "opacity" in changed:
            parts.append(texts.OPAQUE(name=name, percent=round(facts.get("opacity", 1.0) * 100)))
        if "order" in changed:
            order = order_words(name, done.arguments.get("order"), len(self.vocabulary.layers))
            parts.append(order)
        if "group" in changed:
            parts.append(group_words(name, facts.get("group")))
        return sentences(*parts, drawn_words(facts) if changed & {"filter", "style"} else "")

    def _filtered(self, name: str, facts: Facts) -> str:
        before = facts.get("count_before")
        if "filter" not in facts:
            return texts.SHOWS_ALL(name=name, count=self._count(facts))
        where = where_words(facts)
        if facts["count"] == 0:
            none = (
                texts.EMPTIED(name=name, count=count_of(before, "feature"), where=where)
                if before
                else texts.EMPTY(name=name, where=where)
            )
            return sentences(none, texts.GO_BACK(undo=requests.UNDO()))
        if isinstance(before, int) and before != facts["count"]:
            return texts.SHOWS_BEFORE(name=name, count=self._count(facts), where=where, before=number(before))
        return texts.SHOWS(name=name, count=self._count(facts), where=where)

    def _count(self, facts: Facts) -> str:
        """`7,813 airports` if the table's name is a plural, else `7,813 features`."""
        table = self.vocabulary.table(str(facts.get("table")))
        words = table.name.replace("_", " ") if table is not None and not table.is_result else "features"
        if not words.endswith("s") or not words.replace(" ", "").isalpha():
            words = "features"
        if facts.get("estimated"):
            return ABOUT(count=COUNT_NAMED(n=rounded(facts["count"]), noun=words))
        return count_of(facts["count"], shown_singular(words), words)

    def reset(self, done: Done, facts: Facts, command: Command | None) -> str:
        back = texts.GET_BACK(undo=requests.UNDO(), n=facts["removed"])
        return sentences(texts.RESET(count=count_of(facts["removed"], "layer")), back)

    def zoomed(self, done: Done, facts: Facts, command: Command | None) -> str:
        if "layer" in facts:
            layer = self.vocabulary.layer(facts["layer"])
            return texts.ZOOMED_LAYER(name=plain(layer.name if layer else facts["layer"]))
        if "place" not in facts:
            west, south, east, north = facts["bounds"]
            return texts.ZOOMED(place=bounds_words((west, south, east, north)))
        places = [facts["place"], *facts.get("others", ())]
        first, *others = (place_words(each, places) for each in places)
        return sentences(
            texts.ZOOMED(place=first),
            texts.ALSO_PLACES(n=len(others), places=listed(others)) if others else "",
            unsearched_words(facts),
        )

    def retraced(self, done: Done, facts: Facts, command: Command | None) -> str:
        undo = done.call.name == "undo"
        what = facts["undone" if undo else "redone"]
        if what is None:
            return texts.NOTHING_TO_UNDO() if undo else texts.NOTHING_TO_REDO()
        return (texts.UNDONE if undo else texts.REDONE)(what=plain(what))

    # --- the data --------------------------------------------------------------------------------------------

    def found_tables(self, done: Done, facts: Facts, command: Command | None) -> str:
        wanted = plain(str(done.arguments.get("text", "")))
        if not facts["tables"]:
            return texts.NO_TABLE_ABOUT(text=wanted)
        head = texts.TABLES_ABOUT(count=count_of(len(facts["tables"]), "table"), text=wanted)
        return joined("\n", [head, *map(table_line, facts["tables"])])

    def counted(self, done: Done, facts: Facts, command: Command | None) -> str:
        counted = self._count({**facts, "estimated": facts.get("sampled_from")})
        sentence = texts.COUNTED(n=facts["count"], count=counted, where=where_words(facts))
        return sentences(sentence, sampled_words(facts))

    def charted(self, done: Done, facts: Facts, command: Command | None) -> str:
        title = plain(facts["title"])
        where = WHERE(condition=plain(facts["filter_words"])) if facts.get("filter_words") else ""
        if facts.get("empty"):
            return texts.CHART_EMPTY(title=title, where=where)
        note = plain(facts["note"]) + "." if facts.get("note") else ""
        sentence = texts.CHART(title=title, count=count_of(facts["rows"], "row"), where=where)
        asked_for = getattr(command and command.intent, "kind", "")
        as_bars = (
            {"pie": texts.NO_PIE, "line": texts.NO_LINE}.get(asked_for) if facts["kind"] == "bar" else None
        )
        unmet = [texts.NOT_ON_CHARTS[each]() for each in getattr(command and command.intent, "unmet", ())]
        return sentences(sentence, note, chart_words(facts), as_bars() if as_bars is not None else "", *unmet)

    def statistics(self, done: Done, facts: Facts, command: Command | None) -> str:
        table = self.vocabulary.table(str(facts["table"]))
        return statistics_words(facts, command, table, partial(self._measured, facts))

    def _measured(self, facts: Facts, item: Any, wanted: Unit | None = None) -> str:
        table = self.vocabulary.table(str(facts.get("table")))
        return measured(table.column(str(facts.get("column"))) if table else None, item, wanted)

    def rows(self, done: Done, facts: Facts, command: Command | None) -> str:
        table = self.vocabulary.table(str(facts.get("table")))
        return rows_words(done, facts, command, table, self._count)

    def placed(self, done: Done, facts: Facts, command: Command | None) -> str:
        places, text = facts["places"], plain(str(done.arguments.get("text", "")))
        if not places:
            return sentences(texts.NO_PLACE(text=text), unsearched_words(facts))
        first, *others = (
            {"place": place_words(place, places), "position": position_words(place)} for place in places
        )
        answer = joined("", (texts.PLACE_AT(**first), "."))
        if not places[0].get("whole", True):
            answer = texts.ONLY_ALIKE(text=text, place=answer)
        if others:
            rest = joined("; ", (texts.PLACE_AT(**each) for each in others))
            answer = joined("\n", (answer, texts.ALSO(places=rest)))
        go_there = texts.GO_THERE(zoom=requests.ZOOM(name=plain(places[0]["name"])))
        return sentences(answer, go_there, unsearched_words(facts))
