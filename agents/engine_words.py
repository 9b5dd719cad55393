"""Words at the end of a request that say where its analysis runs: “on Spark”, or “verify” on both engines."""

from __future__ import annotations

import re
from typing import Literal

Wanted = Literal["spark", "verify"]

_SPARK = r"on\s+(?:apache\s+)?spark"
_VERIFY = (
    rf"(?:and\s+)?verif(?:y|ied)(?:\s+(?:it|this|that))?\s+(?:{_SPARK}|(?:on|by|with)\s+both\s+engines)"
    r"|(?:and\s+)?verify(?:\s+(?:it|this|that))?"
    r"|(?:(?<=[,;(])|(?<=[,;] ))verified"  # elsewhere it describes rows: `sightings that are verified`
    r"|(?:on|by|with)\s+both\s+engines"
)
_ENDINGS: dict[Wanted, re.Pattern[str]] = {
    "verify": re.compile(rf"[\s,;(]*\b(?:{_VERIFY})\b[\s.!?)]*$", re.IGNORECASE),
    "spark": re.compile(rf"[\s,;(]*\b(?:{_SPARK})\b[\s.!?)]*$", re.IGNORECASE),
}
ENGINE_PHRASES: dict[Wanted, str] = {"spark": "on Spark", "verify": "on both engines"}


def asked_engine(text: str) -> tuple[str, Wanted | None]:
    """The request without such words at its end, and what they ask for."""
    for wanted, ending in _ENDINGS.items():
        found = ending.search(text)
        if found is not None and text[: found.start()].strip():
            return text[: found.start()].rstrip(), wanted
    return text, None
