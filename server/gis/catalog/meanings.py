"""Semantic search of tables by the vectors of an embedding model, in addition to the full-text search of `search`.

The model gets the names and comments of tables and columns, never values. Its vectors are stored under a digest of
that text, so that a restart, a second server or a renamed schema does not request known vectors again."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterable, Sequence, Set
from typing import Any, Protocol

import numpy
import structlog
from cachetools import LRUCache
from sqlalchemy import text as sql
from sqlalchemy.ext.asyncio import AsyncEngine

from agents.domain import Table
from server.background import end_tasks

log = structlog.get_logger(__name__)

MAX_TEXT_CHARACTERS = 2_000
"""Maximum length of the text about one table."""
TEXTS_PER_REQUEST = 64
REQUEST_TIMEOUT_S = 60.0
QUERY_TIMEOUT_S = 2.0
"""A search waits at most this long for the model; then it uses the full-text search alone."""
MAX_QUERY_CHARACTERS = 500
MAX_CACHED_QUERIES = 500
FIRST_RETRY_S, LONGEST_RETRY_S = 5.0, 600.0
MAX_FOUND = 10
MIN_COMPARED_TABLES = 20
"""With at least this many tables, only those well above the mean similarity are returned."""
MIN_DEVIATIONS = 1.5
"""Standard deviations above the mean similarity. Absolute similarities differ from model to model."""
VECTOR_RETENTION_DAYS = 90
"""Stored vectors that no server has loaded for this time are deleted."""


class Embedder(Protocol):
    """An embedding model, as `agents.models.embeddings` makes it."""

    @property
    def name(self) -> str:
        """Identifies the model: vectors of different models are not compared."""

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector for each text, all of the same length. Raises ModelError."""


class TableMeanings:
    """Vectors of tables. `Registry.search_by_meaning` keeps the tables current."""

    def __init__(self, embedder: Embedder, engine: AsyncEngine) -> None:
        self._embedder = embedder
        self._store = VectorStore(engine, embedder.name)
        self._digests: dict[str, str] = {}
        """The digest of each table's text, by table id."""
        self._texts: dict[str, str] = {}
        """The texts of all tables, by digest."""
        self._waiting: dict[str, str] = {}
        """Texts without a vector yet, by digest."""
        self._vectors: dict[str, Any] = {}
        """Unit vectors of texts, by digest."""
        self._length: int | None = None
        """Length of the model's vectors; None until it has answered."""
        self._matrix: tuple[list[str], Any] | None = None
        self._queries: LRUCache[str, Any] = LRUCache(MAX_CACHED_QUERIES)
        self._wake = asyncio.Event()
        self._worker: asyncio.Task[None] | None = None
        self._is_away = False

    def start(self) -> None:
        """Learn the tables in the background."""
        self._worker = asyncio.create_task(self._work())

    async def stop(self) -> None:
        """End the background task."""
        await end_tasks(self._worker)

    def changed(self, tables: Iterable[Table], removed: Iterable[str]) -> None:
        """Add tables that were created or changed, and forget those that were removed."""
        for table_id in removed:
            self._digests.pop(table_id, None)
        for table in tables:
            text = text_of(table)
            digest = hashlib.sha256(text.encode()).hexdigest()
            self._digests[table.id] = digest
            self._texts[digest] = text
            if digest not in self._vectors:
                self._waiting[digest] = text
        used = set(self._digests.values())
        self._texts = {digest: text for digest, text in self._texts.items() if digest in used}
        self._matrix = None
        self._wake.set()

    async def similar(self, text: str, hidden: Set[str]) -> list[str]:
        """Ids of the tables most similar in meaning, best first; empty while the model does not answer."""
        query = " ".join(text.split())[:MAX_QUERY_CHARACTERS]
        if not query or not self._vectors:
            return []
        vector = await self._vector_of(query)
        if vector is None:
            return []
        ids, matrix = self._as_matrix()
        if not ids:
            return []
        likeness = matrix @ vector
        least = -1.0
        if len(ids) >= MIN_COMPARED_TABLES:
            least = float(likeness.mean() + MIN_DEVIATIONS * likeness.std())
        order = numpy.argsort(-likeness)
        best = (ids[place] for place in order if likeness[place] >= least)
        found: list[str] = []
        for table_id in best:
            if len(found) >= MAX_FOUND:
                break
            if table_id not in hidden:
                found.append(table_id)
        return found

    async def _vector_of(self, query: str) -> Any:
        known = self._queries.get(query)
        if known is None:
            try:
                async with asyncio.timeout(QUERY_TIMEOUT_S):
                    [known] = as_vectors(await self._embedder.embed([query]))
            except Exception as error:
                self._failed(error)
                return None
            self._expect(len(known))
            self._queries[query] = known
        return known

    def _as_matrix(self) -> tuple[list[str], Any]:
        if self._matrix is None:
            ids = [table_id for table_id, digest in self._digests.items() if digest in self._vectors]
            rows = [self._vectors[self._digests[table_id]] for table_id in ids]
            self._matrix = ids, numpy.stack(rows) if rows else numpy.zeros((0, 0), numpy.float32)
        return self._matrix

    async def _work(self) -> None:
        """Load stored vectors and ask for the missing ones, for ever."""
        retry = FIRST_RETRY_S
        is_swept = False
        while True:
            await self._wake.wait()
            self._wake.clear()
            try:
                await self._catch_up()
                if not is_swept:
                    await self._store.sweep()
                    is_swept = True
                self._is_away, retry = False, FIRST_RETRY_S
            except Exception as error:
                self._failed(error)
                await asyncio.sleep(retry)
                retry = min(LONGEST_RETRY_S, retry * 2)
                self._wake.set()

    async def _catch_up(self) -> None:
        """Load or request missing vectors. Raises ValueError where the model answers with vectors of several
        lengths."""
        if self._waiting:
            self._keep(await self._store.load(list(self._waiting), self._length))
        length = None
        while self._waiting:
            part = dict(list(self._waiting.items())[:TEXTS_PER_REQUEST])
            async with asyncio.timeout(REQUEST_TIMEOUT_S):
                found = as_vectors(await self._embedder.embed(list(part.values())))
            if length not in (None, len(found[0])):
                raise ValueError(f"the model answers with vectors of {length} and of {len(found[0])} numbers")
            length = len(found[0])
            self._expect(length)
            vectors = dict(zip(part, found, strict=True))
            await self._store.save(vectors)
            self._keep(vectors)

    def _expect(self, length: int) -> None:
        """Forget vectors of another length: the embedding server now runs another model under the same name."""
        if length == self._length:
            return
        self._length = length
        self._queries.clear()
        stale = [digest for digest, vector in self._vectors.items() if len(vector) != length]
        if not stale:
            return
        log.warning(
            "the embedding model changed; tables are searched by words alone until it has read all of them",
            model=self._embedder.name,
            numbers=length,
            tables=len(stale),
        )
        for digest in stale:
            del self._vectors[digest]
            if digest in self._texts:
                self._waiting[digest] = self._texts[digest]
        self._matrix = None
        self._wake.set()

    def _keep(self, vectors: dict[str, Any]) -> None:
        for digest, vector in vectors.items():
            # The length that is expected may have changed while these were fetched.
            if self._length in (None, len(vector)):
                self._vectors[digest] = vector
                self._waiting.pop(digest, None)
        self._matrix = None

    def _failed(self, error: Exception) -> None:
        if not self._is_away:
            log.warning(
                "tables are searched by words alone",
                model=self._embedder.name,
                error=str(error)[:300] or type(error).__name__,
            )
        self._is_away = True


class VectorStore:
    """The stored vectors of one embedding model."""

    def __init__(self, engine: AsyncEngine, model: str) -> None:
        self._engine = engine
        self._model = model

    async def load(self, digests: Sequence[str], length: int | None) -> dict[str, Any]:
        """The stored vectors among these, of this many numbers if that is known."""
        statement = sql(
            "UPDATE geoagent.text_vector SET used_on = current_date "
            "WHERE model = :model AND digest = ANY(CAST(:digests AS text[])) "
            "AND (CAST(:bytes AS integer) IS NULL OR octet_length(vector) = :bytes) RETURNING digest, vector"
        )
        asked = {
            "model": self._model,
            "digests": list(digests),
            "bytes": None if length is None else 4 * length,
        }
        async with self._engine.begin() as connection:
            rows = await connection.execute(statement, asked)
            return {row.digest: numpy.frombuffer(row.vector, dtype="<f4") for row in rows}

    async def save(self, vectors: dict[str, Any]) -> None:
        """Store vectors (32-bit floats) by the digest of their text."""
        statement = sql(
            "INSERT INTO geoagent.text_vector (model, digest, vector) VALUES (:model, :digest, :vector) "
            "ON CONFLICT (model, digest) DO UPDATE SET vector = excluded.vector, used_on = current_date"
        )
        rows = [
            {"model": self._model, "digest": digest, "vector": vector.astype("<f4").tobytes()}
            for digest, vector in vectors.items()
        ]
        async with self._engine.begin() as connection:
            await connection.execute(statement, rows)

    async def sweep(self) -> None:
        """Delete what no server has loaded for months, whatever its model."""
        async with self._engine.begin() as connection:
            await connection.execute(
                sql("DELETE FROM geoagent.text_vector WHERE used_on < current_date - CAST(:days AS integer)"),
                {"days": VECTOR_RETENTION_DAYS},
            )


def text_of(table: Table) -> str:
    """What the model reads of a table: names and comments, no values."""
    columns = [
        f"{spaced(column.name)} ({column.comment})" if column.comment else spaced(column.name)
        for column in table.columns
    ]
    text = f"{spaced(table.name)}: {table.comment or ''}\n{', '.join(columns)}"
    return text[:MAX_TEXT_CHARACTERS]


def spaced(name: str) -> str:
    """`road_segments` as words."""
    return name.replace("_", " ")


def as_vectors(found: Sequence[Sequence[float]]) -> list[Any]:
    """The model's vectors with length 1; one of zeros stays as it is, and is like nothing."""
    matrix = numpy.asarray(found, dtype=numpy.float32)
    lengths = numpy.linalg.norm(matrix, axis=1, keepdims=True)
    return list(matrix / numpy.where(lengths > 0, lengths, 1))
