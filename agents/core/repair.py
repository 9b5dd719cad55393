"""The words for a call that cannot run: what is wrong, what was expected, and the nearest valid value.

Written so that a model can mend its call from them. Always under 2 KB, whatever the size of the schema.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from agents.core.faults import Fault, Path
from agents.core.results import encode

MOST_BYTES = 2000
SHOWN_CHOICES = 20
_TOKENS = re.compile(r"[^\W_]+")


def invalid_arguments(tool: str, faults: Sequence[Fault], schema: Mapping[str, Any]) -> str:
    """What is wrong with the arguments, and the schema to fit, as much of it as there is room for."""
    lines = [f"{tool} was not run: its arguments do not fit."]
    for fault in faults[:6]:
        lines.append(f"- {describe(fault)}")
    if len(faults) > 6:
        lines.append(f"- and {len(faults) - 6} more")
    head = clip("\n".join(lines), 1200)
    at_fault = {str(fault.path[0]) for fault in faults if fault.path}
    for smaller in _schemas(schema, at_fault):
        text = f"{head}\nExpected: {encode(smaller)}"
        if len(text.encode()) <= MOST_BYTES:
            return text
    return head


def unknown_tool(name: str, names: Sequence[str]) -> str:
    close = nearest(name, names)
    hint = f" Did you mean {_listed(close)}?" if close else ""
    few = _listed(names[:SHOWN_CHOICES])
    more = f" and {len(names) - SHOWN_CHOICES} more" if len(names) > SHOWN_CHOICES else ""
    return clip(f"There is no tool {_quoted(name)}.{hint} The tools are: {few or 'none'}{more}.")


def malformed_json(tool: str, why: str, schema: Mapping[str, Any]) -> str:
    head = f"{clip(tool, 100)} was not run: its arguments are not a JSON object ({clip(why, 200)})."
    for smaller in _schemas(schema, set()):
        text = f"{head}\nExpected: {encode(smaller)}"
        if len(text.encode()) <= MOST_BYTES:
            return text
    return head


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
    if len(fault.choices) <= SHOWN_CHOICES:
        return f"{text}: {_listed(fault.choices)}"
    return text


def path_text(path: Path) -> str:
    """`filters[0].column`"""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return clip(text, 120)


def nearest(value: Any, choices: Iterable[Any], count: int = 3) -> list[str]:
    """The choices most like a value: same words or beginning, contained; else most letter pairs in common."""
    asked = str(value).casefold().strip()[:200]
    if not asked or isinstance(value, dict | list):
        return []
    texts = [choice for choice in choices if isinstance(choice, str)]
    words = set(_TOKENS.findall(asked))
    scored = [(score, text) for text in texts if (score := _likeness(asked, words, text.casefold())) > 0]
    if not scored:
        pairs = _pairs(asked)
        scored = [
            (score, text) for text in texts if (score := _overlap(pairs, _pairs(text.casefold()))) > 0.35
        ]
    scored.sort(key=lambda pair: (-pair[0], len(pair[1]), pair[1]))
    return [text for score, text in scored[:count] if score >= 0.3 * scored[0][0]]


def _likeness(asked: str, words: set[str], text: str) -> float:
    if asked == text:
        return 10.0
    score = 0.0
    if asked in text:
        score += 3.0 + len(asked) / len(text)
    elif len(text) > 2 and text in asked:
        score += 1.0 + len(text) / len(asked)
    if text[:3] == asked[:3]:
        common = _common(asked, text)
        if common >= 4 or common >= len(asked) - 2:
            score += 2.0 * common / max(len(asked), len(text))
    others = _TOKENS.findall(text)
    for word in words:
        if word in others:
            score += 3.0 / len(words)
        elif len(word) > 2 and word[:3] in text:
            stem = word[:3]
            if any(
                other.startswith(word) or (other.startswith(stem) and word.startswith(other))
                for other in others
            ):
                score += 2.4 / len(words)
    return score


def _common(one: str, other: str) -> int:
    """The length of the common beginning."""
    count = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        count += 1
    return count


def _pairs(text: str) -> set[str]:
    return {text[index : index + 2] for index in range(len(text) - 1)}


def _overlap(one: set[str], other: set[str]) -> float:
    return 2 * len(one & other) / (len(one) + len(other)) if one and other else 0.0


def clip(text: str, most: int = MOST_BYTES) -> str:
    """At most so many bytes of UTF-8."""
    raw = text.encode(errors="replace")
    if len(raw) <= most:
        return text
    return raw[: most - 4].decode(errors="ignore") + " ..."


def _quoted(value: Any) -> str:
    return clip(json.dumps(value, ensure_ascii=False, default=str), 120)


def _listed(values: Sequence[Any]) -> str:
    return ", ".join(_quoted(value) for value in values)


def _schemas(schema: Mapping[str, Any], at_fault: set[str]) -> Iterable[Any]:
    """The expected schema, ever smaller: whole, only what is at fault, without descriptions, names only."""
    whole = _shortened(schema, SHOWN_CHOICES)
    yield whole
    properties = whole.get("properties", {})
    names = list(properties)
    faulty = {name: part for name, part in properties.items() if name in at_fault}
    required = list(schema.get("required", ()))
    if faulty:
        yield {
            "properties": faulty,
            "required": required,
            "other parameters": [n for n in names if n not in faulty],
        }
    for choices in (SHOWN_CHOICES, 5):
        bare = _shortened(_bare(schema), choices)["properties"] if properties else {}
        yield {"properties": {name: bare[name] for name in faulty or bare}, "required": required}
    yield {"parameters": names[:60], "required": required[:60]}


def _shortened(node: Any, choices: int) -> Any:
    """Long enums cut to so many values and a count; long descriptions to their beginning."""
    if isinstance(node, Mapping):
        result = {key: _shortened(value, choices) for key, value in node.items()}
        values = node.get("enum")
        if isinstance(values, list | tuple) and len(values) > choices:
            result["enum"] = [*_shortened(values[:choices], choices), f"... {len(values)} values in all"]
        return result
    if isinstance(node, list | tuple):
        return [_shortened(item, choices) for item in node[:100]]
    return clip(node, 200) if isinstance(node, str) else node


def _bare(node: Any, names: bool = False) -> Any:
    if isinstance(node, Mapping):
        return {
            key: _bare(value, not names and key in ("properties", "$defs"))
            for key, value in node.items()
            if names or key not in ("description", "default", "examples", "$defs")
        }
    return [_bare(item) for item in node] if isinstance(node, list) else node
