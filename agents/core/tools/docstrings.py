"""What a docstring says about a function and its parameters: Google, NumPy, Sphinx and Epydoc styles.

docstring-parser is imported when the first documented tool is declared, not before."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Documentation:
    """The description of a tool and of each of its parameters, from a docstring."""

    description: str = ""
    parameters: Mapping[str, str] = field(default_factory=dict)


def document(function: Any) -> Documentation:
    """The description (without sections such as Args and Returns) and that of every parameter."""
    text = inspect.getdoc(function) or ""
    if not text:
        return Documentation()
    if "\n" not in text and ":param" not in text:
        return Documentation(_joined(text))
    from docstring_parser import ParseError, parse

    try:
        parsed = parse(text)
    except ParseError:
        return Documentation(_joined(text.split("\n\n")[0]))
    parts = [part for part in (parsed.short_description, parsed.long_description) if part]
    parameters = {
        name.strip().lstrip("*"): _joined(item.description)
        for item in parsed.params
        if item.description
        for name in item.arg_name.split(",")
    }
    return Documentation("\n\n".join(_joined(part) for part in parts), parameters)


def _joined(text: str) -> str:
    """Paragraphs without their line breaks, so that the width of the source does not reach the prompt."""
    paragraphs = inspect.cleandoc(text).split("\n\n")
    return "\n\n".join(" ".join(line.strip() for line in part.splitlines()).strip() for part in paragraphs)
