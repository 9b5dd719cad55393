"""Class-based tools: a name, a description, an input schema and `execute`, with or without a typed model."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel, Field

from agents.core import BaseTool, DeclarationError, ToolBox, ToolContext, ToolRetry


class Adder(BaseTool):
    name = "add"
    description = "Add two numbers."
    input_schema = {
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "integer", "default": 1}},
        "required": ["a"],
    }

    def execute(self, args: dict[str, Any]) -> str:
        return str(args["a"] + args["b"])


class Finder(BaseTool):
    """Find a place."""

    name = "find"

    class Arguments(BaseModel):
        text: str = Field(description="what to look for")
        limit: int = Field(5, ge=1, le=50)

    async def execute(self, args: Arguments) -> str:
        return f"{type(args).__name__} {args.text} {args.limit}"


async def test_a_class_based_tool_is_described_and_executed() -> None:
    box = ToolBox([Adder()])
    assert Adder().get_tool_info() == {
        "name": "add",
        "description": "Add two numbers.",
        "input_schema": {**Adder.input_schema, "additionalProperties": False},
    }
    assert (await box.invoke("add", {"a": 2, "b": 3})).content == "5"


async def test_a_default_in_the_schema_is_what_execute_gets() -> None:
    assert (await ToolBox([Adder()]).invoke("add", {"a": 2})).content == "3"


async def test_a_typed_tool_gets_an_instance_of_its_arguments_model() -> None:
    box = ToolBox([Finder()])
    found = box.get("find")
    assert found is not None
    assert found.description == "Find a place."
    assert found.schema["properties"]["limit"] == {
        "type": "integer",
        "default": 5,
        "minimum": 1,
        "maximum": 50,
    }
    assert (await box.invoke("find", {"text": "Berlin"})).content == "Arguments Berlin 5"
    assert (await box.invoke("find", {"text": "Berlin", "limit": 99})).error == "invalid_arguments"


async def test_its_enum_may_be_a_callable_of_the_tool() -> None:
    class Layers(BaseTool):
        name = "show"
        known = ["roads"]

        def __init__(self) -> None:
            self.input_schema = {
                "type": "object",
                "properties": {"layer": {"type": "string", "enum": lambda own: own.known}},
                "required": ["layer"],
            }

        def execute(self, args: dict[str, Any]) -> str:
            return str(args["layer"])

    one, other = Layers(), Layers()
    other.known = ["rivers"]
    assert (await ToolBox([one]).invoke("show", {"layer": "roads"})).ok
    assert (await ToolBox([other]).invoke("show", {"layer": "roads"})).error == "invalid_arguments"


async def test_options_and_processors_are_attributes() -> None:
    class Careful(Adder):
        sequential = True
        retries = 1

        def preprocess(self, arguments: dict[str, Any]) -> dict[str, Any]:
            return {**arguments, "a": arguments["a"] * 10}

        def postprocess(self, result: str) -> str:
            return f"<{result}>"

    registered = ToolBox().register(Careful())
    assert registered.options.sequential
    assert registered.options.retries == 1
    assert (await ToolBox([registered]).invoke("add", {"a": 1})).content == "<11>"


async def test_execute_may_take_the_context_of_its_call() -> None:
    class Named(BaseTool):
        name = "named"

        async def execute(self, args: dict[str, Any], context: ToolContext) -> str:
            return context.call.name

    assert (await ToolBox([Named()]).invoke("named", {})).content == "named"


async def test_it_steers_the_model_as_a_decorated_tool_does() -> None:
    class Picky(BaseTool):
        name = "picky"

        def execute(self, args: dict[str, Any]) -> str:
            raise ToolRetry("say please")

    result = await ToolBox([Picky()]).invoke("picky", {})
    assert (result.ok, result.error, result.content) == (False, "retry", "say please")


async def test_any_object_with_the_four_members_is_a_tool() -> None:
    class Foreign:
        name = "foreign"
        description = "Not ours."
        input_schema = {"type": "object", "properties": {}}

        def execute(self, args: dict[str, Any]) -> str:
            return "fine"

    assert (await ToolBox([Foreign()]).invoke("foreign", {})).content == "fine"


def test_a_class_in_place_of_an_instance_is_refused_with_advice() -> None:
    with pytest.raises(DeclarationError, match="instance of Adder"):
        ToolBox([Adder])
