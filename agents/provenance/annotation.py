"""Figures as `ai_response` carries them: plain JSON, each source once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from agents.provenance.evidence import Source
from agents.provenance.linking import Figure

MOST_SQL = 20_000


def annotation(figures: Sequence[Figure]) -> dict[str, Any]:
    """`{figures, sources}`, where a figure's `source` is a place in `sources`; nothing where there are no figures."""
    if not figures:
        return {}
    sources: list[Source] = []
    said = []
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
        said.append(entry)
    return {"figures": said, "sources": [_plain(source) for source in sources]}


def _plain(source: Source) -> dict[str, Any]:
    kept = {name: value for name, value in asdict(source).items() if value is not None}
    if len(kept.get("sql", "")) > MOST_SQL:
        kept["sql"] = f"{kept['sql'][:MOST_SQL]}\n-- and {len(kept['sql']) - MOST_SQL:,} more characters"
    return kept
