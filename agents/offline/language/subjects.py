"""Rules for the subject of a command: `the 10 largest cities`, `all large airports`, `top 5 countries by area`."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from agents.domain import Table
from agents.offline.language import phrasebook as p
from agents.offline.language.conditions.geometries import take_everywhere
from agents.offline.language.conditions.ranks import (
    compared_time,
    take_first,
    take_most_done,
    take_order,
    take_owner,
    take_superlative,
    takes_descending,
)
from agents.offline.language.conditions.rules import Conditions
from agents.offline.language.conditions.times.days import weekdays_of
from agents.offline.language.conditions.value_nouns import NO_ADJECTIVE, ValueNouns, says_no_more
from agents.offline.language.cursor import Cursor
from agents.offline.language.lexicon import ARTICLES, NUMBER_WORDS, STARTS
from agents.offline.language.looks.rules import Looks
from agents.offline.language.nouns import of_column, take_column, take_mention, take_unit
from agents.offline.language.tokens import words_of
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import are_names, fold, name_words, singular
from agents.offline.meaning.conditions import (
    ColumnMention,
    Condition,
    DatePart,
    Matches,
    Mention,
    OneOf,
    Top,
    all_of,
)
from agents.offline.meaning.intents import Look
from agents.units import Unit

_MOST_ADJECTIVES, _MOST_SIZED = 5, 4  # words of adjectives, and of a quantity, before a noun
_BEFORE_ONE = ("which", "what", "more", "less", "no")  # `which oak`, `more new build in the north`


@dataclass(frozen=True, slots=True)
class Subject:
    """A mention with its conditions, ranking and style."""

    mention: Mention
    where: Condition | None = None
    top: Top | None = None
    look: Look = field(default_factory=Look)
    all: bool = False
    condition_text: str = ""
    """The conditions as written, for a layer's name."""


class Grammar(ValueNouns):
    """Base of all rules: the cursor, the vocabulary, and the table that is meant if none is named."""

    def __init__(self, cursor: Cursor, vocabulary: Vocabulary, default: Table | None = None) -> None:
        super().__init__(cursor, vocabulary)
        self.default = default

    # --- pieces ----------------------------------------------------------------------------------------------

    def mention(self) -> Mention | None:
        """A table or layer by name, a pronoun, or everything."""
        found = take_mention(self.cursor, self.vocabulary)
        if found is not None:
            self.cursor.take("of ours", "of mine")
        return found

    def mentions(self) -> tuple[Mention, ...]:
        """`the airports, the cities and the red layer`."""
        first = self.mention()
        if first is None:
            return ()
        found = [first]
        while True:
            start = self.cursor.at
            if not self.cursor.take(", and", ",", "and", "&"):
                break
            following = self.mention()
            if following is None or self.cursor.word(-1) in STARTS:
                self.cursor.at = start
                break
            found.append(following)
        return tuple(found)

    def tables_of(self, mention: Mention | None) -> tuple[Table, ...]:
        """The tables whose columns the conditions of a mention may use."""
        ids = list(mention.tables) if mention else []
        for layer_id in mention.layers if mention else ():
            layer = self.vocabulary.layer(layer_id)
            if layer is not None and layer.table not in ids:
                ids.append(layer.table)
        found = self.vocabulary.tables(ids)
        if found:
            return found
        own = (self.default,) if self.default is not None else ()
        shown = (self.vocabulary.table(layer.table) for layer in reversed(self.vocabulary.layers))
        return own + tuple(table for table in shown if table is not None and table not in own)

    def conditions(self, mention: Mention | None) -> Conditions:
        """The rules for conditions on a mention."""
        return Conditions(self.cursor, self.vocabulary, self.tables_of(mention))

    def looks(self, mention: Mention | None) -> Looks:
        """The rules for styles of a mention."""
        return Looks(self.cursor, self.vocabulary, self.tables_of(mention))

    def column(self, mention: Mention | None = None) -> ColumnMention | None:
        """A column of a mention."""
        return take_column(self.cursor, self.vocabulary, self.tables_of(mention))

    def superlative(self) -> Top | None:
        """`the 10 largest`, `second largest`, `most loaded`."""
        return take_superlative(self.cursor) or take_most_done(self.cursor, self.vocabulary)

    def subject(
        self, *, unknown: bool = False, pronouns: bool = True, values: bool = True, one: bool = False
    ) -> Subject | None:
        """The subject of a command, up to its noun and `in the world` behind it. `unknown`: also nouns that match
        nothing. `values`: also nouns that are values of a column; `one`: these also in the singular."""
        found = self._subject(unknown, pronouns, values, one)
        if found is not None and found.mention.known:
            take_everywhere(self.cursor, self.vocabulary)
        return found

    def _subject(self, unknown: bool, pronouns: bool, values: bool, one: bool) -> Subject | None:
        cursor, start = self.cursor, self.cursor.at
        everything = cursor.take("all of the", "all the", "all of", "all", "every", "each") is not None
        begin = cursor.at
        is_value = everything and self.value_before_noun(begin, self.mention) > 0
        cursor.at = begin
        if everything and not is_value:
            cursor.at = start
            if (mention := self.mention()) is not None:
                return Subject(mention, all=not mention.everything)
            cursor.at = begin
        one = one or cursor.word() in ("a", "an", "any") or (start > 0 and cursor.word(-1) in _BEFORE_ONE)
        while cursor.word() in ARTICLES or (cursor.word(-1) == "a" and self.is_single_of_none()):
            cursor.at += 1
        if owner := take_owner(cursor, self._may_be_adjective):
            ranked = self.subject(unknown=unknown, pronouns=False, values=values)
            cursor.at = start if ranked is None else cursor.at
            return replace(ranked, where=all_of(OneOf(owner, how="in"), ranked.where)) if ranked else None
        top = self.superlative() or take_first(cursor)
        if values and (whole := self.rows_of_whole_value(self.mention)) is not None:
            return replace(Subject(*whole, top), all=everything)
        sized = self._sized() if top is None else None
        if sized is not None:
            return replace(sized, all=everything)
        begin = cursor.at
        denies = begin > 0 and cursor.word(-1) in ("with", "having", "have", "has")  # `with no dead trees`
        for count in range(self.value_before_noun(begin, self.mention), _MOST_ADJECTIVES + 1):
            cursor.at = begin + count
            mention = self.mention() if count or top or everything else self._first_mention(start)
            if (
                mention is not None
                and not (count and self.cursor.tokens[begin + count - 1].lower in ("and", "or"))
                and "no" not in cursor.words[begin + (not denies) : begin + count]
                and (not mention.pronoun or mention.tables or mention.layers or (pronouns and not count))
                and not (count and (mention.everything or cursor.tokens[begin + count].lower == "of"))
            ):
                mention = of_column(mention, self.vocabulary, cursor.tokens[begin : begin + count])
                top = top.of_several(mention.text) if top is not None else None
                return Subject(
                    mention, self._adjectives(range(begin, begin + count), mention), top, all=everything
                )
            cursor.at = begin + count
            if not self._may_be_adjective(*(("and", "or") if count else ())):
                break
        for count in range(_MOST_ADJECTIVES if values else 0):
            cursor.at = begin + count
            valued = self.rows_of_a_value(top, one=one or top is not None)
            if valued is not None:
                before = range(begin, begin + count)
                in_name = self._are_in_name(before, valued)
                is_part = count and in_name and isinstance(valued.where, Matches)
                if is_part or "no" in cursor.words[begin : begin + count]:
                    break  # `cycle paths` does not mean `separated path`, of cycle counts
                own = None if in_name else self._kinds(before)
                kind = self.value_of_group(before, valued.mention, valued.where) or all_of(own, valued.where)
                named = replace(valued.mention, text=cursor.since(begin)) if in_name else valued.mention
                return replace(valued, mention=named, where=kind, all=everything)
            cursor.at = begin + count
            if not self._may_be_adjective():
                break
        cursor.at = begin
        if unknown and (mention := self._unknown_noun()) is not None:
            return Subject(mention, None, top, all=everything)
        cursor.at = start
        return None

    def _sized(self) -> Subject | None:
        """`3 m wide paths`, `two-lane roads`: a quantity before the noun."""
        cursor, start = self.cursor, self.cursor.at
        token, word = cursor.token(), cursor.word().partition("-")[0]
        is_number = token is not None and (token.kind == "number" or word in NUMBER_WORDS)
        for ahead in range(1, _MOST_SIZED + 1) if is_number else ():
            cursor.at = start + ahead
            rest = self.subject(pronouns=False)
            end, cursor.at = cursor.at, start
            found = self.conditions(rest.mention).sized(before=True) if rest is not None else None
            if rest is not None and found is not None and cursor.at == start + ahead and rest.top is None:
                cursor.at = end
                return replace(rest, where=all_of(found, rest.where))
        cursor.at = start
        return None

    def _may_be_adjective(self, *joiners: str) -> bool:
        """Whether the next word may precede a noun; `joiners` may too."""
        token, word = self.cursor.token(), self.cursor.word()
        begins = word in STARTS and not (self.cursor.at and self.vocabulary.values_called((word,)))
        named = token is not None and token.kind in ("word", "string") and not begins
        counts = (
            token is not None and word in NUMBER_WORDS and token.text.islower()
        )  # `five cougar sightings`
        return named and not counts and (word in joiners or word not in NO_ADJECTIVE)

    def _first_mention(self, start: int) -> Mention | None:
        """The mention with its article: `the layer` is a pronoun, `layer` is not."""
        after, self.cursor.at = self.cursor.at, start
        if (mention := self.mention()) is None:
            self.cursor.at = after
            mention = self.mention()
        return mention

    def _adjectives(self, places: range, mention: Mention) -> Condition | None:
        """`currently closed gate` valves: a state, then a value."""
        cursor, end = self.cursor, self.cursor.at
        cursor.at = places[0] if places else end
        state = self.conditions(mention).in_state() if places else None
        begin, cursor.at = cursor.at, end
        if state is None or begin > places[-1] + 1:
            return self._kinds(places)
        return all_of(state, self._kinds(range(begin, places.stop)))

    def _kinds(self, places: range) -> Condition | None:
        """The words before the noun as one value: `large`, `North American`."""
        if not places:
            return None
        text = words_of([self.cursor.tokens[place] for place in places])
        known = {fold(value) for _, _, value in self.vocabulary.values_called(name_words(text))}
        owned = text.endswith(("'s", "’s")) and fold(text) not in known
        if days := weekdays_of(text.lower()):
            return DatePart("weekday", days)
        return OneOf(text[:-2], how="in") if owned else OneOf(text, how="kind")

    def _are_in_name(self, places: range, valued: Subject) -> bool:
        """Whether words before a value say no more than its table or column does."""
        words = name_words(words_of([self.cursor.tokens[place] for place in places]))
        column = valued.where.column if isinstance(valued.where, OneOf | Matches) else None
        names = column.columns if column is not None else ()
        return any(says_no_more(words, each, names) for each in self.tables_of(valued.mention)[:1])

    def rows_of_a_value(self, top: Top | None, *, one: bool = False) -> Subject | None:
        """Rows named by a value: `oaks` of trees. `one`: an article precedes, as in `a motorway`."""
        return Subject(*found, top) if (found := self.rows_of_values(one=one)) is not None else None

    def _unknown_noun(self) -> Mention | None:
        cursor, start = self.cursor, self.cursor.at
        names = self.conditions(None).value_text()
        if ("," in names or " and " in names) and are_names(names):
            return Mention(names)
        cursor.at = start
        while cursor.at - start < 5 and self._may_be_adjective():
            cursor.at += 1
        return Mention(cursor.since(start)) if cursor.at > start else None

    def tail(self, subject: Subject, *, looks: bool = True) -> Subject:
        """The subject with all that follows the noun: styles, conditions, `by …`, in any order."""
        cursor = self.cursor
        where = [subject.where] if subject.where is not None else []
        top, look = subject.top, subject.look
        condition_texts = [subject.condition_text] if subject.condition_text else []
        conditions, look_rules = self.conditions(subject.mention), self.looks(subject.mention)
        noun_end = cursor.at
        while not cursor.done:
            start = cursor.at
            cursor.take(p.THINGS)
            ranked = self._ranking(top, subject.mention)
            if ranked is not None:
                top = ranked
                continue
            begin = cursor.at
            if looks and cursor.take(p.ON_THE_MAP) is None and self._lies_on_top(subject.mention):
                cursor.take(p.ON_TOP)
            kind = where[0] if looks and len(where) == 1 else None
            noun = "" if subject.mention.of_value else subject.mention.text
            if (several := look_rules.of_values(look, kind, noun)) is not None:
                look, where = several[0], [several[1]] if several[1] is not None else []
                continue
            added = look_rules.add(look) if looks else None
            if added is not None:
                look = added
                continue
            cursor.at = begin
            condition = self._called(subject.mention) if cursor.at == noun_end else None
            condition = condition or self._next_condition(conditions, bool(where))
            if condition is not None:
                where.append(condition)
                condition_texts.append(cursor.since(begin))
                continue
            if (
                looks
                and cursor.take("and", ",")
                and not self.vocabulary.is_named(cursor.keys()[0])
                and (added := look_rules.add(look)) is not None
            ):
                look = added
                continue
            if cursor.at == start or cursor.word(-1) not in p.THINGS or cursor.take("and", ","):
                cursor.at = start
                break
        if top is not None and top.word == "sorted" and top.column is None:
            top = replace(top, column=compared_time(top, where))
        text = " ".join(condition_texts)
        return replace(subject, where=all_of(*where), top=top, look=look, condition_text=text)

    def _lies_on_top(self, mention: Mention) -> bool:
        """Whether a new layer of these rows is drawn above all others."""
        return any(table.geometry_family == "point" for table in self.tables_of(mention)[:1])

    def _called(self, mention: Mention) -> Condition | None:
        """`the country France`: a name right after a singular noun."""
        cursor, start = self.cursor, self.cursor.at
        token, noun = cursor.token(), cursor.word(-1)
        is_one = noun == singular(noun) and bool(mention.tables or mention.layers) and not mention.guessed
        if not is_one or token is None or token.kind != "word" or not token.text[:1].isupper():
            return None
        text = self.conditions(mention).value_text()
        if not text or not text[:1].isupper():
            cursor.at = start
            return None
        return OneOf(text, how="named")

    def _next_condition(self, conditions: Conditions, joined_on: bool) -> Condition | None:
        start = self.cursor.at
        if joined_on and self.cursor.take("and", "but", ","):
            self.cursor.take("and", "but")
        found = conditions.all()
        if found is None:
            self.cursor.at = start
        return found

    def _ranking(self, top: Top | None, mention: Mention) -> Top | None:
        """`by population`, `with the highest population`, `with the most inhabitants`, `sorted by name descending`."""
        cursor, start = self.cursor, self.cursor.at
        if (
            top is not None
            and top.column is None
            and cursor.take("by", "in terms of", "according to", "with respect to")
        ) and (column := self.column(mention)) is not None:
            return replace(top, column=column, unit=self.unit_of_answer())
        cursor.at = start
        if (top is None or top.word == "sorted") and (order := take_order(cursor)) is not None:
            return order if top is None else replace(top, descending=order.descending, measure=order.measure)
        cursor.at = start
        if cursor.take(p.WITH_THE):
            word = cursor.take("most", "least", "fewest")
            found = Top(top.limit if top else 1, word == "most", word=word) if word else self.superlative()
            column = self.column(mention) if found is not None else None
            if found is not None and column is not None:
                limit = max(found.limit, top.limit if top else 1)
                return replace(found, limit=limit, column=column)
        cursor.at = start
        cursor.take(",")
        if cursor.take(p.SORTED) and (column := self.column(mention)) is not None:
            descending = takes_descending(cursor, self.tables_of(mention), column)
            return Top(top.limit if top else 0, descending, column, word="sorted")
        cursor.at = start
        return None

    def unit_of_answer(self) -> Unit | None:
        """The unit in a final `in km`."""
        start = self.cursor.at
        unit = take_unit(self.cursor) if self.cursor.take("in") else None
        self.cursor.at = start if unit is None else self.cursor.at
        return unit

    # --- small words -----------------------------------------------------------------------------------------

    def name(self) -> str:
        """A new name as written: quoted, or the words up to the end of the command."""
        quoted = self.cursor.take_string()
        if quoted is not None:
            return quoted
        start = self.cursor.at
        while (
            not self.cursor.done and self.cursor.word() not in (";", "then") and not self._command_follows()
        ):
            self.cursor.at += 1
        return self.cursor.since(start).strip(" .,!")

    def _command_follows(self) -> bool:
        return self.cursor.word() in ("and", ",") and self.cursor.word(1) in STARTS
