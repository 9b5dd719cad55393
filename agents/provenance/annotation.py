"""Figures as `ai_response` carries them: plain JSON, without duplicate sources."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from agents.provenance.evidence import Source
from agents.provenance.linking import Figure
from agents.worded import stored_wording

MAX_SQL_CHARS = 20_000


def annotation(figures: Sequence[Figure]) -> dict[str, Any]:
    """`{figures, sources}`, where a figure's `source` is an index in `sources`; empty without figures."""
    if not figures:
        return {}
    sources: list[Source] = []
    entries = []
    for figure in figures:
        entry: dict[str, Any] = {
            "start": figure.start,
            "end": figure.end,
            "text": figure.text,
            "source": None,
        }
        if figure.source is not None:
            if figure.source not in sources:
                sources.append(figure.source)
            entry["source"] = sources.index(figure.source)
            entry["how"] = figure.how
        if figure.row is not None:
            entry["row"] = figure.row
        if figure.note:
            entry["note"] = figure.note
        entries.append(entry)
    return {"figures": entries, "sources": [_plain(source) for source in sources]}


def _plain(source: Source) -> dict[str, Any]:
    kept = {name: value for name, value in asdict(source).items() if value is not None}
    if len(kept.get("sql", "")) > MAX_SQL_CHARS:
        kept["sql"] = (
            f"{kept['sql'][:MAX_SQL_CHARS]}\n-- and {len(kept['sql']) - MAX_SQL_CHARS:,} more characters"
        )
    return {**kept, **stored_wording(source.summary)}
