"""Parses a request into commands. Every rule is tried at the start of a command; the first to read it to its end
wins.

`parse` never fails: what no rule can read becomes `NotUnderstood`, with the part that was read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from agents.domain import Table
from agents.offline.answers.unsupported import unsupported
from agents.offline.commands import exports
from agents.offline.commands.assembly.joined import apply_to_all_nouns, is_contrast, refuse_unread, with_next
from agents.offline.commands.assembly.mapped import read_otherwise
from agents.offline.commands.assembly.questions import asks_more, has_doubts, read_question
from agents.offline.commands.drawing import DrawingCommands
from agents.offline.commands.plans.chart_wishes import charted_as_wished
from agents.offline.commands.plans.ranked_charts import charted_groups
from agents.offline.commands.questions import DataCommands
from agents.offline.commands.requests import CommandReader, CommandSet
from agents.offline.commands.tables_named import on_the_map, them_alone
from agents.offline.commands.tools import tool_commands
from agents.offline.coverage import COMMANDS, refuse_two_styles, unread_words
from agents.offline.language import phrasebook as p
from agents.offline.language.conditions.geometries import take_everywhere
from agents.offline.language.conditions.ranks import first_of
from agents.offline.language.conditions.rates import compares_rate
from agents.offline.language.cursor import cursor_of
from agents.offline.language.lexicon import ASKING, COLOUR, SHOW, STARTS
from agents.offline.language.reading import MAX_COMMANDS, TOO_LONG, Ambiguous, Unreadable
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.meaning.conditions import MOST_FIRST
from agents.offline.meaning.intents import (
    Analyse,
    Command,
    Count,
    Intent,
    NotUnderstood,
    Rows,
    RunSql,
    SeveralMeanings,
    Show,
    Statistic,
    TooMuch,
)

MAX_QUESTION_TOKENS = 40
"""Maximum length of a question with pieces in any order; longer requests are several commands."""
MAX_PARTS_TRIED = 3
MAX_SINCE_WITH = 12
"""Maximum number of words from `with` to `and` between two things that rows may have."""

_ON_THE_MAP = re.compile(
    r"(?i)\b((on|in|from) (the|my|a) map|(are|is) (now )?(shown|visible|displayed)"
    r"(?!\s+(?!in|on|at|now|here|right|currently)\w))\b"
)
_COMMANDS, _EXPORTS = CommandSet(COMMANDS), CommandSet(exports.COMMANDS)
_JOINED = re.compile(r"[ ,;]*\b(?:and|then)?\s*(?:please\s*)?$", re.IGNORECASE)
_AS_LIST = re.compile(r"(?i)\b(?:as|in|as a|in a) (?:table|list)\W*$|^which\b.+\bon the map\W+\w")
_SQL = re.compile(r"\s*(?:/sql\b|sql:)\s*(?P<statement>\S.*)\Z", re.IGNORECASE | re.DOTALL)


def parse(text: str, vocabulary: Vocabulary, default: Table | None = None, start: int = 0) -> list[Command]:
    """The commands of a request in order, from `start` on. `default`: the table of the layer mentioned last."""
    if written := _SQL.match(text):
        whole = Command(RunSql(written["statement"].rstrip()), 0, len(text), text.strip())
        return [whole] if start == 0 else []
    try:
        if charted := charted_as_wished(text, start, vocabulary, default, parse):
            return charted
        parser = Parser(text, vocabulary, default)
        commands = parser.commands(start)
        meant = [each.intent for each in commands]
        unread = next((at for at, each in enumerate(meant) if is_unread(each)), None)
        refuse_two_styles(meant)
        doubtful = any(has_doubts(each, vocabulary) for each in meant) or asks_more(meant, text[start:])
        if unread is None and not doubtful:
            return commands
        question = Parser(text, vocabulary, default).question(start)
        if question is None and unread is not None:
            question = read_otherwise(text, start, vocabulary, default, parse)
        if question is None and unread is not None:
            parts = _question_first(text, vocabulary, default, start)
            if parts is None and unread and not is_contrast(text, commands[unread].start):
                question = Parser(text, vocabulary, parser.default).question(
                    commands[unread].start, goes_on=True
                )
                if question is not None:
                    before = apply_to_all_nouns(text, commands[:unread], question, vocabulary, parse)
                    parts = [*before, question]
            return parts or commands
        is_better = unread is not None or (question is not None and not _doubts(question, vocabulary))
        return [question] if question is not None and is_better else commands
    except Unreadable as beyond_bounds:
        return [Command(TooMuch(beyond_bounds.reason), start, len(text), text[start:])]


def _question_first(
    text: str, vocabulary: Vocabulary, default: Table | None, start: int
) -> list[Command] | None:
    """A question with pieces in any order, then commands about its rows: `…: list with density, and map them in
    orange`."""
    tokens = cursor_of(text).tokens
    begins = [each.start for each in tokens if each.lower in SHOW | COLOUR and each.start > start]
    for begin in begins[:MAX_PARTS_TRIED]:
        head = Parser(_JOINED.sub("", text[:begin]), vocabulary, default).question(start)
        if head is None or _doubts(head, vocabulary):
            continue
        tables: Sequence[str] = getattr(getattr(head.intent, "subject", None), "tables", ())
        rest = parse(text, vocabulary, vocabulary.table(tables[0]) if len(tables) == 1 else default, begin)
        if not any(is_unread(each.intent) for each in rest):
            return [head, *rest]
    return None


def is_sql(text: str) -> bool:
    """Whether a message is an SQL statement, which is not parsed here."""
    return _SQL.match(text) is not None


class Parser(DrawingCommands, DataCommands):
    """Parses a message into one or more intents."""

    def __init__(self, text: str, vocabulary: Vocabulary, default: Table | None = None) -> None:
        super().__init__(cursor_of(text), vocabulary, default)
        self.text = text
        self._start = 0
        self._tool_commands = CommandSet(commands) if (commands := tool_commands(vocabulary.tools)) else None
        self._readers: dict[int, CommandReader] = {}
        self._analyses: dict[int, tuple[int, Intent | None]] = {}

    @property
    def rules(self) -> tuple[Callable[[], Intent | None], ...]:
        """In order of precedence, if several can read a command to its end."""
        return (
            self.by_tool, self.export, self.out_of_reach,
            self.read_analysis, self.map_of, self.by_template, self.unread_analysis, self.count,
            self.exclude, self.statistic, self.rows, self.refine, self.widen, self.replace_filter,
            self.show, self.bare, self.condition_alone, self.lookup,
        )  # fmt: skip

    def bare(self) -> Intent | None:
        """A noun phrase, but not after a question: `which district has the most trees and schools` asks about both."""
        begin, at = self.cursor.tokens[self._start].lower, self.cursor.at
        joined = at > self._start and self.cursor.word(-1) in ("and", "or", ",", "&")
        if (
            joined
            and begin not in SHOW
            and (begin in ASKING or begin in STARTS or begin in self._language.verbs)
        ):
            return None
        if self.cursor.word(-1) in ("and", "&", "but") and begin not in SHOW and self._says_with(at):
            return None  # `parks with a playground and trees` may be parks with both
        return super().bare()

    def _says_with(self, at: int) -> bool:
        """Whether what the rows have was said right before: nothing but articles and nouns since `with`."""
        words = self.cursor.words[max(0, at - MAX_SINCE_WITH) : at]
        return bool({"with", "having", "have", "has"} & {*words})

    def read_analysis(self) -> Intent | None:
        """An analysis; cached, because it is also tried to see whether the previous command may end here."""
        start = self.cursor.at
        if start not in self._analyses:
            found = charted_groups(self.cursor, super().read_analysis)
            self._analyses[start] = (self.cursor.at, found)
        self.cursor.at, intent = self._analyses[start]
        return intent

    def by_template(self) -> Intent | None:
        """A command that is read by templates."""
        return self._by(_COMMANDS)

    def by_tool(self) -> Intent | None:
        """A command with a tool's own phrases, which take precedence."""
        return self._by(self._tool_commands) if self._tool_commands else None

    def export(self) -> Intent | None:
        """An export; tried before `out_of_reach`, which refuses other requests about files."""
        return self._by(_EXPORTS)

    def _by(self, commands: CommandSet) -> Intent | None:
        if id(commands) not in self._readers:
            self._readers[id(commands)] = CommandReader(self.cursor, self.vocabulary, self.default, commands)
        return self._readers[id(commands)].read(self._ends_here)

    def _ends_here(self) -> bool:
        self._take_tail()
        return self._at_end()

    def out_of_reach(self) -> Intent | None:
        """An unsupported request; takes the rest of the message, which may belong to it."""
        cursor, start = self.cursor, self.cursor.at
        cursor.at = cursor.end
        return unsupported(cursor.since(start), self.vocabulary)

    def commands(self, start: int = 0) -> list[Command]:
        """All commands from `start` on. Raises Unreadable."""
        commands: list[Command] = []
        self._skip_to(start)
        while True:
            self._skip_joiners()
            if self.cursor.done:
                return refuse_unread(commands)
            if len(commands) == MAX_COMMANDS:
                raise TOO_LONG
            command = self._of_the_same(self._command(), commands)
            commands = with_next(self.text, commands, command, self.vocabulary, parse)
            self._speak_of(commands[-1].intent)

    def question(self, start: int, *, goes_on: bool = False) -> Command | None:
        """The rest of the request as a question with pieces in any order; `goes_on`: commands precede."""
        self._skip_to(start)
        self._skip_joiners()
        begin = self.cursor.at
        is_short = 0 < self.cursor.end - begin <= MAX_QUESTION_TOKENS
        if not is_short or compares_rate(self.cursor, self.vocabulary):
            return None
        try:
            meant = read_question(self.cursor, self.vocabulary, self.default, goes_on=goes_on or start > 0)
        except Ambiguous as several:
            return self._made(SeveralMeanings(several.meanings), begin)
        except Unreadable:
            return None
        if meant is None:
            return None
        intent = Analyse("", is_read=True, steps=meant) if isinstance(meant, tuple) else meant
        made = self._made(intent, begin)
        return None if isinstance(made.intent, NotUnderstood) else made

    def _skip_to(self, start: int) -> None:
        while (token := self.cursor.token()) is not None and token.start < start:
            self.cursor.at += 1

    def _of_the_same(self, command: Command, before: list[Command]) -> Command:
        """The command with the rows of the previous ranking: `which line is the longest and which the shortest?`"""
        meant = command.intent
        if not (
            isinstance(meant, Rows) and meant.top is not None and meant.subject.pronoun and command.start
        ):
            return command
        before = before or Parser(self.text[: command.start], self.vocabulary).commands()
        ranked = before[-1].intent if before else None
        if not (
            isinstance(ranked, Rows) and ranked.top is not None and command.text.lower().startswith("which")
        ):
            return command
        if meant.where is not None or meant.columns:
            # It is unclear whether the first conditions still apply.
            return replace(command, intent=NotUnderstood("", command.text))
        return replace(command, intent=replace(ranked, top=meant.top, limit=meant.limit))

    def _speak_of(self, intent: Intent) -> None:
        """Make the table that is shown or asked about the default of the next command."""
        shown = intent.subject.tables if isinstance(intent, Show | Count | Rows) else ()
        table = self.vocabulary.table(shown[0]) if len(shown) == 1 else None
        if table is not None:
            self.default = table
            self._readers, self._analyses = {}, {}

    def _skip_joiners(self) -> None:
        while self.cursor.take(p.JOINERS) or self._take_fluff():
            pass

    def _take_fluff(self) -> bool:
        """Read polite words, unless they are the whole request (`hello`)."""
        cursor, start = self.cursor, self.cursor.at
        if praise := cursor.take(p.PRAISE):
            self._skip_joiners()
        taken = praise or cursor.take(p.FLUFF)
        asks = taken is None and cursor.take("tell me", "and tell me") and cursor.word() in ASKING
        # `just the fires` is a condition, `first` may be a bus company.
        is_command = cursor.word() in STARTS or not (praise or taken in ("just", "first", "next"))
        is_polite = bool(taken or asks) and not cursor.done and is_command
        cursor.at = cursor.at if is_polite else start
        return is_polite

    def _command(self) -> Command:
        cursor, start = self.cursor, self.cursor.at
        self._start = furthest = start
        partial: Intent | None = None
        for rule in self.rules:
            cursor.at = start
            intent = self._tried(rule)
            if intent is None:
                continue
            intent, reached = first_of(cursor, intent), cursor.at
            self._take_tail()
            if self._at_end() and not _of_unknown_noun(intent):
                return self._made(intent, start)
            if reached > furthest:
                furthest, partial = reached, intent
        cursor.at = start
        if cursor.take("also", "too") and not cursor.done:
            return self._command()
        spatial = self.analysis()
        if spatial is not None:
            return self._made(spatial, start)
        return self._not_understood(start, furthest, partial)

    @staticmethod
    def _tried(rule: Callable[[], Intent | None]) -> Intent | None:
        try:
            return rule()
        except Ambiguous as several:
            return SeveralMeanings(several.meanings)

    def _not_understood(self, start: int, furthest: int, partial: Intent | None) -> Command:
        """What was read, and what was not. An unknown noun keeps its intent, to be refused specifically."""
        cursor = self.cursor
        cursor.at = furthest
        self._take_tail()
        if partial is not None and _of_unknown_noun(partial) and self._at_end():
            return self._made(partial, start)
        cursor.at = furthest
        understood = cursor.since(start)
        cursor.at = cursor.end
        rest = self._between(furthest, cursor.end)
        return self._made(NotUnderstood(understood, rest), start)

    def _take_tail(self) -> None:
        while True:
            cursor, start = self.cursor, self.cursor.at
            cursor.take(",")
            if not (cursor.take(p.TAIL) or cursor.take_meaning() or take_everywhere(cursor, self.vocabulary)):
                self.cursor.at = start
                return

    def _at_end(self) -> bool:
        """Whether the command may end here: nothing follows, or a joiner and the start of a command."""
        cursor, start = self.cursor, self.cursor.at
        if cursor.done:
            return True
        try:
            joiner = cursor.take(p.JOINERS)
            all_but = joiner == "but" and {"all", "every"} & set(cursor.words[self._start : start])
            denies = cursor.word() == "no" or (
                joiner == "but" and cursor.word() in ("not", "never", "without")
            )
            if joiner is None or denies or (all_but and cursor.word() not in STARTS):  # `every tree but oaks`
                return False
            sure = cursor.word(-1) in (";", ".", "!", "?", "then", "afterwards", "finally")
            self._skip_joiners()
            return cursor.done or sure or self._may_begin()
        finally:
            cursor.at = start

    def _may_begin(self) -> bool:
        cursor = self.cursor
        if cursor.word() in STARTS:
            return True
        start = cursor.at
        try:
            for rule in self.rules:
                cursor.at = start
                intent = self._tried(rule)
                if intent is not None and not _of_unknown_noun(intent):
                    return True
            return False
        finally:
            cursor.at = start

    def _made(self, intent: Intent, start: int) -> Command:
        first, last = self.cursor.tokens[start], self.cursor.tokens[max(self.cursor.at - 1, start)]
        text = self.text[first.start : last.end].strip()
        if isinstance(intent, Analyse) and not intent.chart:
            intent = replace(intent, goal=text)
        elif isinstance(intent, Show) and intent.look.empty and _AS_LIST.search(text):
            limit = intent.top.limit if intent.top is not None and intent.top.limit else MOST_FIRST
            intent = Rows(intent.subject, intent.where, intent.top, limit)
        elif _AS_LIST.search(text) and (them := them_alone(intent)) is not None:
            intent = Rows(them)
        if isinstance(intent, Count | Statistic | Rows) and _ON_THE_MAP.search(text):
            intent = on_the_map(intent, self.vocabulary, text)
        if unread_words(text, intent, self.vocabulary.tools):
            intent = NotUnderstood("", text)
        return Command(intent, first.start, last.end, text)

    def _between(self, start: int, end: int) -> str:
        tokens = self.cursor.tokens
        return "" if start >= end else self.text[tokens[start].start : tokens[end - 1].end]


def _doubts(question: Command, vocabulary: Vocabulary) -> bool:
    return isinstance(question.intent, SeveralMeanings) or has_doubts(question.intent, vocabulary)


def is_unread(intent: Intent) -> bool:
    """Whether a command could not be read, or is about an unknown noun."""
    if isinstance(intent, Analyse):
        return not intent.is_read
    return isinstance(intent, NotUnderstood) or _of_unknown_noun(intent)


def _of_unknown_noun(intent: Intent) -> bool:
    """Whether it is about a noun that matches nothing; refused if nothing else can be read."""
    return isinstance(intent, Show | Rows) and not intent.subject.known
