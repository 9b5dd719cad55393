"""Declaring tools: from signatures, from explicit words, and from both, to one and the same kind of schema."""

from __future__ import annotations

import datetime
import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NamedTuple

import pytest
from pydantic import AfterValidator, BaseModel, Field
from typing_extensions import TypedDict

from agents.core import DeclarationError, Param, ToolBox, ToolContext, tool


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Point(BaseModel):
    x: float
    y: float


class Shape(BaseModel):
    points: list[Point]
    closed: bool = False


@dataclass
class Window:
    start: datetime.date
    days: int = 1


class Corner(TypedDict):
    west: float
    south: float


class Pair(NamedTuple):
    one: int
    two: int


def even(value: int) -> int:
    if value % 2:
        raise ValueError("must be even")
    return value * 10


def schema_of(function: Any) -> dict[str, Any]:
    return ToolBox([function]).register(function).schema


def properties_of(function: Any) -> dict[str, Any]:
    properties: dict[str, Any] = schema_of(function)["properties"]
    return properties


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


@pytest.mark.parametrize(
    ("hint", "expected"),
    [
        (list[str], {"type": "array", "items": {"type": "string"}}),
        (list, {"type": "array", "items": {}}),
        (Sequence[int], {"type": "array", "items": {"type": "integer"}}),
        (set[str], {"type": "array", "items": {"type": "string"}, "uniqueItems": True}),
        (
            tuple[float, float],
            {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2},
        ),
        (dict[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}),
        (Mapping[str, Any], {"type": "object", "additionalProperties": True}),
        (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}),
        (Literal[1, 2], {"type": "integer", "enum": [1, 2]}),
        (Colour, {"type": "string", "enum": ["red", "blue"]}),
        (int | str, {"anyOf": [{"type": "integer"}, {"type": "string"}]}),
        (str | None, {"anyOf": [{"type": "string"}, {"type": "null"}]}),
        (datetime.date, {"type": "string", "format": "date"}),
        (Any, {}),
        (Annotated[int, Field(ge=1, le=9)], {"type": "integer", "minimum": 1, "maximum": 9}),
        (Annotated[str, "what it is"], {"type": "string", "description": "what it is"}),
    ],
    ids=str,
)
def test_a_hint_becomes_its_json_schema(hint: Any, expected: dict[str, Any]) -> None:
    def function(value: Any) -> str:
        return ""

    function.__annotations__["value"] = hint
    assert properties_of(function)["value"] == expected


def test_an_optional_parameter_with_the_default_none_is_simply_not_required() -> None:
    def find(name: str, kind: str | None = None) -> str:
        return name

    schema = schema_of(find)
    assert schema["properties"]["kind"] == {"type": "string"}
    assert schema["required"] == ["name"]


def test_nested_models_dataclasses_and_typed_dicts_share_one_set_of_definitions() -> None:
    def draw(shape: Shape, window: Window, corner: Corner, others: list[Shape] | None = None) -> str:
        return ""

    schema = schema_of(draw)
    assert set(schema["$defs"]) >= {"Point"}
    assert schema["properties"]["shape"]["properties"]["points"]["items"] == {"$ref": "#/$defs/Point"}
    assert schema["properties"]["window"]["properties"]["start"] == {"type": "string", "format": "date"}
    assert schema["properties"]["corner"]["required"] == ["west", "south"]
    others = schema["properties"]["others"]["items"]
    assert others["properties"]["points"]["items"] == {"$ref": "#/$defs/Point"}
    assert "title" not in str(schema)


def test_two_models_of_one_name_do_not_take_each_others_definition() -> None:
    class Holder(BaseModel):
        points: list[Point]

    def other() -> type[BaseModel]:
        class Point(BaseModel):
            label: str

        class Holder(BaseModel):
            points: list[Point]

        return Holder

    def draw(one: Any, two: Any) -> str:
        return ""

    draw.__annotations__.update(one=Holder, two=other())
    schema = schema_of(draw)
    references = [
        schema["properties"][name]["properties"]["points"]["items"]["$ref"] for name in ("one", "two")
    ]
    one, two = (schema["$defs"][reference.rpartition("/")[2]] for reference in references)
    assert list(one["properties"]) == ["x", "y"]
    assert list(two["properties"]) == ["label"]


async def test_arguments_arrive_as_the_hinted_types() -> None:
    seen: dict[str, Any] = {}

    async def draw(
        shape: Shape,
        colour: Colour,
        window: Window,
        pair: Pair,
        tags: set[str],
        day: datetime.date | None = None,
    ) -> str:
        seen.update(locals())
        return "ok"

    result = await ToolBox([draw]).invoke(
        "draw",
        {
            "shape": {"points": [{"x": 1, "y": 2}]},
            "colour": "blue",
            "window": {"start": "2024-05-01"},
            "pair": [1, 2],
            "tags": ["a"],
            "day": "2024-02-29",
        },
    )
    assert result.ok, result.content
    assert seen["shape"] == Shape(points=[Point(x=1, y=2)])
    assert seen["colour"] is Colour.BLUE
    assert seen["window"] == Window(datetime.date(2024, 5, 1))
    assert seen["pair"] == Pair(1, 2)
    assert seen["tags"] == {"a"}
    assert seen["day"] == datetime.date(2024, 2, 29)


async def test_a_value_that_fits_the_schema_and_not_the_type_is_refused_with_its_path() -> None:
    def plan(day: datetime.date) -> str:
        return day.isoformat()

    result = await ToolBox([plan]).invoke("plan", {"day": "2024-02-30"})
    assert result.error == "invalid_arguments"
    assert "day" in result.content
    assert "2024-02-30" in result.content


async def test_a_validator_in_annotated_runs() -> None:
    def use(number: Annotated[int, AfterValidator(even)]) -> int:
        return number

    box = ToolBox([use])
    assert (await box.invoke("use", {"number": 4})).data == 40
    refused = await box.invoke("use", {"number": 3})
    assert refused.error == "invalid_arguments"
    assert "must be even" in refused.content


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


def test_every_array_has_items_however_deep() -> None:
    @tool(
        params={"rows": {"type": "array"}, "deep": {"type": "object", "properties": {"x": {"type": "array"}}}}
    )
    def load(rows: Any, deep: Any) -> str:
        return ""

    properties = properties_of(load)
    assert properties["rows"]["items"] == {}
    assert properties["deep"]["properties"]["x"]["items"] == {}


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
