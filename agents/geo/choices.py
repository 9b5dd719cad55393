"""What the tools offer to a model at this moment (enums), and what they fill in when it left something out.

Functions of the agent, asked afresh for every model call; what depends only on the registry is kept until the
registry's version changes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from agents.domain import Layer, Table
from agents.geo.colours import PALETTE, same_colour

if TYPE_CHECKING:
    from agents.geo.tools import GeoTools

MOST_CHOICES = 200
"""A longer enum of tables is narrowed to what is relevant."""
MOST_COLUMNS = 80
"""More columns are not listed; the tools check their names all the same."""
NO_LABEL = "(none)"


def table_ids(agent: GeoTools) -> Sequence[str]:
    return agent.catalogue().table_ids


async def narrow_tables(agent: GeoTools, values: Sequence[str], message: str) -> list[str]:
    """Of many: the tables on the map, those that the agent came across, and the most relevant ones to the message."""
    if len(values) <= MOST_CHOICES:
        return list(values)
    chosen = dict.fromkeys(layer.table for layer in agent.map.layers())
    chosen.update(dict.fromkeys(agent.seen_tables))
    found = await agent.registry.search(message, limit=MOST_CHOICES)
    chosen.update(dict.fromkeys(table.id for table in found))
    known = set(values)
    return [table_id for table_id in chosen if table_id in known][:MOST_CHOICES]


MOST_INPUTS = 25
"""Every operation names its tables again, so of many tables fewer are offered there."""


async def narrow_inputs(agent: GeoTools, values: Sequence[str], message: str) -> list[str]:
    """Of many: the results of earlier steps, tables that the agent came across, those of the map, and relevant ones."""
    known = agent.catalogue().by_id
    steps = [value for value in values if value not in known]
    tables = [value for value in values if value in known]
    if len(tables) <= MOST_INPUTS:
        return list(values)
    chosen = dict.fromkeys(reversed(list(agent.seen_tables)))
    chosen.update(dict.fromkeys(layer.table for layer in agent.map.layers()))
    found = await agent.registry.search(message, limit=MOST_INPUTS)
    chosen.update(dict.fromkeys(table.id for table in found))
    return [*steps, *[table_id for table_id in chosen if table_id in set(tables)][:MOST_INPUTS]]


def layer_ids(agent: GeoTools) -> list[str]:
    return [layer.id for layer in agent.map.layers()]


def column_names(agent: GeoTools) -> Sequence[str] | None:
    """Every column of every table, as long as they are few enough to be shown."""
    return agent.catalogue().column_names


def label_columns(agent: GeoTools) -> Sequence[str] | None:
    """As `column_names`, and the word that takes labels away."""
    names = agent.catalogue().column_names
    return None if names is None else [*names, NO_LABEL]


def only_layer(agent: GeoTools) -> str | None:
    """The one layer on the map, if there is just one."""
    layers = agent.map.layers()
    return layers[0].id if len(layers) == 1 else None


def free_layer_id(agent: GeoTools, arguments: Mapping[str, Any]) -> str | None:
    """An id after the table's name that no layer has: `airports`, `airports-2`."""
    table = arguments.get("table")
    if not isinstance(table, str):
        return None
    return next_layer_id(table, [layer.id for layer in agent.map.layers()])


def next_layer_id(table_id: str, taken: Sequence[str]) -> str:
    name = table_id.replace('"', "").rsplit(".", 1)[-1]
    stem = re.sub(r"[^A-Za-z0-9_]+", "-", name).strip("-").lower()[:48] or "layer"
    number, candidate = 1, stem
    while candidate in taken:
        number += 1
        candidate = f"{stem}-{number}"
    return candidate


def free_colour(agent: GeoTools, arguments: Mapping[str, Any]) -> str | None:
    """A colour that no layer has, for a layer drawn in one colour."""
    style = arguments.get("style")
    if isinstance(style, Mapping) and (
        style.get("color") or style.get("column") or style.get("kind") == "heatmap"
    ):
        return None
    return next_colour(agent.map.layers())


def next_colour(layers: Sequence[Layer]) -> str:
    """The first colour of the palette that the fewest layers have."""
    uses = {color: sum(same_colour(layer.style.color, color) for layer in layers) for color in PALETTE}
    return min(uses, key=lambda color: uses[color])


def only_numeric_column(agent: GeoTools, arguments: Mapping[str, Any]) -> str | None:
    """The one column of the table that holds numbers and is no key."""
    table = agent.catalogue().by_id.get(str(arguments.get("table")))
    found = [] if table is None else numeric_columns(table)
    return found[0] if len(found) == 1 else None


def numeric_columns(table: Table) -> list[str]:
    return [c.name for c in table.columns if c.kind in ("integer", "number") and c.name not in table.key]


class Catalogue:
    """What the enums need of one version of the registry."""

    def __init__(self, version: int, tables: Sequence[Table]) -> None:
        self.version = version
        self.by_id = {table.id: table for table in tables}
        # Tuples, because the same tuple is known to be unchanged without looking into it.
        self.table_ids: Sequence[str] = tuple(self.by_id)
        columns = dict.fromkeys(
            column.name
            for table in tables[:MOST_CHOICES]
            for column in table.columns
            if column.kind != "geometry"
        )
        few = len(tables) <= MOST_CHOICES and len(columns) <= MOST_COLUMNS
        self.column_names: Sequence[str] | None = tuple(columns) if few and columns else None
