"""The ways in which a value that a request names may be written in a table."""

from __future__ import annotations

from collections.abc import Sequence

from agents.offline.language.words import fold, singular
from agents.offline.meaning.place_names import DEMONYMS, SAME_PLACE


def unquoted(text: str) -> str:
    """The text without the double quotes around it."""
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text


def place_forms(text: str) -> list[str]:
    """The text, and what else that place is called."""
    text = unquoted(text)
    bare = text[4:] if text.lower().startswith("the ") else text
    wanted = fold(bare)
    others = [name for names in SAME_PLACE if wanted in map(fold, names) for name in names]
    return list(dict.fromkeys([bare, *others]))


def adjective_forms(text: str) -> list[str]:
    """`large`, what an adjective of a place comes from (European -> Europe), and the singular (oaks -> oak)."""
    word = unquoted(text)
    lowered = word.lower()
    before, _, last = lowered.rpartition(" ")
    one = f"{before} {singular(last)}".strip()
    forms = [word, DEMONYMS.get(lowered, ""), one, DEMONYMS.get(one, "")]
    if lowered.endswith("an") and len(word) > 4:
        forms += [word[:-1], word[:-2], f"{word}y"]
    return [form for index, form in enumerate(forms) if form and form not in forms[:index]]


def spellings(forms: Sequence[str]) -> list[str]:
    """How a value is usually written: such rows are found without folding every row of the table."""
    spelt = [
        way for form in forms for way in (form, form.title(), form.capitalize(), form.lower(), form.upper())
    ]
    return list(dict.fromkeys(spelt))
