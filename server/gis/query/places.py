"""Where is a place, by its name, in the person's own tables: exact before beginning before inside before
similar.

Case, accents and hyphens do not count. Among equals the more populous comes first. Each table has a second
at most, and a table that fails is left out: a place is a courtesy, never a fault.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
import structlog
from rapidfuzz import process
from rapidfuzz.distance import DamerauLevenshtein

from agents.domain import Bounds, Place, Table
from server.gis.catalog.gazetteer import Searchable, folded, searchable
from server.gis.errors import DataUnavailable, GisError, InvalidQuestion
from server.gis.expressions import extents
from server.gis.expressions.declared_types import declared_type
from server.gis.expressions.geometry_checks import computable
from server.gis.expressions.identifiers import GEOMETRY, Expression, column_of, lonlat_of, relation
from server.gis.filters.texts import without_accents
from server.gis.query.guard import Guard, Query, Record
from server.gis.query.recorded_queries import note_answer
from server.gis.query.values import as_json

log = structlog.get_logger(__name__)

STATEMENT_LIMIT_S = 3.0
"""For each statement of a search: a table that takes longer is left out of it."""
MANY_ROWS = 300_000
"""Beyond, names are not folded row by row: only what an index on the name can serve is asked."""
FUZZY_ROWS = 60_000
FUZZY_NAMES = 20
LONGEST = 200
CONCURRENT = 3

EXACT, CODE, BEGINS, INSIDE, SIMILAR = range(5)


@dataclass(frozen=True)
class _Match:
    rank: float
    population: float
    codes: int
    """How many codes it has: an airport with an IATA code is better known than one without."""
    place: Place
    asked: Query
    """The statement that found it."""
    named: str
    """The column of its name."""
    surroundings: str
    """Everything the row says about where it is, folded: what a hint after a comma is looked for in."""


async def find(guard: Guard, tables: Sequence[Table], text: str, limit: int = 5) -> list[Place]:
    """The places of that name, best first; `Paris, Texas` prefers rows that also say Texas."""
    name, _comma, hint = text[:LONGEST].partition(",")
    wanted, near = folded(name), folded(hint)
    if not wanted:
        raise InvalidQuestion("Name a place.")
    candidates = searchable(tables)
    matches = await _everywhere(guard, candidates, wanted, limit)
    if not any(match.rank < BEGINS for match in matches):
        matches += await _of_a_kind(guard, candidates, wanted, limit)
    if not matches:
        matches = await _similar(guard, candidates, wanted, limit)
    if near:
        preferred = [match for match in matches if near in match.surroundings]
        matches = preferred or matches
    matches.sort(key=_order)
    unique = {(match.place.name, match.place.table, match.place.bounds): match for match in matches}
    best = list(unique.values())[:limit]
    _note(best)
    return [match.place for match in best]


def _note(best: Sequence[_Match]) -> None:
    """Tell the call that is running which statement found the places of each table."""
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
    """As `_statement` orders: names that begin with the text or hold it are one group, the best known first."""
    group = EXACT if match.rank == CODE else BEGINS if match.rank == INSIDE else match.rank
    return (group, -match.population, -match.codes, match.rank, len(match.place.name), match.place.table)


async def _everywhere(
    guard: Guard, candidates: Sequence[Searchable], wanted: str, limit: int
) -> list[_Match]:
    return await _gathered([_matches(guard, each, wanted, limit) for each in candidates])


async def _of_a_kind(guard: Guard, candidates: Sequence[Searchable], wanted: str, limit: int) -> list[_Match]:
    """`paris airport`, `city of paris`: the name without the word for what it is, in the tables of that."""
    words = wanted.split()
    asked = []
    for each in candidates:
        if each.kind in words and len(words) > 1:
            rest = " ".join(word for word in words if word not in (each.kind, "of", "the"))
            if rest:
                asked.append(_matches(guard, each, rest, limit, anywhere=True))
    return await _gathered(asked)


async def _similar(guard: Guard, candidates: Sequence[Searchable], wanted: str, limit: int) -> list[_Match]:
    """For a name with a slip in it: the names that are most alike, compared in this process."""
    if len(wanted) < 4:
        return []
    small = [each for each in candidates if each.table.row_estimate <= MANY_ROWS]
    return await _gathered([_alike(guard, each, wanted, limit) for each in small])


async def _gathered(asked: Sequence[Any]) -> list[_Match]:
    gate = asyncio.Semaphore(CONCURRENT)

    async def one(question: Any) -> list[_Match]:
        async with gate:
            try:
                found: list[_Match] = await question
            except DataUnavailable:
                raise
            except GisError as error:
                log.info("a table was left out of a search for a place", reason=error.message)
                return []
            return found

    return [match for found in await asyncio.gather(*map(one, asked)) for match in found]


async def _matches(
    guard: Guard, where: Searchable, wanted: str, limit: int, *, anywhere: bool = False
) -> list[_Match]:
    table = where.table
    levels: list[tuple[int, Expression]] = []
    passing: list[Expression] = []
    for name in where.names:
        column = sa.cast(column_of(table, name), sa.Text)
        if table.row_estimate > MANY_ROWS:
            pattern = wanted.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
            levels += [(EXACT, column.ilike(pattern)), (BEGINS, column.ilike(pattern + "%"))]
            passing.append(column.ilike(pattern + "%"))
        else:
            plain = _folded(column)
            levels += [(EXACT, plain == wanted), (BEGINS, sa.func.starts_with(plain, wanted))]
            passing.append(sa.func.strpos(" " + plain, " " + wanted) > 0)
    if len(wanted) <= 5 and " " not in wanted:
        codes = [column_of(table, code) == wanted.upper() for code in where.codes]
        levels += [(CODE, code) for code in codes]
        passing += codes
    if anywhere:
        passing += [_folded(sa.cast(column_of(table, each), sa.Text)) == wanted for each in where.regions]
    levels.sort(key=lambda each: each[0])
    rank = sa.case(*((condition, level) for level, condition in levels), else_=INSIDE)
    asked = _statement(where, rank, sa.or_(*passing), limit)
    rows = await guard.rows(asked, table.id, seconds=STATEMENT_LIMIT_S)
    return [match for row in rows if (match := _match(where, row, asked)) is not None]


async def _alike(guard: Guard, where: Searchable, wanted: str, limit: int) -> list[_Match]:
    table, first = where.table, where.names[0]
    column = sa.cast(column_of(table, first), sa.Text)
    names = sa.select(column, _folded(column)).select_from(relation(table)).where(column.is_not(None))
    if where.population:
        names = names.order_by(column_of(table, where.population).desc().nulls_last())
    rows = await guard.rows(names.limit(FUZZY_ROWS), table.id, seconds=STATEMENT_LIMIT_S)
    by_fold = {row[1]: row[0] for row in reversed(rows)}
    likely = await asyncio.to_thread(_likely, wanted, list(by_fold))
    if not likely:
        return []
    scores = {by_fold[fold]: SIMILAR + distance / 10 for fold, distance, _ in likely}
    rank = sa.case(*((column == name, score) for name, score in scores.items()))
    asked = _statement(where, rank, column.in_(list(scores)), limit)
    found = await guard.rows(asked, table.id)
    return [match for row in found if (match := _match(where, row, asked)) is not None]


def _likely(wanted: str, names: list[str]) -> list[tuple[str, float, int]]:
    """The names with few letters wrong, missing, too many or swapped."""
    slips = 1 if len(wanted) <= 5 else 2 if len(wanted) <= 10 else 3
    distance: Any = DamerauLevenshtein.distance
    return list(process.extract(wanted, names, scorer=distance, limit=FUZZY_NAMES, score_cutoff=slips))


def _folded(text: Expression) -> Expression:
    """As `gazetteer.folded`."""
    plain = sa.func.lower(without_accents(text))
    spaced = sa.func.regexp_replace(plain, r"[-_.,'’()/\s]+", " ", "g", type_=sa.Text())
    return sa.func.btrim(spaced, type_=sa.Text())


def _statement(where: Searchable, rank: Expression, condition: Expression, limit: int) -> Query:
    """The best rows first, and only of these the geometry is looked at."""
    table = where.table
    population = column_of(table, where.population) if where.population else sa.null()
    said = [
        sa.cast(column_of(table, each), sa.Text) for each in (where.names[0], *where.regions, *where.codes)
    ]
    size = sa.cast(population, sa.Double).label("population")
    codes = [column_of(table, code) for code in where.codes]
    known = (sa.func.num_nonnulls(*codes) if codes else sa.literal(0)).label("codes")
    group = sa.case((rank == CODE, EXACT), (rank == INSIDE, BEGINS), else_=rank)
    best = (
        sa.select(
            rank.label("rank"),
            size,
            known,
            sa.func.jsonb_build_array(*(sa.func.left(each, LONGEST) for each in said)).label("said"),
            lonlat_of(table).label("geometry"),
        )
        .where(condition, column_of(table, table.geometry_column or "").is_not(None))
        .order_by(group, size.desc().nulls_last(), known.desc(), rank, sa.func.length(said[0]))
        .limit(limit)
        .subquery("best")
    )
    geometry = sa.type_coerce(best.c.geometry, GEOMETRY)
    turned = _turned(geometry)
    inside = sa.func.ST_PointOnSurface(computable(geometry, declared_type(table)[0]))
    return sa.select(
        best.c.rank, best.c.population, best.c.codes, best.c.said,
        *(corner(geometry) for corner in (sa.func.ST_XMin, sa.func.ST_YMin, sa.func.ST_XMax, sa.func.ST_YMax)),
        turned.c.west, turned.c.east, sa.func.ST_X(inside), sa.func.ST_Y(inside),
    ).select_from(best.outerjoin(turned, sa.true()))  # fmt: skip


def _turned(geometry: Expression) -> sa.FromClause:
    """West and east with longitudes from 0 to 360, as `extents.parts_of` has it for whole tables."""
    part = (
        sa.func.ST_Dump(geometry)
        .table_valued("path", sa.column("geom", GEOMETRY))
        .render_derived(name="part")
    )
    west, east = sa.func.ST_XMin(part.c.geom), sa.func.ST_XMax(part.c.geom)
    turn = sa.case((west < 0, 360), else_=0)
    return sa.select(sa.func.min(west + turn).label("west"), sa.func.max(east + turn).label("east")).lateral(
        "turned"
    )


def _match(where: Searchable, row: Record, asked: Query) -> _Match | None:
    rank, population, codes, said, west, south, east, north, turned_west, turned_east, longitude, latitude = (
        row
    )
    box = extents.bounds((west, south, east, north))
    said = as_json(said)
    if box is None or longitude is None or not said[0]:
        return None
    if extents.spans_the_world(box):
        box = extents.across(box, (turned_west, turned_east))
    regions = [each for each in said[1 : 1 + len(where.regions)] if each]
    detail = ", ".join(dict.fromkeys(regions))
    if population and population > 0:
        detail += f"{'; ' if detail else ''}population {population:,.0f}"
    place = Place(
        name=said[0],
        table=where.table.id,
        kind=where.kind,
        bounds=_roomy(box, population or 0),
        longitude=longitude,
        latitude=latitude,
        detail=detail,
        population=population or None,
        whole=rank in (EXACT, CODE),
    )
    surroundings = folded(" ".join(each for each in said[1:] if each))
    return _Match(rank, population or 0.0, codes, place, asked, where.names[0], surroundings)


def _roomy(box: Bounds, population: float) -> Bounds:
    """A point as a box that one can look at: larger for larger cities."""
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
