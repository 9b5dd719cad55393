"""Turns a table into a layer: filter, count, bounds, style and legend, all computed in PostGIS."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial

from sqlalchemy.ext.asyncio import AsyncEngine

from agents.domain import Count, Cql2, LakeSource, Layer, Legend, StyleSpec, Table
from agents.ports import Filter, TableRegistry
from agents.worded import Worded
from server.gis.catalog.column_names import ColumnNames
from server.gis.filters import normalize
from server.gis.profiles.estimates import (
    LARGE_ROWS,
    EstimatedPart,
    EstimatedStatistics,
    estimated_part,
    estimated_rows,
)
from server.gis.profiles.profile import ProfileStore, TableProfile
from server.gis.profiles.versions import DataVersions, TableState
from server.gis.query.data import PostgisData
from server.gis.styles import compute_style
from server.gis.styles.dropped_columns import Renames, earlier_note, without_dropped_columns
from server.gis.styles.notes import (
    CLASSES_OF_SAMPLE,
    NOT_FOLLOWED,
    SAMPLED,
    SAMPLED_CELLS,
    SAMPLED_CLASSES,
    joined_notes,
    note_of,
    with_note,
)
from server.gis.tiles.low_zoom import LowZoom
from server.maps.layers.verbs import Drawing, spec_of

Readable = Callable[[str], Awaitable[TableRegistry]]
"""Returns the tables that a map may read."""
WEIGHTED = ("heatmap", "hexbin", "grid")
THEMED = ("categorical", "graduated", "proportional")
"""Styles whose legend has numbers."""


@dataclass(eq=False)
class TableSource:
    """Implements `server.maps.layers.verbs.LayerSource`.

    A large table, or a part or a view of one, is drawn from estimates, so that no user waits for a scan of all rows."""

    _registry: TableRegistry
    _data: PostgisData
    _reader: AsyncEngine
    _readable: Readable
    _versions: DataVersions
    _profiles: ProfileStore
    _low_zoom: LowZoom
    """Knows what tiles of large tables are drawn from."""
    _names: ColumnNames
    """The present names of columns."""
    _large_rows: int = LARGE_ROWS

    async def draw(
        self,
        map_id: str,
        table: str,
        filter: Filter,
        style: StyleSpec,
        like: Layer | None = None,
        exact: bool = False,
    ) -> Drawing:
        # An existing layer stays usable after its table became unreadable for new layers.
        tables = await self._readable(map_id) if like is None else self._registry
        entry = tables.get(table)
        dropped = None
        if like is not None:
            renames = Renames(entry, await self._names.renamed(entry))
            filter, style = renames.filter(filter), renames.style(style)
            style, dropped = without_dropped_columns(entry, style, renames.style(like.style))
            if dropped is None and style == spec_of(like.style):
                dropped = earlier_note(entry, note_of(like.legend))
        wanted = normalize(entry, filter)
        await self._names.keep(entry)
        if entry.lake is not None:
            return await self._draw_sample(entry, entry.lake, wanted, style)
        state = await self._versions.of(entry)
        profile = await self._profiles.current(state)
        kept = None
        is_same = like is not None and (like.filter, like.data, like.estimated) == (
            wanted, state.version, False,
        )  # fmt: skip
        if is_same and not state.is_unfollowed:
            kept = like
        known = self._known(state, profile, wanted, kept)
        is_large = state.rows >= self._large_rows and (state.can_be_sampled or state.is_view)
        estimate = await self._estimate(entry, state, wanted, known) if is_large and not exact else None
        if kept is not None and style == spec_of(kept.style):
            computed, legend, is_estimated = kept.style, kept.legend, False
        else:
            statistics = (
                None
                if estimate is None
                else partial(
                    EstimatedStatistics,
                    self._reader,
                    entry,
                    state,
                    profile,
                    filter=wanted,
                    rows=estimate.rows,
                )
            )
            computed, legend = await compute_style(self._reader, entry, wanted, style, statistics)
            legend = with_note(legend, joined_notes(note_of(legend), dropped))
            has_numbers = style.kind in THEMED or (style.kind in WEIGHTED and style.column is not None)
            is_estimated = estimate is not None and (has_numbers or known is None)
        part = known or estimate
        if part is None:
            counting = self._data.count(entry.id, wanted), self._data.extent(entry.id, wanted)
            part = EstimatedPart(*await asyncio.gather(*counting))
        legend = await self._with_sampling_note(legend, entry, style, wanted, part.rows)
        if state.is_unfollowed:
            legend = with_note(legend, joined_notes(note_of(legend), NOT_FOLLOWED(table=entry.name)))
        return Drawing(entry, wanted, computed, legend, part.rows, part.bounds, is_estimated, state.version)

    def _known(
        self, state: TableState, profile: TableProfile | None, wanted: Cql2 | None, kept: Layer | None
    ) -> EstimatedPart | None:
        """The part as it was counted before, if the data are the same."""
        if kept is not None:
            return EstimatedPart(kept.count, kept.bounds)
        if wanted is None and profile is not None and state.rows >= self._large_rows:
            return EstimatedPart(profile.rows, profile.bounds)
        return None

    async def _estimate(
        self, table: Table, state: TableState, wanted: Cql2 | None, known: EstimatedPart | None
    ) -> EstimatedPart | None:
        """What is known or estimated of the rows of a large table or view; None where counting them takes no time."""
        if wanted is not None or state.is_view:
            estimate = await estimated_part(self._reader, table, state, wanted)
            return None if estimate is None else known or estimate
        if known is not None:
            return known
        # The extent is that of the spatial index or of the planner's statistics, as the registry read it.
        box = table.bounds if table.bounds is not None else await self._data.extent(table.id)
        return EstimatedPart(await estimated_rows(self._reader, table, state), box)

    async def _with_sampling_note(
        self, legend: Legend, table: Table, style: StyleSpec, wanted: Cql2 | None, rows: int
    ) -> Legend:
        """The legend with or without the note on values of cells: overviews may have become exact meanwhile."""
        is_sampled = await self._low_zoom.samples_values(table, style, wanted, rows)
        sampled, note = SAMPLED_CELLS(), note_of(legend)
        others = () if note is None else (each for each in note.pieces() if each != sampled)
        return with_note(legend, joined_notes(*others, sampled if is_sampled else None))

    async def _draw_sample(
        self, table: Table, lake: LakeSource, wanted: Cql2 | None, style: StyleSpec
    ) -> Drawing:
        """A lake table is drawn from its sample; what is counted in that is scaled to all rows."""
        state = await self._versions.of(table)
        as_whole = replace(state, rows=lake.rows, bytes=0)
        statistics = partial(EstimatedStatistics, self._reader, table, as_whole, None)
        computed, legend = await compute_style(
            self._reader, table, wanted, style, statistics if wanted is None else None
        )
        counted, box = Count(rows=lake.rows), table.bounds
        if wanted is not None:
            counted, box = await asyncio.gather(
                self._data.counted(table.id, wanted), self._data.extent(table.id, wanted)
            )
        is_thinned = await self._low_zoom.is_thinned(table, style, wanted, counted.rows)
        note = _note_on_sample(lake, wanted, style, is_thinned) if lake.is_sampled else None
        legend = with_note(legend, joined_notes(note_of(legend), note))
        legend = await self._with_sampling_note(legend, table, style, wanted, counted.rows)
        return Drawing(table, wanted, computed, legend, counted.rows, box, not counted.exact, state.version)


def _note_on_sample(
    lake: LakeSource, wanted: Cql2 | None, style: StyleSpec, is_thinned: bool
) -> Worded | None:
    """What of a layer of a lake table is from the sample: where overviews are drawn (`is_thinned`), only classes."""
    if is_thinned:
        return CLASSES_OF_SAMPLE(sample=lake.words) if style.kind in THEMED else None
    return SAMPLED(sample=lake.words) if wanted is None else SAMPLED_CLASSES(sample=lake.words)
