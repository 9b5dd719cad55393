"""Tags for questions about one table, with earlier ends of values."""

from __future__ import annotations

from collections.abc import Iterable

from agents.domain import Table
from agents.offline.language.cursor import Cursor
from agents.offline.language.tags import Tags
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import word_set

MAX_LIMITS = 3
LIMITS = word_set("""
    by per for in of each every with and as from on at does do did is are was were has have had highest lowest most
    least largest smallest oldest newest sorted ordered ranked top than that which who across , give show
""")
"""Words before which a value may end."""


class TableTags(Tags):
    """Tags of a request about a single table."""

    def __init__(self, cursor: Cursor, vocabulary: Vocabulary, table: Table) -> None:
        super().__init__(cursor, vocabulary, table, LIMITS)
        self._roots = (table,)

    def _limited(self, at: int) -> Iterable[int]:
        """The end of the request, and the next positions where a value may end."""
        yield self._ends
        yield from [joint for joint in self._joints if joint > at][:MAX_LIMITS]
