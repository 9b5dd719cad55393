"""A position in the tokens of a request, with the basic steps of all grammar rules."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import cache, lru_cache

from agents.offline.language.lexicon import SHORT_FORMS
from agents.offline.language.reading import MAX_CHARACTERS, MAX_STEPS, MAX_TOKENS, TOO_INVOLVED, TOO_LONG
from agents.offline.language.tokens import Token, tokenize, words_of
from agents.offline.language.words import Phrases, fold, name_words
from agents.units import MAGNITUDES

_IGNORED_WORDS = frozenset(("actually", "basically"))
"""Words that are dropped anywhere."""
_BEFORE_NO = frozenset(
    ("is", "are", "was", "were", "or", "of", "says", "with", "have", "has", "to", "as", "for")
)
"""Words before `no` as an answer."""


_WITH_WISE = re.compile(r"([^\W\dA-Z]\w{2,}?)-?wise")
_ENDS_WITH_WISE = frozenset(
    ("otherwise", "likewise", "pairwise", "clockwise", "anticlockwise", "counterclockwise")
)


def cursor_of(text: str) -> Cursor:
    """A cursor at the beginning of a text. Raises Unreadable if it is too long."""
    tokens = [
        each for each in _expanded(tokenize(text[: MAX_CHARACTERS + 1])) if each.text not in _IGNORED_WORDS
    ]
    if len(text) > MAX_CHARACTERS or len(tokens) > MAX_TOKENS:
        raise TOO_LONG
    return Cursor(tokens)


def _expanded(tokens: Sequence[Token]) -> Iterator[Token]:
    """Tokens with `300+` and `300 plus` as `300 or more`, `million-plus` as `one million or more`, a final `phone no.`
    as `number`, and `blockwise` as `block wise`; `2 + 3` is unchanged."""
    for at, token in enumerate(tokens):
        if said := _amount_and_more(tokens, at):
            for word in said:
                yield replace(token, kind="word", text=word, lower=word, glued=False)
        elif token.lower == "no" and at and not _is_plain_no(tokens[at - 1], tokens[at + 1 :]):
            yield replace(token, text="number", lower="number")
        elif (group := _WITH_WISE.fullmatch(token.text)) and token.lower not in _ENDS_WITH_WISE:
            yield replace(token, text=group[1], lower=group[1])
            yield replace(token, text="wise", lower="wise", glued=False)
        else:
            yield token


_MILLIONS = re.compile(r"(thousand|million|billion)-(plus|\w+s)")


def _amount_and_more(tokens: Sequence[Token], at: int) -> Sequence[str]:
    """The words for `+` or `plus` after an amount, for `million-plus` and for `million-cities`; none for others."""
    token, before = tokens[at], tokens[at - 1] if at else None
    after = tokens[at + 1] if at + 1 < len(tokens) else None
    of_amount = before is not None and (before.kind == "number" or before.lower in MAGNITUDES)
    if token.text == "+" and token.glued and of_amount:
        return () if after is not None and after.glued and after.kind != "sign" else _OR_MORE
    if token.lower == "plus" and of_amount:
        return () if after is not None and after.kind == "number" else _OR_MORE
    if (found := _MILLIONS.fullmatch(token.lower)) is None:
        return ()
    noun = () if found[2] == "plus" else (found[2],)
    return (*(() if of_amount else ("one",)), found[1], *_OR_MORE, *noun)


_OR_MORE = ("or", "more")


@cache
def _split(phrase: str) -> tuple[str, ...]:
    """The words of a phrase."""
    return tuple(phrase.split())


@lru_cache(maxsize=65536)
def _beginning_with(phrases: tuple[str | Phrases, ...], word: str) -> tuple[tuple[str, list[str]], ...]:
    """The phrases that begin with a word, in order, each with its remaining words."""
    found: list[tuple[str, list[str]]] = []
    for phrase in phrases:
        if isinstance(phrase, Phrases):
            found += phrase.starting_with(word)
        else:
            first, *more = _split(phrase)
            found += [(" ".join((first, *more)), more)] if first == word else []
    return tuple(found)


def _is_plain_no(before: Token, after: Sequence[Token]) -> bool:
    """Whether `no` is not the abbreviation of `number` at the end."""
    return before.kind != "word" or before.lower in _BEFORE_NO or any(each.text not in ".?" for each in after)


def _folded(token: Token, *, shouted: bool) -> str:
    """The word that rules compare: `US` is the country, not `us`, unless all words are in capitals."""
    if token.kind not in ("word", "sign"):
        return ""
    word = "usa" if token.text == "US" and not shouted else fold(token.text).replace("’", "'")
    return SHORT_FORMS.get(word, word)


class Cursor:
    """A position in tokens. `take…` methods read what is here and return it, or return None (False) and stay."""

    def __init__(self, tokens: Sequence[Token], at: int = 0, end: int | None = None) -> None:
        self.tokens = tokens
        self.at = at
        self.end = len(tokens) if end is None else end
        self._steps = 0
        self._meant: tuple[str, ...] | None = None
        shouted = all(token.text == token.text.upper() for token in tokens)
        self._words = [_folded(token, shouted=shouted) for token in tokens]
        self._names = [name_words(token.text) if token.kind in ("word", "string") else () for token in tokens]

    @property
    def steps(self) -> int:
        """The number of token look-ups so far."""
        return self._steps

    @property
    def words(self) -> Sequence[str]:
        """The folded words up to the end."""
        return self._words[: self.end]

    @property
    def done(self) -> bool:
        """Whether the end is reached."""
        return self.at >= self.end

    def token(self, ahead: int = 0) -> Token | None:
        """The token ahead; None past the end."""
        place = self.at + ahead
        return self.tokens[place] if 0 <= place < self.end else None

    def word(self, ahead: int = 0) -> str:
        """The folded word or sign ahead; empty for strings, numbers and past the end. Raises Unreadable after
        too many look-ups."""
        self._steps += 1
        if self._steps > MAX_STEPS:
            raise TOO_INVOLVED
        place = self.at + ahead
        return self._words[place] if 0 <= place < self.end else ""

    def sees(self, phrase: str | Sequence[str], ahead: int = 0) -> int:
        """The number of tokens of the phrase if it is here; else 0."""
        words = _split(phrase) if isinstance(phrase, str) else phrase
        for offset, word in enumerate(words):
            if self.word(ahead + offset) != word:
                return 0
        return len(words)

    def take(self, *phrases: str | Phrases) -> str | None:
        """Read the first of the phrases that is here."""
        self._steps += 1  # as `word` does, which is not called because this is asked most of all
        if self._steps > MAX_STEPS:
            raise TOO_INVOLVED
        at = self.at
        first = self._words[at] if 0 <= at < self.end else ""
        if not first:
            return None
        if len(phrases) == 1 and isinstance(only := phrases[0], Phrases):
            beginning = only.starting_with(first)
        else:
            beginning = _beginning_with(phrases, first)
        for phrase, more in beginning:
            if not more:
                self.at = at + 1
                return phrase
            end = at + 1 + len(more)
            self._steps += len(more)
            if end <= self.end and self._words[at + 1 : end] == more:
                self.at = end
                return phrase
        return None

    def take_any(self, words: Collection[str]) -> str | None:
        """Read one word of a set."""
        word = self.word()
        if word and word in words:
            self.at += 1
            return word
        return None

    def take_number(self) -> Token | None:
        """Read a number."""
        token = self.token()
        if token is not None and token.kind == "number":
            self.at += 1
            return token
        return None

    def take_denominator(self) -> float:
        """Read `/4` before a word, as in `1/4 mile`; 1 if none follows."""
        slash, number = self.token(), self.token(1)
        if slash is None or number is None or not (slash.text == "/" and slash.glued and self.word(2)):
            return 1.0
        self.at += 2 if number.kind == "number" and number.value else 0
        return number.value or 1.0

    def take_string(self) -> str | None:
        """Read a quoted text."""
        token = self.token()
        if token is not None and token.kind == "string":
            self.at += 1
            return token.text
        return None

    def take_meaning(self) -> str | None:
        """Read a choice among several meanings: `(meaning opening hours)`."""
        start = self.at
        if self.take("( meaning"):
            begin = self.at
            while not self.done and self.word() != ")":
                self.at += 1
            if self.word() == ")" and self.at > begin:
                text = self.since(begin)
                self.at += 1
                return text
        self.at = start
        return None

    @property
    def meant(self) -> tuple[str, ...]:
        """All choices of meanings in the request."""
        if self._meant is None:
            places = (Cursor(self.tokens, at) for at in range(len(self.tokens)))
            self._meant = tuple(text for each in places if (text := each.take_meaning()) is not None)
        return self._meant

    def keys(self, ahead: int = 0, most: int = 8) -> tuple[tuple[str, ...], list[int]]:
        """The singular words of names from here on, and the number of tokens used after each.

        A token such as `data.airports` yields several words; only the last one counts as used (0 before).
        """
        words: list[str] = []
        used: list[int] = []
        for offset in range(ahead, min(ahead + most, self.end - self.at)):
            own = self._names[self.at + offset]
            if not own:
                token = self.tokens[self.at + offset]
                if token.kind != "number" or not token.text.isdigit() or not words:
                    break
                own = (token.text,)
            words.extend(own)
            used.extend([0] * (len(own) - 1) + [offset + 1])
        return tuple(words), used

    def runs(self, ahead: int = 0, most: int = 8) -> Iterator[tuple[tuple[str, ...], int]]:
        """The singular words of each run of whole tokens from here on, and the position behind it; longest first."""
        start, (words, used) = self.at, self.keys(ahead, most)
        for length in range(len(words), 0, -1):
            if used[length - 1]:
                yield words[:length], start + used[length - 1]

    def since(self, start: int) -> str:
        """The text from token `start` to here."""
        return words_of(self.tokens[start : self.at])

    def written(self, *spans: tuple[int, int]) -> str:
        """The text of these ranges of tokens, with names in quotes, so that it is read likewise."""
        tokens = [each for begin, end in spans for each in self.tokens[begin:end]]
        return words_of(
            [replace(each, text=f"`{each.text}`") if each.kind == "string" else each for each in tokens]
        )
