"""Every example of docs/agents.md does what the page says."""

from __future__ import annotations

import ast
import contextlib
import inspect
import io
import re
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[3] / "docs" / "agents.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def examples() -> list[tuple[str, str | None]]:
    """The Python blocks in order, each with the output that the page shows for it."""
    blocks = [(match[1], match[2]) for match in BLOCK.finditer(PAGE.read_text())]
    found = []
    for index, (language, text) in enumerate(blocks):
        if language == "python":
            shown = blocks[index + 1] if index + 1 < len(blocks) else ("", "")
            found.append((text, shown[1] if shown[0] == "text" else None))
    return found


def as_shown(printed: str, shown: str) -> bool:
    """`...` on the page stands for anything."""
    return re.fullmatch(".*?".join(re.escape(part) for part in shown.split("...")), printed) is not None


async def test_every_example_prints_what_the_page_shows() -> None:
    names: dict[str, Any] = {"__name__": "agents_page"}
    for text, shown in examples():
        if text.startswith("# my_tools.py"):
            continue  # run on a real server, in tests/integration/agents
        code = compile(text, str(PAGE), "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            waiting = eval(code, names)
            if inspect.isawaitable(waiting):
                await waiting
        if shown is not None:
            assert as_shown(printed.getvalue(), shown), f"{text}\nprinted\n{printed.getvalue()}"


def test_the_page_has_examples_and_says_what_they_print() -> None:
    assert len(examples()) > 12
    assert sum(shown is not None for _, shown in examples()) > 10
