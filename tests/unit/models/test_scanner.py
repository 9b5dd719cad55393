"""The scanner that finds tool calls in what a model writes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.models.parsing.scanner import Scanner

KNOWN = {"zoom_to": ("place", "zoom"), "add_map_layer": ("table", "color"), "undo": ()}
Calls = list[tuple[str, Any]]


def scan(text: str, piece: int | None = None) -> tuple[str, list[tuple[str, str]]]:
    scanner, shown, calls = Scanner(KNOWN), [], []
    step = piece or max(1, len(text))
    for at in range(0, len(text), step):
        found = scanner.feed(text[at : at + step])
        shown.append(found.text)
        calls.extend(found.calls)
    found = scanner.finish()
    return "".join([*shown, found.text]), [*calls, *found.calls]


def calls_of(text: str) -> Calls:
    return [(name, json.loads(arguments)) for name, arguments in scan(text)[1]]


PARIS: Calls = [("zoom_to", {"place": "Paris"})]

WRITTEN = {
    "a tagged call": '<tool_call>\n{"name": "zoom_to", "arguments": {"place": "Paris"}}\n</tool_call>',
    "a tag that is never closed": '<tool_call>{"name": "zoom_to", "arguments": {"place": "Paris"}}',
    "the name as an attribute": '<tool_call name="zoom_to">{"place": "Paris"}</tool_call>',
    "a function's tag": '<function=zoom_to>{"place": "Paris"}</function>',
    "XML parameters": "<tool_call>\n<function=zoom_to>\n<parameter=place>\nParis\n</parameter>\n"
    "</function>\n</tool_call>",
    "an invoke": '<function_calls><invoke name="zoom_to"><parameter name="place">Paris</parameter>'
    "</invoke></function_calls>",
    "pairs of tags": "<tool_call>zoom_to\n<arg_key>place</arg_key>\n<arg_value>Paris</arg_value>\n</tool_call>",
    "a list in a tag": '<tool_calls>[{"name": "zoom_to", "arguments": {"place": "Paris"}}]</tool_calls>',
    "a fence": 'Here:\n```json\n{"tool": "zoom_to", "arguments": {"place": "Paris"}}\n```\n',
    "a fence without a language": '```\n{"name": "zoom_to", "parameters": {"place": "Paris"}}\n```',
    "a fence that is never closed": '```json\n{"name": "zoom_to", "arguments": {"place": "Paris"}}\n',
    "a fence on one line": '```{"name": "zoom_to", "arguments": {"place": "Paris"}}```',
    "a tag in a fence": '```xml\n<tool_call>{"name": "zoom_to", "arguments": {"place": "Paris"}}</tool_call>\n```',
    "bare JSON": 'I will zoom.\n{"name": "zoom_to", "arguments": {"place": "Paris"}}\nDone.',
    "OpenAI's shape": '{"tool_calls": [{"type": "function", "function": '
    '{"name": "zoom_to", "arguments": "{\\"place\\": \\"Paris\\"}"}}]}',
    "arguments beside the name": '{"tool": "zoom_to", "place": "Paris"}',
    "trailing commas and single quotes": "<tool_call>{'name': 'zoom_to', 'arguments': {'place': 'Paris',},}"
    "</tool_call>",
    "bare keys and comments": '<tool_call>{name: "zoom_to", /* there */ arguments: {place: "Paris"}}</tool_call>',
    "function-call syntax": 'zoom_to(place="Paris")',
    "function-call syntax in backticks": '`zoom_to(place="Paris")`\n',
    "a position for a name": "zoom_to('Paris')",
    "an object for all arguments": 'zoom_to({"place": "Paris"})',
    "a list of calls in syntax": '[zoom_to(place="Paris")]',
    "code in a fence": '```python\nprint(tools.zoom_to(place="Paris"))\n```',
    "an item of a list": '- zoom_to(place="Paris")\n',
    "Mistral's list": '[TOOL_CALLS] [{"name": "zoom_to", "arguments": {"place": "Paris"}}]',
    "Mistral's short form": '[TOOL_CALLS]zoom_to[ARGS]{"place": "Paris"}',
    "Llama's tag": '<|python_tag|>zoom_to(place="Paris")',
    "after thoughts": '<think>Maybe undo()?\nundo()\n</think>\nzoom_to(place="Paris")',
}


@pytest.mark.parametrize("text", WRITTEN.values(), ids=WRITTEN.keys())
@pytest.mark.parametrize("piece", [None, 1, 3, 7])
def test_a_call_is_found_however_it_is_written(text: str, piece: int | None) -> None:
    shown, calls = scan(text, piece)
    assert [(name, json.loads(arguments)) for name, arguments in calls] == PARIS
    assert "zoom_to" not in shown


NO_CALLS = {
    "a mention": "I could call zoom_to(place='Paris') but that would be rude.",
    "a mention at the start of a line": "zoom_to(place='Paris') moves the view.",
    "a tool's name alone": "zoom_to is a tool.\nundo is another.",
    "JSON that is data": '{"type": "FeatureCollection", "features": []}',
    "JSON with a name": '```json\n{"name": "Paris", "population": 2100000}\n```',
    "code": "```python\nplace = zoom_to(place='Paris')\nprint(place)\n```",
    "SQL": "```sql\nSELECT count(*) FROM airports;\n```",
    "an unknown tool in syntax": "launch_rocket(now=True)\n",
    "a link": "[the map](https://example.org) and [1] a note",
    "less than": "if a <b and c< d then e <",
    "an open brace": "{ this never closes\nand goes on",
    "an open fence": "```\nsome code that never ends",
    "a smile": "Fine :-{ \n}:-) and so on",
    "a table": "| a | b |\n|---|---|\n| 1 | 2 |",
}


@pytest.mark.parametrize("text", NO_CALLS.values(), ids=NO_CALLS.keys())
@pytest.mark.parametrize("piece", [None, 1, 5])
def test_ordinary_text_is_passed_on_unchanged(text: str, piece: int | None) -> None:
    assert scan(text, piece) == (text, [])


def test_several_calls_in_one_answer_with_prose_around_them() -> None:
    text = (
        "First the airports.\n"
        '<tool_call>{"name": "add_map_layer", "arguments": {"table": "data.airports"}}</tool_call>\n'
        "Then there:\n"
        '```json\n[{"name": "zoom_to", "arguments": {"place": "Paris"}}, {"name": "undo"}]\n```\n'
        'undo()\nzoom_to("Rome", zoom=-3)\nThat is all.'
    )
    shown, calls = scan(text)
    assert [name for name, _ in calls] == ["add_map_layer", "zoom_to", "undo", "undo", "zoom_to"]
    assert json.loads(calls[-1][1]) == {"place": "Rome", "zoom": -3}
    assert " ".join(shown.split()) == "First the airports. Then there: That is all."


def test_objects_one_after_the_other_in_a_tag_are_several_calls() -> None:
    text = '<tool_call>\n{"name": "undo"}\n{"name": "zoom_to", "arguments": {"place": "Paris"}}\n</tool_call>'
    assert [name for name, _ in calls_of(text)] == ["undo", "zoom_to"]


def test_a_malformed_call_is_passed_on_as_it_is() -> None:
    text = '<tool_call>{"name": "zoom_to", "arguments": {"place": "Par</tool_call>'
    assert scan(text)[1] == [("zoom_to", '{"place": "Par')]


def test_an_unknown_tool_in_a_tag_is_a_call_for_the_agent_to_refuse() -> None:
    assert calls_of('<tool_call>{"name": "fly", "arguments": {"to": "Mars"}}</tool_call>') == [
        ("fly", {"to": "Mars"})
    ]


def test_results_that_the_model_makes_up_are_dropped_with_all_that_follows() -> None:
    text = 'zoom_to("Paris")\n<tool_result name="zoom_to">ok</tool_result>\nThere are 42 airports.'
    shown, calls = scan(text)
    assert len(calls) == 1
    assert shown.strip() == ""


def test_prose_is_passed_on_before_the_reply_ends() -> None:
    scanner = Scanner(KNOWN)
    assert scanner.feed("Let me look at the ").text == "Let me look at the "
    assert scanner.feed("airports <").text == "airports "
    assert scanner.feed("5 km away").text == "<5 km away"


def test_code_in_arguments_is_never_run() -> None:
    text = "zoom_to(place=__import__('os').getcwd())\n"
    assert scan(text) == (text, [])


@given(st.text(max_size=300), st.integers(1, 20))
def test_no_text_makes_it_fail_and_pieces_make_no_difference(text: str, piece: int) -> None:
    assert scan(text, piece) == scan(text)


FRAGMENTS = st.sampled_from(
    [
        *WRITTEN.values(), *NO_CALLS.values(), "```", "```json\n", "<tool_call>", "</tool_call>", "<think>", "{", "}",
        "[", "]", "(", ")", '"', "'", "\\", "\n", "zoom_to(", "undo()", "[TOOL_CALLS]", "<|python_tag|>", "<function=",
        '{"name": "undo"}', " ", "text",
    ]
)  # fmt: skip


@given(st.lists(FRAGMENTS, max_size=12).map("".join), st.integers(1, 30))
def test_any_mixture_of_fragments_is_read_alike_in_any_pieces(text: str, piece: int) -> None:
    whole, pieces = scan(text), scan(text, piece)
    assert pieces == whole
    assert len(whole[0]) <= len(text)


@given(
    st.dictionaries(
        st.from_regex(r"[a-z_]{1,12}", fullmatch=True),
        st.recursive(
            st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=40),
            lambda inner: (
                st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
            ),
            max_leaves=6,
        ),
        max_size=4,
    ),
    st.integers(1, 25),
)
def test_whatever_arguments_are_written_as_json_come_back_as_they_were(
    arguments: dict[str, Any], piece: int
) -> None:
    call = json.dumps({"name": "zoom_to", "arguments": arguments})
    if "</tool_call>" in call:
        return
    text = f"Well.\n<tool_call>\n{call}\n</tool_call>\nSo."
    shown, calls = scan(text, piece)
    assert [(name, json.loads(read)) for name, read in calls] == [("zoom_to", arguments)]
    assert shown == "Well.\n\nSo."


def test_much_text_is_read_in_time_proportional_to_its_length() -> None:
    for text in ("{\n" * 20_000, "```" * 10_000, "<tool_call>" * 5_000, "zoom_to(" * 5_000, "[(" * 20_000):
        scan(text, 5)
