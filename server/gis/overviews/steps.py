"""A build of overviews under way, as it is noted so that it goes on after a stop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import asyncpg

from agents.domain import Table
from server.gis.overviews.bands import cells_of
from server.gis.overviews.ladder import SCHEMA, OverviewRow, drawn_below
from server.gis.overviews.summaries import FilteredRows, Summary
from server.gis.profiles.versions import TableState

LAST_DENSE = 11
"""The last zoom level whose dense tiles have a band."""


@dataclass
class Steps:
    """A build under way: what it will be, and which work tables are done."""

    below: int
    cells: int
    """Cells along the world's edge, in the finest band."""
    zooms: list[int]
    """From the finest to the coarsest."""
    rows: int
    unplaced: int
    columns: list[str]
    summaries: list[dict[str, Any]]
    """Summaries of rows that cells keep."""
    done: list[dict[str, Any]]
    mark: str = ""
    """As in `Ladder`."""
    dense: list[dict[str, Any]] = field(default_factory=list)
    """Bands of dense tiles that are done, without a name where no tile has one."""
    rows_of: FilteredRows | None = None
    """The rows that are thinned; None for all. A build of some is not noted: after a stop it begins again."""

    @property
    def remaining(self) -> list[int]:
        """Zoom levels whose bands are not built yet."""
        return self.zooms[len(self.done) :]

    @property
    def remaining_dense(self) -> range:
        """Zoom levels of which the dense tiles have no band yet, once all others are made."""
        return range(drawn_below(self.below, self.cells) + len(self.dense), LAST_DENSE + 1)

    @property
    def summed(self) -> tuple[Summary, ...]:
        """The summaries that representatives keep."""
        return tuple(Summary(**each) for each in self.summaries)

    @property
    def noted(self) -> dict[str, Any]:
        """The state of the build as it is stored."""
        return {name: value for name, value in vars(self).items() if name != "rows_of"}

    def chose(self, cells: int, rows: int, total: int) -> None:
        """Note that the finest band has so many cells along the world's edge, with `rows` of `total`."""
        self.cells, self.rows, self.unplaced = cells, rows, total - rows
        # The finest band is as detailed as the last tiles that are drawn from it; more cells would not make it finer.
        finest = max(0, min(self.zooms[0], drawn_below(self.below, cells) - 1))
        self.zooms = [finest, *(zoom for zoom in self.zooms if zoom < finest and cells_of(zoom) <= cells)]

    def cells_at(self, zoom: int) -> int:
        """Cells along the world's edge of the representatives that the band for a zoom level is made from."""
        return min(self.done[-1]["cells"], cells_of(zoom)) if self.done else self.cells

    def is_as_fine(self, cells: int) -> bool:
        """Whether the last band that was made has the same cells."""
        return bool(self.done) and self.done[-1]["cells"] == cells

    def made(self, band: dict[str, Any]) -> None:
        """Note that a band is made."""
        if not self.done:
            self.cells = band["cells"]
        self.done.append(band)


@dataclass(frozen=True)
class Build:
    """One build of a table's overviews. The session is the owner's, and holds the table's lock."""

    session: asyncpg.Connection
    table: Table
    state: TableState
    number: int

    def work(self, zoom: int) -> str:
        """The temporary table of the representatives for a zoom level."""
        return f"{SCHEMA}.w{self.state.relid}_{self.number}_{zoom}"

    def band(self, steps: Steps, zoom: int, is_dense: bool = False) -> str:
        """The name of the table of a band."""
        kind = "o" if steps.rows_of is None else "f"
        return f"{kind}{self.state.relid}_{self.number}_{'d' if is_dense else ''}{zoom}"


def under_way(row: OverviewRow | None, state: TableState, summed: Sequence[Summary]) -> Steps | None:
    """The build of the same data that was stopped; None where it cannot go on."""
    if row is None or row.next_version != state.version or not row.next_steps:
        return None
    if "summaries" not in row.next_steps or any("cells" not in band for band in row.next_steps["done"]):
        # Begun by an earlier version of the program.
        return None
    steps = Steps(**row.next_steps)
    return steps if set(summed) <= set(steps.summed) else None
