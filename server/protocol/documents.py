"""What a map is besides its layers and its chat: a name, a base map with a projection, bookmarks and comments."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel

from server.protocol.requests import CommentPlace, MapId, Projection, Viewpoint


class Bookmark(BaseModel):
    """A saved view of the map."""

    id: str
    name: str
    view: Viewpoint


class MapDocument(BaseModel):
    name: str = ""
    """Empty until somebody names the map."""
    base_map: str | None = None
    """The name of one of the server's base maps, empty for the built-in one; null until one is chosen."""
    projection: Projection | None = None
    bookmarks: list[Bookmark] = []
    """Oldest first."""


class Comment(BaseModel):
    """What a person wrote in a thread."""

    id: str
    text: str
    author: str | None = None
    """The name that the person had on the map; null if they gave none."""
    at: datetime


class CommentThread(BaseModel):
    """Comments on one place of the map, oldest first."""

    id: str
    place: CommentPlace
    comments: list[Comment]
    resolved: bool = False
    resolved_by: str | None = None
    """The name of the person who resolved it; null if they gave none."""


class MapSummary(BaseModel):
    """What a list of maps shows of one. `map_id` is the key by which it was asked for."""

    map_id: MapId
    name: str
    layers: int
    changed_at: str
    """When the newest event happened, in ISO 8601."""
    may_change: bool
    """False for a view key."""
