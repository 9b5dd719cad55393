"""The tables of the schema `geoagent` in SQLAlchemy Core: maps, events, layers, turns, analyses, charts,
uploads.

Migrations create them. Only server.maps writes to map, event, layer and turn.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Column,
    Computed,
    DateTime,
    ForeignKey,
    Identity,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    Text,
    UniqueConstraint,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB, TSVECTOR

SCHEMA = "geoagent"
EVENT_CHANNEL = "geoagent_events"
TRANSIENT_CHANNEL = "geoagent_transient"

metadata = MetaData(schema=SCHEMA)

map_table = Table(
    "map",
    metadata,
    Column("id", Text, primary_key=True),
    Column("seq", BigInteger, nullable=False, server_default=text("0")),
    Column("created_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    Column("view_round", Integer, nullable=False, server_default=text("0")),
    Column("view_hash", LargeBinary, unique=True),
    Column("document", JSONB, nullable=False, server_default=text("'{}'")),
)

event_table = Table(
    "event",
    metadata,
    Column("map_id", Text, ForeignKey(map_table.c.id, ondelete="CASCADE"), nullable=False),
    Column("seq", BigInteger, nullable=False),
    Column("type", Text, nullable=False),
    Column("turn_id", Text),
    Column("at", DateTime(timezone=True), nullable=False, server_default=func.clock_timestamp()),
    Column("payload", JSONB, nullable=False),
    PrimaryKeyConstraint("map_id", "seq"),
    Index("event_turn", "turn_id", postgresql_where=text("turn_id IS NOT NULL")),
    # For the newest events of some types: the chat of a snapshot, the changes of the undo history.
    Index("event_type", "map_id", "type", "seq"),
    # Any version of a layer that was ever announced is found by one index probe.
    Index(
        "event_layer_version",
        "map_id",
        text("(payload #>> '{layer,id}')"),
        text("((payload #>> '{layer,version}')::bigint)"),
        postgresql_where=text("type IN ('layer_added', 'layer_updated')"),
    ),
)

layer_table = Table(
    "layer",
    metadata,
    Column("map_id", Text, ForeignKey(map_table.c.id, ondelete="CASCADE"), nullable=False),
    Column("layer_id", Text, nullable=False),
    Column("document", JSONB, nullable=False),
    PrimaryKeyConstraint("map_id", "layer_id"),
    # For finding the layers that show a table, on any map, before it is dropped.
    Index("layer_by_table", text("(document ->> 'table')")),
)

turn_table = Table(
    "turn",
    metadata,
    Column("id", Text, primary_key=True),
    Column("map_id", Text, ForeignKey(map_table.c.id, ondelete="CASCADE"), nullable=False),
    Column("client_id", Text),
    Column("text", Text, nullable=False),
    Column("focus", JSONB),
    Column("status", Text, nullable=False, server_default=text("'queued'")),
    Column("server_id", Text),
    Column("usage", JSONB),
    Column("pause", JSONB(none_as_null=True)),
    Column("created_at", DateTime(timezone=True), nullable=False, server_default=func.clock_timestamp()),
    Column("started_at", DateTime(timezone=True)),
    Column("finished_at", DateTime(timezone=True)),
    Column("position", BigInteger, Identity(always=True), nullable=False),
    # Network address of the sender, only until the turn ends: for the queue's limits.
    Column("address", Text),
    # Name of the model of the server that accepted the turn.
    Column("model", Text),
    UniqueConstraint("map_id", "client_id"),
    # The database, not only the code, ensures one turn at a time per map.
    Index("turn_running", "map_id", unique=True, postgresql_where=text("status IN ('running', 'waiting')")),
    Index(
        "turn_waiting",
        "map_id",
        "position",
        postgresql_where=text("status IN ('queued', 'running', 'waiting')"),
    ),
)

secret_table = Table(
    "secret",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", Text, nullable=False),
)

info_note_table = Table(
    "info_note",
    metadata,
    Column("id", Text, primary_key=True),
    Column("title", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("tables", ARRAY(Text), nullable=False, server_default=text("'{}'")),
    Column(
        "search",
        TSVECTOR,
        Computed(
            "setweight(to_tsvector('english', title), 'A') || to_tsvector('english', body)",
            persisted=True,
        ),
    ),
    Index("info_note_search", "search", postgresql_using="gin"),
)

analysis_table = Table(
    "analysis",
    metadata,
    Column("id", Text, primary_key=True),
    Column("map_id", Text, ForeignKey(map_table.c.id, ondelete="CASCADE"), nullable=False),
    Column("turn_id", Text),
    Column("goal", Text, nullable=False),
    Column("status", Text, nullable=False, server_default=text("'running'")),
    Column("plan", JSONB, nullable=False),
    Column("receipt", JSONB, nullable=False),
    Column("tables", ARRAY(Text), nullable=False, server_default=text("'{}'")),
    Column("result", Text),
    Column("progress", JSONB(none_as_null=True)),
    Column("created_at", DateTime(timezone=True), nullable=False, server_default=func.clock_timestamp()),
    Column("finished_at", DateTime(timezone=True)),
    Index("analysis_map", "map_id", "created_at"),
    Index("analysis_turn", "turn_id"),
    Index("analysis_result", "result", postgresql_where=text("result IS NOT NULL")),
)

chart_table = Table(
    "chart",
    metadata,
    Column("map_id", Text, ForeignKey(map_table.c.id, ondelete="CASCADE"), nullable=False),
    Column("chart_id", Text, nullable=False),
    Column("version", Integer, nullable=False),
    Column("document", JSONB, nullable=False),
    Column("data", JSONB, nullable=False),
    PrimaryKeyConstraint("map_id", "chart_id", "version"),
)

recipe_table = Table(
    "recipe",
    metadata,
    Column("map_id", Text, ForeignKey(map_table.c.id, ondelete="CASCADE"), nullable=False),
    Column("name", Text, nullable=False),
    Column("document", JSONB, nullable=False),
    Column("created_at", DateTime(timezone=True), nullable=False, server_default=func.clock_timestamp()),
    PrimaryKeyConstraint("map_id", "name"),
)

comment_thread_table = Table(
    "comment_thread",
    metadata,
    Column("map_id", Text, ForeignKey(map_table.c.id, ondelete="CASCADE"), nullable=False),
    Column("thread_id", Text, nullable=False),
    # The number of the event that started it.
    Column("started", BigInteger, nullable=False),
    Column("document", JSONB, nullable=False),
    PrimaryKeyConstraint("map_id", "thread_id"),
    comment="The comments on a map as they are now, by thread.",
)

export_table = Table(
    "export",
    metadata,
    Column("id", Text, primary_key=True),
    Column("map_id", Text, ForeignKey(map_table.c.id, ondelete="CASCADE"), nullable=False),
    Column("request", JSONB, nullable=False),
    Column("file_name", Text, nullable=False),
    Column("created_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    Column("expires_at", DateTime(timezone=True), nullable=False),
    Index("export_map", "map_id"),
    Index("export_expiry", "expires_at"),
    comment="Files that were made for a map, by what they hold; links to them work until expires_at.",
)

upload_table = Table(
    "upload",
    metadata,
    Column("id", BigInteger, Identity(always=True), primary_key=True),
    Column("table_name", Text, nullable=False),
    Column("map_id", Text, ForeignKey(map_table.c.id, ondelete="SET NULL")),
    Column("address", Text, nullable=False),
    Column("bytes", BigInteger, nullable=False),
    Column("started_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    Column("loaded_at", DateTime(timezone=True)),
    Index("upload_map", "map_id"),
    Index("upload_address", "address"),
    comment="Files that became tables in data; without loaded_at, under way.",
)
