"""Type hints: the JSON schema of each, and values that arrive as what was hinted."""

from __future__ import annotations

import datetime
import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NamedTuple

import pytest
from pydantic import AfterValidator, BaseModel, Field
from typing_extensions import TypedDict

from agents.core import ToolBox, tool
from tests.unit.core.test_declaring import schema_of


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


def properties_of(function: Any) -> dict[str, Any]:
    properties: dict[str, Any] = schema_of(function)["properties"]
    return properties


@pytest.mark.parametrize(
    ("hint", "expected"),
    [
        (list[str], {"type": "array", "items": {"type": "string"}}),
        (list, {"type": "array", "items": {}}),
        (Sequence[int], {"type": "array", "items": {"type": "integer"}}),
        (set[str], {"type": "array", "items": {"type": "string"}, "uniqueItems": True}),
        (tuple[float, float], {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2}),
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


def test_every_array_has_items_however_deep() -> None:
    @tool(
        params={"rows": {"type": "array"}, "deep": {"type": "object", "properties": {"x": {"type": "array"}}}}
    )
    def load(rows: Any, deep: Any) -> str:
        return ""

    properties = properties_of(load)
    assert properties["rows"]["items"] == {}
    assert properties["deep"]["properties"]["x"]["items"] == {}
