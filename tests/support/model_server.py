"""A local HTTP server that speaks the published wire formats of OpenAI (Responses and Chat), Anthropic and
Ollama.

It says what a test scripts, in whichever format it is asked:

    async with ModelServer() as server:
        server.script([Reply(Say("Adding."), Call("add_map_layer", {"table": "data.airports"}))])
        server.script([Reply(Say("Done."))])
        client = AsyncOpenAI(base_url=server.base_url, api_key="k")

Each request takes the next step of the script: a `Reply`, a `Fault` (an HTTP error), or a function of the
request's JSON that returns one. `server.requests` keeps what was asked; `server.hung_up` is set when a client
leaves early."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from tests.support import model_wire


@dataclass(frozen=True)
class Say:
    """Text, streamed in pieces of `piece` characters."""

    text: str
    piece: int = 7


@dataclass(frozen=True)
class Refuse:
    text: str


@dataclass(frozen=True)
class Think:
    """A reasoning item; its encrypted content is what the server wants to see again."""

    encrypted: str
    id: str = "rs_1"


@dataclass(frozen=True)
class Call:
    """A tool call; `arguments` as an object, or as the very text that the model writes."""

    name: str
    arguments: Mapping[str, Any] | str = field(default_factory=dict)
    id: str | None = None
    piece: int = 5

    @property
    def text(self) -> str:
        return self.arguments if isinstance(self.arguments, str) else json.dumps(self.arguments)


Part = Say | Refuse | Think | Call


class Reply:
    """One answer of the model.

    `cut` ends the connection after so many chunks, `stall` falls silent after so many (`keep_alive` goes on
    sending empty signs of life), and `pause` waits so many seconds between chunks. `finish` is `length` for a
    cut-off reply."""

    def __init__(
        self,
        *parts: Part,
        input_tokens: int = 100,
        output_tokens: int = 20,
        cached_tokens: int = 0,
        reasoning_tokens: int = 0,
        finish: str = "stop",
        cut: int | None = None,
        stall: int | None = None,
        keep_alive: bool = False,
        pause: float = 0,
        interleave: bool = False,
    ) -> None:
        self.parts = parts
        self.input_tokens = input_tokens
        self.output_tokens = output_tokens
        self.cached_tokens = cached_tokens
        self.reasoning_tokens = reasoning_tokens
        self.finish = finish
        self.cut = cut
        self.stall = stall
        self.keep_alive = keep_alive
        self.pause = pause
        self.interleave = interleave
        """Fragments of the calls come mixed, told apart only by their index (Chat Completions)."""


@dataclass(frozen=True)
class Fault:
    """An HTTP error, with the error body of the format asked."""

    status: int
    message: str = "something is wrong"
    code: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str = ""
    """Sent as it is, if set, in place of the format's own error body."""


@dataclass(frozen=True)
class Raw:
    """A stream sent exactly as it is written here; `kind` is its content type, if it is not the wire's own."""

    chunks: tuple[str, ...]
    kind: str = ""


Answer = Reply | Fault | Raw
Step = Answer | Callable[[dict[str, Any]], Answer]


@dataclass(frozen=True)
class Asked:
    """A request that came in."""

    path: str
    headers: Mapping[str, str]
    json: dict[str, Any]
    port: int = 0
    """The client's end of the connection: the same one, the same connection."""


class ModelServer:
    """Listens on a free port of the loopback between `start` and `stop`."""

    def __init__(self, *steps: Step) -> None:
        self.requests: list[Asked] = []
        self.hung_up = asyncio.Event()
        self._steps: list[Step] = list(steps)
        self._runner: web.AppRunner | None = None
        self._address = ""

    @property
    def base_url(self) -> str:
        """For OpenAI's SDK."""
        return f"{self._address}/v1"

    @property
    def address(self) -> str:
        """For Anthropic's and Ollama's SDKs."""
        return self._address

    def script(self, steps: Iterable[Step]) -> None:
        """What to answer next, after whatever was scripted before."""
        self._steps.extend(steps)

    @property
    def left(self) -> int:
        """Steps of the script that nobody asked for yet."""
        return len(self._steps)

    async def start(self) -> None:
        app = web.Application(client_max_size=64 * 2**20)
        app.router.add_post("/v1/responses", self._responses)
        app.router.add_post("/v1/chat/completions", self._chat)
        app.router.add_post("/v1/messages", self._messages)
        app.router.add_post("/api/chat", self._ollama)
        self._runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.2)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        host, port = self._runner.addresses[0][:2]
        self._address = f"http://{host}:{port}"

    async def stop(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()

    async def __aenter__(self) -> ModelServer:
        await self.start()
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.stop()

    async def _responses(self, request: web.Request) -> web.StreamResponse:
        return await self._answer(request, model_wire.responses, model_wire.openai_fault)

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        return await self._answer(request, model_wire.chat, model_wire.openai_fault)

    async def _messages(self, request: web.Request) -> web.StreamResponse:
        return await self._answer(request, model_wire.anthropic, model_wire.anthropic_fault)

    async def _ollama(self, request: web.Request) -> web.StreamResponse:
        return await self._answer(request, model_wire.ollama, model_wire.ollama_fault)

    async def _answer(
        self, request: web.Request, wire: model_wire.Wire, fault: model_wire.FaultBody
    ) -> web.StreamResponse:
        body = await request.json()
        peer = request.transport.get_extra_info("peername") if request.transport else None
        self.requests.append(Asked(request.path, dict(request.headers), body, peer[1] if peer else 0))
        if not self._steps:
            return web.json_response(fault(Fault(400, "the script is at its end")), status=400)
        step = self._steps.pop(0)
        answer = step(body) if callable(step) else step
        if isinstance(answer, Fault) and answer.body:
            return web.Response(text=answer.body, status=answer.status, headers=answer.headers)
        if isinstance(answer, Fault):
            return web.json_response(fault(answer), status=answer.status, headers=answer.headers)
        if isinstance(answer, Raw):
            return await self._send(request, answer.chunks, Reply(), wire, answer.kind)
        if not body.get("stream", wire is model_wire.ollama):
            return web.json_response(model_wire.whole(wire, answer, body))
        return await self._send(request, wire(answer, body), answer, wire)

    async def _send(
        self, request: web.Request, chunks: Iterable[str], reply: Reply, wire: model_wire.Wire, kind: str = ""
    ) -> web.StreamResponse:
        kind = kind or ("application/x-ndjson" if wire is model_wire.ollama else "text/event-stream")
        response = web.StreamResponse(headers={"Content-Type": kind})
        response.enable_chunked_encoding()
        await response.prepare(request)
        try:
            for n, chunk in enumerate(chunks):
                if n == reply.cut:
                    assert request.transport is not None
                    request.transport.abort()
                    return response
                if n == reply.stall:
                    await self._stall(response, model_wire.KEEP_ALIVE.get(wire) if reply.keep_alive else None)
                await response.write(chunk.encode())
                await asyncio.sleep(reply.pause)
            await response.write_eof()
        except (asyncio.CancelledError, ConnectionError):
            self.hung_up.set()
            raise
        return response

    async def _stall(self, response: web.StreamResponse, sign: str | None) -> None:
        while True:
            await asyncio.sleep(0.02)
            if sign is not None:
                await response.write(sign.encode())
