"""Areas that should fit together: overlaps go to one of them, narrow gaps and slivers to a neighbour.

Each area loses what one of higher rank covers: by ST_CoverageClean where PostGIS has it (3.6), else area by area.
Then small holes of the union of all, and small parts of areas that have larger parts, go to the area with which
they share most of their border; no function of PostGIS does that by area."""

from __future__ import annotations

import math
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Float,
    FromClause,
    Select,
    TableClause,
    and_,
    case,
    cast,
    func,
    select,
    true,
    type_coerce,
    union_all,
)

from agents.geo.wording.phrases import count_of
from agents.worded import Template
from server.gis.expressions.area_of_use import metres_per_unit
from server.gis.expressions.identifiers import WGS84
from server.gis.operations.support.attributes.columns import comparable, named_attributes
from server.gis.operations.support.base import (
    GEOMETRY,
    Arguments,
    CountedNotes,
    Geometry,
    Operation,
    Prepared,
    Source,
    Step,
    Workspace,
    column_argument,
    count_rows,
    table_argument,
)
from server.gis.operations.support.earth.geodesy import (
    LONGEST_DEGREE_M,
    area,
    flat,
    geometry,
    in_srid,
    lonlat,
)
from server.gis.operations.support.earth.units import Area
from server.gis.operations.support.geometry.repairs import repair_notes
from server.gis.operations.support.geometry.shapes import of_family, unpack_dump
from server.gis.operations.support.geometry.uniting import united
from server.gis.operations.support.geometry.validity import has_shape, sound
from server.gis.operations.support.matching.pairs import pairs_meeting

KEEPS_COMMON = Template(
    "op_keeps_common", "Where areas overlap, the one with the {keeper} keeps the common part{how}."
)
LARGEST_AREA = Template("op_largest_area", "largest area")
SMALLEST = Template("op_smallest", "smallest {column}")
BY_COVERAGE = Template("op_by_coverage", " (ST_CoverageClean)")


HOLD_NO_AREA = Template(
    "op_hold_no_area",
    "{n|one=# row holds no area; it has|other=# rows hold no area; they have} no geometry now.",
)

MITRED = "join=mitre mitre_limit=10"
NOISE = 1e-4
"""The share of `below` under which a gap is an artefact of computing with doubles."""
GRID = 1e-6
"""The share of the width of a narrow gap to which corners are rounded where gaps are counted."""
_CLEAN = "st_coverageclean(geometry, double precision, double precision, text)"


class CleanCoverageArguments(Arguments):
    source: str = table_argument("The table of areas that should neither overlap nor leave gaps.")
    below: Area | None = None
    """Enclosed gaps, and parts beside a larger one, below this area go to the neighbour with the longest border; none:
    only overlaps are removed."""
    order: str | None = column_argument(
        "Of areas that overlap, the one with the smallest value here keeps it; none: the largest area does.",
        default=None,
    )


class CleanCoverage(Operation[CleanCoverageArguments]):
    """Snaps the areas to each other, then unites overlaps, gaps and slivers with a neighbour."""

    summary = "Make areas fit together: remove overlaps, give small gaps and slivers to a neighbour."
    traits = frozenset({"makes_areas"})
    phrases = (
        "close [the] gaps (below|under|smaller than|up to) {below} (in|of|between) {source:bare}",
        "remove [the] overlaps (in|of|from|between) {source:bare}",
        "(clean|repair) [the] coverage (of|in) {source:bare}",
        "remove [the] gaps and overlaps (below|under|smaller than|up to) {below} (in|of|from|between) {source:bare}",
        "remove [the] overlaps and gaps (below|under|smaller than|up to) {below} (in|of|from|between) {source:bare}",
    )

    async def build(self, arguments: CleanCoverageArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        of_family(source, "polygon")
        lonlat(source)  # Refuses a table without a reference system, with advice.
        below = arguments.below or 0.0
        ranked = Prepared(
            workspace.temporary("ranked"),
            _ranked(source, arguments.order),
            (("gist", "shape"), ("btree", "place")),
        )
        areas = ranked.rows
        is_known = await _has_clean(workspace)
        left = _cleaned(areas) if is_known else _uncovered(areas)
        parts = Prepared(
            workspace.temporary("single_parts"), _single_parts(left, source, below), (("gist", "shape"),)
        )
        all_parts = united(parts.rows.c["shape"], parts.rows, workspace)
        whole = Prepared(workspace.temporary("whole"), _once(all_parts.shape))
        gaps = Prepared(workspace.temporary("gaps"), _gaps(whole.rows, source, below)) if below > 0 else None
        assigned = Prepared(
            workspace.temporary("assigned"),
            _assigned(parts.rows, None if gaps is None else gaps.rows),
            (("btree", "place"),),
        )
        pieces = assigned.rows
        united_pieces = func.ST_CollectionExtract(func.ST_Union(pieces.c["shape"]), 3, type_=Geometry())
        area_of_row = (
            select(func.ST_Multi(united_pieces, type_=Geometry()))
            .where(pieces.c.place == areas.c.place)
            .correlate(areas)
            .scalar_subquery()
        )
        keeper = SMALLEST(column=arguments.order) if arguments.order else LARGEST_AREA()
        return Step(
            select(*named_attributes(source, areas), type_coerce(area_of_row, Geometry()).label(GEOMETRY))
            .select_from(areas)
            .order_by(areas.c.place),
            geometry_type="MultiPolygon",
            srid=source.table.srid,
            prepare=(ranked, parts, *([] if gaps is None else [*all_parts.prepare, whole, gaps]), assigned),
            pairs=pairs_meeting(source, workspace.source(arguments.source), kept=True),
            counted=None if gaps is None else _open_gaps(source.table.srid, below, whole, gaps),
            notes=(
                KEEPS_COMMON(keeper=keeper, how=BY_COVERAGE() if is_known else ""),
                *await repair_notes(source, workspace, "compared"),
                *await _without_area(source, workspace),
            ),
        )


async def _without_area(source: Source, workspace: Workspace) -> tuple[str, ...]:
    """How many rows hold points or lines, which have no place in a coverage."""
    if source.family != "mixed":
        return ()
    shape = geometry(source)
    others = and_(has_shape(shape), func.ST_Dimension(shape) < 2)
    count = await count_rows(source.rows, workspace, others)
    return (HOLD_NO_AREA(n=count),) if count else ()


def _open_gaps(srid: int, below: float, united_areas: Prepared, gaps: Prepared) -> CountedNotes:
    """How many narrow gaps between two areas are open to the outside, where rings do not show them.

    Areas are widened and narrowed again by the same width, with mitred corners, which closes what is narrower and
    leaves other outlines as they are. Narrow is what is less than half as wide as a square of the size `below`."""
    unit = metres_per_unit(srid)
    width = math.sqrt(below) / 4 / (LONGEST_DEGREE_M if unit is None else unit)

    def select_from(made: FromClause) -> Select[Any]:
        # All areas of the result: what they covered before, and the gaps that were closed.
        both = union_all(*(select(each.rows.c["shape"]) for each in (united_areas, gaps))).subquery("both")
        whole = _once(select(func.ST_Union(both.c["shape"])).scalar_subquery()).subquery("whole")
        # A degree of longitude is shorter than one of latitude.
        shrink = (
            func.cosd(func.ST_Y(func.ST_Centroid(func.ST_Envelope(whole.c["shape"]))))
            if unit is None
            else 1.0
        )
        scaled = func.ST_Scale(whole.c["shape"], shrink, 1.0, type_=Geometry())
        wide = func.ST_Buffer(scaled, width, MITRED, type_=Geometry())
        closed = func.ST_Buffer(wide, -width, MITRED, type_=Geometry())
        # A mitred outline may cross itself; and on a grid, GEOS subtracts outlines that nearly coincide.
        closed, scaled = (func.ST_CollectionExtract(func.ST_MakeValid(each), 3) for each in (closed, scaled))
        added = func.ST_CollectionExtract(func.ST_Difference(closed, scaled, width * GRID), 3)
        gap = unpack_dump(func.ST_Dump(func.ST_Scale(added, 1.0 / shrink, 1.0)), "gap")
        size = area(func.ST_Transform(gap.c["shape"], WGS84, type_=Geometry()))
        beside = (
            select(func.count())
            .where(func.ST_DWithin(made.c[GEOMETRY], gap.c["shape"], width / 1000))
            .correlate(gap)
            .scalar_subquery()
        )
        few = and_(size < below, size > below * NOISE, beside > 1)
        return select(func.count()).select_from(whole.join(gap, true())).where(few)

    def notes(gaps: int) -> list[str]:
        if not gaps:
            return []
        are, stay = ("is", "stays") if gaps == 1 else ("are", "stay")
        return [
            f"{count_of(gaps, 'narrow gap')} between areas {are} open to the outside, and {stay}: only enclosed gaps "
            "are closed."
        ]

    return CountedNotes(select_from, notes)


def _ranked(source: Source, order: str | None) -> Select[Any]:
    """The attributes of each row, its number, its sound shape, and the rank by which it keeps what others cover."""
    shape = func.ST_CollectionExtract(sound(flat(source)), 3, type_=Geometry())
    attributes = source.numbered
    ordering = [] if order is None else [source.column(comparable(source, order).name).label("ordering")]
    # Numbered first: in one SELECT with the rank, PostgreSQL would number the rows as that sorts them.
    numbered = (
        select(
            cast(func.row_number().over(), BigInteger()).label("place"),
            shape.label("shape"),
            *ordering,
            *attributes,
        )
        .select_from(source.rows)
        .offset(0)
        .subquery("numbered")
    )
    by = numbered.c.ordering if ordering else func.ST_Area(numbered.c["shape"]).desc()
    return select(
        numbered.c.place,
        cast(func.row_number().over(order_by=by.nulls_last()), BigInteger()).label("rank"),
        numbered.c["shape"],
        *(numbered.c[label.name] for label in attributes),
    )


async def _has_clean(workspace: Workspace) -> bool:
    """Whether this PostGIS cleans coverages itself."""
    (found,) = await workspace.row(select(func.to_regprocedure(_CLEAN)))
    return found is not None


def _cleaned(areas: TableClause) -> FromClause:
    """Each area without overlaps, as PostGIS cleans the coverage; the first of two areas keeps the overlap."""
    ordered = func.ST_CoverageClean(areas.c["shape"], 0.0, -1.0, "MERGE_MIN_INDEX", type_=Geometry())
    return (
        select(areas.c.place, ordered.over(order_by=areas.c.rank).label("shape"))
        .where(has_shape(areas.c["shape"]))
        .subquery("cleaned")
    )


def _uncovered(areas: TableClause) -> FromClause:
    """Each area without what areas of a higher rank cover."""
    above = areas.alias("above")
    covering = (
        select(func.ST_Union(above.c["shape"], type_=Geometry()).label("shape"))
        .where(above.c.rank < areas.c.rank, func.ST_Intersects(above.c["shape"], areas.c["shape"]))
        .correlate(areas)
        .lateral("covering")
    )
    covered = covering.c["shape"]
    difference = func.ST_Difference(areas.c["shape"], covered, type_=Geometry())
    rest = case((covered.is_(None), areas.c["shape"]), else_=func.ST_CollectionExtract(difference, 3))
    own = _once(rest).correlate(areas, covering).lateral("own")
    return (
        select(areas.c.place, own.c["shape"])
        .select_from(areas.join(covering, true()).join(own, true()))
        .subquery("uncovered")
    )


def _once(shape: ColumnElement[Any]) -> Select[Any]:
    """A row with the shape, which PostgreSQL would otherwise compute again in each place that reads it."""
    return select(type_coerce(shape, Geometry()).label("shape")).offset(0)


def _single_parts(left: FromClause, source: Source, below: float) -> Select[Any]:
    """The single parts of areas that do not overlap. `is_small` marks those below the limit in areas with a
    larger part."""
    part = unpack_dump(func.ST_Dump(left.c["shape"]), "part")
    size = area(in_srid(source, part.c["shape"], WGS84))
    largest_first = func.row_number().over(partition_by=left.c.place, order_by=size.desc())
    return select(
        left.c.place, ((size < below) & (largest_first > 1)).label("is_small"), part.c["shape"]
    ).select_from(left.join(part, true()))


def _gaps(whole: TableClause, source: Source, below: float) -> Select[Any]:
    """The small enclosed gaps between areas."""
    piece = unpack_dump(func.ST_Dump(whole.c["shape"]), "piece")
    ring = unpack_dump(func.ST_DumpRings(piece.c["shape"]), "ring")
    small = area(in_srid(source, ring.c["shape"], WGS84)) < below
    return (
        select(ring.c["shape"])
        .select_from(whole.join(piece, true()).join(ring, ring.c.part > 0))
        .where(small)
    )


def _assigned(parts: TableClause, gaps: TableClause | None) -> Select[Any]:
    """Each part with the area that it belongs to now, and each small gap with the neighbour that gets it."""
    own = select(parts.c.place, parts.c["shape"])
    if gaps is None:
        return own
    slivers = parts.alias("slivers")
    gap_owner, sliver_owner = _neighbour(gaps.c["shape"], parts), _neighbour(slivers.c["shape"], parts)
    return union_all(  # type: ignore[return-value]
        own.where(parts.c.is_small.is_(False)),
        select(gap_owner.correlate(gaps).scalar_subquery(), gaps.c["shape"]),
        select(
            func.coalesce(sliver_owner.correlate(slivers).scalar_subquery(), slivers.c.place),
            slivers.c["shape"],
        ).where(slivers.c.is_small),
    )


def _neighbour(shape: ColumnElement[Any], parts: TableClause) -> Select[Any]:
    """The area, other than of slivers, that shares most of the border of a shape; none where they meet in points."""
    near = parts.alias("near")
    common = func.ST_Length(
        func.ST_Intersection(func.ST_Boundary(shape), near.c["shape"], type_=Geometry()), type_=Float()
    )
    return (
        select(near.c.place)
        .where(near.c.is_small.is_(False), func.ST_Intersects(near.c["shape"], shape), common > 0)
        .order_by(common.desc(), near.c.place)
        .limit(1)
    )
