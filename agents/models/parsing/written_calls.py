"""From a block of text that may be a tool call to the calls it holds: JSON, function-call syntax, or XML parameters.

`Known` lists the tools: text that looks like prose is a call only if it contains the name of a tool."""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping, Sequence
from typing import Any

from agents.models.parsing import lenient_json as lenient

Known = Mapping[str, Sequence[str]]
"""The tools' names, each with the names of its parameters in their order."""
Written = tuple[str, str]
"""A tool's name, and its arguments as JSON text."""

_NAMES = ("name", "tool", "tool_name", "function", "action")
_ARGUMENTS = ("arguments", "parameters", "args", "input", "action_input", "params")
_MAX_CHARS = 200_000


def calls_in(block: str, known: Known, *, sure: bool = False) -> list[Written]:
    """The calls that `block` consists of; none where it is anything else.

    `sure` is for blocks in a call's own tag: then an unknown tool is a call too, and so is one whose arguments cannot
    be read (they are passed on unchanged, so that the model gets an error)."""
    block = block.strip()
    if not block or len(block) > _MAX_CHARS:
        return []
    found = _from_json(block, known, sure) or _from_syntax(block, known)
    if not found and sure:
        found = _from_parameters(block) or _from_pairs(block) or _from_named_objects(block, known)
    return found or _malformed(block, known, sure)


def from_value(value: Any, known: Known, *, sure: bool = False) -> list[Written]:
    """The calls that a JSON value represents: one object, a list of them, or `{"tool_calls": [...]}`."""
    if isinstance(value, list):
        each = [from_value(one, known, sure=sure) for one in value]
        return [call for calls in each for call in calls] if all(each) else []
    if not isinstance(value, dict):
        return []
    if isinstance(value.get("tool_calls"), list):
        return from_value(value["tool_calls"], known, sure=sure)
    if isinstance(value.get("function"), dict):  # OpenAI's own shape
        return from_value(value["function"], known, sure=sure)
    return _one(value, known, sure)


def _one(value: dict[str, Any], known: Known, sure: bool) -> list[Written]:
    name_field = next((field for field in _NAMES if isinstance(value.get(field), str)), None)
    if name_field is None:
        return []
    name = value[name_field]
    rest = {field: one for field, one in value.items() if field not in (name_field, "id", "type")}
    field = next((field for field in _ARGUMENTS if field in rest), None)
    if field is None:
        # arguments may be beside the name; if they do not fit a tool, it is an ordinary object with a name
        fits = set(rest) <= set(known[name]) if name in known else not rest and sure
        return [(name, _text(rest))] if fits or (sure and name in known) else []
    if name in known or sure:
        return [(name, _text(rest[field]))]
    return [(name, _text(rest[field]))] if set(rest) == {"arguments"} else []


def _from_json(block: str, known: Known, sure: bool) -> list[Written]:
    if block[0] not in "{[":
        return []
    try:
        return from_value(lenient.loads(block), known, sure=sure)
    except (ValueError, RecursionError):
        return _in_a_row(block, known, sure)


def _in_a_row(block: str, known: Known, sure: bool) -> list[Written]:
    """Several objects one after the other; in a call's own tag there may be words behind them."""
    found: list[Written] = []
    at = 0
    while at < len(block):
        try:
            value, at = lenient.read(block, at)
        except (ValueError, RecursionError):
            return [*found, *_malformed(block[at:], known, sure)] if sure and found else []
        calls = from_value(value, known, sure=sure)
        if not calls:
            return []
        found.extend(calls)
        while at < len(block) and (block[at].isspace() or block[at] in ",;"):
            at += 1
    return found


def _from_syntax(block: str, known: Known) -> list[Written]:
    """`zoom_to(place="Paris")`, several on separate lines or in a list. Parsed, never evaluated."""
    if not any(name in block for name in known):
        return []
    try:
        body = ast.parse(block.strip("`; \n"), mode="exec").body
        expressions = [statement.value for statement in body if isinstance(statement, ast.Expr)]
        if len(expressions) != len(body):
            return []
        flat = [one for item in expressions for one in (item.elts if isinstance(item, ast.List) else [item])]
        return [_from_node(node, known) for node in flat]
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return []


def _from_node(node: ast.expr, known: Known) -> Written:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print":
        node = node.args[0] if len(node.args) == 1 else node
    if not isinstance(node, ast.Call):
        raise ValueError("not a call")
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if name not in known:
        raise ValueError("not a tool")
    values = [_literal(one) for one in node.args]
    named = {keyword.arg: _literal(keyword.value) for keyword in node.keywords if keyword.arg}
    if len(values) == 1 and isinstance(values[0], dict) and not named:
        return name, _text(values[0])
    if len(values) > len(known[name]):
        raise ValueError("too many arguments")
    return name, _text({**dict(zip(known[name], values, strict=False)), **named})


def _literal(node: ast.expr) -> Any:
    match node:
        case ast.Constant(value=str() | int() | float() | None as value):
            return value
        case ast.Name(id="true" | "false" | "null" as word):
            return {"true": True, "false": False, "null": None}[word]
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return [_literal(item) for item in items]
        case ast.Dict(keys=keys, values=values):
            names = [_literal(key) if key is not None else None for key in keys]
            return {str(name): _literal(value) for name, value in zip(names, values, strict=True)}
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return -value
    raise ValueError("not a value")


def _from_parameters(block: str) -> list[Written]:
    """`<function=zoom_to><parameter=place>Paris</parameter></function>`, or `<invoke name="zoom_to">` so."""
    tag = "function" if block.startswith("<function") else "invoke"
    name, body = _named(tag, block)
    if not name:
        return []
    body = body.strip().removesuffix(f"</{tag}>")
    arguments: dict[str, Any] = {}
    while "<parameter" in body:
        key, rest = _named("parameter", body[body.index("<parameter") :])
        value, closed, body = rest.partition("</parameter>")
        if not key or not closed:
            return []
        arguments[key] = _scalar(value.strip("\n"))
    if arguments or not body.strip():
        return [(name, _text(arguments))]
    try:
        return [(name, _text(lenient.loads(body.strip())))]
    except ValueError:
        return [(name, body.strip())]


def _from_pairs(block: str) -> list[Written]:
    """A name, then `<arg_key>place</arg_key><arg_value>Paris</arg_value>` for each argument."""
    name, found, rest = block.partition("<arg_key>")
    if not found or not name.strip().replace("_", "").isalnum():
        return []
    arguments: dict[str, Any] = {}
    while found:
        key, _, rest = rest.partition("</arg_key>")
        _, _, rest = rest.partition("<arg_value>")
        value, closed, rest = rest.partition("</arg_value>")
        if not closed:
            return []
        arguments[key.strip()] = _scalar(value)
        _, found, rest = rest.partition("<arg_key>")
    return [(name.strip(), _text(arguments))]


def _from_named_objects(block: str, known: Known) -> list[Written]:
    """`zoom_to{"place": "Paris"}`, or with `[ARGS]` between the two."""
    found: list[Written] = []
    for part in block.split("[TOOL_CALLS]"):
        name, brace, rest = part.partition("{")
        name = name.strip().removesuffix("[ARGS]").strip()
        if name not in known or not brace:
            return []
        try:
            found.append((name, _text(lenient.read(brace + rest, 0)[0])))
        except ValueError:
            found.append((name, brace + rest))
    return found


def _named(tag: str, text: str) -> tuple[str, str]:
    """The name in `<tag=name>` or `<tag name="name">` at the start of the text, and what follows."""
    if not text.startswith(f"<{tag}"):
        return "", ""
    head, closed, rest = text[len(tag) + 1 :].partition(">")
    name = head.strip().removeprefix("name").lstrip().removeprefix("=").strip().strip("\"'")
    return (name, rest) if closed and name else ("", "")


def _scalar(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _malformed(block: str, known: Known, sure: bool) -> list[Written]:
    """A call with broken JSON still counts as a call if it is marked as one."""
    if not sure and block[0] not in "{[":
        return []
    if not sure and not any(f"{quote}{field}{quote}" in block for field in _ARGUMENTS for quote in "\"'"):
        return []
    places = [(block.find(f"{quote}{name}{quote}"), name) for name in known for quote in "\"'"]
    named = min((place for place in places if place[0] >= 0), default=None)
    if named is None:
        return []
    return [(named[1], _arguments_part(block))]


def _arguments_part(block: str) -> str:
    for field in _ARGUMENTS:
        for quote in "\"'":
            _, found, rest = block.partition(f"{quote}{field}{quote}")
            if found:
                return rest.lstrip().removeprefix(":").strip()
    return block


def _text(arguments: Any) -> str:
    if isinstance(arguments, str):  # arguments as JSON in a string
        return arguments or "{}"
    return "{}" if arguments is None else json.dumps(arguments, ensure_ascii=False)
