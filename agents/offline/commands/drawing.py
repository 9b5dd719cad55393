"""Rules for commands that show, filter, colour and label. Each reads one command from the cursor, or returns None."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from agents.domain import StyleKind
from agents.offline.language import phrasebook as p
from agents.offline.language.conditions.flags import DONE, is_flag, tables_by_flag
from agents.offline.language.conditions.rules import Conditions
from agents.offline.language.lexicon import ARTICLES, SHOW, STARTS
from agents.offline.language.looks import phrases as style
from agents.offline.language.subjects import Grammar, Subject
from agents.offline.language.words import Phrases, is_plural, name_words, singular
from agents.offline.meaning.alike_places import PLACES
from agents.offline.meaning.conditions import (
    Compare,
    Condition,
    Group,
    Mention,
    Negation,
    OneOf,
    Quantity,
    all_of,
    joined,
)
from agents.offline.meaning.intents import Intent, Look, Refine, Restyle, Rows, SetVisible, Show
from agents.offline.meaning.row_names import name_column
from agents.offline.meaning.units import is_year

_MAPS_OF: tuple[tuple[Phrases, StyleKind], ...] = (
    (p.HEAT_MAP_OF, "heatmap"),
    (p.HEXBINS_OF, "hexbin"),
    (p.SQUARES_OF, "grid"),
    (p.CLUSTERS_OF, "cluster"),
    (style.SCALED_OF, "proportional"),
)
_LAYER_VERBS: dict[str, Literal["hide", "remove"]] = {"hide": "hide", "remove": "remove", "drop": "remove"}
_ROW_VERBS = ("exclude", "leave out", "omit", "filter out", "skip")
"""Verbs that never remove or hide a layer."""
_MOST_NOUN_WORDS = 3
_COMPARING = frozenset(("=", "==", ">", "<", ">=", "<=", "!=", "<>", "is", "equals", "contains"))
_VERBS_OF_QUESTIONS = frozenset(("are", "is", "do", "does", "has", "have", "was", "were"))


_PLACES = {name_words(kind) for kinds in PLACES for kind in kinds}
_STATE_KINDS = ("boolean", "text", "date", "timestamp")
_MAP_OF = ("a map of", "the map of", "map of", "a map with", "map with", "a world map of", "world map of",
           "a world map with", "world map with")  # fmt: skip
_LIVE = Phrases("live | happen | occur | grow | stand | lie")
_CLOSED = {"close", "closing"} | DONE
"""Dates without a value are open, and so are false flags."""


class DrawingCommands(Grammar):
    """The commands that show and restyle layers, read word by word."""

    def map_of(self) -> Intent | None:
        """`hexbins of airports`. Tried before unread analyses, whose verbs occur here too."""
        kind = next((kind for phrases, kind in _MAPS_OF if self.cursor.take(phrases)), None)
        shown = None if kind is None else self._shown(self.subject(unknown=True, one=True), kind=kind)
        if kind == "proportional" and isinstance(shown, Show):
            look = self.looks(shown.subject).scaled(shown.look)
            return None if look is None else replace(shown, look=look)
        return shown

    def show(self) -> Intent | None:
        """`show airports in red`, `where do the pupils of De Brug live`."""
        cursor = self.cursor
        whose = ("where are", "where can i find", "where do", "where did")
        verb = cursor.take(*_MAP_OF, *whose, "outline") or cursor.take_any(SHOW)
        if verb is None or (verb == "open" and self._may_be(verb)):
            return None
        cursor.take("me just", "us just", "just", "me", "us")
        if cursor.word() == "as":
            return None
        cursor.take(*_MAP_OF)
        cursor.take("where")
        shown = self._shown(self._among(self.subject(unknown=True, one=True)))
        if verb in whose[2:]:
            if not isinstance(shown, Show) or not cursor.take(_LIVE):
                return None
            return replace(shown, where=all_of(shown.where, self.conditions(shown.subject).all()))
        if verb == "outline" and isinstance(shown, Show | Restyle) and shown.look.color is not None:
            look = replace(shown.look, color=None, outline=shown.look.color, unfilled=True)
            return replace(shown, look=look)
        return None if verb == "outline" else shown

    def _among(self, subject: Subject | None) -> Subject | None:
        """`listed buildings among the demolition permits`: the latter rows, with the condition of the first ones."""
        start = self.cursor.at
        if subject is None or subject.where is None or not self.cursor.take("among", "out of"):
            return subject
        rows = self.subject(pronouns=False)
        if rows is None or rows.mention.tables != subject.mention.tables:
            self.cursor.at = start
            return subject
        return replace(rows, where=all_of(rows.where, subject.where))

    def _may_be(self, word: str) -> bool:
        """Whether `open` is a state of the rows: `open bridges`, `open claims`."""
        start = self.cursor.at
        is_bare = self.cursor.take("the", "all", "my", "our") is None
        mention = self.mention() if is_bare else None
        if is_bare and mention is None and (subject := self.subject(pronouns=False)) is not None:
            mention = subject.mention  # `open hazard tree requests`
        self.cursor.at = start
        tables = self.tables_of(mention) if mention is not None else ()
        has_value = any(table in tables for table, _, _ in self.vocabulary.values_called((word,)))
        names = [each for table in tables for each in table.columns if each.kind in _STATE_KINDS]
        return has_value or any(
            word in (*name_words(each.name), *name_words(each.comment or ""))  # “empty = still open”
            or ((each.kind != "text" or is_flag(each)) and _CLOSED & set(name_words(each.name)))
            for each in names
        )

    def bare(self) -> Intent | None:
        """A noun phrase alone requests a map: `airports in red`."""
        start = self.cursor.at
        subject = self.subject(pronouns=False)
        if subject is None or not subject.mention.known or subject.mention.everything:
            return None
        is_alone = not start and self.cursor.word() not in ("and", ",")  # not `park and ride`
        is_one = self._one_of_many(subject.mention)
        if not is_alone and is_one and not self._is_listed(start, subject.mention):
            return None
        shown = self._shown(subject)
        is_sorted = isinstance(shown, Show) and shown.top is not None and shown.top.word == "sorted"
        if isinstance(shown, Show) and is_sorted and shown.look.empty:
            return Rows(shown.subject, shown.where, shown.top)  # an order implies a list
        return shown

    def _one_of_many(self, mention: Mention) -> bool:
        """Whether the noun is singular, unlike its table's name: `… per species and district` does not show
        districts."""
        noun = mention.text.rpartition(" ")[2].lower()
        tables = [table for each in mention.tables if (table := self.vocabulary.table(each)) is not None]
        return singular(noun) == noun and bool(tables) and all(table.name.endswith("s") for table in tables)

    def _is_listed(self, at: int, mention: Mention) -> bool:
        """Whether the noun follows others in a list of tables to show: `show stock, repairs and green space`."""
        words = self.cursor.words[:at]
        if at < 3 or words[-1] not in ("and", ",", "&"):
            return False
        for count in range(1, min(_MOST_NOUN_WORDS, at - 2) + 1):
            noun = tuple(word for each in words[-1 - count : -1] for word in name_words(each))
            found = self.vocabulary.match_table(noun) if noun else None
            is_begun = words[-2 - count] in SHOW | ARTICLES | {"me", ",", "and", "&"}
            if found is not None and found.length == len(noun) and is_begun:
                return not self.vocabulary.columns_called(found.found, mention.text)
        return False

    def _shown(self, subject: Subject | None, *, kind: StyleKind | None = None) -> Intent | None:
        if subject is None:
            return None
        if kind is not None:
            subject = replace(subject, look=Look(kind=kind))
        self.cursor.take("are", "is") if subject.mention.known else None
        full = self.tail(subject)
        if not full.mention.known and full.mention.text.lower().endswith(" ones"):
            value = full.mention.text[: -len(" ones")].removeprefix("the ")
            ones = OneOf(value, how="kind")
            tables = {table.id for table, _, _ in self.vocabulary.values_called(name_words(value))}
            if len(tables) == 1 and self.default is None and not self.vocabulary.layers:
                return Show(
                    Mention(value, (*tables,), of_value=True), full.look, all_of(ones, full.where), full.top
                )
            return Refine(None, all_of(ones, full.where), full.top)
        if full.mention.pronoun or full.mention.everything:
            if full.where is not None or full.top is not None:
                return Refine(full.mention if full.mention.pronoun else None, full.where, full.top)
            if not full.look.empty:
                return Restyle(full.mention, full.look)
            return SetVisible((full.mention,), True)
        return Show(full.mention, full.look, full.where, full.top, full.all, self._heading(full))

    @staticmethod
    def _heading(full: Subject) -> str:
        """A name for the layer: `large airports in Germany`."""
        kind = full.where
        nouns = (
            each.text
            for each in (kind.parts if isinstance(kind, Group) else (kind,))
            if isinstance(each, OneOf) and each.how == "kind" and each.text != singular(full.mention.text)
        )
        adjective = next(nouns, "")
        if full.where is not None:
            return " ".join(part for part in (adjective, full.mention.text, full.condition_text) if part)
        return ""

    def refine(self) -> Intent | None:
        """`only the ones above 2000 m`, `only airports in Peru`, `filter the cities by population > 1 million`."""
        cursor = self.cursor
        opener = cursor.take(p.ONLY)
        if opener is None:
            return None
        year = self._only_years()
        if year is not None:
            return Refine(None, year)
        subject = self._refined_subject()
        if opener.startswith(("filter", "limit", "restrict", "narrow")):
            cursor.take("to only", "to just", "to", "by", "on", "where", "for", "with", "so that")
            cursor.take(p.ONES, "only")
        at, drawn = cursor.at, {layer.table for layer in self.vocabulary.layers}
        is_new = subject is not None and subject.mention.tables and drawn.isdisjoint(subject.mention.tables)
        shown = self._shown(subject) if is_new else None  # `only countries above 2 million km², red outline`
        if isinstance(shown, Show) and not shown.look.empty and shown.where is not None:
            return shown
        cursor.at = at
        return self._refinement(subject, "and")

    def _only_years(self) -> Condition | None:
        """`only 2021`, `only 2020 and 2022`."""
        years: list[Condition] = []
        while True:
            start = self.cursor.at
            self.cursor.take("and", "or", ",") if years else None
            token = self.cursor.token()
            if token is None or not token.text.isdigit() or not is_year(token.value):
                self.cursor.at = start
                return joined("or", years) if years else None
            self.cursor.at += 1
            years.append(Compare("=", Quantity(token.value, text=token.text), measure="time"))

    def exclude(self) -> Intent | None:
        """`exclude small airports`, `remove the ones in Germany`.

        Verbs that also hide or remove layers need a noun or `ones`: `hide the rivers` names a layer, not rows whose
        region is called Rivers.
        """
        cursor = self.cursor
        verb = cursor.take(p.EXCLUDE)
        if verb is None:
            return None
        start = cursor.at
        subject = self._refined_subject()
        where = self.conditions(subject.mention if subject else None).all()
        cursor.take("ones", "one")
        if where is None and (subject is None or subject.where is None):
            cursor.at = start
            ones, is_row = cursor.take(p.ONES) or cursor.take("all", "the"), False
            is_name = (token := cursor.token()) is not None and token.text[:1].isupper()
            is_of_values = (
                (verb in _ROW_VERBS and cursor.word() not in STARTS)
                or is_name
                or (is_row := self._names_row())
                or cursor.word(-1) in ("ones", "those", "the")
            )
            where = self.conditions(None).kind() if is_of_values else None
            ones = cursor.take(p.ONES) or ones
            if (
                ones in (None, "all", "the")
                and verb in ("hide", "remove", "drop")
                and not (self._is_value(where) or (ones is None and (is_name or is_row)))
            ):
                return None
        if where is None:
            where = subject.where if subject else None
        elif subject is not None and subject.where is not None:
            return None
        if where is None:
            return None
        mention = subject.mention if subject and subject.mention.known else None
        return Refine(mention, Negation(where), verb=_LAYER_VERBS.get(verb, "exclude"))

    def _names_row(self) -> bool:
        """Whether the next words, at most three, name a row or place, and no other value that the layer may show:
        `hide brazil`."""
        words, tables = self.cursor.keys(most=3)[0], self.tables_of(None)[:1]
        known = [
            each for end in range(len(words), 0, -1) for each in self.vocabulary.values_called(words[:end])
        ]
        named = {name.name for table in tables if (name := name_column(table)) is not None}
        own = {column for table, column, _ in known if table in tables}
        return bool(known and tables) and all(name in named or {name_words(name)} & _PLACES for name in own)

    def _is_value(self, where: Condition | None) -> bool:
        """Whether the condition is a value or flag of the layer's table in the plural, or an acronym, and nothing else
        has that name: `hide the drafts`, `hide the capitals`, `hide the pvc`."""
        if not isinstance(where, OneOf):
            return False
        words = name_words(where.text)
        tables = self.tables_of(None)[:1]
        group = self.vocabulary.match_group(words[0]) if len(words) == 1 else None
        known = any(
            table in tables and (is_plural(where.text) or value.isupper())
            for table, _, value in (*self.vocabulary.values_called(words), *filter(None, (group,)))
        ) or " ".join(words) in tables_by_flag(tables)
        return known and not self.vocabulary.is_named(words)

    def widen(self) -> Intent | None:
        """`also those in Peru`."""
        cursor = self.cursor
        if not cursor.take(p.ALSO):
            return None
        found = self._refinement(self._refined_subject(), "or")
        cursor.take("too", "as well")
        return found

    def replace_filter(self) -> Intent | None:
        """`what about those above 3000 m`: of all rows; `what about Italy` keeps conditions on other columns."""
        cursor = self.cursor
        opener, start = cursor.take(p.INSTEAD), cursor.at
        if opener is None:
            return None
        mode = "replace" if cursor.take(p.ONES) else "instead"
        cursor.at = start
        found = self._refinement(self._refined_subject(), mode)
        goes_on = opener in ("and", "now", "make it", "make that")
        if found is not None and goes_on and not cursor.take("instead"):
            return replace(found, mode="and") if opener == "now" else None
        return found

    def condition_alone(self) -> Intent | None:
        """`above 2000 m`, for the layer mentioned last."""
        cursor = self.cursor
        if cursor.word() in _VERBS_OF_QUESTIONS:
            return None
        cursor.take(p.ONES)
        if cursor.word() == "which" and self._names_something_after():
            return None  # a question about what it names
        where = self.conditions(None).all() or self._kind_of_ones()
        if where is None:
            return self._of_named_column()
        cursor.take("only")
        if cursor.take("too", "as well", "also"):  # `and the vacant ones too`
            return Refine(None, where, mode="or")
        return Refine(None, where, mode="instead" if cursor.take("instead") else "and")

    def _of_named_column(self) -> Show | None:
        """`iata = JFK`, `population > 5,000,000`: rows of the table with this column, or of one of those."""
        cursor, found = self.cursor, dict[str, Condition]()
        if cursor.at or _COMPARING.isdisjoint(cursor.words):
            return None
        for table in self.vocabulary.few_tables:
            cursor.at = 0
            where = Conditions(cursor, self.vocabulary, (table,)).by_column()
            if where is not None and cursor.done:
                found[table.id] = where
        cursor.at = cursor.end if found else 0
        text = cursor.words[0]
        return Show(Mention(text, tuple(found)), where=next(iter(found.values()))) if found else None

    def _kind_of_ones(self) -> Condition | None:
        """`the planned ones`."""
        kind = self.conditions(None).kind() if self.cursor.take("the") else None
        return kind if self.cursor.take("ones") else None

    def _names_something_after(self) -> bool:
        """Whether a table or column follows this word."""
        start = self.cursor.at
        self.cursor.at += 1
        found = self.vocabulary.is_named(self.cursor.keys()[0]) or self.column() is not None
        self.cursor.at = start
        return found

    def _refined_subject(self) -> Subject | None:
        cursor, start = self.cursor, self.cursor.at
        if cursor.take(p.ONES):
            return None
        subject = self.subject(values=False)
        if subject is not None and not self._is_value_shown(subject):
            return subject
        cursor.at = start
        cursor.take("the")
        return None

    def _is_value_shown(self, subject: Subject) -> bool:
        """Whether a noun is a value of the rows on the map: `only the heating ones`, although there is a heat
        network."""
        if subject.where is not None or self.cursor.word() in ("ones", "one"):
            return subject.where is None
        shown = {layer.table for layer in self.vocabulary.layers}
        known = self.vocabulary.values_called(name_words(subject.mention.text))
        return shown.isdisjoint(subject.mention.tables) and any(table.id in shown for table, _, _ in known)

    def _refinement(self, subject: Subject | None, mode: str) -> Refine | None:
        cursor = self.cursor
        pronoun = Mention("it", pronoun=True)
        given = subject or Subject(pronoun, None, self.superlative())
        full = self.tail(given, looks=False)
        if full.where is None and full.top is None and subject is None:
            start = cursor.at
            kind = self.conditions(None).has_or_is(numbers_only=True)  # `only priority 1 and 2`
            if kind is None:
                cursor.at = start
                kind = self.conditions(None).kind()
            full = replace(full, where=kind)
        if subject is None and full.where is not None:
            cursor.take(p.ONES)
            full = self.tail(full, looks=False)
        if full.where is None and full.top is None:
            return None
        mention = full.mention if subject is not None else None
        return Refine(mention, full.where, full.top, mode)  # type: ignore[arg-type]  # one of the three
