"""The statements that read the catalogue, from the files beside this one. Imports nothing, for quick commands."""

from __future__ import annotations

from functools import cache
from importlib import resources


@cache
def of_some(name: str) -> str:
    """The statement for the tables of $2 (oids)."""
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


@cache
def of_all(name: str) -> str:
    """The statement for all tables: without the lines that end in `-- only`, and without $2."""
    return "\n".join(line for line in of_some(name).splitlines() if not line.endswith("-- only"))
