"""Readings of analyses, kept for all in a turn who read the same goal: the chat, the analyst, what is asked next."""

from __future__ import annotations

from agents.offline.commands.analyses.analysis import Chain, read_analysis
from agents.offline.language.reading import read_once
from agents.offline.language.vocabulary import Vocabulary


async def analysis_read(goal: str, vocabulary: Vocabulary) -> Chain | None:
    """`read_analysis` with all operations of the vocabulary, in the reader thread."""
    key = ("analysis", goal, vocabulary.state)
    return await read_once(
        vocabulary.index, key, lambda: read_analysis(goal, vocabulary, vocabulary.operations)
    )
