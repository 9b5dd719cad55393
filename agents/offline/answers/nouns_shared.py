"""Notes on nouns that a table's comment has for some of its rows, where no column tells which these are."""

from __future__ import annotations

from agents.offline.answers import texts
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import name_words, second_noun


def not_told_apart(text: str, vocabulary: Vocabulary) -> list[str]:
    """`shelters`, of a table of “Evacuation centres and shelters”: all of its rows count as such, which is said."""
    notes: list[str] = []
    for written in dict.fromkeys(text.strip(" ?!.").lower().split()):
        words = name_words(written)
        match = vocabulary.match_table(words) if len(words) == 1 else None
        if match is None or len(match.found) != 1 or words[0] in name_words(match.found[0].name):
            continue
        if second_noun(match.found[0].comment) == words[0]:
            noun = written.strip(",;:()")
            notes.append(texts.NOT_TOLD_APART(table=match.found[0].title, noun=noun))
    return notes
