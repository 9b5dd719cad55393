"""POST /api/maps/summaries: names and times of maps, for a browser's list of its recent maps.

The keys are sent in the body, because they give access to the maps and addresses are logged."""

from __future__ import annotations

from aiohttp import web
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from server.http.answers import json_answer
from server.maps.documents import Documents
from server.maps.faults import RequestFault
from server.protocol import MapId

MAX_MAPS = 100


class Wanted(BaseModel):
    """The body of a request about several maps."""

    model_config = ConfigDict(extra="forbid")

    maps: list[MapId] = Field(max_length=MAX_MAPS)


def routes(documents: Documents) -> list[web.RouteDef]:
    """The route for summaries of the browser's maps."""

    async def summaries(request: web.Request) -> web.Response:
        """`{maps: [key, ...]}`, at most 100: `{maps: [{map_id, name, layers, changed_at, may_change}]}` of those that
        there are."""
        try:
            wanted = Wanted.model_validate_json(await request.read())
        except ValidationError:
            raise RequestFault(
                "invalid_payload", f"Send {{maps: [...]}} with at most {MAX_MAPS} keys of maps."
            ) from None
        found = await documents.summaries(wanted.maps)
        body = {"maps": [each.model_dump(mode="json") for each in found]}
        return json_answer(body)

    return [web.post("/api/maps/summaries", summaries)]
