"""A server that is busy with others says how many turns start before mine, and then forgets about it."""

from __future__ import annotations

import asyncio

import pytest
from playwright.async_api import expect

from tests.browser.conftest import Enter, Serve
from tests.support.models import ScriptedModel
from tests.support.server import client


@pytest.mark.parametrize("width", [1440, 390])
async def test_a_person_sees_their_place_in_the_queue_until_their_turn_starts(
    enter: Enter, serve: Serve, width: int
) -> None:
    gate = asyncio.Event()
    model = ScriptedModel([gate, "one"], [gate, "two"], [gate, "Here you are."])
    server = await serve(model, turns=1)
    async with client(server) as first, client(server) as second:
        for number, other in enumerate((first, second)):
            await other.ask("join")
            await other.ask("chat", text=f"message {number}")
        me = await enter(server.url, width=width)
        await me.box.fill("which tables are there?")
        await me.page.keyboard.press("Enter")
        await expect(me.page.get_by_text("Waiting: 1 request ahead of yours")).to_be_visible()
        await expect(me.page.get_by_text("Thinking")).to_have_count(0)
        gate.set()
        await expect(me.page.get_by_text("Here you are.").first).to_be_visible()
        await expect(me.page.get_by_text("ahead of yours")).to_have_count(0)
