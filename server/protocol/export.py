"""The protocol as documents: AsyncAPI for integrators, JSON Schema for the client's types. Pure functions.

`tools/fill_docs.py` writes them; a test fails when what is committed is stale."""

from __future__ import annotations

import importlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from agents.charts import ChartData
from agents.domain import Table
from agents.worded import TEMPLATES
from server import protocol

ROOT = Path(__file__).resolve().parents[2]
ASYNCAPI = ROOT / "docs" / "asyncapi.json"
SCHEMA = ROOT / "web" / "src" / "protocol" / "schema.json"
WORDINGS = ROOT / "web" / "src" / "protocol" / "wordings.json"

ACKNOWLEDGEMENTS: dict[str, type[BaseModel]] = {
    "join": protocol.JoinAck,
    "chat": protocol.ChatAck, "recipe_run": protocol.ChatAck,
    "cancel": protocol.CancelAck, "approve": protocol.ApproveAck,
    "leave": protocol.Ack, "receipt": protocol.Ack, "view": protocol.Ack, "introduce": protocol.Ack,
    "gesture": protocol.Ack,
    "share": protocol.ShareAck, "copy": protocol.CopyAck,
    "undo": protocol.UndoAck, "redo": protocol.UndoAck,
    "find_place": protocol.PlacesAck, "export": protocol.ExportAck, "bookmark_save": protocol.BookmarkAck,
    "thread_start": protocol.ThreadAck, "comment_add": protocol.ThreadAck,
}  # fmt: skip
"""Acknowledgements by request; those of all others are a `ChangeAck`."""

HTTP: dict[str, type[BaseModel]] = {
    "table": Table,
    "chart_data": ChartData,
    "map_summary": protocol.MapSummary,
}
"""What the client reads over HTTP: `GET /api/tables/{id}`, the data of a chart, one of `POST /api/maps/summaries`."""


def files() -> dict[Path, str]:
    """The content of each generated file."""
    return {ASYNCAPI: text_of(asyncapi()), SCHEMA: text_of(json_schema()), WORDINGS: text_of(wordings())}


OF_ALL_TEMPLATES = (
    "server.app",
    "server.gis.reading.reader",
    "server.gis.spark.fault_texts",
    "server.gis.sql.names",
    "server.gis.sql.session",
)
"""Modules that import or declare all templates; the program imports some of them only when they are needed."""


def wordings() -> dict[str, str]:
    """The English text of every template by its code, for which clients have words in other languages."""
    for module in OF_ALL_TEMPLATES:
        importlib.import_module(module)
    return dict(sorted(TEMPLATES.items()))


def json_schema() -> dict[str, Any]:
    """One object, `Protocol`, that names every payload: requests, events, transient ones, and answers."""
    groups: dict[str, Mapping[str, type[BaseModel]]] = {
        "requests": protocol.REQUESTS,
        "events": protocol.EVENTS,
        "transient": protocol.TRANSIENT,
        "answers": {
            **{name: acknowledgement(name) for name in protocol.REQUESTS},
            "error": protocol.ErrorAck,
        },
        "http": HTTP,
    }
    properties = {
        group: closed({name: {"$ref": f"#/$defs/{model.__name__}"} for name, model in members.items()})
        for group, members in groups.items()
    }
    return {"title": "Protocol", **closed(properties), "$defs": schemas("#/$defs/{model}", HTTP)}


def closed(properties: dict[str, Any]) -> dict[str, Any]:
    """The schema of an object that takes exactly these properties."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def asyncapi() -> dict[str, Any]:
    """AsyncAPI 3.0. The description is the server's: it receives requests and sends events."""
    schemas_here = schemas("#/components/schemas/{model}")
    messages = {
        name: {"name": name, "payload": schema_ref(model)}
        for name, model in {**protocol.REQUESTS, **protocol.EVENTS, **protocol.TRANSIENT}.items()
    }
    messages |= {
        f"{name}_ack": {
            "name": f"{name}_ack",
            "summary": f"Acknowledges `{name}`.",
            "payload": {"oneOf": [schema_ref(acknowledgement(name)), schema_ref(protocol.ErrorAck)]},
        }
        for name in protocol.REQUESTS
    }
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "GeoAgent",
            "version": "1.0.0",
            "description": (protocol.__doc__ or "").strip(),
            "license": {"name": "MIT"},
        },
        "servers": {
            "local": {
                "host": "127.0.0.1:8080",
                "protocol": "socket.io",
                "description": "The default namespace.",
            }
        },
        "defaultContentType": "application/json",
        "channels": {
            "map": {
                "description": "A map, once joined.",
                "messages": {name: {"$ref": f"#/components/messages/{name}"} for name in messages},
            }
        },
        "operations": operations(),
        "components": {"messages": messages, "schemas": schemas_here},
    }


def operations() -> dict[str, Any]:
    """The operations of the AsyncAPI document: what is received, and what is sent."""
    received = {
        f"receive_{name}": {
            "action": "receive",
            "channel": {"$ref": "#/channels/map"},
            "messages": [{"$ref": f"#/channels/map/messages/{name}"}],
            "reply": {
                "channel": {"$ref": "#/channels/map"},
                "messages": [{"$ref": f"#/channels/map/messages/{name}_ack"}],
            },
        }
        for name in protocol.REQUESTS
    }
    sent = {
        f"send_{name}": {
            "action": "send",
            "channel": {"$ref": "#/channels/map"},
            "messages": [{"$ref": f"#/channels/map/messages/{name}"}],
            "description": "Numbered and kept." if name in protocol.EVENTS else "Transient: not kept.",
        }
        for name in {**protocol.EVENTS, **protocol.TRANSIENT}
    }
    return {**received, **sent}


def schemas(template: str, also: Mapping[str, type[BaseModel]] | None = None) -> dict[str, Any]:
    """Every model of the protocol and what it is made of: requests as sent, events as they arrive."""
    requests = [(model, "validation") for model in dict.fromkeys(protocol.REQUESTS.values())]
    sent = [
        *protocol.EVENTS.values(),
        *protocol.TRANSIENT.values(),
        *dict.fromkeys(acknowledgement(name) for name in protocol.REQUESTS),
        protocol.ErrorAck,
        *(also or {}).values(),
    ]
    asked: list[Any] = [*requests, *((model, "serialization") for model in sent)]
    _, document = models_json_schema(asked, ref_template=template)
    return dict(sorted(document["$defs"].items()))


def acknowledgement(request: str) -> type[BaseModel]:
    """The model of the acknowledgement of a request."""
    return ACKNOWLEDGEMENTS.get(request, protocol.ChangeAck)


def schema_ref(model: type[BaseModel]) -> dict[str, str]:
    """The reference to a model's schema."""
    return {"$ref": f"#/components/schemas/{model.__name__}"}


def text_of(document: dict[str, Any]) -> str:
    """The document as JSON, as it is committed."""
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"
