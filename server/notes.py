"""The info store: Markdown notes about the data, written by users and found by full-text search.

`query` serves `agents.ports.InfoStore`; the other verbs serve the command line."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import delete, insert, select
from sqlalchemy import text as sql
from sqlalchemy.ext.asyncio import AsyncEngine

from server.database.engines import single_reads
from server.maps.log.tables import info_note_table as notes

MAX_PROMPT_CHARS = 2_000

MATCHING = """
    WITH asked AS (
        SELECT
            -- any of the words, not all of them: PostgreSQL writes the query with &, which becomes |
            CAST(replace(CAST(plainto_tsquery('english', :text) AS text), '&', '|') AS tsquery) AS words,
            tsvector_to_array(to_tsvector('english', :text)) AS lexemes
    ), note AS (
        SELECT
            id, title, body, search,
            tsvector_to_array(to_tsvector('english', CASE WHEN cardinality(tables) = 0 THEN title ELSE (
                SELECT string_agg(translate(regexp_replace(name, '^.*[.]', ''), '_"', '  '), ' ')
                FROM unnest(tables) AS name
            ) END)) AS names
        FROM geoagent.info_note
    ), matched AS (
        SELECT
            note.id, note.title, note.body, note.search, asked.words,
            ARRAY(SELECT unnest(asked.lexemes) INTERSECT SELECT unnest(note.names)) AS named,
            (
                SELECT count(*) FROM unnest(asked.lexemes) AS lexeme
                WHERE note.search @@ CAST(quote_literal(lexeme) AS tsquery)
            ) AS shared,
            cardinality(asked.lexemes) AS total
        FROM note CROSS JOIN asked
        WHERE note.search @@ asked.words OR note.names && asked.lexemes
    ), judged AS (
        -- of "show town_parks", town_parks has all words and town_trees only those that both have
        SELECT matched.*, cardinality(named) > 0 AND NOT EXISTS (
            SELECT FROM matched AS other WHERE other.named @> matched.named AND NOT other.named <@ matched.named
        ) AS is_named
        FROM matched
    )
    SELECT title, body FROM judged
    WHERE is_named OR (shared >= :least AND shared >= CAST(:share AS double precision) * total)
    ORDER BY is_named DESC, ts_rank_cd(search, words, 1) DESC, id
    LIMIT :k
"""
MIN_COMMON_WORDS = 2
MIN_WORD_SHARE = 0.8
"""Minimum number of the question's words in a note that names none of its tables: a single common word is chance."""


@dataclass(frozen=True, slots=True)
class Note:
    """A Markdown note about tables."""

    id: str
    title: str
    body: str
    tables: tuple[str, ...] = ()


class Notes:
    """Stores notes about data, and finds those that fit a message."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def query(self, text: str, k: int = 3) -> Sequence[str]:
        """The notes about the text, as Markdown, best first: on a table that it names, or with most of its words."""
        values = {"text": text[:2000], "k": k, "least": MIN_COMMON_WORDS, "share": MIN_WORD_SHARE}
        async with single_reads(self._engine) as connection:
            rows = await connection.execute(sql(MATCHING), values)
            return [f"## {row.title}\n{row.body[:MAX_PROMPT_CHARS]}" for row in rows]

    async def add(self, title: str, body: str, tables: Sequence[str] = ()) -> Note:
        """Store a note; `tables` are the ids of those it is about."""
        note = Note(f"note_{secrets.token_hex(4)}", title, body, tuple(tables))
        async with self._engine.begin() as connection:
            await connection.execute(
                insert(notes).values(id=note.id, title=title, body=body, tables=list(tables))
            )
        return note

    async def all(self) -> list[Note]:
        """All notes by title."""
        query = select(notes.c.id, notes.c.title, notes.c.body, notes.c.tables).order_by(notes.c.title)
        async with single_reads(self._engine) as connection:
            return [
                Note(row.id, row.title, row.body, tuple(row.tables))
                for row in await connection.execute(query)
            ]

    async def about(self, table_id: str) -> list[Note]:
        """The notes that name this table."""
        return [note for note in await self.all() if table_id in note.tables]

    async def remove(self, note_id: str) -> bool:
        """Delete a note; whether it existed."""
        async with self._engine.begin() as connection:
            gone = await connection.execute(delete(notes).where(notes.c.id == note_id))
            return gone.rowcount > 0
