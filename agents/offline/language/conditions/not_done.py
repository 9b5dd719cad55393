"""Conditions on what was done at a time, and what was not: `done in March 2025`, `never inspected`, `no maintenance
since 2020`, `that don't run on Sundays`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from agents.domain import Column
from agents.offline.language import phrasebook as p
from agents.offline.language.conditions.comparisons import Comparisons
from agents.offline.language.conditions.flags import is_flag, words_of_column
from agents.offline.language.conditions.times.days import take_period
from agents.offline.language.conditions.times.relative import take_age
from agents.offline.language.conditions.value_text import ends_value
from agents.offline.language.conditions.verbs import (
    is_empty_where_not,
    records,
    records_only_action,
    words_where_held,
)
from agents.offline.language.names.columns import columns_called
from agents.offline.language.names.comments import HEAD_ENDS
from agents.offline.language.names.dates import due_dates
from agents.offline.language.nouns import take_column
from agents.offline.language.words import (
    Phrases,
    are_forms,
    fold,
    is_participle,
    name_words,
    participle_of,
    singular,
    word_set,
)
from agents.offline.meaning.conditions import (
    ColumnMention,
    Compare,
    Condition,
    Empty,
    Negation,
    OneOf,
    at_date,
    is_bare_time,
    joined,
)

WE_DID = ("did we", "did they", "we", "they", "have we", "have they", "did you")
_DATES = ("date", "timestamp")

DONE_IN = Phrases("""
    [that were|which were|were] (done|made|carried out|conducted|performed|undertaken)
    | [that|which] (happened|occurred|took place)
""")
"""Verbs that say no more than the rows do."""
OVERDUE = Phrases("overdue | past due")

MAX_STATED = 10
"""Maximum number of words of a statement about one column."""
_COLUMN, _GOT, _NOT, _OPENS, _ENDS, _PASSED_OVER = "column", "got", "not", "opens", "ends", "passed over"
_ROLES = {
    word: role
    for role, words in {
        _ENDS: HEAD_ENDS | {"and", "or", "but", ","},  # some of which have another role below
        _OPENS: word_set("where whose with that which who"),
        "is": word_set("is are was were be been being do does did"),
        "has": word_set("has have had"),
        _NOT: word_set("no not never isn't aren't wasn't weren't hasn't haven't hadn't didn't don't doesn't"),
        _GOT: word_set(
            "got get getting received receive receiving given taken made done found installed recorded counted measured"
            " surveyed data"
        ),
        _PASSED_OVER: word_set("the a an any its their yet still ever"),
    }.items()
    for word in words
}
"""The roles of words in a statement; all others may name a column (`_COLUMN`)."""
_STATEMENT = re.compile(
    r"""
    (opens,)? (
        (column,)+ ( (is,|has,)+ (not,)? (is,)* | not,(is,)* | (got,)+ (not,)? ) (column,|got,)+
        | (is,|has,)* not,(is,|has,)* (got,|has,) (column,)+
        | not,(column,)+ ( (is,|has,)+ (column,|got,)+ | (got,)+ )
    )""",
    re.VERBOSE,
)
"""The roles in statements, in their order: `stubble was burnt`, `shc not issued`, `tail gets no water`; `never got a
grant`; `no filter was given`, `no boardings data`."""


def _in_order(roles: Iterable[str]) -> str:
    """The roles as `_STATEMENT` matches them."""
    return "".join(f"{each}," for each in roles if each != _PASSED_OVER)


def _denies_something_else(roles: Sequence[str]) -> bool:
    """Whether columns are named before and after a denial: `with fault not repaired` are those with a fault."""
    denials = (at for at, role in enumerate(roles) if role == _NOT)
    return any(_COLUMN in roles[:at] and _COLUMN in roles[at:] for at in denials)


def _has_words(column: Column, words: Sequence[str]) -> bool:
    """Whether the name and comment of a column have all words, also in other forms."""
    own = words_of_column(column)
    return all(word in own or any(are_forms(word, each) for each in own) for word in words)


class NotDone(Comparisons):
    """Rules for actions that did not happen."""

    def one(self) -> Condition | None:
        """One condition of any kind; implemented by the full set of rules."""
        raise NotImplementedError

    def done_in_time(self) -> Condition | None:
        """`inspections done in March 2025`: the time of the rows; `outages that started in May`, `did we close in May`:
        the date called so."""
        done = self.cursor.take(DONE_IN)
        if done is None:
            self.cursor.take("that", "which")
            did = self.cursor.take("are", "is", "were", "was", *WE_DID) in WE_DID
            done = participle_of(self.cursor.word()) if did else self.cursor.word()
            self.cursor.at += 1
        dates = self._dates_of(done.rpartition(" ")[2], is_known=done in DONE_IN)
        found = self.one() if done in DONE_IN or len(dates) == 1 else None
        if found is None or not is_bare_time(found):
            return None
        return at_date(found, ColumnMention(done, tuple(dates))) if len(dates) == 1 else found

    def _dates_of(self, verb: str, *, is_known: bool) -> set[str]:
        """The dates of an action. A verb that is a state, too (`closed`), must be all that the date's name tells."""
        if not (is_known or is_participle(verb) or verb.endswith("ing")):
            return set()
        columns = self.columns
        is_state = any(fold(value) == verb for each in columns for value in each.samples)
        tells = records_only_action if is_state else records
        return {each.name for each in columns if each.kind in _DATES and tells(each, verb)}

    def not_doing(self) -> Condition | None:
        """`that don't run on Sundays`: false, for a boolean column; `that don't use the euro`."""
        taken, verb = self.cursor.take(p.DO_NOT), self.cursor.word()
        inner = self.one() if taken is not None and verb != "have" else None
        if isinstance(inner, OneOf) and verb == "use":
            return Negation(inner)
        return replace(inner, value=False) if isinstance(inner, Compare) and inner.value is True else None

    def never_done(self) -> Condition | None:
        """`never inspected`, `not inspected since 2020`, `with no inspection since 2020`: rows without a date of it, or
        with an empty column whose comment says “empty where never counted”."""
        cursor, start = self.cursor, self.cursor.at
        cursor.take("that have", "which have", "have", "has", "that were", "which were", "were", "was", "are")
        taken = cursor.take(p.NEVER)
        if taken is None:
            return self._nothing_since()
        word = cursor.word()
        known = self.vocabulary.values_called((word,)) if taken != "never" else ()
        if any(table in self.tables for table, _, _ in known):
            return None  # `not closed`, for a column with a value `Closed`
        columns = {each.name: each for each in self.columns}.values()
        is_dated = cursor.word(1) in (
            "since",
            "after",
            "before",
        )  # else a column may be empty for that reason
        empty = [] if is_dated else [each for each in columns if is_empty_where_not(each, word)]
        (column,) = found if len(found := empty or self._dated(word)) == 1 else (None,)
        if column is None or not word.endswith(("ed", "en", "wn")):
            return None
        cursor.at += 1
        known_words = {*name_words(column.comment or ""), *name_words(column.name)}
        while cursor.word() in ("by", "on", "in") and cursor.word(1):
            ahead = 2 if cursor.word(1) in ("a", "an", "the") else 1
            if singular(cursor.word(ahead)) not in known_words - {"last"}:
                break
            cursor.at += ahead + 1
        mention = ColumnMention(cursor.since(start), (column.name,))
        if not empty and (ago := self._for_so_long(mention)) is not None:
            return joined("or", [ago, Empty(mention, undone=True)])
        since = take_period(cursor, mention) or self.comparison(mention) if not empty else None
        undone = Empty(mention, undone=True)
        return undone if since is None else joined("or", [Negation(since), undone])

    def overdue(self) -> Condition | None:
        """`overdue for inspection`, `whose inspection is overdue`, of rows with one due date, that of an inspection."""
        cursor, start = self.cursor, self.cursor.at
        said = (
            take_column(cursor, self.vocabulary, self.tables)
            if cursor.take("whose", "with", "where")
            else None
        )
        cursor.take("that are", "which are", "are", "is")
        if cursor.take(OVERDUE) is None:
            return None
        if said is None and cursor.take("for a", "for an", "for their", "for"):
            said = take_column(cursor, self.vocabulary, self.tables)
            if said is None:
                return None
        due = {each.name for table in self.tables for each in due_dates(table)}
        is_it = len(due) == 1 and (said is None or due == {*said.columns})
        return OneOf(cursor.since(start), how="kind") if is_it else None

    def stated(self) -> Condition | None:
        """`where stubble was burnt`, `with card not issued`, `that never got a grant`, `where no filter was given`: the
        flag that the words tell of, or deny; for the only other column that they name, that its value is missing."""
        if (held := self._held_where()) is not None:
            return held
        cursor, start = self.cursor, self.cursor.at
        words = cursor.words[start : start + MAX_STATED]
        if not _STATEMENT.match(_in_order(_ROLES.get(word, _COLUMN) for word in words)):
            return None
        roles, named = self._roles_and_words()
        columns = {each.name: each for each in self.columns}
        found = [each for each in columns.values() if is_flag(each) and _has_words(each, named)]
        denied = _NOT in roles
        if not found and denied and not _denies_something_else(roles):
            found = [columns[each] for each in columns_called(self.tables, tuple(named))]
        words = [
            word for word in cursor.words[start : cursor.at] if _ROLES.get(word, _COLUMN) in (_COLUMN, _GOT)
        ]
        known = (each for word in words if word for each in self.vocabulary.values_called(name_words(word)))
        is_value = any(table in self.tables for table, _, _ in known)
        is_statement = _STATEMENT.fullmatch(_in_order(roles)) is not None
        if len(found) == 1 and not is_value and is_statement and ends_value(cursor):
            mention, last = ColumnMention(cursor.since(start), (found[0].name,)), cursor.word(-1)
            if is_flag(found[0]) and not (denied and is_empty_where_not(found[0], last)):
                return Compare("=", not denied, mention)
            return Empty(mention, unknown=is_flag(found[0]))
        cursor.at = start
        return None

    def _held_where(self) -> Condition | None:
        """`where airlines fly`, `that airlines fly to`: a value of the column whose comment says “only where airlines
        fly”."""
        cursor, start = self.cursor, self.cursor.at
        cursor.take("where", "that", "which")
        for column in self.columns:
            words = words_where_held(column)
            if len(words) > 1 and tuple(cursor.words[cursor.at : cursor.at + len(words)]) == words:
                cursor.at += len(words)
                cursor.take("to", "from", "at", "in")
                if ends_value(cursor):
                    return Negation(Empty(ColumnMention(cursor.since(start), (column.name,))))
        cursor.at = start
        return None

    def _roles_and_words(self) -> tuple[list[str], list[str]]:
        """The roles of the next words, and the words that name a column; moves the cursor behind them."""
        roles, named = list[str](), list[str]()
        columns = self.columns
        while len(roles) < MAX_STATED and (word := self.cursor.word()):
            role = _ROLES.get(word, _COLUMN)
            if role == _COLUMN or (role == _GOT and named):
                having_all = [each for each in columns if _has_words(each, name_words(word))]
                if having_all:
                    role, columns = _COLUMN, having_all
                    named += name_words(word)
                elif role == _COLUMN:
                    break
            elif role == _ENDS or (role == _OPENS and roles):
                break
            if role != _PASSED_OVER:
                roles.append(role)
            self.cursor.at += 1
        return roles, named

    def _for_so_long(self, column: ColumnMention) -> Compare | None:
        """`for more than two years`, after `not calibrated`: longer ago than that."""
        start = self.cursor.at
        if self.cursor.take("for", "in"):
            self.cursor.take("more than", "over", "at least")
            if (value := take_age(self.cursor, sure=True)) is not None:
                return Compare(">", value, column, measure="old")
        self.cursor.at = start
        return None

    def _nothing_since(self) -> Condition | None:
        """`had no maintenance since 2020`, `without an inspection after May 2021`."""
        cursor = self.cursor
        noun = singular(cursor.word()) if cursor.take("had no", p.WITHOUT) else ""
        dated = self._dated(noun) if noun else []
        cursor.at += 1
        if len(dated) != 1 or cursor.word() not in ("since", "after"):
            return None
        mention = ColumnMention(noun, (dated[0].name,))
        since = self.comparison(mention)
        return joined("or", [Negation(since), Empty(mention)]) if since is not None else None

    def _dated(self, word: str) -> list[Column]:
        """The dates of an action: `last_insp` of `inspected`, `maint_date` of `maintenance`."""
        own = [each for each in self.columns if each.kind in _DATES]
        recorded = [each for each in own if records(each, word)]
        named = columns_called(self.tables, (word,), lambda each: each.kind in _DATES)
        return recorded or [each for each in own if each.name in named]
