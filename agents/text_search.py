"""A search for texts in several tables at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class TextSearch:
    """Rows of which one of the `columns` is one of the `texts`, or one of the `ending` columns ends with one of the
    `endings`, whatever their case. Columns are given by the ids of their tables; `ending` ones are `columns`, too."""

    columns: Mapping[str, Sequence[str]]
    texts: Sequence[str]
    ending: Mapping[str, Sequence[str]]
    endings: Sequence[str]
    limit: int = 200
    """Rows of each table."""
