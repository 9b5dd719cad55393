"""Error messages for calls that cannot run: the fault, what was expected, and the nearest valid values.

Written so that a model can correct its call from them. At most 2 KB, whatever the size of the schema."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from agents.core.nearest import nearest
from agents.core.tools.argument_faults import Fault, Path
from agents.core.tools.hints import tidy
from agents.core.tools.results import encode

MAX_BYTES = 2000
_EXPLANATIONS = ("description", "default", "examples", "$defs")
MAX_SHOWN_CHOICES = 20


def invalid_arguments(tool: str, faults: Sequence[Fault], schema: Mapping[str, Any]) -> str:
    """Describes what is wrong with the arguments, followed by as much of the schema as fits."""
    lines = [f"{tool} was not run: its arguments do not fit."]
    for fault in faults[:6]:
        lines.append(f"- {describe(fault)}")
    if len(faults) > 6:
        lines.append(f"- and {len(faults) - 6} more")
    head = clip("\n".join(lines), 1200)
    at_fault = {str(fault.path[0]) for fault in faults if fault.path}
    return _with_schema(head, schema, at_fault.intersection(schema.get("properties", {})))


def unknown_tool(name: str, names: Sequence[str]) -> str:
    """The message for a call of a tool that does not exist, with the nearest names."""
    close = nearest(name, names)
    hint = f" Did you mean {_listed(close)}?" if close else ""
    few = _listed(names[:MAX_SHOWN_CHOICES])
    more = f" and {len(names) - MAX_SHOWN_CHOICES} more" if len(names) > MAX_SHOWN_CHOICES else ""
    return clip(f"There is no tool {_quoted(name)}.{hint} The tools are: {few or 'none'}{more}.")


def malformed_json(tool: str, why: str, schema: Mapping[str, Any]) -> str:
    """The message for arguments that are not a JSON object."""
    head = f"{clip(tool, 100)} was not run: its arguments are not a JSON object ({clip(why, 200)})."
    return _with_schema(head, schema, set())


def describe(fault: Fault) -> str:
    """One fault in one line: where, what, and the nearest valid values."""
    where = path_text(fault.path) or "the arguments"
    if fault.kind == "missing":
        return f"{where} {fault.message}"
    if fault.kind == "unknown":
        close = nearest(str(fault.value), fault.choices)
        return f"{where} {fault.message}{f'; the nearest is {_listed(close)}' if close else ''}"
    text = f"{where}: {_quoted(fault.value)} {fault.message}"
    if not fault.choices:
        return text
    close = nearest(fault.value, fault.choices)
    if close:
        return f"{text}; the nearest: {_listed(close)}"
    if len(fault.choices) <= MAX_SHOWN_CHOICES:
        return f"{text}: {_listed(fault.choices)}"
    return text


def path_text(path: Path) -> str:
    """`filters[0].column`"""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return clip(text, 120)


def clip(text: str, most: int = MAX_BYTES) -> str:
    """The text cut to at most `most` bytes of UTF-8."""
    raw = text.encode(errors="replace")
    if len(raw) <= most:
        return text
    return raw[: most - 4].decode(errors="ignore") + " ..."


def _quoted(value: Any) -> str:
    return clip(json.dumps(value, ensure_ascii=False, default=str), 120)


def _listed(values: Sequence[Any]) -> str:
    return ", ".join(_quoted(value) for value in values)


def _with_schema(head: str, schema: Mapping[str, Any], at_fault: set[str]) -> str:
    """The message, followed by as much of the expected schema as fits."""
    for smaller in _schemas(schema, at_fault):
        text = f"{head}\nExpected: {encode(smaller)}"
        if len(text.encode()) <= MAX_BYTES:
            return text
    return head


def _schemas(schema: Mapping[str, Any], at_fault: set[str]) -> Iterable[Any]:
    """The expected schema in ever smaller forms: whole if no part is at fault, that part, without descriptions, names
    only."""
    complete = _shortened(schema, MAX_SHOWN_CHOICES)
    if not at_fault:
        yield complete
    properties = complete.get("properties", {})
    names = list(properties)
    faulty = {name: part for name, part in properties.items() if name in at_fault}
    required = list(schema.get("required", ()))
    if faulty:
        others = [name for name in names if name not in faulty]
        yield {"properties": faulty, "required": required, **({"other parameters": others} if others else {})}
    for choices in (MAX_SHOWN_CHOICES, 5):
        bare = _shortened(tidy(schema, _EXPLANATIONS), choices)["properties"] if properties else {}
        yield {"properties": {name: bare[name] for name in faulty or bare}, "required": required}
    yield {"parameters": names[:60], "required": required[:60]}


def _shortened(node: Any, choices: int) -> Any:
    """Long enums cut to this many values and a count; long descriptions to their beginning."""
    if isinstance(node, Mapping):
        result = {key: _shortened(value, choices) for key, value in node.items()}
        values = node.get("enum")
        if isinstance(values, list | tuple) and len(values) > choices:
            result["enum"] = [*_shortened(values[:choices], choices), f"... {len(values)} values in all"]
        return result
    if isinstance(node, list | tuple):
        return [_shortened(item, choices) for item in node[:100]]
    return clip(node, 200) if isinstance(node, str) else node
