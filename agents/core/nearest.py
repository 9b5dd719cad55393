"""Finds the names nearest to an unknown one, for error messages that suggest a correction."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import Any

MAX_COMPARED_CHARS = 200
"""Characters of a name that are compared."""


def nearest(value: Any, choices: Iterable[Any], limit: int = 3, score: float = 60) -> list[str]:
    """The choices most similar to a value, best first; accents, case and separators are ignored.

    `score` is the minimum similarity (0 to 100, rapidfuzz's WRatio)."""
    if isinstance(value, dict | list) or not (asked := fold(str(value)).strip()[:MAX_COMPARED_CHARS]):
        return []
    from rapidfuzz import fuzz, process, utils

    texts = [choice for choice in choices if isinstance(choice, str)]
    found = process.extract(
        asked,
        texts,
        scorer=fuzz.WRatio,
        limit=limit,
        score_cutoff=score,
        processor=lambda text: utils.default_process(fold(text)),
    )
    return [text for text, _, _ in found]


STROKES, WITHOUT_STROKES = "łŁøØđĐħĦŧŦı", "lLoOdDhHtTi"
"""Letters that Unicode does not take apart into a letter and its mark, and how they are typed without it."""
_PLAIN = str.maketrans(STROKES, WITHOUT_STROKES)


def without_strokes(text: str) -> str:
    """`Lodz` of `Łodz`."""
    return text.translate(_PLAIN)


def fold(text: str) -> str:
    """Lower case without accents; other scripts are unchanged."""
    lowered = without_strokes(unicodedata.normalize("NFKD", text.casefold()))
    return "".join(char for char in lowered if not unicodedata.combining(char))
