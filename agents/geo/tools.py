"""What the tools of GeoAgent have in common: their collaborators, and how results are written."""

from __future__ import annotations

import json
from collections import ChainMap
from collections.abc import Mapping, Sequence
from typing import Any

from agents.core import ToolFailed
from agents.domain import OTHERS, FoundPlaces, Layer, Style, StyleSpec, Table
from agents.geo.wording.phrases import feature_count, filter_words
from agents.ports import Analyst, DataSource, Filter, InfoStore, MapSession, SqlRunner, TableRegistry
from agents.provenance.table_words import TableWords
from agents.shared_tables import KeptForShared
from agents.worded import Template, Worded

LAYER_GONE = Template(
    "tool_layer_gone", "There is no layer {layer} on the map any more. Layers now: {names}."
)
STARTS_AS_JSON = Template(
    "filter_starts_as_json",
    "filters is neither CQL2 text nor a JSON object: it starts with { but does not parse.",
)

FILTERS_SCHEMA: dict[str, Any] = {
    "type": ["object", "string"],
    "description": "CQL2 text (population > 1000 AND name LIKE 'A%') or CQL2 JSON.",
    "shown": {"type": ["object", "string"]},
}
"""A filter. What models are shown is explained once, in their rules."""
_MAX_SEEN_TABLES = 50
MAX_TABLE_CHOICES = 200
"""A longer enum of tables is narrowed to the relevant ones."""

_by_id = KeptForShared(lambda tables: {table.id: table for table in tables})
_ids = KeptForShared(lambda tables: tuple(table.id for table in tables))
_words = KeptForShared(lambda tables: TableWords(table.id for table in tables))


class Catalogue:
    """The enum values for one version of the registry."""

    def __init__(self, registry: TableRegistry) -> None:
        self.version = registry.version
        own = {table.id: table for table in registry.own()}
        self.by_id: Mapping[str, Table] = ChainMap(own, _by_id(registry.shared()))
        # Tuples: an identical object is known to be unchanged without comparing its values.
        self.table_ids: Sequence[str] = (*_ids(registry.shared()), *own) if own else _ids(registry.shared())
        self.result_ids: Sequence[str] = tuple(table.id for table in own.values() if table.is_result)
        self.words = (_words(registry.shared()), TableWords(own))


class GeoTools:
    """Base of the tool mixins; GeoAgent sets the collaborators."""

    registry: TableRegistry
    map: MapSession
    data: DataSource
    analyst: Analyst | None
    info_store: InfoStore | None
    sql: SqlRunner | None
    seen_tables: dict[str, None]
    """Tables that tools have named in this conversation, the newest last; they stay in narrowed enums."""
    sent_notes: set[str]
    """Notes that the model got in this conversation."""
    _catalogue: Catalogue | None

    def catalogue(self) -> Catalogue:
        """The readable tables by id and name; read again only after the registry changed."""
        if self._catalogue is None or self._catalogue.version != self.registry.version:
            self._catalogue = Catalogue(self.registry)
        return self._catalogue

    def table(self, name: str) -> Table:
        """The table that a tool is called about. Raises ToolFailed with the nearest names."""
        return self.registry.get(name)

    def described_tables(self) -> Sequence[str]:
        """The tables that `table` accepts."""
        return self.catalogue().table_ids

    def remember_tables(self, tables: Sequence[Table]) -> None:
        """Keep tables that the model has seen in the enums of later calls; the oldest drop out."""
        for table in tables:
            self.seen_tables.pop(table.id, None)
            self.seen_tables[table.id] = None
        for table_id in list(self.seen_tables)[:-_MAX_SEEN_TABLES]:
            del self.seen_tables[table_id]

    def layer(self, layer_id: str) -> Layer:
        """The layer with this id. Raises ToolFailed if another user has removed it since the call was checked."""
        for layer in self.map.layers():
            if layer.id == layer_id:
                return layer
        there = ", ".join(layer.id for layer in self.map.layers()) or "none"
        raise ToolFailed(LAYER_GONE(layer=repr(layer_id), names=there))


def read_filter(filters: Mapping[str, Any] | str | None) -> Filter:
    """The model's filter; JSON inside a string is parsed, an empty filter is None."""
    if isinstance(filters, str):
        text = filters.strip()
        if text.startswith("{"):
            try:
                parsed = json.loads(text)
            except ValueError:
                raise ToolFailed(STARTS_AS_JSON()) from None
            return parsed or None
        return text or None
    return dict(filters) if filters else None


def asked_style(style: StyleSpec | Style) -> dict[str, Any]:
    """The requested part of a style, without defaults, for a result."""
    return StyleSpec.model_validate(style.model_dump(include=set(StyleSpec.model_fields))).model_dump(
        exclude_defaults=True
    )


def unsearched(found: FoundPlaces) -> dict[str, Any]:
    """The fact that tables did not answer a search for a place in time, if there are such."""
    return {"not_searched_in_time": list(found.not_searched)} if found.not_searched else {}


def layer_facts(layer: Layer, drawn: str = "") -> dict[str, Any]:
    """What the model gets about a layer after a change."""
    facts: dict[str, Any] = {
        "layer_id": layer.id,
        "name": layer.name,
        "table": layer.table,
        "count": layer.count,
        "geometry_type": layer.geometry_type,
        "style": asked_style(layer.style),
    }
    if layer.estimated:
        facts["estimated"] = (
            "count and legend are estimates from a sample; exact numbers follow on the map, except of lake tables"
        )
        facts["about"] = feature_count(layer)
    if layer.filter is not None:
        facts["filter"] = layer.filter
        facts["filter_words"] = filter_words(layer.filter)
    if layer.style.kind in ("categorical", "graduated", "proportional"):
        entries = layer.legend.entries
        facts["legend"] = [entry.label for entry in entries[:12]]
        own = [each for each in entries if (each.minimum, each.maximum, each.value) != (None, None, None)]
        if own and len(own) < len(entries):
            # In addition to its classes, the legend has a colour for other values or for rows without a value.
            facts["classes"] = len(own)
            facts["has_others"] = any(each.label == OTHERS for each in entries if each not in own)
    if layer.legend.note:
        facts["note"] = Worded(layer.legend.note, layer.legend.wording)
    if not layer.visible:
        facts["visible"] = False
    if layer.opacity < 1:
        facts["opacity"] = layer.opacity
    if drawn:
        facts["drawn"] = drawn
    return facts
