"""Ollama's wire: objects for arguments, and no ids."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from agents.core.messages import AssistantMessage, ToolCall, ToolMessage, ToolResult
from agents.core.model import Model, ModelError, ToolSpec
from tests.support.model_server import Call, Fault, ModelServer, Raw, Reply, Say
from tests.unit.models.asking import asking, hear

Make = Callable[..., Model]
NAME = "ollama:qwen3:8b"


async def test_arguments_go_back_as_an_object_and_results_by_their_tools_name(
    server: ModelServer, make: Make
) -> None:
    server.script([Reply(Say("Done."))])
    answer = AssistantMessage("", (ToolCall("x", "zoom_to", '{"place": "Paris"}'),))
    await hear(make(NAME), asking("go", answer, ToolMessage((ToolResult("x", "zoom_to", "moved"),))))
    _, _, assistant, result = server.requests[0].json["messages"]
    assert assistant["tool_calls"] == [{"function": {"name": "zoom_to", "arguments": {"place": "Paris"}}}]
    assert (result["role"], result["tool_name"], result["content"]) == ("tool", "zoom_to", "moved")


async def test_made_ids_are_new_in_every_reply(server: ModelServer, make: Make) -> None:
    server.script([Reply(Call("zoom_to"), Call("zoom_to")), Reply(Call("zoom_to"))])
    first, second = await hear(make(NAME)), await hear(make(NAME))
    assert len({call.id for call in [*first.calls, *second.calls]}) == 3


async def test_what_the_sdk_would_drop_from_a_schema_is_said_in_words(
    server: ModelServer, make: Make
) -> None:
    parameters = {
        "type": "object",
        "properties": {
            "size": {"type": "integer", "minimum": 1, "maximum": 9, "description": "How big."},
            "name": {"type": "string", "enum": ["a", "b"]},
        },
        "required": ["size"],
    }
    server.script([Reply(Say("x"))])
    await hear(make(NAME), asking(tools=[ToolSpec("go", "Go.", parameters)]))
    sent = server.requests[0].json["tools"][0]["function"]["parameters"]
    assert sent["required"] == ["size"]
    assert sent["properties"]["name"] == {"type": "string", "enum": ["a", "b"]}
    assert sent["properties"]["size"]["description"].startswith("How big.")
    assert '"maximum": 9' in sent["properties"]["size"]["description"]


async def test_the_context_is_asked_for(server: ModelServer, make: Make) -> None:
    server.script([Reply(Say("x"))])
    model = make(NAME)
    await hear(model, asking(max_output_tokens=50))
    assert server.requests[0].json["options"] == {"num_ctx": model.context_tokens, "num_predict": 50}


async def test_a_model_that_is_not_there_says_how_to_get_it(server: ModelServer, make: Make) -> None:
    server.script([Fault(404, "model 'qwen3:8b' not found")])
    with pytest.raises(ModelError, match="ollama pull qwen3:8b"):
        await hear(make(NAME))


async def test_a_model_without_tools_says_how_to_use_it_all_the_same(server: ModelServer, make: Make) -> None:
    server.script([Fault(400, "registry.ollama.ai/library/gemma3 does not support tools")])
    with pytest.raises(ModelError, match="ollama:gemma3@text"):
        await hear(make("ollama:gemma3"))


async def test_an_error_in_the_middle_of_the_stream_is_tried_again(server: ModelServer, make: Make) -> None:
    server.script([Raw(('{"error": "llama runner process has terminated"}\n',)), Reply(Say("Back."))])
    assert (await hear(make(NAME))).text == "Back."


async def test_thoughts_between_tags_are_not_shown(server: ModelServer, make: Make) -> None:
    server.script([Reply(Say("<think>\nShow them?</think>\n\nDone."))])
    assert (await hear(make(NAME))).text == "Done."
