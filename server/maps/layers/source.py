"""Turns a table into a layer: filter, count, bounds, style and legend, all computed in PostGIS."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from sqlalchemy.ext.asyncio import AsyncEngine

from agents.domain import Layer, StyleSpec
from agents.ports import Filter, TableRegistry
from server.gis.filters import normalize
from server.gis.query.data import PostgisData
from server.gis.styles import compute_style
from server.maps.layers.verbs import Drawing

Readable = Callable[[str], Awaitable[TableRegistry]]
"""Returns the tables that a map may read."""


class TableSource:
    """Implements `server.maps.layers.verbs.LayerSource`."""

    def __init__(
        self, registry: TableRegistry, data: PostgisData, reader: AsyncEngine, readable: Readable
    ) -> None:
        self._registry = registry
        self._readable = readable
        self._data = data
        self._reader = reader

    async def draw(
        self, map_id: str, table: str, filter: Filter, style: StyleSpec, like: Layer | None = None
    ) -> Drawing:
        # An existing layer stays usable after its table became unreadable for new layers.
        tables = await self._readable(map_id) if like is None else self._registry
        entry = tables.get(table)
        wanted = normalize(entry, filter)
        computed, legend = await compute_style(self._reader, entry, wanted, style)
        if like is not None and like.filter == wanted:
            count, box = like.count, like.bounds
        else:
            count, box = await asyncio.gather(
                self._data.count(entry.id, wanted), self._data.extent(entry.id, wanted)
            )
        return Drawing(
            table=entry.id,
            table_name=entry.name,
            geometry_type=entry.geometry_family,
            filter=wanted,
            style=computed,
            legend=legend,
            count=count,
            bounds=box,
        )
