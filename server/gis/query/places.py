"""Finds places by name in the user's tables: exact matches before prefixes, word starts and similar names.

Case, accents and hyphens are ignored. Among equal matches the more populous comes first, and results of analyses, which
repeat rows of other tables, come last. All tables are searched, the most promising first, for `SEARCH_TIMEOUT_S`
altogether; those that were not reached by then or took longer than `STATEMENT_TIMEOUT_S` are named in the result,
because they may contain the place. One that cannot be read is left out."""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import sqlalchemy as sa
import structlog

from agents.domain import Bounds, FoundPlaces, Place, Table
from agents.geo.place_names import other_names
from agents.worded import Template
from server.gis.catalog.gazetteer import Searchable, folded, searchable
from server.gis.errors import DataBusy, DataUnavailable, GisError, InvalidQuestion, TooExpensive
from server.gis.expressions import extents
from server.gis.expressions.declared_types import declared_type
from server.gis.expressions.geometry_checks import computable
from server.gis.expressions.identifiers import GEOMETRY, Expression, column_of, lonlat_of
from server.gis.query.place_names import (
    escaped,
    locked_of,
    lower,
    may_be_code,
    may_contain,
    similar_names,
    tables_with,
    words_pattern,
    words_spelling,
)
from server.gis.query.together import batches, is_asked_together
from server.gis.query.values import as_json
from server.gis.statements.guard import Guard, Query, Record
from server.gis.statements.recorded_queries import note_answer

NAME_A_PLACE = Template("data_name_a_place", "Name a place.")

log = structlog.get_logger(__name__)

STATEMENT_TIMEOUT_S = 3.0
"""Time limit for one statement of a search."""
SEARCH_TIMEOUT_S = 6.0
"""Time limit for the statements of all tables; what is running by then is finished."""
MAX_FOLDED_ROWS = 300_000
"""In larger tables names are not folded row by row; only conditions that an index on the name serves are used."""
MAX_TEXT_CHARS = 200
MAX_CONCURRENT = 3

EXACT, CODE, BEGINS, INSIDE, SIMILAR = range(5)


@dataclass(frozen=True)
class _Match:
    rank: float
    population: float
    codes: int
    """Number of its codes: an airport with an IATA code is better known than one without."""
    is_result: bool
    place: Place
    asked: Query
    """The statement that found it."""
    named: str
    """The column of its name."""
    location_text: str
    """The row's regions and codes, folded: a hint after a comma is searched in it."""


T = TypeVar("T")
_Question = tuple[Sequence[Searchable], Callable[[], Awaitable[list[T]]]]
"""Tables, and the question to them, which is asked one after the other."""


async def find(guard: Guard, tables: Sequence[Table], text: str, limit: int = 5) -> FoundPlaces:
    """Places with that name, best match first; where none has it, those of its other names (`München` is Munich).
    `Paris, Texas` prefers rows that also contain Texas. Raises InvalidQuestion or DataUnavailable."""
    name, _comma, hint = text[:MAX_TEXT_CHARS].partition(",")
    wanted, near = folded(name), folded(hint)
    if not wanted:
        raise InvalidQuestion(NAME_A_PLACE())
    candidates = searchable(tables)
    search = _Search(guard, candidates, limit, asyncio.get_running_loop().time() + SEARCH_TIMEOUT_S)
    matches = await search.everywhere(wanted)
    if not any(match.rank in (EXACT, CODE) for match in matches):
        matches += [match for other in other_names(name) for match in await search.called(folded(other))]
    if not any(match.rank < BEGINS for match in matches):
        matches += await search.by_kind(wanted)
    if not matches:
        matches = await search.similar(wanted)
    if near:
        words = rf"\b{re.escape(near)}" + r"\b" * (len(near) < 4)  # `us` is not in Australia
        matches = [each for each in matches if re.search(words, each.location_text)] or matches
    matches.sort(key=_order, reverse=True)
    unique = {(match.place.name, match.place.table, match.place.bounds): match for match in matches}
    best = sorted(unique.values(), key=_order)[:limit]
    _note(best)
    kinds = {"the", *(each.kind for each in candidates)}  # `oaks` are trees, and not `the airport OAKS`
    in_capitals = all(word == word.upper() or folded(word) in kinds for word in name.split())
    return FoundPlaces(
        places=tuple(
            each.place if each.rank != CODE or in_capitals else each.place.model_copy(update={"whole": False})
            for each in best
        ),
        not_searched=tuple(each.table.id for each in candidates if each.table.id in search.missed),
    )


def _note(best: Sequence[_Match]) -> None:
    """Record the statements that found the places in the receipt."""
    for table in dict.fromkeys(match.place.table for match in best):
        there = [match for match in best if match.place.table == table]
        names = list(dict.fromkeys(match.place.name for match in there))
        filter = {"op": "in", "args": [{"property": there[0].named}, names]}
        cells = [
            (
                None,
                {
                    "name": match.place.name,
                    **({"population": match.population} if match.population else {}),
                    "longitude": match.place.longitude,
                    "latitude": match.place.latitude,
                },
            )
            for match in there
        ]
        note_answer([there[0].asked], table, filter, {}, cells=cells)


def _order(match: _Match) -> tuple[Any, ...]:
    """The same order as in `_statement`: prefixes and word starts form one group, ordered by population."""
    group = EXACT if match.rank == CODE else BEGINS if match.rank == INSIDE else match.rank
    return (
        group,
        match.is_result,
        -match.population,
        -match.codes,
        match.rank,
        len(match.place.name),
        match.place.table,
    )


class _Search:
    """The searches for one name in all tables, as far as they get until `deadline`, a time of the event loop.

    The ids of tables that did not answer in time, or were not asked, are in `missed`."""

    def __init__(self, guard: Guard, candidates: Sequence[Searchable], limit: int, deadline: float) -> None:
        self.missed: set[str] = set()
        self._guard, self._candidates, self._limit, self._deadline = guard, candidates, limit, deadline

    async def everywhere(self, wanted: str) -> list[_Match]:
        having = await self._gather(
            [
                (batch, partial(self._tables_with, batch, wanted))
                for batch in batches(
                    [each for each in self._candidates if is_asked_together(each.table)], _table
                )
            ]
        )
        found = {each.table.id for each in having}
        return await self._gather(
            [
                ([each], partial(_matches, self._guard, each, wanted, self._limit))
                for each in self._candidates
                if each.table.id in found or not is_asked_together(each.table)
            ]
        )

    async def called(self, wanted: str) -> list[_Match]:
        """The places of exactly this name."""
        return [match for match in await self.everywhere(wanted) if match.rank == EXACT]

    async def _tables_with(self, batch: Sequence[Searchable], wanted: str) -> list[Searchable]:
        """As `place_names.tables_with`, without locked tables; all tables if it takes too long and none is locked."""
        try:
            return await tables_with(self._guard, batch, wanted)
        except TooExpensive:
            locked = await locked_of(self._guard, batch)
            self.missed |= locked
            left = [each for each in batch if each.table.id not in locked]
            return await self._tables_with(left, wanted) if locked and left else left

    async def by_kind(self, wanted: str) -> list[_Match]:
        """`paris airport`, `city of paris`: searches for the name without the word for its kind, in tables of that
        kind."""
        words = wanted.split()
        asked: list[_Question[_Match]] = []
        for each in self._candidates:
            if each.kind in words and len(words) > 1:
                rest = " ".join(word for word in words if word not in (each.kind, "of", "the"))
                if rest:
                    asked.append(
                        ([each], partial(_matches, self._guard, each, rest, self._limit, anywhere=True))
                    )
        return await self._gather(asked)

    async def similar(self, wanted: str) -> list[_Match]:
        """For misspelled names: the most similar names, compared in this process."""
        if len(wanted) < 4:
            return []
        small = [
            each
            for each in self._candidates
            if each.table.row_estimate <= MAX_FOLDED_ROWS and each.table.id not in self.missed
        ]
        found = await self._gather(
            [
                (batch, partial(similar_names, self._guard, batch, wanted, STATEMENT_TIMEOUT_S))
                for batch in batches(small, _table)
            ]
        )
        return await self._gather(
            [([each], partial(_called, self._guard, each, names, self._limit)) for each, names in found]
        )

    async def _gather(self, asked: Sequence[_Question[T]]) -> list[T]:
        """The answers of all tables, in their order."""
        gate = asyncio.Semaphore(MAX_CONCURRENT)
        answers = await asyncio.gather(*(self._ask(gate, *each) for each in asked))
        return [answer for found in answers for answer in found]

    async def _ask(
        self, gate: asyncio.Semaphore, where: Sequence[Searchable], question: Callable[[], Awaitable[list[T]]]
    ) -> list[T]:
        async with gate:
            if asyncio.get_running_loop().time() >= self._deadline:
                self.missed.update(each.table.id for each in where)
                return []
            try:
                return await question()
            except DataUnavailable:
                raise
            except GisError as error:
                log.info("a table was left out of a search for a place", reason=error.message)
                if isinstance(error, (TooExpensive, DataBusy)):
                    self.missed.update(each.table.id for each in where)
                return []


def _table(where: Searchable) -> Table:
    return where.table


async def _matches(
    guard: Guard, where: Searchable, wanted: str, limit: int, *, anywhere: bool = False
) -> list[_Match]:
    table, words = where.table, (sa.literal(words_pattern(wanted)), sa.literal(words_spelling(wanted)))
    levels: list[tuple[int, Expression]] = []
    passing: list[Expression] = []
    for name in where.names:
        column = sa.cast(column_of(table, name), sa.Text)
        if table.row_estimate > MAX_FOLDED_ROWS:
            beginning = escaped(wanted) + "%"
            levels += [(EXACT, column.ilike(escaped(wanted))), (BEGINS, column.ilike(beginning))]
            passing.append(column.ilike(beginning))
        else:
            plain = _folded(column)
            levels += [(EXACT, plain == wanted), (BEGINS, sa.func.starts_with(plain, wanted))]
            passing.append(
                _where_likely(may_contain(column, *words), sa.func.strpos(" " + plain, " " + wanted) > 0)
            )
    if may_be_code(wanted):
        codes = [column_of(table, code) == wanted.upper() for code in where.codes]
        levels += [(CODE, code) for code in codes]
        passing += codes
    if anywhere:
        for region in (sa.cast(column_of(table, each), sa.Text) for each in where.regions):
            passing.append(_where_likely(may_contain(region, *words), _folded(region) == wanted))
    levels.sort(key=lambda each: each[0])
    rank = sa.case(*((condition, level) for level, condition in levels), else_=INSIDE)
    asked = _statement(where, rank, sa.or_(*passing), limit)
    rows = await guard.rows(asked, table.id, seconds=STATEMENT_TIMEOUT_S)
    return [match for row in rows if (match := _match(where, row, asked)) is not None]


def _where_likely(likely: Expression, folded_matches: Expression) -> Expression:
    """Both, in this order: the planner would take the second of two first, and fold the texts of all rows."""
    return sa.case((likely, folded_matches), else_=sa.false())


async def _called(guard: Guard, where: Searchable, names: Mapping[str, float], limit: int) -> list[_Match]:
    """The places with one of these names, given with their distance from the name that was looked for."""
    column = sa.cast(column_of(where.table, where.names[0]), sa.Text)
    rank = sa.case(*((column == name, SIMILAR + far / 10) for name, far in names.items()))
    asked = _statement(where, rank, column.in_(list(names)), limit)
    found = await guard.rows(asked, where.table.id)
    return [match for row in found if (match := _match(where, row, asked)) is not None]


def _folded(text: Expression) -> Expression:
    """The SQL equivalent of `gazetteer.folded`."""
    spaced = sa.func.regexp_replace(lower(text), r"[-_.,'’()/\s]+", " ", "g", type_=sa.Text())
    return sa.func.btrim(spaced, type_=sa.Text())


def _statement(where: Searchable, rank: Expression, condition: Expression, limit: int) -> Query:
    """The best rows; geometry is computed for these only."""
    table = where.table
    population = column_of(table, where.population) if where.population else sa.null()
    texts = [
        sa.cast(column_of(table, each), sa.Text) for each in (where.names[0], *where.regions, *where.codes)
    ]
    size = sa.cast(population, sa.Double).label("population")
    codes = [column_of(table, code) for code in where.codes if code not in table.key]  # each row has a key
    known = (sa.func.num_nonnulls(*codes) if codes else sa.literal(0)).label("codes")
    # The rank is a long expression, to which the order refers many times.
    ranked = (
        sa.select(
            rank.label("rank"),
            size,
            known,
            sa.func.jsonb_build_array(*(sa.func.left(each, MAX_TEXT_CHARS) for each in texts)).label("texts"),
            sa.func.length(texts[0]).label("length"),
            lonlat_of(table).label("geometry"),
        )
        .where(condition, column_of(table, table.geometry_column or "").is_not(None))
        .subquery("ranked")
    )
    at = ranked.c
    group = sa.case((at.rank == CODE, EXACT), (at.rank == INSIDE, BEGINS), else_=at.rank)
    best = (
        sa.select(at.rank, at.population, at.codes, at.texts, at.geometry)
        .order_by(group, at.population.desc().nulls_last(), at.codes.desc(), at.rank, at.length)
        .limit(limit)
        .subquery("best")
    )
    geometry = sa.type_coerce(best.c.geometry, GEOMETRY)
    turned = _wrapped_extent(geometry)
    inside = sa.func.ST_PointOnSurface(computable(geometry, declared_type(table)[0]))
    return sa.select(
        best.c.rank, best.c.population, best.c.codes, best.c.texts,
        *(corner(geometry) for corner in (sa.func.ST_XMin, sa.func.ST_YMin, sa.func.ST_XMax, sa.func.ST_YMax)),
        turned.c.west, turned.c.east, sa.func.ST_X(inside), sa.func.ST_Y(inside),
    ).select_from(best.outerjoin(turned, sa.true()))  # fmt: skip


def _wrapped_extent(geometry: Expression) -> sa.FromClause:
    """West and east with longitudes from 0 to 360, as `extents.parts_of` computes for whole tables."""
    part = (
        sa.func.ST_Dump(geometry)
        .table_valued("path", sa.column("geom", GEOMETRY))
        .render_derived(name="part")
    )
    west, east = sa.func.ST_XMin(part.c.geom), sa.func.ST_XMax(part.c.geom)
    shift = sa.case((west < 0, 360), else_=0)
    return sa.select(
        sa.func.min(west + shift).label("west"), sa.func.max(east + shift).label("east")
    ).lateral("turned")


def _match(where: Searchable, row: Record, asked: Query) -> _Match | None:
    rank, population, codes, texts, *sides, turned_west, turned_east, longitude, latitude = row
    box = extents.bounds(sides)
    texts = as_json(texts)
    if box is None or longitude is None or not texts[0]:
        return None
    if extents.spans_the_world(box):
        box = extents.across(box, (turned_west, turned_east))
    regions = [each for each in texts[1 : 1 + len(where.regions)] if each]
    detail = ", ".join(dict.fromkeys(regions))
    place = Place(
        name=texts[0],
        table=where.table.id,
        kind=where.kind,
        bounds=_padded(box, population or 0),
        longitude=longitude,
        latitude=latitude,
        detail=detail,
        population=population or None,
        whole=rank in (EXACT, CODE),
    )
    location_text = folded(" ".join(each for each in texts[1:] if each))
    return _Match(
        rank, population or 0.0, codes, where.is_result, place, asked, where.names[0], location_text
    )


def _padded(box: Bounds, population: float) -> Bounds:
    """A point as a box that makes a useful view, larger for larger cities."""
    west, south, east, north = box
    if west > east or max(east - west, north - south) > 0.01:
        return box
    margin = min(0.25, max(0.03, 0.03 + math.sqrt(max(population, 0)) / 12_000))
    sideways = margin / max(0.1, math.cos(math.radians(south)))
    return (
        extents.wrapped(west - sideways),
        max(-90.0, south - margin),
        extents.wrapped(east + sideways),
        min(90.0, north + margin),
    )
