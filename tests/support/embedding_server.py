"""A local HTTP server that speaks OpenAI's `/embeddings`, with a model that knows a few words by their meaning."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web

CONCEPTS = (
    {"airport", "airports", "aerodrome", "aerodromes", "runway", "iata"},
    {"city", "cities", "town", "towns", "settlement", "settlements"},
    {"country", "countries", "nation", "nations"},
    {"clinic", "clinics", "hospital", "hospitals", "infirmary"},
)
"""Words of one set are the same to the model; all others are nothing to it."""


class EmbeddingServer:
    def __init__(self) -> None:
        self.texts: list[str] = []
        """All texts that were asked for."""
        self.is_broken = False
        self.padding = 0
        """Zeros at the end of each vector: another number is another model under the same name."""
        self.url = ""

    async def answer(self, request: web.Request) -> web.Response:
        body = await request.json()
        if self.is_broken:
            return web.json_response({"error": {"message": "overloaded"}}, status=503)
        self.texts += body["input"]
        data = [
            {"object": "embedding", "index": place, "embedding": vector_of(text) + [0.0] * self.padding}
            for place, text in enumerate(body["input"])
        ]
        answer: dict[str, Any] = {"object": "list", "model": body["model"], "data": data[::-1]}
        return web.json_response({**answer, "usage": {"prompt_tokens": 1, "total_tokens": 1}})


def vector_of(text: str) -> list[float]:
    words = re.findall(r"[a-z]+", text.lower())
    return [*(float(sum(word in concept for word in words)) for concept in CONCEPTS), 0.01]


@asynccontextmanager
async def embedding_server() -> AsyncIterator[EmbeddingServer]:
    served = EmbeddingServer()
    app = web.Application()
    app.router.add_post("/v1/embeddings", served.answer)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    host, port = runner.addresses[0][:2]
    served.url = f"http://{host}:{port}/v1"
    try:
        yield served
    finally:
        await runner.cleanup()
