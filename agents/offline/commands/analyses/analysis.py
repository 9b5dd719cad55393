"""Reads a whole analysis: a chain of steps, by the operations' own phrases and by commands for several steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from cachetools import LRUCache

from agents.domain import Table
from agents.offline.commands.analyses import (
    densities,
    group_rankings,
    groups,
    latitudes,
    people_rates,
    periods,
    rankings,
    selections,
    side_by_side,
    sizes,
    tabular,
    totals,
)
from agents.offline.commands.analyses.by_key import chosen, follow_ups, grouped
from agents.offline.commands.analyses.by_range import bands
from agents.offline.commands.analyses.rules import Context, Reading, Rule, Steps, operation_rules
from agents.offline.commands.assembly.questions import has_doubts, read_question
from agents.offline.commands.requests import TemplateReader, by_distinct_name, with_layer_names
from agents.offline.language import phrasebook as p
from agents.offline.language.chart import Span, TemplateIndex
from agents.offline.language.cursor import Cursor, cursor_of
from agents.offline.language.grammar import verbs
from agents.offline.language.lexicon import ARTICLES, STARTS
from agents.offline.language.looks.results import ResultLook, ResultLooks
from agents.offline.language.parts import PARTS
from agents.offline.language.reading import Ambiguous, Unreadable
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import word_set
from agents.offline.meaning.conditions import Mention
from agents.offline.meaning.features import Features
from agents.offline.meaning.steps import (
    AnalysisStep,
    Grouped,
    Ranking,
    are_groups,
    features_of,
    inputs_of,
    related_to_all,
    rows_of,
    step_in_full,
    steps_within,
)
from agents.ports import OperationInfo

COMMANDS = (
    groups, group_rankings, densities, people_rates, rankings, selections, sizes, latitudes, periods, bands, totals,
    tabular, side_by_side, chosen, follow_ups, grouped,
)  # fmt: skip
_JOINERS = (", and then", ", then", "and then", "; then", "then", ", and", "and", ";", ",", "-", "–")
_STOPS = frozenset(("and", "then", ";", ",", "-", "–", "sorted", "ordered"))
_SENTENCE_ENDS = ("?", "!", ".")
MAX_PARTS = 12
MADE = 1.0
"""Cost of reading rows as the result of nested steps."""
_THEM = Mention("them", pronoun=True)


def _stands_for_rows(features: Features) -> bool:
    return features.previous or (features.mention is not None and features.mention.pronoun)


@dataclass(frozen=True, slots=True)
class Chain:
    """The parts of an analysis, at least one; each later part may read the result of the one before."""

    parts: tuple[AnalysisStep | Grouped, ...]
    look: ResultLook | None = None

    @property
    def spoken_of(self) -> list[Mention]:
        """References in the first part to what was mentioned before: the first `them`, and `those cities`."""
        rows = list(features_of(self.parts[0]))
        bare = next((each for each in rows if _stands_for_rows(each)), None)
        those = [
            each for each in rows if each is bare or (each.mention is not None and each.mention.is_those)
        ]
        return [replace(each.mention or _THEM, text=each.text) for each in those if each.text]

    @property
    def places(self) -> list[tuple[Features, Mention | None]]:
        """The places in it, each with the rows that it relates to."""
        return [
            (each, rows_of(step))
            for part in self.parts
            for step in steps_within(part)
            for each in inputs_of(step)
            if each.place
        ]


class Language:
    """The rules for analyses with these operations, and the words after slots, before which a value may end."""

    def __init__(self, operations: Sequence[OperationInfo]) -> None:
        self.operations = operations
        offered = {each.name for each in operations}
        commands = tuple(each for module in COMMANDS for each in module.RULES) if offered else ()
        self.rules: tuple[Rule, ...] = (*commands, *operation_rules(operations))
        self.rules_by_word = TemplateIndex(((each.template.node, each) for each in self.rules), PARTS)
        made = ((each.rows, (each, each.rows)) for each in self.rules if each.rows is not None)
        self.row_rules_by_word = TemplateIndex(made, PARTS)
        self.limits = frozenset(word for each in self.rules for word in each.template.words) | _PART_WORDS
        phrases = [each.template for each in self.rules if each.operation]
        first = {word for each in phrases for word in each.first_words}
        self.operation_words = frozenset(first) - STARTS - ARTICLES - _PART_WORDS
        """Words that only begin phrases of operations, not other commands."""
        self.verbs = frozenset(word for each in phrases for word in verbs(each.node)) - STARTS
        """Those of them directly before rows: `buffer`, `dissolve`."""


_PART_WORDS = word_set("within of from to by in with per each and or inside not")
_LANGUAGES: LRUCache[tuple[tuple[str, ...], ...], Language] = LRUCache(4)


def language_of(operations: Sequence[OperationInfo]) -> Language:
    """The compiled rules, cached by the phrases of the operations."""
    key = tuple([(each.name, *each.phrases) for each in operations])
    if key not in _LANGUAGES:
        _LANGUAGES[key] = Language(operations)
    return _LANGUAGES[key]


def read_analysis(text: str, vocabulary: Vocabulary, operations: Sequence[OperationInfo]) -> Chain | None:
    """The analysis that the whole text requests; None if it is none, exceeds the limits of reading, or is
    ambiguous."""
    found: Chain | None = None
    reader = AnalysisReader(cursor_of(text), vocabulary, None, operations)
    try:
        cursor = reader.cursor
        while cursor.take(p.FLUFF):
            pass
        start = cursor.at
        found = reader.chain()
        found = found if cursor.done else None
        if found is not None and not has_doubts(found, vocabulary):
            return found
        cursor.at = start
        meant = read_question(cursor, vocabulary)
    except (Unreadable, Ambiguous):
        return found
    if not isinstance(meant, tuple) or (found is not None and has_doubts(meant, vocabulary)):
        return found
    steps = totals.in_individuals(meant, Context(vocabulary, reader.tags.tables_of))
    return Chain(tuple(replace(each, text=text) for each in steps))


@dataclass(frozen=True, slots=True)
class _Found:
    """Steps read up to token `end`, and equally cheap readings of the same words."""

    end: int
    cost: float
    steps: Steps
    rivals: tuple[Steps, ...] = ()


def _key(steps: Steps) -> tuple[Any, ...]:
    """The steps without their wording, to compare their meaning."""
    return tuple(
        replace(each, text="", title="", source=_bare(each.source))
        if isinstance(each, Grouped)
        else replace(each, text="", title="", inputs=tuple((name, _bare(rows)) for name, rows in each.inputs))
        for each in steps
    )


def _bare(rows: Features) -> Features:
    mention = replace(rows.mention, text="") if rows.mention is not None else None
    return replace(rows, text="", mention=mention, made=_key(rows.made))


def _is_of_unknown(part: AnalysisStep | Grouped) -> bool:
    """Whether nothing has the name of its rows: `air quality near the station`."""
    rows = next(iter(inputs_of(part)), None)
    return rows is not None and rows.place.islower()


def _described(steps: Steps) -> str:
    last = steps[-1]
    return last.title or (last.operation.replace("_", " ") if isinstance(last, AnalysisStep) else last.text)


def _in_full(steps: Steps) -> str:
    return ", then ".join(map(step_in_full, steps))


class AnalysisReader(TemplateReader):
    """Reads a chain of steps from a cursor."""

    def __init__(
        self,
        cursor: Cursor,
        vocabulary: Vocabulary,
        default: Table | None,
        operations: Sequence[OperationInfo],
    ) -> None:
        self.language = language_of(operations)
        super().__init__(cursor, vocabulary, default, self.language.limits)
        self._following_steps: dict[int, _Found | None] = {}
        self.tags.made = self._made
        words = frozenset(cursor.words)
        self._rules = self.language.rules_by_word.readable(words)
        self._row_rules = self.language.row_rules_by_word.readable(words)
        self._known_made: dict[int, list[Span]] = {}
        self._starting_looks: dict[int, bool] = {}

    def chain(self) -> Chain | None:
        """The steps at the start of the text. Raises Ambiguous, with the cursor behind them, for ones as likely."""
        start = self.cursor.at
        self.tags.begin = start
        found = self._longest(start, chained=False, depth=0)
        if found is None:
            self.cursor.at = start
            return None
        self.cursor.at = found.end
        look = self._look(found.steps)
        is_refused = any(related_to_all(each) is not None or _is_of_unknown(each) for each in found.steps)
        readings = (found.steps,) if is_refused else (found.steps, *found.rivals)
        return Chain(self.chosen(by_distinct_name(readings, _described, _in_full)), look)

    def _longest(self, at: int, *, chained: bool, depth: int) -> _Found | None:
        """The longest and then cheapest reading; equally cheap ones with another meaning are its rivals."""
        best: _Found | None = None
        for reading in self._parts(at, chained=chained):
            end = self._part_end(reading.end)
            if end is None:
                continue
            found = _Found(end, reading.cost, reading.steps)
            following = self._following(end) if depth < MAX_PARTS else None
            if following is not None and following not in self._following_steps:
                self._following_steps[following] = self._longest(following, chained=True, depth=depth + 1)
            more = self._following_steps[following] if following is not None else None
            if (
                more is not None
                and any(each.previous for each in features_of(more.steps[0]))
                and not _asks_of_counted(reading.steps[-1], more.steps[0])
                and not _sorts_by_others(reading.steps, more.steps[0])
            ):
                rivals = tuple((*reading.steps, *rival) for rival in more.rivals)
                found = _Found(more.end, reading.cost + more.cost, (*reading.steps, *more.steps), rivals)
            if best is None or (found.end, -found.cost) > (best.end, -best.cost):
                best = found
            elif (found.end, found.cost) == (best.end, best.cost):
                known = {repr(_key(steps)) for steps in (best.steps, *best.rivals)}
                others = [each for each in (found.steps, *found.rivals) if repr(_key(each)) not in known]
                best = replace(best, rivals=(*best.rivals, *others))
        return best

    def _parts(self, at: int, *, chained: bool) -> list[Reading]:
        context = Context(self.vocabulary, self.tags.tables_of, chained)
        found: list[Reading] = []
        for rule in self._rules:
            for edge in self.chart.read_whole(rule.template.node, at):
                ordered = self._past_order(edge.end)
                if edge.end == at or (ordered is None and self._part_end(edge.end) is None):
                    continue
                steps = rule.build(dict(edge.bindings), context)
                if steps is not None:
                    text = with_layer_names(self.text(at, edge.end).strip(" ?!."), self.vocabulary)
                    named = tuple(replace(each, text=text) for each in totals.in_individuals(steps, context))
                    end = ordered if ordered is not None and are_groups(steps[-1]) else edge.end
                    found.append(Reading(end, edge.cost + rule.cost, named))
        return sorted(found, key=lambda each: (-each.end, each.cost))

    def _made(self, at: int) -> list[Span]:
        """Rows that nested steps make: `the 20 largest cities`, `cities within 50 km of Ulm`."""
        if at in self._known_made:
            return self._known_made[at]
        context = Context(self.vocabulary, self.tags.tables_of, within=True)
        found = self._known_made[at] = []
        for rule, node in self._row_rules:
            for edge in self.chart.read_whole(node, at):
                steps = rule.build(dict(edge.bindings), context)
                first = inputs_of(steps[0])[0] if steps else None
                if steps and first is not None and (first.mention is not None or first.place):
                    rows = Features(first.mention, text=self.text(at, edge.end), made=steps)
                    found.append(Span(edge.end, rows, edge.cost + rule.cost + MADE))
        return found

    def _past_order(self, at: int) -> int | None:
        """The position after `, highest first`; answers list groups in that order anyway."""
        self.cursor.at = at
        self.cursor.take("?", "!", ".")
        return self.cursor.at if self.cursor.take(p.GREATEST_FIRST) else None

    def _part_end(self, at: int) -> int | None:
        """The end of a part read up to `at`, including closing words; None if more belongs to it."""
        cursor = self.cursor
        cursor.at = at
        sentence: int | None = None
        while not (self._in_part and cursor.sees("on the map")) and (
            cursor.take(p.TAIL) or cursor.take_meaning() or cursor.take(*_SENTENCE_ENDS)
        ):
            if cursor.word(-1) in _SENTENCE_ENDS:
                sentence = cursor.at - 1  # a polite sentence may follow: `… of a school? Please show them`
        stops = cursor.done or cursor.word() in _STOPS or self._starts_look(cursor.at)
        return cursor.at if stops else sentence

    @property
    def _in_part(self) -> bool:
        """Whether a layer shows only a part of its table, so that `on the map` restricts rows."""
        return any(layer.filter is not None for layer in self.vocabulary.layers)

    def _following(self, at: int) -> int | None:
        cursor, self.cursor.at = self.cursor, at
        if not cursor.take(*_JOINERS, *_SENTENCE_ENDS) and cursor.word() not in ("sorted", "ordered"):
            return None
        while cursor.take(p.FLUFF):
            pass
        return cursor.at if not cursor.done else None

    def _starts_look(self, at: int) -> bool:
        """Whether all that follows describes the style of the result, without a joiner."""
        if at not in self._starting_looks:
            # prevents recursion while reading columns, which may end where a style begins
            self._starting_looks[at] = False
            before, self.cursor.at = self.cursor.at, at
            self._starting_looks[at] = self._look_words(grouped=False).take(joined=False) is not None
            self.cursor.at = before
        return self._starting_looks[at]

    def _look(self, steps: Steps) -> ResultLook | None:
        """The style after the steps: `..., coloured by elevation`, `... and draw the result in blue`."""
        cursor, start = self.cursor, self.cursor.at
        joined = cursor.take(*_JOINERS, *_SENTENCE_ENDS) is not None or cursor.word(-1) in _SENTENCE_ENDS
        while cursor.take(p.FLUFF):
            pass
        found = self._look_words(grouped=self._are_groups(steps[-1])).take(joined=joined)
        end = self._part_end(cursor.at) if found is not None else None
        cursor.at = start if end is None else end
        if end is None or found is None or (found.look.empty and not found.is_map):
            return None
        return found.of_groups() if found.is_map or are_groups(steps[-1]) else found

    def _look_words(self, *, grouped: bool) -> ResultLooks:
        roots, spans = self.tags.roots, self.tags.spans
        return ResultLooks(self.cursor, self.vocabulary, roots, spans, self._ends, grouped=grouped)

    def _ends(self, at: int) -> bool:
        """Whether the request may end at a token."""
        before, self.cursor.at = self.cursor.at, at
        while self.cursor.take(p.TAIL) or self.cursor.take("?", "!", "."):
            pass
        ended = self.cursor.done or self.cursor.word() in _STOPS
        self.cursor.at = before
        return ended

    def _are_groups(self, last: AnalysisStep | Grouped) -> bool:
        """Whether further figures can be calculated for each row of the result."""
        if isinstance(last, Grouped):
            return last.part is None and not last.of_all
        traits = next((each.traits for each in self.language.operations if each.name == last.operation), ())
        return "groups" in traits and "by" in dict(last.arguments)


def _asks_of_counted(before: AnalysisStep | Grouped, after: AnalysisStep | Grouped) -> bool:
    """Whether a question after a count is about the counted rows: `cities in each country, and how many of them are
    in no country`; the previous rows are groups or countries."""
    counts = isinstance(before, Grouped) or before.operation == "spatial_join"
    selects = isinstance(after, AnalysisStep) and after.operation == "select_by_location"
    return counts and selects and "how many" in after.text.lower()


def _sorts_by_others(steps: Steps, after: AnalysisStep | Grouped) -> bool:
    """Whether the order refers to rows that were not counted: `count trees in each district, sorted by number of
    schools`."""
    ranking = dict(after.arguments).get("by") if isinstance(after, AnalysisStep) else None
    if not isinstance(ranking, Ranking) or ranking.rows is None:
        return False
    # skip steps that only filter: `districts with at least 2 schools`
    counting = next(
        (each for each in reversed(steps) if not all(of.previous for of in inputs_of(each))), steps[0]
    )
    counted = dict(counting.inputs).get("other") if isinstance(counting, AnalysisStep) else None
    rows = (counted or inputs_of(counting)[0]).mention
    return rows is None or not set(rows.tables) & set(ranking.rows.tables)
