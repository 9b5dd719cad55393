"""Recording what a model said, and playing it again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from agents.core.messages import AssistantMessage, ToolMessage, ToolResult
from agents.core.model import Model, ModelError
from agents.models import build
from agents.models.cassette import Cassette
from tests.support.model_server import Call, ModelServer, Reply, Say, Think
from tests.unit.models.asking import Heard, asking, hear

Make = Callable[..., Model]
SECRET = "correct-horse-battery"


async def two_steps(model: Model) -> tuple[Heard, Heard]:
    first = await hear(model, asking("show airports"))
    answer = AssistantMessage(first.text, tuple(first.calls), first.end.opaque)
    result = ToolMessage(tuple(ToolResult(call.id, call.name, "ok") for call in first.calls))
    return first, await hear(model, asking("show airports", answer, result))


async def test_what_was_recorded_once_is_replayed_without_the_model(
    server: ModelServer, make: Make, tmp_path: Path
) -> None:
    file = tmp_path / "talk.json"
    server.script(
        [Reply(Think("opaque"), Say("Adding."), Call("add_map_layer", {"table": "t"})), Reply(Say("Done."))]
    )
    recorded = await two_steps(Cassette(file, make("openai:gpt-5.1"), settings={}))
    for _ in range(2):
        replayed = await two_steps(build(f"cassette:{file}", {}))
        assert [one.text for one in replayed] == ["Adding.", "Done."]
        assert [one.calls for one in replayed] == [one.calls for one in recorded]
        assert replayed[0].end.usage == recorded[0].end.usage
    assert len(server.requests) == 2
    assert "opaque" not in file.read_text()


async def test_only_what_is_new_is_asked_of_the_model(
    server: ModelServer, make: Make, tmp_path: Path
) -> None:
    file = tmp_path / "talk.json"
    server.script([Reply(Say("One.")), Reply(Say("Two."))])
    for words in ("first", "first", "second"):
        await hear(Cassette(file, make("openai:gpt-5.1"), settings={}), asking(words))
    assert len(server.requests) == 2


async def test_secrets_are_never_written(server: ModelServer, make: Make, tmp_path: Path) -> None:
    file = tmp_path / "talk.json"
    answer = f"The key is sk-proj-abcdefgh12345678, the password {SECRET}, the header Bearer abcdef123456."
    server.script([Reply(Say(answer, piece=500))])
    settings = {"DATABASE_URL": f"postgresql://me:{SECRET}@host/db"}
    await hear(Cassette(file, make("openai:gpt-5.1"), settings=settings), asking(f"my password is {SECRET}"))
    text = file.read_text()
    for secret in (SECRET, "abcdefgh12345678", "abcdef123456"):
        assert secret not in text
    reply = await hear(Cassette(file, settings=settings), asking(f"my password is {SECRET}"))
    assert reply.text.count("[secret]") == 3


async def test_a_question_that_was_never_recorded_is_reported(
    server: ModelServer, make: Make, tmp_path: Path
) -> None:
    file = tmp_path / "talk.json"
    server.script([Reply(Say("One."))])
    await hear(Cassette(file, make("openai:gpt-5.1"), settings={}), asking("first"))
    with pytest.raises(ModelError, match="no answer to 'second'"):
        await hear(Cassette(file, settings={}), asking("second"))


async def test_a_setting_records_whatever_model_is_used(server: ModelServer, tmp_path: Path) -> None:
    file = tmp_path / "talk.json"
    settings = {"OPENAI_API_KEY": "sk-1", "OPENAI_BASE_URL": server.base_url, "GEOAGENT_CASSETTE": str(file)}
    server.script([Reply(Say("One."))])
    await hear(build("openai:gpt-5.1", settings), asking("first"))
    assert (await hear(build(f"cassette:{file}", {}), asking("first"))).text == "One."
