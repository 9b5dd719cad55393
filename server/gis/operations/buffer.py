"""Areas within a distance of features, true in metres anywhere on the earth."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sqlalchemy import ColumnElement, Float, case, cast, func, literal, select

from agents.geo.wording.phrases import count_of
from agents.worded import Template
from server.gis.errors import InvalidQuestion
from server.gis.expressions.identifiers import WGS84
from server.gis.operations.support.attributes.columns import number
from server.gis.operations.support.base import (
    GEOMETRY,
    Arguments,
    CountedNotes,
    Geometry,
    Operation,
    Source,
    Step,
    Workspace,
    column_argument,
    table_argument,
)
from server.gis.operations.support.earth.geodesic_buffer import (
    MAX_BUFFER_DISTANCE_M,
    NOTE,
    buffered,
    check_reach,
    geodesic_buffer,
)
from server.gis.operations.support.earth.geodesy import geometry, sound_lonlat
from server.gis.operations.support.earth.units import Length, length_text
from server.gis.operations.support.geometry.repairs import repaired
from server.gis.operations.support.geometry.shapes import computed_once, of_family, reshaped
from server.gis.operations.support.geometry.uniting import united
from server.gis.operations.support.geometry.validity import has_no_shape, present_shape

NEGATIVE_ALONE = Template(
    "op_negative_alone",
    "A negative distance cannot be combined with dissolving: dissolve the areas in an earlier step.",
)
ONE_DISTANCE = Template("op_one_distance", "Give either distance or distance_column, not both.")
BUFFER_RANGE = Template(
    "op_buffer_range", "A buffer's distance is more than 0 and at most {most}; got {got}."
)
VANISHED = Template("op_vanished", "{areas} vanished, being nowhere wider than {width}.")
NONE_VANISHED = Template("op_none_vanished", "No area vanished: each is wider than {width} somewhere.")


class BufferArguments(Arguments):
    source: str = table_argument("The table to buffer.")
    distance: Length | None = None
    """How far the areas reach: one distance for all; of areas a negative one takes a strip along the border away."""
    distance_column: str | None = column_argument(
        "Instead of one distance: a numeric column with each row's distance in metres.", default=None
    )
    dissolve: bool = False
    """Unite all buffers into one area."""


class Buffer(Operation[BufferArguments]):
    """Areas within a distance in metres, measured on the WGS 84 spheroid."""

    summary = "Areas within a distance (fixed or from a column) of features; dissolve=true unites them."
    traits = frozenset({"makes_areas"})
    phrases = (
        *(
            f"{words}{ending} :: {{distance}} around {{source}}"
            for words in (
                "buffer[s] [of] {source:any} (by|with|at) {distance}",
                "<open> {distance} (buffer[s]|zone[s]|area[s]|ring[s]|circle[s]|radius) (around|round|of|for|about)"
                " [each|every] {source:any}",
                "<open> (buffer[s]|circle[s]) [of] {distance} (around|round|about|for) {source:any}",
                "buffer {source:any} {distance}",
                "buffer {distance} {source:any}",
            )
            for ending in (
                "",
                " [,] [and|then] (dissolve|dissolved|merge|merged|unite|united|combine|join) [the] [overlapping]"
                " [them|it|buffers|buffer|results|result|areas|rings|circles|together]"
                " [into (one|a single) (shape|area|polygon)]"
                " -> dissolve",
            )
        ),
        "buffer {source} by (column|their|its) [column] {distance_column}",
    )

    async def build(self, arguments: BufferArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        if arguments.distance is not None and arguments.distance < 0:
            return await _inward(arguments, source, workspace)
        radius = radius_of(arguments, source)
        plain = await check_reach(source, radius, workspace)
        source, notes = await repaired(source, workspace, "buffered")
        if not arguments.dissolve:
            shape = buffered(source, radius, plain)
            return reshaped(source, shape, "MultiPolygon", WGS84, method=[NOTE], notes=notes)
        every = replace(workspace.source(arguments.source), is_valid=source.is_valid)
        around = united(buffered(every, radius_of(arguments, every), plain), every.rows, workspace)
        return Step(
            select(
                func.count(case((radius.is_not(None), present_shape(geometry(source))))).label("features"),
                func.ST_Multi(around.shape, type_=Geometry()).label(GEOMETRY),
            )
            .select_from(source.rows)
            .having(func.count() > 0),
            geometry_type="MultiPolygon",
            srid=WGS84,
            prepare=around.prepare,
            method=(NOTE,),
            notes=notes,
            comments={"features": "How many features were buffered and united: rows with a geometry."},
        )


async def _inward(arguments: BufferArguments, source: Source, workspace: Workspace) -> Step:
    """Areas without a strip along their borders."""
    of_family(source, "polygon")
    if arguments.dissolve or arguments.distance_column is not None:
        raise InvalidQuestion(NEGATIVE_ALONE())
    positive = arguments.model_copy(update={"distance": -(arguments.distance or 0)})
    radius = radius_of(positive, source)
    await check_reach(source, radius, workspace)
    source, repairs = await repaired(source, workspace, "buffered")
    inner = computed_once(sound_lonlat(source), source, lambda shape: _without_strip(shape, radius, source))
    width = length_text(2 * (positive.distance or 0))
    before = (
        select(func.count().filter(has_no_shape(geometry(source)))).select_from(source.rows).scalar_subquery()
    )

    def notes(without: int, missing: int) -> list[str]:
        vanished = without - missing
        if vanished <= 0:
            return [NONE_VANISHED(width=width)]
        return [VANISHED(areas=count_of(vanished, "area"), width=width)]

    counted = CountedNotes(
        lambda made: select(func.count().filter(has_no_shape(made.c[GEOMETRY])), before).select_from(made),
        notes,
    )
    step = reshaped(source, inner, "MultiPolygon", WGS84, method=[NOTE], notes=repairs)
    return replace(step, counted=counted)


def _without_strip(
    shape: ColumnElement[Any], radius: ColumnElement[float], source: Source
) -> ColumnElement[Any]:
    border = func.ST_Boundary(shape, type_=Geometry())
    strip = computed_once(border, source, lambda line: geodesic_buffer(line, radius))
    return computed_once(area_left(shape, strip), source, multi_part)


def area_left(shape: ColumnElement[Any], strip: ColumnElement[Any]) -> ColumnElement[Any]:
    """An area without a strip."""
    return func.ST_CollectionExtract(func.ST_Difference(shape, strip), 3, type_=Geometry())


def multi_part(area: ColumnElement[Any]) -> ColumnElement[Any]:
    """Null where nothing is left."""
    return case((func.ST_IsEmpty(area), None), else_=func.ST_Multi(area, type_=Geometry()))


def radius_of(arguments: BufferArguments, source: Source) -> ColumnElement[float]:
    """How far each row's buffer reaches, in metres. Raises InvalidQuestion."""
    if (arguments.distance is None) == (arguments.distance_column is None):
        raise InvalidQuestion(ONE_DISTANCE())
    if arguments.distance_column is not None:
        return cast(number(source, arguments.distance_column), Float())
    if not 0 < (arguments.distance or 0) <= MAX_BUFFER_DISTANCE_M:
        raise InvalidQuestion(
            BUFFER_RANGE(most=length_text(MAX_BUFFER_DISTANCE_M), got=length_text(arguments.distance or 0))
        )
    return literal(arguments.distance, Float())
