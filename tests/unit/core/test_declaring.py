"""Declaring tools: from signatures, from explicit words, and from both, to one and the same kind of schema."""

from __future__ import annotations

from typing import Annotated, Any

import pytest

from agents.core import DeclarationError, Param, ToolBox, ToolContext, tool


def schema_of(function: Any) -> dict[str, Any]:
    return ToolBox([function]).register(function).schema


def test_a_bare_decorator_takes_name_types_defaults_and_description_from_the_function() -> None:
    @tool
    def count(table: str, limit: int = 10, exact: bool = False, share: float = 0.5) -> str:
        """Count the rows of a table."""
        return table

    info = ToolBox([count]).register(count).get_tool_info()
    assert info["name"] == "count"
    assert info["description"] == "Count the rows of a table."
    assert info["input_schema"] == {
        "type": "object",
        "properties": {
            "table": {"type": "string"},
            "limit": {"type": "integer", "default": 10},
            "exact": {"type": "boolean", "default": False},
            "share": {"type": "number", "default": 0.5},
        },
        "required": ["table"],
        "additionalProperties": False,
    }


def test_the_decorated_function_stays_an_ordinary_function() -> None:
    @tool
    def double(number: int) -> int:
        return number * 2

    assert double(4) == 8


GOOGLE = """Find places.

    Looks in every table.

    Args:
        name: What the place
            is called.
        limit (int): How many at most.

    Returns:
        The places.
    """
NUMPY = """Find places.

    Looks in every table.

    Parameters
    ----------
    name : str
        What the place is called.
    limit : int
        How many at most.

    Returns
    -------
    str
        The places.
    """
SPHINX = """Find places.

    Looks in every table.

    :param name: What the place is called.
    :param int limit: How many at most.
    :returns: The places.
    """


@pytest.mark.parametrize("docstring", [GOOGLE, NUMPY, SPHINX], ids=["google", "numpy", "sphinx"])
def test_every_docstring_style_describes_the_parameters(docstring: str) -> None:
    def find(name: str, limit: int = 3) -> str:
        return name

    find.__doc__ = docstring
    registered = ToolBox().register(find)
    assert registered.description == "Find places.\n\nLooks in every table."
    properties = registered.schema["properties"]
    assert properties["name"]["description"] == "What the place is called."
    assert properties["limit"]["description"] == "How many at most."


def test_self_context_and_injected_parameters_are_never_in_the_schema() -> None:
    class Owner:
        @tool
        def look(
            self, table: str, context: ToolContext, clock: Annotated[float, Param(inject=lambda context: 1.5)]
        ) -> str:
            return f"{table} {context.call.name} {clock}"

    box = ToolBox.of(Owner())
    found = box.get("look")
    assert found is not None
    assert list(found.schema["properties"]) == ["table"]


async def test_context_and_injected_parameters_are_supplied() -> None:
    @tool
    async def look(
        table: str, context: ToolContext, clock: Annotated[float, Param(inject=lambda context: 1.5)]
    ) -> str:
        return f"{table} {context.call.name} {clock}"

    assert (await ToolBox([look]).invoke("look", {"table": "roads"})).content == "roads look 1.5"
    smuggled = await ToolBox([look]).invoke("look", {"table": "roads", "clock": 9})
    assert smuggled.error == "invalid_arguments"


def test_explicit_words_say_everything_where_the_function_says_nothing() -> None:
    @tool(
        name="add_layer",
        description="Put a table on the map.",
        params={
            "table": {"type": "string", "description": "which table"},
            "opacity": {"type": "number", "minimum": 0, "maximum": 1},
        },
        required=["table"],
    )
    def anything(**arguments: Any) -> str:
        return str(arguments)

    info = ToolBox().register(anything).get_tool_info()
    assert info == {
        "name": "add_layer",
        "description": "Put a table on the map.",
        "input_schema": {
            "type": "object",
            "properties": {
                "table": {"type": "string", "description": "which table"},
                "opacity": {"type": "number", "minimum": 0, "maximum": 1},
            },
            "required": ["table"],
            "additionalProperties": False,
        },
    }


def test_explicit_and_inferred_words_mix_for_each_parameter() -> None:
    @tool(params={"limit": {"maximum": 50}, "kind": {"type": "string", "enum": ["a", "b"]}})
    def find(name: str, limit: int = 10, kind: str = "a") -> str:
        """Find.

        Args:
            name: what it is called
            limit: how many
        """
        return name

    assert schema_of(find) == {
        "type": "object",
        "properties": {
            "name": {"type": "string", "description": "what it is called"},
            "limit": {"type": "integer", "default": 10, "description": "how many", "maximum": 50},
            "kind": {"type": "string", "enum": ["a", "b"], "default": "a"},
        },
        "required": ["name"],
        "additionalProperties": False,
    }


def test_a_parameter_may_bear_any_name_even_that_of_a_schema_keyword() -> None:
    def odd(title: str, properties: str, enum: str, required: int, default: str = "x") -> str:
        return title

    schema = schema_of(odd)
    assert list(schema["properties"]) == ["title", "properties", "enum", "required", "default"]
    assert schema["required"] == ["title", "properties", "enum", "required"]


@pytest.mark.parametrize(
    "declare",
    [
        lambda: ToolBox([lambda *args: ""]),
        lambda: ToolBox([tool(params={"nothere": {"type": "string"}})(lambda x: x)]),
        lambda: ToolBox([tool(name="not a name")(lambda x: x)]),
        lambda: ToolBox([tool(name="f", params={"x": {"type": "text"}})(lambda x: x)]),
        lambda: ToolBox(
            [tool(name="f", params={"x": {"type": "string", "pattern": lambda: "a"}})(lambda x: x)]
        ),
        lambda: ToolBox([tool(name="f", required=["y"])(lambda x: x)]),
        lambda: ToolBox([tool(name="f", params={"x": {"$ref": "#/$defs/Nowhere"}})(lambda x: x)]),
        lambda: ToolBox([object()]),
        lambda: tool(name="f", timeout=0)(lambda x: x),
    ],
)
def test_a_declaration_that_cannot_work_is_refused_when_it_is_made(declare: Any) -> None:
    with pytest.raises(DeclarationError):
        declare()


def test_a_subclass_overrides_a_tool_without_decorating_it_again_or_takes_it_away() -> None:
    class Base:
        @tool
        def greet(self, name: str) -> str:
            """Say hello."""
            return f"hello {name}"

        @tool
        def leave(self) -> str:
            return "bye"

    class Polite(Base):
        def greet(self, name: str) -> str:
            return f"good day, {name}"

        leave = None  # this is how a tool is taken away

    box = ToolBox.of(Polite())
    assert box.names == ["greet"]
    greet = box.get("greet")
    assert greet is not None
    assert greet.description == "Say hello."


async def test_the_tools_of_a_class_can_be_shown_without_an_object_of_it() -> None:
    class Base:
        @tool
        def greet(self, name: str) -> str:
            """Say hello."""
            return name

    box = ToolBox.of(Base)
    (spec,) = box.static().specs
    assert (spec.name, spec.description) == ("greet", "Say hello.")
    assert spec.parameters["required"] == ["name"]
    assert (await box.invoke("greet", {"name": "Ada"})).error == "failed"


async def test_static_and_class_methods_are_tools_too() -> None:
    class Owner:
        @staticmethod
        @tool
        def plain(word: str) -> str:
            return word

        @classmethod
        @tool
        def named(cls, word: str) -> str:
            return f"{cls.__name__} {word}"

    box = ToolBox.of(Owner())
    assert (await box.invoke("plain", {"word": "a"})).content == "a"
    assert (await box.invoke("named", {"word": "a"})).content == "Owner a"


async def test_a_default_in_words_makes_a_parameter_optional_unless_it_is_required_in_words() -> None:
    @tool(params={"limit": {"default": 5}})
    def find(limit: int) -> str:
        return str(limit)

    @tool(name="strictly", params={"limit": {"default": 5}}, required=["limit"])
    def strictly(limit: int) -> str:
        return str(limit)

    box = ToolBox([find, strictly])
    assert "required" not in schema_of(find)
    assert (await box.invoke("find")).content == "5"
    assert (await box.invoke("strictly")).error == "invalid_arguments"
