"""Corrects clear typing mistakes of a request."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from itertools import pairwise

from rapidfuzz import process
from rapidfuzz.distance import OSA

from agents.offline.commands.analyses.analysis import language_of
from agents.offline.coverage import language_words
from agents.offline.language.lexicon import ARTICLES, NUMBER_WORDS, SUPERLATIVES
from agents.offline.language.names.comments import HEAD_ENDS
from agents.offline.language.names.singulars import english_dictionary, shown_singular
from agents.offline.language.tokens import tokenize
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import fold, plural, singular, word_set, words_of_things
from agents.offline.unknown_words import data_words, unknown_words

MIN_MISTYPED, MIN_MISTYPED_TWICE = 5, 9
"""Minimum word lengths for correcting any mistake, and two; shorter words lack or double a letter, or exchange two."""
MAX_NEAR = 10
_DOUBLED = re.compile(r"(.)\1")


def corrections(text: str, vocabulary: Vocabulary) -> dict[str, str]:
    """The spelling corrections of unknown words; empty unless each is clearly a typing mistake.

    English words are never corrected. Candidates are words of tables, columns and comments, of the language, and
    common values that are English words; other values are names, which are often alike: Granada is not Grenada.
    """
    english, owners = english_dictionary(), _owners(text, vocabulary) | _other_nouns(text, vocabulary)
    unknown = [
        each
        for each in unknown_words(text, vocabulary)
        if each not in owners and not english.known([fold(each)])
    ]
    if not unknown:
        return owners
    names = data_words(text, vocabulary, values=False)
    values = data_words(text, vocabulary)
    names |= {plural(name) for name in names}
    values |= {f"{value}s" for value in values}
    language = language_words() | language_of(vocabulary.operations).limits

    def right_for(word: str) -> str:
        if found := _nearest_choice(word, names):
            return found
        english_words = english.candidates(word) or set()
        found = _nearest_choice(word, language) or _nearest_choice(word, values & english_words)
        swapped = {each for each in english_words if sorted(each) == sorted(word)}
        return "" if swapped and found not in swapped else found  # `nigth` does not mean `ninth`

    tables = [name for table in vocabulary.index.own for name in fold(table.name).split("_")]
    uncut = {singular(name): name for name in tables if shown_singular(name) == name}  # `sectores`
    right = {word: uncut.get(found := right_for(fold(word)), found) for word in unknown}
    return {} if "" in right.values() else owners | right


def _owners(text: str, vocabulary: Vocabulary) -> dict[str, str]:
    """Names before a column of theirs that lack the apostrophe: `indias population`."""
    tokens, found = tokenize(text), dict[str, str]()
    for token, after in pairwise(tokens):
        name = fold(token.text).removesuffix("s")
        values = vocabulary.values_called((name,)) if name != fold(token.text) else ()
        is_column = after.lower not in HEAD_ENDS and vocabulary.columns_called(
            vocabulary.few_tables, after.text
        )
        ranks = (
            after.lower in {*SUPERLATIVES, *NUMBER_WORDS} or after.kind == "number"
        )  # `egypts ten biggest cities`
        owns = (is_column or ranks) and values  # `canals in Rudy`, with a column `in_svc`, are several
        if owns and all(fold(value) == name for _, _, value in values):
            found[token.text] = f"{token.text[:-1]}'s"
    return found


_OTHER_NOUNS = {"town": "city"}
"""Not among the synonyms, because names have these nouns, too: Old Town is no Old City."""
_BEFORE_NOUN = {*ARTICLES, *SUPERLATIVES, *NUMBER_WORDS} | word_set("each every which what any no of in")


def _other_nouns(text: str, vocabulary: Vocabulary) -> dict[str, str]:
    """Nouns for the rows of a table that has another one, where nothing else is called so: `towns`, of cities, but not
    in names such as `cape town`."""
    tokens, found = tokenize(text), dict[str, str]()
    for at, token in enumerate(tokens):
        noun, is_plural = _OTHER_NOUNS.get(singular(token.text), ""), token.text.endswith("s")
        is_noun = (
            is_plural or at == 0 or tokens[at - 1].lower in _BEFORE_NOUN or tokens[at - 1].kind == "number"
        )
        tables = [table.name for table in vocabulary.index.own if words_of_things(table.name) == (noun,)]
        if noun and is_noun and len(tables) == 1 and singular(token.text) not in data_words(text, vocabulary):
            found[token.text] = plural(noun) if is_plural else noun
    return found


def _nearest_choice(word: str, choices: Collection[str]) -> str:
    """The only choice at the least edit distance with the same first letter; empty if it is too far or not unique."""
    most = 1 if len(word) < MIN_MISTYPED_TWICE else 2
    alike = [each for each in choices if each[:1] == word[0]]
    far = process.extract(word, alike, scorer=OSA.distance, score_cutoff=most, limit=MAX_NEAR)
    near = [str(choice) for choice, distance, _ in far if distance == far[0][1]]
    same_letters = [each for each in near if sorted(each) == sorted(word)]  # `night`, for `nigth`
    if len(word) < MIN_MISTYPED:
        near = [each for each in near if len(each) > len(word) or each == _DOUBLED.sub(r"\1", word)]
    near = same_letters or [each for each in near if each.removesuffix("s") not in near or each[-1] != "s"]
    return max(near) if len({each.replace("our", "or") for each in near}) == 1 else ""


def corrected(text: str, right: Mapping[str, str]) -> str:
    """The text with these words replaced."""
    for token in reversed([token for token in tokenize(text) if token.text in right]):
        text = f"{text[: token.start]}{right[token.text]}{text[token.end :]}"
    return text
