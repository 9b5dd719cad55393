"""The choices that tools offer to a model (enums), and the defaults for arguments that it left out.

They are functions of the agent and are evaluated for every model call; what depends on the registry alone is
cached for its version."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from agents.core.free_names import free_name
from agents.domain import Table
from agents.geo.styling.colours import next_colour
from agents.geo.tools import MAX_TABLE_CHOICES, GeoTools

NO_LABEL = "(none)"


MAX_RELEVANT = 50
"""Tables that a narrowed enum offers; search_tables finds the others."""
NAME: dict[str, Any] = {"type": "string"}
"""The schema of names that another tool or the system message lists already."""


def table_ids(agent: GeoTools) -> Sequence[str]:
    """The tables of the registry."""
    return agent.catalogue().table_ids


def described_tables(agent: GeoTools) -> Sequence[str]:
    """The tables that describe_table accepts."""
    return agent.described_tables()


async def narrow_tables(agent: GeoTools, values: Sequence[str], message: str) -> list[str]:
    """From many `table_ids` those on the map, those that tools have named, and the most relevant to the message."""
    if len(values) <= MAX_TABLE_CHOICES:
        return list(values)
    return [table.id for table in await relevant_tables(agent, message, MAX_RELEVANT)]


async def relevant_tables(agent: GeoTools, message: str, limit: int = 25) -> list[Table]:
    """The tables on the map, those that tools have named, and the most relevant to the message."""
    by_id = agent.catalogue().by_id
    chosen = dict.fromkeys(layer.table for layer in agent.map.layers())
    chosen.update(dict.fromkeys(reversed(list(agent.seen_tables))))
    chosen.update(dict.fromkeys(table.id for table in await agent.registry.search(message, limit=limit)))
    kept = [by_id[table_id] for table_id in chosen if table_id in by_id]
    return kept[: max(limit, len(agent.map.layers()) + len(agent.seen_tables))]


def layer_ids(agent: GeoTools) -> list[str]:
    """The ids of the layers on the map."""
    return [layer.id for layer in agent.map.layers()]


def only_layer(agent: GeoTools) -> str | None:
    """The only layer on the map, if there is exactly one."""
    layers = agent.map.layers()
    return layers[0].id if len(layers) == 1 else None


def free_layer_id(agent: GeoTools, arguments: Mapping[str, Any]) -> str | None:
    """A free id derived from the table of the call: `airports`, `airports-2`."""
    table = arguments.get("table")
    if not isinstance(table, str):
        return None
    return next_layer_id(table, [layer.id for layer in agent.map.layers()])


def next_layer_id(table_id: str, taken: Sequence[str]) -> str:
    """A free id derived from a table's name: `airports`, `airports-2`."""
    name = table_id.replace('"', "").rsplit(".", 1)[-1]
    stem = re.sub(r"[^A-Za-z0-9_]+", "-", name).strip("-").lower()[:48] or "layer"
    return free_name(stem, taken, joint="-")


def free_colour(agent: GeoTools, arguments: Mapping[str, Any]) -> str | None:
    """An unused colour for a layer drawn in one colour."""
    style = arguments.get("style")
    if isinstance(style, Mapping) and (
        style.get("color") or style.get("column") or style.get("kind") == "heatmap"
    ):
        return None
    return next_colour(layer.style.color for layer in agent.map.layers())


def only_numeric_column(agent: GeoTools, arguments: Mapping[str, Any]) -> str | None:
    """The only numeric column of the table that is not a key."""
    table = agent.catalogue().by_id.get(str(arguments.get("table")))
    found = [] if table is None else numeric_columns(table)
    return found[0] if len(found) == 1 else None


def numeric_columns(table: Table) -> list[str]:
    """The numeric columns of a table without its key."""
    return [c.name for c in table.columns if c.kind in ("integer", "number") and c.name not in table.key]
