"""JSON records and GeoJSON text sequences, as streams of any length."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from typing import Any

import sqlalchemy as sa

from server.gis.errors import unknown_column
from server.gis.export.layers import ALL_DECIMALS, features, json_head, with_properties
from server.gis.export.source import Source
from server.gis.expressions.identifiers import relation

RECORD_SEPARATOR = "\x1e"


async def text_sequence(source: Source) -> AsyncGenerator[bytes, None]:
    """A GeoJSON text sequence (RFC 8142): one feature a line, each behind a record separator."""
    async with aclosing(features(source)) as chunks:
        async for chunk in chunks:
            yield "".join(f"{RECORD_SEPARATOR}{feature}\n" for feature in chunk).encode()
    yield b""


async def records(
    parts: Sequence[tuple[str, Source]], members: Mapping[str, Any], group_by: str | None = None
) -> AsyncGenerator[bytes, None]:
    """A list of objects; an object of lists by name where there are several parts, or by the values of `group_by`;
    with members, an object that has them too. Raises CannotExport."""
    inside = bool(members) or len(parts) > 1
    if inside:
        yield json_head(members).encode() + (b"," if members else b"")
    for number, (name, source) in enumerate(parts):
        label = name if len(parts) > 1 else "records"
        if inside:
            yield f"{',' if number else ''}{json.dumps(label, ensure_ascii=False)}:".encode()
        written = _list(source) if group_by is None else _groups(source, group_by)
        async with aclosing(written) as chunks:
            async for chunk in chunks:
                yield chunk
    yield b"}\n" if inside else b"\n"


async def _list(source: Source) -> AsyncGenerator[bytes, None]:
    yield b"["
    place = _place(source)
    separator = "\n"
    async with aclosing(source.stream(with_properties(source, _shape(source)))) as chunks:
        async for chunk in chunks:
            yield (separator + ",\n".join(_record(place, *row) for row in chunk)).encode()
            separator = ",\n"
    yield b"\n]"


async def _groups(source: Source, group_by: str) -> AsyncGenerator[bytes, None]:
    group = next((each.value for each in source.fields if group_by in (each.label, each.column.name)), None)
    if group is None:
        # It need not be in the records, because their group has it.
        if group_by not in {each.name for each in source.columns}:
            raise unknown_column(source.table, group_by)
        group = relation(source.table).c[group_by]
    key = sa.func.coalesce(sa.cast(group, sa.Text), "")  # one member for both: a name must not occur twice
    query = with_properties(source, key, _shape(source))
    place = _place(source)
    before: tuple[Any, ...] = ()
    yield b"{"
    async with aclosing(source.stream(query.order_by(None).order_by(key, *source.key))) as chunks:
        async for chunk in chunks:
            written = []
            for value, *row in chunk:
                if (value,) == before:
                    written.append(f",\n{_record(place, *row)}")
                    continue
                end = "],\n" if before else "\n"
                named = json.dumps(value, ensure_ascii=False)
                written.append(f"{end}{named}:[{_record(place, *row)}")
                before = (value,)
            yield "".join(written).encode()
    yield b"]\n}" if before else b"}"


def _shape(source: Source) -> Any:
    if source.placing != "shape":
        return sa.null()
    decimals = ALL_DECIMALS if source.precision is None else source.precision
    return sa.func.ST_AsGeoJSON(source.geometry(), decimals, sa.literal_column("0"))


def _record(place: str | None, shape: str | None, fields: str = "{}") -> str:
    if place is None:
        return fields
    return f'{fields[:-1]}{"," if fields != "{}" else ""}"{place}":{shape or "null"}}}'


def _place(source: Source) -> str | None:
    """The member that holds the geometry, if any does: a column may have its usual name."""
    if source.placing != "shape":
        return None
    labels, name = {each.label for each in source.fields}, "geometry"
    while name in labels:
        name += "_"
    return name
