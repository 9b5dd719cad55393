"""GET /api/maps/{map_id}/analyses/{analysis_id}/receipt.{json,sql}: what an analysis ran, on which data, with
what result. GET .../recipe: the parameters that a recipe of the analysis could have.

Open to everyone who may see the map; kept when the result itself is dropped."""

from __future__ import annotations

import json

from aiohttp import web

from agents.worded import Template
from server.http.answers import json_answer
from server.http.exports import disposition
from server.maps.analyses.recipes import Recipes
from server.maps.analyses.store import AnalysisStore
from server.maps.faults import RequestFault

NO_ANALYSIS = Template("http_no_analysis", "This map has no analysis at this address.")

TYPES = {"json": "application/json", "sql": "application/sql"}


def routes(store: AnalysisStore, recipes: Recipes) -> list[web.RouteDef]:
    """The routes of receipts and suggested recipes."""

    async def receipt(request: web.Request) -> web.Response:
        kind = request.match_info["format"]
        if kind not in TYPES:
            raise RequestFault(
                "not_found", f"There is no receipt as {kind!r}. There are: {', '.join(TYPES)}."
            )
        kept = await store.kept(request.match_info["map_id"], request.match_info["analysis_id"])
        if kept is None:
            raise RequestFault("not_found", NO_ANALYSIS())
        document = {"status": kept.status, **kept.receipt.as_json()}
        text = kept.receipt.as_sql() if kind == "sql" else json.dumps(document, indent=2, ensure_ascii=False)
        headers = {"Content-Disposition": disposition(kept.receipt.goal, kind), "Cache-Control": "no-store"}
        return web.Response(text=text, content_type=TYPES[kind], charset="utf-8", headers=headers)

    async def recipe(request: web.Request) -> web.Response:
        asked = request.match_info
        card = await recipes.suggested(asked["map_id"], asked["analysis_id"])
        return json_answer(card.model_dump(mode="json"))

    base = "/api/maps/{map_id}/analyses/{analysis_id}"
    return [web.get(f"{base}/receipt.{{format}}", receipt), web.get(f"{base}/recipe", recipe)]
