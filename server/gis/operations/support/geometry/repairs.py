"""What was wrong with shapes before an operation repaired them, counted: notes say only what happened."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sqlalchemy import ColumnElement, case, func, select

from agents.worded import Template
from server.gis.operations.support.base import Geometry, Source, Workspace, count_rows
from server.gis.operations.support.earth.geodesy import flat, sound_flat
from server.gis.operations.support.geometry.shapes import DIMENSIONS
from server.gis.operations.support.geometry.validity import sound

FLAT_PARTS = Template(
    "op_flat_parts",
    "{n|one=# part|other=# parts}{of} without an area or a length, which the repair gave, "
    "{n|one=was|other=were} left out.",
)
OF_TABLE = Template("op_of_table", " of {table}")
REPAIRED = Template(
    "op_repaired",
    "{n|one=# invalid shape|other=# invalid shapes}{of} {n|one=was|other=were} repaired (ST_MakeValid) before "
    "{n|one=it was|other=they were} {purpose}.",
)
PURPOSES = {
    purpose: Template(f"op_{purpose}", purpose)
    for purpose in ("buffered", "united", "stored", "compared", "overlaid", "measured")
}


def kept(shape: ColumnElement[Any], source: Source) -> ColumnElement[Any]:
    """The parts of a shape that have the dimension of the source: a repair may turn a polygon into polygons and
    lines."""
    dimension = DIMENSIONS.get(source.family)
    return shape if dimension is None else func.ST_CollectionExtract(shape, dimension, type_=Geometry())


def sound_parts(source: Source) -> ColumnElement[Any]:
    """The sound geometry, of the dimension that its column declares also where it was repaired."""
    shape = sound_flat(source)
    return shape if source.is_valid and source.declared else kept(shape, source)


def multi(
    shape: ColumnElement[Any], source: Source, made_of: ColumnElement[Any] | None = None
) -> ColumnElement[Any]:
    """The multi-part shape, and null in place of an empty one; mixed shapes as they are. `made_of` is what is empty
    where the shape is, and needs no computing."""
    if source.family not in DIMENSIONS:
        return shape
    together = func.ST_Multi(shape, type_=Geometry())
    return case((func.ST_IsEmpty(shape if made_of is None else made_of), None), else_=together)


async def overlaid(
    source: Source, other: Source, workspace: Workspace
) -> tuple[Source, Source, tuple[str, ...]]:
    """Two tables that are laid over each other, marked where all shapes are valid; and notes of what is repaired and
    left out of the others."""
    notes = {
        name: await repair_notes(each, workspace, "overlaid", name)
        for name, each in {source.table.id: source, other.table.id: other}.items()
    }
    first, second = (replace(each, is_valid=not notes[each.table.id]) for each in (source, other))
    return first, second, tuple(note for each in notes.values() for note in each)


async def repaired(source: Source, workspace: Workspace, purpose: str) -> tuple[Source, tuple[str, ...]]:
    """The table, marked if it is of areas that are all valid; and a note of how many shapes are repaired."""
    notes = await invalid_notes(source, workspace, purpose)
    return replace(source, is_valid=not notes and source.family == "polygon"), notes


async def invalid_notes(source: Source, workspace: Workspace, purpose: str) -> tuple[str, ...]:
    """How many areas are repaired, where all that repairing gives is used."""
    if source.family in ("point", "line"):
        return ()
    invalid = func.ST_IsValid(flat(source)).is_(False)
    repaired = await count_rows(source.rows, workspace, invalid)
    return (_repaired(repaired, "", purpose),) if repaired else ()


async def repair_notes(
    source: Source, workspace: Workspace, purpose: str, of_table: str = ""
) -> tuple[str, ...]:
    """How many shapes are repaired, and how many parts are left out because repairing gave them another dimension."""
    of = OF_TABLE(table=of_table) if of_table else ""
    shape = flat(source)
    invalid = func.ST_IsValid(shape).is_(False)
    parts = [
        func.coalesce(func.ST_NumGeometries(func.ST_CollectionExtract(sound(shape), dimension)), 0)
        for dimension in range(1, DIMENSIONS.get(source.family, 1))
    ]
    dropped = case((invalid, sum(parts[1:], parts[0])), else_=0) if parts else None
    counts = [func.count().filter(invalid)] + ([] if dropped is None else [func.sum(dropped)])
    repaired, *left_out = await workspace.row(select(*counts).select_from(source.rows))
    notes = []
    if repaired:
        notes.append(_repaired(repaired, of, purpose))
    if left_out and left_out[0]:
        notes.append(FLAT_PARTS(n=int(left_out[0]), of=of))
    return tuple(notes)


def _repaired(count: int, of: str, purpose: str) -> str:
    return REPAIRED(n=count, of=of, purpose=PURPOSES[purpose]())
