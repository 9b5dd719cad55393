"""Pages of the documentation with a part between two marks that a command writes."""

from __future__ import annotations

import re
from pathlib import Path


class PageError(Exception):
    """A page has no marks for the output of a command."""


def require_part(page: Path, name: str) -> None:
    """Raise PageError where the page has no part of this name, before what fills it is computed."""
    try:
        filled(page.read_text("utf-8"), name, "")
    except ValueError as error:
        raise PageError(
            f"{page} has no part {name!r}: it needs the lines <!-- {name}: begin (command) --> "
            f"and <!-- {name}: end -->."
        ) from error


def write_part(page: Path, name: str, content: str) -> None:
    """Write the part of a page called `name`. Raises PageError where the page has no marks for it."""
    require_part(page, name)
    page.write_text(filled(page.read_text("utf-8"), name, content), "utf-8")


def filled(page: str, name: str, content: str) -> str:
    """The page with the content between `<!-- name: begin (command) -->` and `<!-- name: end -->`. Raises ValueError
    if these are missing.
    """
    begin = re.search(rf"<!-- {re.escape(name)}: begin \([^()]*\) -->", page)
    if begin is None:
        raise ValueError(name)
    end = page.index(f"<!-- {name}: end -->", begin.end())
    return f"{page[: begin.end()]}\n{content}\n{page[end:]}"
