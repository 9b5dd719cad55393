"""Arguments are checked against the schema before anything runs, and coerced only where nothing is lost."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.core import ToolBox, tool
from agents.core.nearest import nearest
from agents.core.tools.argument_faults import Fault
from agents.core.tools.checker import compile_schema


def check(schema: dict[str, Any], value: Any) -> tuple[Any, list[Fault]]:
    faults: list[Fault] = []
    return compile_schema(schema)(value, (), faults, ()), faults


@pytest.mark.parametrize(
    ("schema", "given_value", "expected"),
    [
        ({"type": "integer"}, "5", 5),
        ({"type": "integer"}, " -12".strip(), -12),
        ({"type": "integer"}, 5.0, 5),
        ({"type": "number"}, "2.5", 2.5),
        ({"type": "number"}, "1e3", 1000.0),
        ({"type": "number"}, "7", 7),
        ({"type": "boolean"}, "true", True),
        ({"type": "boolean"}, "False", False),
        ({"type": "array", "items": {"type": "integer"}}, ["1", 2], [1, 2]),
        ({"type": "object", "properties": {"n": {"type": "integer"}}}, {"n": "3"}, {"n": 3}),
        ({"anyOf": [{"type": "integer"}, {"type": "string"}]}, "5", "5"),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "5", 5),
        ({"type": ["integer", "string"]}, "5", "5"),
        ({"type": "integer", "enum": [1, 2]}, "2", 2),
        ({"type": "string", "nullable": True}, None, None),
        ({"type": "object", "properties": {"n": {"type": "integer"}}}, {"n": None}, {}),
        ({"properties": {"n": {"type": ["integer", "null"]}}}, {"n": None}, {"n": None}),
    ],
)
def test_what_fits_without_loss_is_taken(schema: dict[str, Any], given_value: Any, expected: Any) -> None:
    value, faults = check(schema, given_value)
    assert faults == []
    assert value == expected
    assert type(value) is type(expected)


@pytest.mark.parametrize(
    ("schema", "refused"),
    [
        ({"type": "integer"}, "5.5"),
        ({"type": "integer"}, 5.5),
        ({"type": "integer"}, True),
        ({"type": "integer"}, "five"),
        ({"type": "integer"}, "1_000"),
        ({"type": "number"}, "nan"),
        ({"type": "number"}, math.inf),
        ({"type": "boolean"}, 1),
        ({"type": "boolean"}, "yes"),
        ({"type": "string"}, 5),
        ({"type": "array"}, "a"),
        ({"type": "object"}, []),
        ({"type": "null"}, 0),
        ({"enum": ["a", "b"]}, "A"),
        ({"enum": [1]}, True),
        ({"enum": [True]}, 1),
        ({"const": "x"}, "y"),
        ({"type": "number", "minimum": 0}, -0.1),
        ({"type": "number", "maximum": 1}, "1.5"),
        ({"type": "number", "exclusiveMinimum": 0}, 0),
        ({"type": "number", "exclusiveMaximum": 1}, 1),
        ({"type": "number", "multipleOf": 0.5}, 0.7),
        ({"type": "string", "minLength": 2}, "a"),
        ({"type": "string", "maxLength": 2}, "abc"),
        ({"type": "string", "pattern": "^[a-z]+$"}, "A1"),
        ({"type": "array", "minItems": 1}, []),
        ({"type": "array", "maxItems": 1}, [1, 2]),
        ({"type": "array", "uniqueItems": True}, [1, 1]),
        ({"type": "array", "prefixItems": [{"type": "integer"}], "items": False}, [1, 2]),
        ({"type": "object", "required": ["a"]}, {}),
        ({"type": "object", "properties": {}, "additionalProperties": False}, {"a": 1}),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, {"a": "x"}),
        ({"type": "object", "minProperties": 1}, {}),
        ({"oneOf": [{"type": "integer"}, {"minimum": 3}]}, 5),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "x"),
        ({"allOf": [{"type": "integer"}, {"minimum": 3}]}, 2),
        ({"not": {"type": "string"}}, "x"),
    ],
)
def test_what_does_not_fit_is_refused(schema: dict[str, Any], refused: Any) -> None:
    assert check(schema, refused)[1]


def test_references_may_be_recursive() -> None:
    tree = {
        "$ref": "#/$defs/Node",
        "$defs": {
            "Node": {
                "type": "object",
                "properties": {
                    "name": {"type": "string"},
                    "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}},
                },
                "required": ["name"],
            }
        },
    }
    assert check(tree, {"name": "a", "children": [{"name": "b", "children": []}]})[1] == []
    (fault,) = check(tree, {"name": "a", "children": [{"name": "b", "children": [{}]}]})[1]
    assert fault.path == ("children", 0, "children", 0, "name")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(json_values)
def test_any_value_passes_a_schema_without_demands_unchanged(value: Any) -> None:
    assert check({}, value) == (value, [])


@given(json_values, st.sampled_from(["string", "integer", "number", "boolean", "array", "object", "null"]))
def test_a_check_never_raises_and_what_passes_has_the_type(value: Any, kind: str) -> None:
    result, faults = check({"type": kind}, value)
    types = {
        "string": str,
        "integer": int,
        "number": (int, float),
        "boolean": bool,
        "array": list,
        "object": dict,
        "null": type(None),
    }
    if not faults:
        assert isinstance(result, types[kind])
        assert kind == "boolean" or not isinstance(result, bool)


TABLES = [f"data.table_{number:05}" for number in range(10_000)]


@tool(
    params={
        "table": {
            "type": "string",
            "enum": lambda: [*TABLES, "data.airports", "data.world_airports", "data.rivers"],
        },
        "note": {"type": "string", "description": "words " * 500},
    }
)
def show(table: str, note: str = "", limit: int = 3) -> str:
    return table


async def refusal(arguments: dict[str, Any] | str) -> str:
    result = await ToolBox([show]).invoke("show", arguments)
    assert not result.ok
    return result.content


async def test_an_error_names_the_fault_the_expected_schema_and_the_nearest_values() -> None:
    text = await refusal({"table": "data.airport"})
    assert 'table: "data.airport" is not one of the allowed values' in text
    assert '"data.airports", "data.world_airports"' in text
    assert "10003 values in all" in text
    assert text.count("data.table_") <= 20


@pytest.mark.parametrize(
    "arguments",
    [
        {"table": "x" * 100_000},
        {"table": {"a": ["deep"] * 1000}},
        {f"unknown_{number}" * 50: number for number in range(300)},
        {"table": "ä" * 5000, "note": 5, "limit": "many", "more": None},
        "not json " * 10_000,
        "[" * 100_000,
        '{"table": NaN}',
        "5",
        "{}",
    ],
)
async def test_an_error_stays_under_two_kilobytes_whatever_the_model_wrote(arguments: Any) -> None:
    text = await refusal(arguments)
    assert len(text.encode()) < 2048
    assert "show" in text


async def test_an_error_stays_small_for_a_schema_of_hundreds_of_parameters() -> None:
    many = {f"parameter_{number}": {"type": "string", "description": "long " * 40} for number in range(400)}

    @tool(name="wide", params={**many}, required=["parameter_7"])
    def wide(**arguments: Any) -> str:
        return ""

    text = (await ToolBox([wide]).invoke("wide", {})).content
    assert "parameter_7 is required and missing" in text
    assert len(text.encode()) < 2048


async def test_all_faults_are_reported_together_with_their_paths() -> None:
    @tool(
        params={
            "rows": {"type": "array", "items": {"type": "object", "properties": {"n": {"type": "integer"}}}}
        }
    )
    def load(rows: Any, limit: int, name: str) -> str:
        return ""

    text = (await ToolBox([load]).invoke("load", {"rows": [{"n": 1}, {"n": "x"}], "limit": "many"})).content
    assert 'rows[1].n: "x" must be an integer, not string' in text
    assert 'limit: "many" must be an integer, not string' in text
    assert "name is required and missing" in text


async def test_an_unknown_argument_is_refused_with_the_nearest_name() -> None:
    text = await refusal({"table": "data.rivers", "limt": 5})
    assert 'limt is not a parameter; the nearest is "limit"' in text


async def test_a_tool_may_ignore_unknown_arguments_with_a_warning() -> None:
    @tool(drop_unknown=True)
    def find(name: str) -> str:
        return name

    result = await ToolBox([find]).invoke("find", {"name": "a", "colour": "red"})
    assert result.ok
    assert result.warnings == ("colour is not a parameter and was ignored",)
    assert "colour" in result.content


async def test_null_for_an_optional_argument_means_that_it_was_left_out() -> None:
    @tool
    def find(name: str, limit: int = 3, kind: str | None = "any") -> str:
        return f"{name} {limit} {kind}"

    result = await ToolBox([find]).invoke("find", {"name": "a", "limit": None, "kind": None})
    assert result.content == "a 3 None"


@pytest.mark.parametrize("text", ['{"table": ', "{'table': 'x'}", '{"table": "a"} and more', '["table"]'])
async def test_malformed_json_is_answered_with_what_was_expected(text: str) -> None:
    result = await ToolBox([show]).invoke("show", text)
    assert result.error == "malformed_json"
    assert "JSON object" in result.content
    assert '"table"' in result.content


@pytest.mark.parametrize("text", ["", "  ", "null", "{}"])
async def test_no_arguments_at_all_are_an_empty_object(text: str) -> None:
    @tool
    def ping() -> str:
        return "pong"

    assert (await ToolBox([ping]).invoke("ping", text)).content == "pong"


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("Airports", "airports"),
        ("airport", "airports"),
        ("world airports", "world_airports"),
        ("airprots", "airports"),
        ("popluation", "population"),
        ("pop", "population"),
    ],
)
def test_the_nearest_value_is_what_a_person_would_have_meant(asked: str, found: str) -> None:
    choices = ["rivers", "population", "airports", "world_airports", "countries"]
    assert nearest(asked, choices)[0] == found


def test_nothing_is_nearest_to_nonsense() -> None:
    assert nearest("qqqq", ["rivers", "airports"]) == []
    assert nearest({"a": 1}, ["rivers"]) == []
