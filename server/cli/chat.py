"""`geoagent chat`: one turn on a running server, over Socket.IO, printed as it happens."""

from __future__ import annotations

import asyncio
import json
import os
import re
import secrets
import sys
import threading
from contextlib import suppress
from typing import Any

import aiohttp
import socketio

from server.settings import Settings, display_url

YES = ("y", "yes")
NO_SUCH_MAP = ("unknown_map", "invalid_payload")
ENDED = {"done": 0, "failed": 1, "cancelled": 1, "interrupted": 1}


class NoServer(Exception):
    """No server answers at the address, or it refused; the message says what to do."""


def run_chat(text: str, map_id: str | None, server: str | None) -> None:
    """Send one message to a running server and exit with the status of its turn."""
    settings = Settings()
    site, page, rest = (map_id or "").partition("/m/")
    if page:  # the address of a map, as this command prints it
        server, map_id = server or site or None, re.split(r"[/?#]", rest)[0]
    address = server or display_url(settings.host, settings.port)
    sys.exit(asyncio.run(Conversation(address).hold(text, map_id)))


class Conversation:
    """Prints streamed text to standard output, and changes of the map to standard error.

    Asks for approvals on standard error and reads the answers from standard input.
    """

    def __init__(self, address: str) -> None:
        self._address = address.rstrip("/")
        self._turn_id: str | None = None
        self._early: list[tuple[str, dict[str, Any]]] = []
        self._status: asyncio.Future[str] | None = None
        self._printed = ""
        self._map_id = ""
        self._client: socketio.AsyncClient
        self._questions: asyncio.Queue[dict[str, Any]] = asyncio.Queue()

    async def hold(self, text: str, map_id: str | None) -> int:
        """Send the message and follow its turn; returns the exit status, 0 when the turn is done. Raises
        NoServer.
        """
        self._status = asyncio.get_running_loop().create_future()
        # Its own session: the client leaves one open when it cannot connect.
        async with aiohttp.ClientSession() as session:
            self._client = socketio.AsyncClient(reconnection=False, http_session=session)
            try:
                return await self._talk(text, map_id, self._status)
            finally:
                self._status.cancel()

    async def _talk(self, text: str, map_id: str | None, ended: asyncio.Future[str]) -> int:
        client = self._client
        client.on("*", self._on_event)
        client.on("disconnect", self._lost)
        try:
            await client.connect(self._address, transports=["websocket"], wait_timeout=10)
        except (socketio.exceptions.ConnectionError, aiohttp.InvalidURL):
            raise NoServer(
                f"There is no server at {self._address}. Start one with `geoagent serve`, or name it with "
                "--server."
            ) from None
        answering = asyncio.create_task(self._answer_questions())
        try:
            joined = await ask(client, "join", {"map_id": map_id} if map_id else {})
            self._map_id = joined["map_id"]
            acknowledged = await ask(
                client, "chat", {"map_id": joined["map_id"], "text": text, "client_id": secrets.token_hex(8)}
            )
            self._turn_id = acknowledged["turn_id"]
            for event, data in self._early:
                self._take(event, data)
            status = await ended
            print(f"{self._address}/m/{joined['map_id']}", file=sys.stderr)
        finally:
            answering.cancel()
            await client.disconnect()
        return ENDED.get(status, 1)

    async def _on_event(self, event: str, data: dict[str, Any]) -> None:
        if self._turn_id is None:
            self._early.append((event, data))
        else:
            self._take(event, data)

    async def _lost(self, *_: Any) -> None:
        if self._status is not None and not self._status.done():
            self._status.set_exception(NoServer("The server disconnected before it answered."))

    def _take(self, event: str, data: dict[str, Any]) -> None:
        if data.get("turn_id") != self._turn_id:
            return
        if event == "ai_delta":
            self._printed += data["text"]
            print(data["text"], end="", flush=True)
        elif event == "ai_response":
            if data["message"] != self._printed:
                self._end_line()
                print(data["message"], end="", flush=True)
                self._printed = data["message"]
            self._end_line()
            unbacked = [each["text"] for each in data.get("figures", ()) if each["source"] is None]
            if unbacked:
                print(f"  ? found in no result: {', '.join(unbacked)}", file=sys.stderr, flush=True)
        elif event == "approval_requested":
            self._questions.put_nowait(data)
        elif event == "turn_finished" and self._status is not None and not self._status.done():
            self._status.set_result(data["status"])
        else:
            line = event_line(event, data)
            if line:
                self._end_line()
                print(f"  {line}", file=sys.stderr, flush=True)

    async def _answer_questions(self) -> None:
        while True:
            question = await self._questions.get()
            self._end_line()
            arguments = json.dumps(question["arguments"], ensure_ascii=False)
            print(f"  Allow {question['name']} {arguments}? [y/N] ", end="", file=sys.stderr, flush=True)
            approved = (await typed_line()).strip().lower() in YES
            answer = {"map_id": self._map_id, "turn_id": self._turn_id, "call_id": question["call_id"]}
            acknowledged = await self._client.call("approve", {**answer, "approved": approved}, timeout=30)
            if not acknowledged["ok"]:
                print(f"  {acknowledged['error']['message']}", file=sys.stderr, flush=True)

    def _end_line(self) -> None:
        if self._printed:
            print(flush=True)
        self._printed = ""


async def ask(client: socketio.AsyncClient, event: str, payload: dict[str, Any]) -> dict[str, Any]:
    """Send a request and return its acknowledgement. Raises NoServer with the server's message if it was
    refused.
    """
    answer: dict[str, Any] = await client.call(event, payload, timeout=30)
    if answer["ok"]:
        return answer
    if event == "join" and payload and answer["error"]["code"] in NO_SUCH_MAP:
        raise NoServer(f"There is no map '{payload['map_id']}'. Leave out --map to make a new one.")
    raise NoServer(answer["error"]["message"])


async def typed_line() -> str:
    """A line of standard input, empty at its end. A daemon thread reads it, so it does not keep the program
    running.
    """
    loop = asyncio.get_running_loop()
    line: asyncio.Future[str] = loop.create_future()

    def give(typed: bytes) -> None:
        if not line.done():
            line.set_result(typed.decode(errors="replace"))

    def read() -> None:
        typed = b""
        while not typed.endswith(b"\n") and (byte := os.read(sys.stdin.fileno(), 1)):
            typed += byte
        with suppress(RuntimeError):  # the event loop was closed in the meantime
            loop.call_soon_threadsafe(give, typed)

    threading.Thread(target=read, daemon=True).start()
    return await line


def event_line(event: str, data: dict[str, Any]) -> str:
    """One line about an event of the map, empty for events that are not shown."""
    if event == "tool_finished":
        return f"{'✓' if data['ok'] else '✗'} {data['name']}: {data['summary']}"
    if event == "approval_answered":
        return "allowed" if data["approved"] else "not allowed"
    if event in ("layer_added", "layer_updated"):
        layer, sign = data["layer"], "+" if event == "layer_added" else "~"
        return f"{sign} {layer['id']} ({layer['table']}, {layer['count']:,} features)"
    if event == "layer_removed":
        return f"- {data['layer_id']}"
    if event == "layers_reordered":
        return f"↕ {', '.join(data['order'])}"
    return "- all layers" if event == "map_reset" else ""
