"""The tables of the schema `geoagent` as statements name them: columns and their types.

Migrations make them, and say there what each is for, with its keys, defaults and indexes. Only `server.maps.log`
writes to map, event, layer and checkpoint.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, DateTime, Integer, LargeBinary, MetaData, Table, Text
from sqlalchemy.dialects.postgresql import ARRAY, JSONB, TSVECTOR

SCHEMA = "geoagent"
EVENT_CHANNEL = "geoagent_events"
TRANSIENT_CHANNEL = "geoagent_transient"

INSTANT = DateTime(timezone=True)
OPTIONAL_JSON = JSONB(none_as_null=True)

metadata = MetaData(schema=SCHEMA)

map_table = Table(
    "map",
    metadata,
    Column("id", Text),
    Column("seq", BigInteger),
    Column("created_at", INSTANT),
    Column("view_round", Integer),
    Column("view_hash", LargeBinary),
    Column("document", JSONB),
)

event_table = Table(
    "event",
    metadata,
    Column("map_id", Text),
    Column("seq", BigInteger),
    Column("type", Text),
    Column("turn_id", Text),
    Column("at", INSTANT),
    Column("payload", JSONB),
)

layer_table = Table(
    "layer",
    metadata,
    Column("map_id", Text),
    Column("layer_id", Text),
    Column("document", JSONB),
)

checkpoint_table = Table(
    "checkpoint",
    metadata,
    Column("map_id", Text),
    Column("seq", BigInteger),
    Column("layers", JSONB),
    Column("charts", JSONB),
)

turn_table = Table(
    "turn",
    metadata,
    Column("id", Text),
    Column("map_id", Text),
    Column("client_id", Text),
    Column("text", Text),
    Column("focus", JSONB),
    Column("status", Text),
    Column("server_id", Text),
    Column("usage", JSONB),
    Column("pause", OPTIONAL_JSON),
    Column("created_at", INSTANT),
    Column("started_at", INSTANT),
    Column("finished_at", INSTANT),
    Column("position", BigInteger),
    Column("address", Text),
    Column("model", Text),
)

secret_table = Table("secret", metadata, Column("name", Text), Column("value", Text))

info_note_table = Table(
    "info_note",
    metadata,
    Column("id", Text),
    Column("title", Text),
    Column("body", Text),
    Column("tables", ARRAY(Text)),
    Column("search", TSVECTOR),
)

analysis_table = Table(
    "analysis",
    metadata,
    Column("id", Text),
    Column("map_id", Text),
    Column("turn_id", Text),
    Column("goal", Text),
    Column("status", Text),
    Column("plan", JSONB),
    Column("receipt", JSONB),
    Column("tables", ARRAY(Text)),
    Column("result", Text),
    Column("progress", OPTIONAL_JSON),
    Column("created_at", INSTANT),
    Column("finished_at", INSTANT),
)

chart_table = Table(
    "chart",
    metadata,
    Column("map_id", Text),
    Column("chart_id", Text),
    Column("version", Integer),
    Column("document", JSONB),
    Column("data", JSONB),
)

recipe_table = Table(
    "recipe",
    metadata,
    Column("map_id", Text),
    Column("name", Text),
    Column("document", JSONB),
    Column("created_at", INSTANT),
)

comment_thread_table = Table(
    "comment_thread",
    metadata,
    Column("map_id", Text),
    Column("thread_id", Text),
    Column("started", BigInteger),
    Column("document", JSONB),
)

export_table = Table(
    "export",
    metadata,
    Column("id", Text),
    Column("map_id", Text),
    Column("request", JSONB),
    Column("file_name", Text),
    Column("created_at", INSTANT),
    Column("expires_at", INSTANT),
)
