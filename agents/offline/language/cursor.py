"""A place in the tokens of a request, with the small steps that every rule of the grammar is made of."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import cache, lru_cache

from agents.offline.language.lexicon import SHORT_FORMS
from agents.offline.language.reading import MAX_CHARACTERS, MAX_STEPS, MAX_TOKENS, TOO_INVOLVED, TOO_LONG
from agents.offline.language.tokens import Token, tokenize, words_of
from agents.offline.language.words import Phrases, fold, name_words

_SAY_NOTHING = frozenset(("actually", "basically"))
"""Words that are left out wherever they stand."""
_BEFORE_NO = frozenset(("is", "are", "was", "were", "or", "of", "says", "with", "have", "has", "to", "as"))
"""Words behind which `no` is an answer."""


def cursor_of(text: str) -> Cursor:
    """At the beginning of a text. Raises Unreadable for one that is too long."""
    tokens = [
        each for each in _spelt_out(tokenize(text[: MAX_CHARACTERS + 1])) if each.text not in _SAY_NOTHING
    ]
    if len(text) > MAX_CHARACTERS or len(tokens) > MAX_TOKENS:
        raise TOO_LONG
    return Cursor(tokens)


def _spelt_out(tokens: Sequence[Token]) -> Iterator[Token]:
    """With `300+` as `300 or more`, and `phone no.` at the end as its number; in `2 + 3` the sign joins two words."""
    for at, token in enumerate(tokens):
        goes_on = any(each.glued and each.kind != "sign" for each in tokens[at + 1 : at + 2])
        if token.text == "+" and token.glued and tokens[at - 1].kind == "number" and not goes_on:
            for word in ("or", "more"):
                yield replace(token, kind="word", text=word, lower=word, glued=False)
        elif token.lower == "no" and at and not _goes_on(tokens[at - 1], tokens[at + 1 :]):
            yield replace(token, text="number", lower="number")
        else:
            yield token


@cache
def _split(phrase: str) -> tuple[str, ...]:
    """The words of a phrase of the language."""
    return tuple(phrase.split())


@lru_cache(maxsize=65536)
def _beginning_with(phrases: tuple[str | Phrases, ...], word: str) -> tuple[tuple[str, list[str]], ...]:
    """Those phrases that begin with this word, in their order, each with its further words."""
    found: list[tuple[str, ...]] = []
    for phrase in phrases:
        found += phrase.starting_with(word) if isinstance(phrase, Phrases) else (_split(phrase),)
    return tuple((" ".join(words), list(words[1:])) for words in found if words[0] == word)


def _goes_on(before: Token, after: Sequence[Token]) -> bool:
    """Whether `no` is more than the short form of a number, at the end."""
    return before.kind != "word" or before.lower in _BEFORE_NO or any(each.text not in ".?" for each in after)


def _folded(token: Token, *, shouted: bool) -> str:
    """As rules read it: `US` is the country, and not `us`, unless all words are in capitals."""
    if token.kind not in ("word", "sign"):
        return ""
    word = "usa" if token.text == "US" and not shouted else fold(token.text).replace("’", "'")
    return SHORT_FORMS.get(word, word)


class Cursor:
    """`take…` moves on and returns what was there, or returns None (False) and stays."""

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
        """Looks at a token so far."""
        return self._steps

    @property
    def words(self) -> Sequence[str]:
        """As `word` gives them."""
        return self._words[: self.end]

    @property
    def done(self) -> bool:
        return self.at >= self.end

    def token(self, ahead: int = 0) -> Token | None:
        place = self.at + ahead
        return self.tokens[place] if 0 <= place < self.end else None

    def word(self, ahead: int = 0) -> str:
        """The folded word or sign ahead; empty for a string, a number and past the end."""
        self._steps += 1
        if self._steps > MAX_STEPS:
            raise TOO_INVOLVED
        place = self.at + ahead
        return self._words[place] if 0 <= place < self.end else ""

    def sees(self, phrase: str | Sequence[str], ahead: int = 0) -> int:
        """How many tokens the phrase takes here; 0 when it does not stand here."""
        words = _split(phrase) if isinstance(phrase, str) else phrase
        for offset, word in enumerate(words):
            if self.word(ahead + offset) != word:
                return 0
        return len(words)

    def take(self, *phrases: str | Phrases) -> str | None:
        """The first of the phrases that stands here."""
        first = self.word()
        if not first:
            return None
        for phrase, more in _beginning_with(phrases, first):
            end = self.at + 1 + len(more)
            self._steps += len(more)
            if not more or (end <= self.end and self._words[self.at + 1 : end] == more):
                self.at = end
                return phrase
        return None

    def take_any(self, words: Collection[str]) -> str | None:
        """One word out of a set."""
        word = self.word()
        if word and word in words:
            self.at += 1
            return word
        return None

    def take_number(self) -> Token | None:
        token = self.token()
        if token is not None and token.kind == "number":
            self.at += 1
            return token
        return None

    def take_string(self) -> str | None:
        token = self.token()
        if token is not None and token.kind == "string":
            self.at += 1
            return token.text
        return None

    def take_meaning(self) -> str | None:
        """`(meaning opening hours)`: which of several meanings the words before it have."""
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
        """All such choices of the request."""
        if self._meant is None:
            places = (Cursor(self.tokens, at) for at in range(len(self.tokens)))
            self._meant = tuple(text for each in places if (text := each.take_meaning()) is not None)
        return self._meant

    def keys(self, ahead: int = 0, most: int = 8) -> tuple[tuple[str, ...], list[int]]:
        """The singular name words from here on, and after each of them how many tokens have been used up.

        A token such as `data.airports` makes several words; only its last one uses it up (0 before).
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

    def since(self, start: int) -> str:
        """The text of the tokens from `start` to here."""
        return words_of(self.tokens[start : self.at])
