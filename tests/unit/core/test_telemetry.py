"""What is counted and timed: in the process, for Prometheus, and as OpenTelemetry spans."""

from __future__ import annotations

import subprocess
import sys

from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from prometheus_client import CollectorRegistry, generate_latest

from agents.core import Agent, Completed, ModelError, Telemetry, Usage, tool
from agents.core.observe.prometheus import register_prometheus
from agents.core.observe.tracing import use_opentelemetry
from tests.unit.core.scripted import Scripted, call


class Adder(Agent):
    @tool
    def add(self, a: int, b: int) -> int:
        return a + b

    @tool
    async def fail(self) -> str:
        raise ValueError("private")


def agent_with(telemetry: Telemetry) -> Adder:
    model = Scripted(
        [call("add", a=1, b=2), call("add", a="x"), call("fail"), call("made_up_1"), call("made_up_2")],
        ["done", Completed(Usage(100, 20, 50, 5, cost=0.01), model="scripted-2")],
    )
    return Adder(model, telemetry=telemetry)


async def test_tools_models_and_turns_are_counted() -> None:
    telemetry = Telemetry()
    agent = agent_with(telemetry)
    await agent.run("go")
    agent.model = Scripted([ModelError("rate_limited", "Too much.")])
    await agent.run("again")
    read = telemetry.read()
    assert read["tools"]["add"]["calls"] == 2
    assert read["tools"]["add"]["errors"] == {"invalid_arguments": 1}
    assert read["tools"]["fail"]["errors"] == {"failed": 1}
    assert read["tools"]["(unknown)"]["calls"] == 2
    assert read["models"]["scripted-2"]["input_tokens"] == 100
    assert read["models"]["scripted-2"]["cost"] == 0.01
    assert read["models"]["scripted"]["errors"] == {"rate_limited": 1}
    assert read["turns"] == {"done": 1, "failed": 1}


async def test_prometheus_reads_the_same_numbers() -> None:
    telemetry = Telemetry()
    registry = CollectorRegistry()
    register_prometheus(registry, telemetry)
    await agent_with(telemetry).run("go")
    text = generate_latest(registry).decode()
    assert 'geoagent_tool_seconds_count{tool="add"} 2.0' in text
    assert 'geoagent_tool_seconds_bucket{le="+Inf",tool="add"} 2.0' in text
    assert 'geoagent_tool_errors_total{error="invalid_arguments",tool="add"} 1.0' in text
    assert 'geoagent_model_tokens_total{kind="cached",model="scripted-2"} 50.0' in text
    assert 'geoagent_model_cost_dollars_total{model="scripted-2"} 0.01' in text
    assert 'geoagent_turns_total{status="done"} 1.0' in text


async def spans_of(content: bool) -> InMemorySpanExporter:
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    telemetry = Telemetry()
    use_opentelemetry(telemetry, tracer_provider=provider, content=content)
    await agent_with(telemetry).run("my secret plan")
    return exporter


async def test_opentelemetry_gets_one_tree_of_spans_for_a_turn() -> None:
    spans = (await spans_of(content=False)).get_finished_spans()
    by_name = {span.name: span for span in spans}
    turn = by_name["invoke_agent Adder"]
    assert turn.parent is None
    assert turn.attributes is not None
    assert turn.attributes["gen_ai.operation.name"] == "invoke_agent"
    assert turn.attributes["gen_ai.usage.input_tokens"] == 110
    chats = [span for span in spans if span.name == "chat scripted"]
    assert [dict(span.attributes or {})["gen_ai.response.model"] for span in chats] == [
        "scripted",
        "scripted-2",
    ]
    tools = [span for span in spans if span.name.startswith("execute_tool")]
    assert [span.name for span in tools] == ["execute_tool add", "execute_tool fail"]
    for span in [*chats, *tools]:
        assert span.parent is not None
        assert span.context is not None
        assert turn.context is not None
        assert span.parent.span_id == turn.context.span_id
    failed = dict(by_name["execute_tool fail"].attributes or {})
    assert failed["error.type"] == "failed"


async def test_spans_never_hold_what_was_said_unless_that_is_switched_on() -> None:
    quiet = "".join(span.to_json() for span in (await spans_of(content=False)).get_finished_spans())
    telling = "".join(span.to_json() for span in (await spans_of(content=True)).get_finished_spans())
    assert "my secret plan" not in quiet
    assert '\\"a\\": 1' not in quiet
    assert "private" not in quiet
    assert "my secret plan" in telling
    assert '\\"a\\": 1' in telling


def test_importing_the_core_brings_in_no_provider_and_nothing_heavy() -> None:
    code = (
        "import sys, agents.core\n"
        "heavy = {'openai','anthropic','ollama','pydantic','opentelemetry','prometheus_client','docstring_parser',"
        "'sqlalchemy','aiohttp','httpx'}\n"
        "print(sorted(heavy & {name.split('.')[0] for name in sys.modules}))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_a_model_without_a_known_price_is_not_said_to_cost_nothing() -> None:
    telemetry = Telemetry()
    registry = CollectorRegistry()
    register_prometheus(registry, telemetry)
    telemetry.model("unpriced", 1.0, Usage(100, 20), None)
    telemetry.model("partly", 1.0, Usage(100, 20, cost=0.5), None)
    telemetry.model("partly", 1.0, Usage(100, 20), None)
    telemetry.model("free", 1.0, Usage(100, 20, cost=0.0), None)
    assert {name: each["cost"] for name, each in telemetry.read()["models"].items()} == {
        "unpriced": None,
        "partly": None,
        "free": 0.0,
    }
    shown = [
        line for line in generate_latest(registry).decode().splitlines() if "cost_dollars_total{" in line
    ]
    assert shown == ['geoagent_model_cost_dollars_total{model="free"} 0.0']
