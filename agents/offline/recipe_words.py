"""Parses commands about recipes and results, and formats a form's values as such a command.

Pure functions: text and the existing recipes in, a tool call out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agents.domain import RecipeCard

_POLITE = r"^\s*(?:please\s+)?"
_END = r"\s*[.!?]*\s*$"
_RUN = re.compile(
    _POLITE + r"(?:run|use|apply|repeat)\s+(?:the\s+|my\s+)?recipe\s+(?P<rest>.+?)" + _END, re.I | re.S
)
_SAVE = re.compile(
    _POLITE + r"(?:save|keep|store)\s+(?:this|that|it|the\s+(?:last\s+)?analysis)(?:\s+analysis)?\s+as\s+"
    r"(?:a\s+|the\s+)?recipe\s+(?:called\s+|named\s+)?(?P<name>.+?)"
    r"(?:\s+with\s+(?:the\s+)?parameters?\s+(?P<parameters>.+?))?" + _END,
    re.I | re.S,
)
_RENAME = re.compile(
    _POLITE + r"(?:rename|call)\s+(?:the\s+)?recipe\s+(?P<name>.+?)\s+(?:to|as)\s+(?P<new>.+?)" + _END, re.I
)
_REMOVE = re.compile(
    _POLITE + r"(?:remove|delete|drop|forget)\s+(?:the\s+)?recipe\s+(?P<name>.+?)" + _END, re.I
)
_LIST = re.compile(
    _POLITE + r"(?:(?:list|show)(?:\s+me)?|what|which)?\s*(?:are\s+)?(?:all\s+)?(?:the\s+|my\s+)?recipes"
    r"(?:\s+(?:are\s+there|do\s+i\s+have|there\s+are))?" + _END,
    re.I,
)
_DROP = re.compile(
    _POLITE + r"(?:drop|delete)\s+(?:the\s+)?result\s+(?:table\s+)?(?P<name>\S.*?)" + _END, re.I
)
_QUOTES = "“”\"'‘’«»"


@dataclass(frozen=True, slots=True)
class RecipeCall:
    """A tool and its arguments; without a tool, list the recipes."""

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


def format_run(name: str, values: Mapping[str, Any]) -> str:
    """`Run the recipe “Remote cities” with distance = 3 km, n = 5`."""
    given = ", ".join(f"{key} = {value}" for key, value in values.items())
    return f"Run the recipe “{name}”" + (f" with {given}" if given else "")


def parse_run(text: str, recipes: Sequence[RecipeCard]) -> tuple[str, dict[str, str]] | None:
    """The recipe to run, and its values; None if the text requests anything else."""
    match = _RUN.match(text)
    if match is None:
        return None
    rest = match["rest"].strip()
    for recipe in sorted(recipes, key=lambda each: -len(each.name)):
        bare = re.escape(recipe.name)
        named = re.match(rf"[{_QUOTES}]?{bare}[{_QUOTES}]?(?:\s+with\s+(?P<values>.+))?$", rest, re.I | re.S)
        if named is None:
            continue
        values = _values(named["values"] or "", [each.name for each in recipe.parameters])
        return None if values is None else (recipe.name, values)
    return None


def parse_recipe_command(
    text: str, recipes: Sequence[RecipeCard], results: Sequence[str]
) -> RecipeCall | None:
    """The tool call that a text about recipes or results requests; None for other texts."""
    run = parse_run(text, recipes)
    if run is not None:
        return RecipeCall("run_recipe", {"recipe": run[0], "values": run[1]})
    if match := _SAVE.match(text):
        listed = [each for each in re.split(r"\s*(?:,|\band\b)\s*", match["parameters"] or "") if each]
        return RecipeCall(
            "save_recipe", {"name": _bare(match["name"]), **({"parameters": listed} if listed else {})}
        )
    if match := _RENAME.match(text):
        return RecipeCall(
            "rename_recipe", {"recipe": _known(match["name"], recipes), "name": _bare(match["new"])}
        )
    if match := _REMOVE.match(text):
        return RecipeCall("remove_recipe", {"recipe": _known(match["name"], recipes)})
    if match := _DROP.match(text):
        wanted = _bare(match["name"])
        fitting = [each for each in results if wanted in (each, each.rpartition(".")[2])]
        fitting = fitting or [each for each in results if wanted.lower().replace(" ", "_") in each]
        return RecipeCall("drop_result", {"table": fitting[0] if len(fitting) == 1 else wanted})
    if match := _RUN.match(text):
        # For an unknown recipe or unknown values, the tool says what exists.
        name, _, values = match["rest"].partition(" with ")
        given = {"values": {" ".join(values.split()): ""}} if values else {}
        return RecipeCall("run_recipe", {"recipe": _known(name, recipes), **given})
    return RecipeCall("") if _LIST.match(text) else None


def _values(text: str, names: Sequence[str]) -> dict[str, str] | None:
    """Values by parameter: `distance 3 km and n = 5`; None if the text has anything else."""
    if not text.strip():
        return {}
    alternatives = "|".join(
        re.escape(name).replace("_", "[_ ]") for name in sorted(names, key=len, reverse=True)
    )
    if not alternatives:
        return None
    begins = re.compile(
        rf"(?:^|,|;|\s+and\b)\s*(?:the\s+|an?\s+)?(?P<name>{alternatives})"
        r"(?:\s*[=:]\s*|\s+(?:of|to|is|as)\s+|\s+)",
        re.I,
    )
    found = list(begins.finditer(text))
    if not found or text[: found[0].start()].strip():
        return None
    ends = [*(match.start() for match in found[1:]), len(text)]
    return {
        match["name"].lower().replace(" ", "_"): _bare(text[match.end() : end])
        for match, end in zip(found, ends, strict=True)
    }


def _known(name: str, recipes: Sequence[RecipeCard]) -> str:
    wanted = _bare(name)
    return next((each.name for each in recipes if each.name.lower() == wanted.lower()), wanted)


def _bare(text: str) -> str:
    return text.strip().strip(_QUOTES).strip()
