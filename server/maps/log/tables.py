"""The tables of the schema `geoagent` as statements name them: columns and their types.

Migrations make them, and say there what each is for, with its keys, defaults and indexes. Only `server.maps.log`
writes to map, event, layer and checkpoint."""

from __future__ import annotations

from typing import Any

from sqlalchemy import BigInteger, Column, DateTime, Integer, LargeBinary, MetaData, Table, Text
from sqlalchemy.dialects.postgresql import ARRAY, JSONB, TSVECTOR

SCHEMA = "geoagent"
EVENT_CHANNEL = "geoagent_events"
TRANSIENT_CHANNEL = "geoagent_transient"

INSTANT = DateTime(timezone=True)
OPTIONAL_JSON = JSONB(none_as_null=True)

metadata = MetaData(schema=SCHEMA)


def _table(name: str, /, **columns: Any) -> Table:
    """A table with columns of these types."""
    return Table(name, metadata, *(Column(column, kind) for column, kind in columns.items()))


map_table = _table(
    "map",
    id=Text,
    seq=BigInteger,
    created_at=INSTANT,
    view_round=Integer,
    view_hash=LargeBinary,
    document=JSONB,
)
event_table = _table("event", map_id=Text, seq=BigInteger, type=Text, turn_id=Text, at=INSTANT, payload=JSONB)
layer_table = _table("layer", map_id=Text, layer_id=Text, document=JSONB)
checkpoint_table = _table("checkpoint", map_id=Text, seq=BigInteger, layers=JSONB, charts=JSONB)
turn_table = _table(
    "turn",
    id=Text, map_id=Text, client_id=Text, text=Text, focus=JSONB, status=Text, server_id=Text, usage=JSONB,
    pause=OPTIONAL_JSON, created_at=INSTANT, started_at=INSTANT, finished_at=INSTANT, position=BigInteger,
    address=Text, model=Text,
)  # fmt: skip
secret_table = _table("secret", name=Text, value=Text)
info_note_table = _table("info_note", id=Text, title=Text, body=Text, tables=ARRAY(Text), search=TSVECTOR)
analysis_table = _table(
    "analysis",
    id=Text, map_id=Text, turn_id=Text, goal=Text, status=Text, plan=JSONB, receipt=JSONB, tables=ARRAY(Text),
    result=Text, progress=OPTIONAL_JSON, created_at=INSTANT, finished_at=INSTANT,
)  # fmt: skip
chart_table = _table("chart", map_id=Text, chart_id=Text, version=Integer, document=JSONB, data=JSONB)
recipe_table = _table("recipe", map_id=Text, name=Text, document=JSONB, created_at=INSTANT)
comment_thread_table = _table(
    "comment_thread", map_id=Text, thread_id=Text, started=BigInteger, document=JSONB
)
export_table = _table(
    "export", id=Text, map_id=Text, request=JSONB, file_name=Text, created_at=INSTANT, expires_at=INSTANT
)
