"""What servers say of a fault reaches the user, in whichever form they say it."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from agents.core.model import Model, ModelError, TextDelta
from agents.models import build
from tests.support.model_server import Fault, ModelServer, Raw
from tests.unit.models.asking import asking, hear
from tests.unit.models.test_openai_chat import chunk

Make = Callable[..., Model]
NAMES = ["compatible:some", "anthropic:claude-haiku-4-5", "ollama:qwen3"]
every_wire = pytest.mark.parametrize("name", NAMES)
MEMORY = "model requires more system memory (5.6 GiB) than is available (3.1 GiB)"


async def fault_of(model: Model) -> ModelError:
    with pytest.raises(ModelError) as raised:
        await hear(model)
    return raised.value


@every_wire
@pytest.mark.parametrize(
    "body",
    [
        f'{{"error": "{MEMORY}"}}',
        f'{{"detail": "{MEMORY}"}}',
        f'{{"object": "error", "message": "{MEMORY}"}}',
        f'[{{"error": {{"code": 500, "message": "{MEMORY}"}}}}]',
        MEMORY,
    ],
)
@pytest.mark.parametrize("status", [400, 500])
async def test_the_servers_own_words_are_told(
    name: str, body: str, status: int, server: ModelServer, make: Make
) -> None:
    server.script([Fault(status, body=body)] * 3)
    assert MEMORY in str(await fault_of(make(name)))


@every_wire
async def test_web_pages_of_proxies_are_not_told(name: str, server: ModelServer, make: Make) -> None:
    server.script([Fault(502, body="<html><h1>Bad Gateway</h1></html>")] * 3)
    fault = await fault_of(make(name))
    assert "has a problem (status 502); try again" in str(fault)
    assert str(fault)[0].isupper(), "it is a sentence"


@pytest.mark.parametrize(
    ("status", "words", "code"),
    [
        (402, "Insufficient Balance", "rate_limited"),
        (400, "API key not valid. Please pass a valid API key.", "refused_key"),
    ],
)
async def test_credit_and_keys_are_known_by_other_status_codes_too(
    status: int, words: str, code: str, server: ModelServer, make: Make
) -> None:
    server.script([Fault(status, body=json.dumps([{"error": {"message": words}}]))])
    fault = await fault_of(make("groq:llama"))
    assert fault.code == code
    assert "credit" in str(fault) if code == "rate_limited" else "GROQ_API_KEY" in str(fault)


@pytest.mark.parametrize(
    ("name", "variable", "hint"),
    [
        ("compatible:some", "COMPATIBLE_BASE_URL", "ends in /v1"),
        ("ollama:some", "OLLAMA_HOST", "OLLAMA_HOST"),
    ],
)
async def test_an_address_without_the_api_is_not_taken_for_an_unknown_model(
    name: str, variable: str, hint: str, server: ModelServer
) -> None:
    wrong = server.address + ("" if name.startswith("compatible") else "/v1")
    fault = await fault_of(build(name, {variable: wrong}))
    assert "has no chat API at 127.0.0.1:" in str(fault)
    assert hint in str(fault)


async def test_a_wait_without_an_end_is_not_told(server: ModelServer, make: Make) -> None:
    server.script([Fault(429, headers={"Retry-After": "1e999"})] * 3)
    assert "in a moment" in str(await fault_of(make(NAMES[0])))


async def test_a_fault_after_the_first_words_says_what_it_is(server: ModelServer, make: Make) -> None:
    error = {"error": {"message": "CUDA out of memory", "code": 500}}
    server.script([Raw((chunk({"content": "There are"}), f"data: {json.dumps(error)}\n\n"))])
    events = make(NAMES[0]).stream(asking())
    assert await anext(events) == TextDelta("There are")
    with pytest.raises(ModelError, match=r"The answer broke off: .*CUDA out of memory") as raised:
        await anext(events)
    assert not raised.value.retryable


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'),
        (500, "tools param requires --jinja flag"),
        (404, "No endpoints found that support tool use."),
    ],
)
async def test_a_server_without_tool_calls_says_how_to_use_it_all_the_same(
    status: int, words: str, server: ModelServer, make: Make
) -> None:
    server.script([Fault(status, words)])
    fault = str(await fault_of(make("compatible:some")))
    assert words in fault
    assert "compatible:some@structured_output" in fault
