"""Rules for values as written, and for where a value ends."""

from __future__ import annotations

from collections.abc import Sequence

from agents.domain import Column, Table
from agents.offline.language import phrasebook as p
from agents.offline.language.conditions.explained_numbers import numbers_explained, stands_for
from agents.offline.language.conditions.ranks import take_order
from agents.offline.language.cursor import Cursor
from agents.offline.language.lexicon import ABOVE, COMPARATIVES, METHODS, STARTS
from agents.offline.language.looks import phrases as style
from agents.offline.language.looks.colours import take_colour, take_ramp
from agents.offline.language.nouns import take_column
from agents.offline.language.tokens import words_of
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import Words, fold, name_words, word_set
from agents.offline.meaning.conditions import ColumnMention, Matches, OneOf
from agents.offline.meaning.units import unit_named

Tables = tuple[Table, ...]

_BREAKS = word_set("""
    vs versus inside outside
    in from with within as by above over below under between where whose having that which is are
    and or but not then coloured colored shaded sized labelled labeled please on to sorted ordered
    into using weighted grouped ones only except excluding exclude have has were was per each without lacking called
    exceeding since until after before during when lies lie lives live nor involving carrying holding recording reaching
    offering employing
""")
MAX_VALUE_WORDS = 4
_NO_VALUE_BEGINS = word_set("each every them these those")
_NO_VALUES = word_set("the a an it them this that map total and or there all too also yet instead") | {
    "the map",
    "a map",
    "my map",
}
"""Words that are not values by themselves; neither are prepositions, except in capitals: `IN` is India's code."""
MAX_KNOWN_WORDS = 8
"""Maximum number of words of a value that is found as a whole."""
_ENDING_WORDS = _BREAKS | {"still", "of", "no"}
MAX_WORDS_OF_VALUES = 40
"""Of all values of a condition."""
IN_NAMES = word_set("of on upon am an der de la le du des del da do dos el al y sur the")
"""Lower-case words within names: `Isle of Man`, `Frankfurt am Main`."""
_MAX_HINT = 4  # words in parentheses after a value
_STEPS = word_set("calculate compute measure dissolve merge clip buffer")
"""Words that begin another analysis step."""
_GOES_ON = word_set("in within outside not that which with")
"""Words that begin another condition."""


class ValueRules:
    """Base of the rules for conditions; `tables` have the columns that may be meant and change with the subject."""

    def __init__(self, cursor: Cursor, vocabulary: Vocabulary, tables: Tables = ()) -> None:
        self.cursor = cursor
        self.vocabulary = vocabulary
        self.tables = tables

    @property
    def columns(self) -> list[Column]:
        """All columns of the tables."""
        return [each for table in self.tables for each in table.columns]

    def value_text(self) -> str:
        """A value as written: a quoted string, or words up to where something else begins.

        Words may be joined by `and`, `or` and commas, unless the next condition, table or command follows.
        """
        cursor = self.cursor
        start = cursor.at
        quoted = cursor.take_string()
        if quoted is not None:
            return self._more_quoted(quoted)
        cursor.take("the")
        while not cursor.done:
            if length := self.length_of_value():
                cursor.at += length
                continue
            if cursor.at > start and ends_value(cursor):
                if not (self._take_joiner_in_value() or self._take_inner_preposition()):
                    break
                continue
            token = cursor.token()
            if token is None or (token.kind == "sign" and token.text not in "-&/'’."):
                break
            if (
                token.kind == "sign"
                and token.text == "."
                and not (cursor.token(1) and cursor.tokens[cursor.at + 1].glued)
            ):
                break
            cursor.at += 1
        if cursor.at > start + 1 and cursor.word(-1) == "the":  # `in Africa the nearest airport`
            cursor.at -= 1
        self._release_column(start)
        text = words_of(cursor.tokens[start : cursor.at]).strip(" ,.")
        text += self._hint(text)
        first = text.partition(" ")[0].rstrip(",").lower()
        known = self.vocabulary.values_called((text,)) if text in _BREAKS and len(text) > 3 else ()
        ends = text in _BREAKS and not any(table in self.tables for table, _, _ in known)
        is_part = first in style.FILLS or first in style.OUTLINES
        ends |= is_part and not known and self._says_colour()
        return "" if ends or text.lower() in _NO_VALUES or first in _NO_VALUE_BEGINS else text

    def _says_colour(self) -> bool:
        """Whether a colour follows: `with fill yellow`."""
        start = self.cursor.at
        found = take_colour(self.cursor) is not None
        self.cursor.at = start
        return found

    def length_of_value(self, shortest: int = 2, *, ends_only: bool = True) -> int:
        """The number of words from here on that as a whole are a value, else 0; with `ends_only`, one with a word that
        would end it: `falls on stairs`, `still in hospital`."""
        words, used = self.cursor.keys(most=MAX_KNOWN_WORDS)
        for length in range(len(words), shortest - 1, -1):
            as_written = used[length - 1] and "the" not in words[1:length]
            known = self.vocabulary.values_called(words[:length]) if as_written else ()
            if any(table in self.tables for table, _, _ in known):
                return 0 if ends_only and _ENDING_WORDS.isdisjoint(words[:length]) else used[length - 1]
        return 0

    def text_in_column(self) -> Matches | None:
        """`with "International" in the name`, `that have the word Park in their title`."""
        cursor = self.cursor
        named = cursor.take(p.THE_WORD) is not None
        text = cursor.take_string()
        if text is None and (token := cursor.token()) is not None and named and token.kind == "word":
            text = token.text
            cursor.at += 1
        if text is None or cursor.take("in the", "in their", "in its", "in") is None:
            return None
        column = take_column(cursor, self.vocabulary, self.tables)
        return Matches("contains", text, column) if column is not None else None

    def holds_numbers(self, mention: ColumnMention) -> bool:
        """Whether every column that a mention may mean holds numbers."""
        own = [each for each in self.columns if each.name in mention.columns]
        return bool(own) and all(each.kind in ("integer", "number") for each in own)

    def _release_column(self, start: int) -> None:
        """Move back before the last words if they name a column that is compared next: `Night crew losing
        over 50 m³/d`, with a column `loss`."""
        cursor, end = self.cursor, self.cursor.at
        places = range(start + 1, end) if end > start + 1 and take_comparator(cursor) is not None else ()
        for begin in places:
            cursor.at = begin
            if take_column(cursor, self.vocabulary, self.tables) is not None and cursor.at == end:
                end = begin
                break
        cursor.at = end

    def known_value(self, shortest: int, column: ColumnMention | None = None) -> OneOf | None:
        """The longest run of words that is a value of exactly one column, or of `column`."""
        cursor = self.cursor
        words, used = cursor.keys(most=MAX_KNOWN_WORDS)
        is_code = bool(words) and cursor.tokens[cursor.at].text.isupper()  # `for us` is not a code
        for length in range(len(words), shortest - 1, -1):
            known = self.vocabulary.values_called(words[:length])
            known = [each for each in known if shortest > 1 or is_code or not each[2].isupper()]
            names = {name for table, name, _ in known if table in self.tables}
            names &= set(column.columns) if column is not None else names
            if len(names) == 1 and used[length - 1] and not self._are_other_rows(words[:length]):
                start = cursor.at
                cursor.at += used[length - 1]
                text = known[0][2] if "the" in words[1:length] and len(known) == 1 else cursor.since(start)
                return OneOf(f'"{text}"', ColumnMention(min(names), tuple(names)), "is")
        return None

    def _are_other_rows(self, words: Words) -> bool:
        """Whether words after `and` are rows of another table: `open complaints and damaged containers`."""
        named = self.vocabulary.match_table(words[-1:]) if self.cursor.word(-1) in ("and", "&") else None
        return named is not None and {table.id for table in named.found}.isdisjoint(t.id for t in self.tables)

    def _hint(self, value: str) -> str:
        """The parentheses after a value: ` (VCP)` after `vitrified clay`, as stored; ` (Kinshasa)`, as part
        of the value."""
        cursor, start = self.cursor, self.cursor.at
        if value and cursor.take("("):
            words, used = cursor.keys(most=_MAX_HINT)
            for length, end in enumerate(used, 1):
                if cursor.word(end) != ")":
                    continue
                ways = (words[:length], name_words(value) + words[:length])
                known = [each for way in ways for each in self.vocabulary.values_called(way)]
                if any(table in self.tables and stands_for(table, name, value) for table, name, _ in known):
                    cursor.at += end + 1
                    return f" {cursor.since(start)}"
        cursor.at = start
        return ""

    def _more_quoted(self, first: str) -> str:
        texts = [f'"{first}"']
        while True:
            start = self.cursor.at
            if self.cursor.take("or", "and", ",") is None:
                break
            self.cursor.take("or", "and")
            another = self.cursor.take_string()
            if another is None:
                self.cursor.at = start
                break
            texts.append(f'"{another}"')
        return " or ".join(texts)

    def _take_joiner_in_value(self) -> bool:
        """Read an `and`, `or` or comma that belongs to the value."""
        cursor, start = self.cursor, self.cursor.at
        if cursor.take("and", "or", ",") is None:
            return False
        cursor.take("and", "or", "in", "from")
        if length := self.length_of_value(shortest=1, ends_only=False):
            cursor.at += length
            return True
        in_unit = cursor.word(-1) == "in" and unit_named(cursor.word(), cursor.word(1)) is not None
        if not cursor.done and not in_unit and not self._other_piece_follows() and not self._style_follows():
            token = cursor.token()
            if token is not None and token.kind in ("word", "string") and cursor.word() not in _BREAKS:
                cursor.at += 1
                return True
        cursor.at = start
        return False

    def _style_follows(self) -> bool:
        """Whether a style follows: `…, in red`, `…, big yellow dots`, `…, filled purple`, `…, quantiles`."""
        cursor, start = self.cursor, self.cursor.at
        after_in = cursor.word(-1) == "in"
        apart = after_in and cursor.take(style.DIFFERENT_COLOURS)
        if apart or cursor.take(style.COLOURED, style.OUTLINED, style.LABELLED) or cursor.word() in METHODS:
            cursor.at = start
            return True
        sized = cursor.take(style.BIG, style.SMALL) is not None
        coloured = take_colour(cursor) is not None
        if coloured and cursor.done and cursor.tokens[start - 1].text == ",":  # `in poor condition, red`
            known = self.vocabulary.values_called(name_words(cursor.since(start)))
            cursor.at = start
            return not any(table in self.tables for table, _, _ in known)
        symbols = (sized or coloured) and cursor.take(
            style.SYMBOLS, style.OTHER_SYMBOLS, style.OUTLINES
        ) is not None
        found = symbols or (after_in and (coloured or take_ramp(cursor) is not None) and ends_value(cursor))
        cursor.at = start
        return found

    def _take_inner_preposition(self) -> bool:
        """Read an `of` or `on` followed by another capitalised word: `Isle of Man`, `Frankfurt on the Oder`."""
        cursor = self.cursor
        if cursor.word() not in IN_NAMES:
            return False
        ahead = 2 if cursor.word(1) == "the" else 1
        token = cursor.token(ahead)
        if token is None or token.kind != "word" or not token.text[:1].isupper():
            return False
        cursor.at += ahead + 1
        return True

    def _other_piece_follows(self) -> bool:
        """Whether a command, table, column, comparison or order begins here."""
        cursor, start = self.cursor, self.cursor.at
        polite = cursor.take(p.FLUFF) is not None
        begins = cursor.word() in STARTS or (not polite and cursor.word() in _STEPS | _GOES_ON)
        cursor.at = start
        if begins:
            return True
        ahead = 1 if cursor.word() in ("the", "all", "a", "an") else 0
        words, _ = cursor.keys(ahead)
        if self.vocabulary.is_named(words):
            return True
        found = (
            take_comparator(cursor) is not None
            or cursor.take("between", "not", "only", p.WITH, p.GREATEST_FIRST, p.LEAST_FIRST) is not None
            or take_order(cursor) is not None
        )
        if not found and take_column(cursor, self.vocabulary, self.tables) is not None:
            verbs = ("is", "are", "contains", "between", "starts", "ends", "=", "only")
            found = take_comparator(cursor) is not None or cursor.word() in verbs
        cursor.at = start
        return found


def values_known(columns: Sequence[Column]) -> set[str]:
    """The common values of the columns, and the words for their numbers."""
    words = (" ".join(each) for column in columns for each in numbers_explained(column.comment))
    return {fold(each) for each in (*(value for column in columns for value in column.samples), *words)}


def take_comparator(cursor: Cursor) -> tuple[str, str, str] | None:
    """The operator, the measure it implies, and its word."""
    start = cursor.at
    negative = cursor.take("not", "no") is not None
    phrase = cursor.take(p.COMPARED)
    if phrase is not None:
        op = p.AT_LEAST[phrase]
        return (opposite_of(op) if negative else op), "", phrase
    word = cursor.word()
    if word in COMPARATIVES and cursor.word(1) == "than":
        op, measure = COMPARATIVES[word]
        cursor.at += 2
        if cursor.take("or equal to", "or equal"):
            op += "="
        return (opposite_of(op) if negative else op), measure, word
    if word in ABOVE:
        cursor.at += 1
        cursor.take("than", "to", "of") if word in ("equal", "exceeding", "minimum", "maximum") else None
        op = ABOVE[word]
        return (opposite_of(op) if negative else op), "", word
    cursor.at = start
    return None


def opposite_of(op: str) -> str:
    """The negated comparison operator. Raises KeyError for others."""
    return {">": "<=", "<": ">=", ">=": "<", "<=": ">", "=": "<>", "<>": "="}[op]


DASHES = ("-", "–", "—")
_SIDES = ("north", "south", "east", "west")
"""`in Iceland north of 66 degrees`."""
_ENDS = (
    "instead", "for me", "there are", "are there", "of them", "for each", "for every", "yet", "so far",
    "at the moment", "too", "as well", "yesterday",
    *(f"{which} {period}" for which in ("last", "this") for period in ("year", "month", "week", "quarter")),
)  # fmt: skip


def ends_value(cursor: Cursor) -> bool:
    """Whether a value cannot continue here."""
    token = cursor.token()
    if token is None:
        return True
    if token.kind == "sign":
        following = cursor.token(1)
        apart = not token.glued and (following is None or not following.glued)
        if token.text in DASHES and (apart or cursor.word(1) in STARTS):
            # `with an iata code - red dots`, but `in Nationalpark Schwarzwald - Ruhestein`
            around = (cursor.token(-1), following)
            return cursor.word(1) in STARTS or not all(each and each.text[:1].isupper() for each in around)
        return token.text not in ("-", "&", "/", "'", "’") and not (
            token.text == "."
            and token.glued
            and cursor.token(1) is not None
            and cursor.tokens[cursor.at + 1].glued
        )
    if token.kind == "number":
        return False
    after = cursor.token(1)
    return (
        cursor.word() in _BREAKS
        or (
            cursor.word() == "at" and after is not None and after.kind == "number"
        )  # `in orange at 50 % opacity`
        or (cursor.word() in COMPARATIVES and cursor.word(1) == "than")
        or (token.text in _SIDES and cursor.word(1) == "of")
        or any(map(cursor.sees, _ENDS))
    )


def goes_on(cursor: Cursor) -> bool:
    """Whether more follows a column than its mere presence."""
    return cursor.word() in ("of", "is", "=", ">", "<") or (bool(cursor.word()) and not ends_value(cursor))
