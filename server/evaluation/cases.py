"""Cases as people write them: TOML files with what is said, and what must be true afterwards.

    [[case]]
    name = "high airports"
    say = ["show airports above 2000 m"]
    offline = "answers"

    [[case.layers]]
    table = "data.airports"
    count = 1234
    reference = "airports[airports.elevation_m > 2000]"

The file's name is the category. A `reference` is a pandas expression that the tests compare the expected numbers
with; the evaluation itself does not need it. docs/evaluation.md explains every field.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from agents.domain import Focus, StyleKind

CASES = Path(__file__).resolve().parents[2] / "tests" / "evals" / "cases"


class Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ExpectedLayer(Part):
    """A layer that must be on the map. What is left out may be anything."""

    table: str
    """A table's id, or `analysis` for the result of an analysis."""
    count: Annotated[int, Field(ge=0)] | None = None
    tolerance: Annotated[float, Field(ge=0, lt=1)] = 0.0
    """By which part of them `count` and `ids` may be off; for rows on the very edge of a distance."""
    ids: int | None = None
    """The sum of the column `id` of the features: together with the count it tells which rows they are."""
    names: tuple[str, ...] | None = None
    """What stands in the column `name`: exactly these, in any order."""
    values: dict[str, float] = {}
    """By name: a number that one of the row's columns must hold, within a hundredth; metres may be kilometres."""
    kind: StyleKind | None = None
    column: str | None = None
    """What the style shows."""
    color: str | None = None
    """As `#rrggbb` or a CSS name."""
    classes: int | None = None
    label: str | None = None
    name: str | None = None
    visible: bool = True
    opacity: float | None = None
    reference: str | None = None


class ExpectedAnswer(Part):
    """What the last answer must say."""

    numbers: tuple[float, ...] = ()
    """Each, rounded as one likes, to a hundredth."""
    words: tuple[str, ...] = ()
    """Each, whatever its case."""
    reference: str | None = None
    """A pandas expression that gives `numbers`, or `words`."""


class Case(Part):
    """One conversation on a new map, and its expected end. Nothing else may have changed."""

    name: Annotated[str, Field(min_length=1, max_length=80)]
    category: str
    say: Annotated[tuple[str, ...], Field(min_length=1)]
    focus: Focus | None = None
    """What is pointed at with the last message."""
    offline: Literal["answers", "declines"] = "declines"
    """Whether the offline model must be right, or may say instead that it does not understand."""
    layers: tuple[ExpectedLayer, ...] = ()
    """All of the layers, bottom first. None for a question that leaves the map as it was."""
    answer: ExpectedAnswer = ExpectedAnswer()
    refused: tuple[str, ...] = ()
    """It must be refused, and one of these words be in the reason."""

    @model_validator(mode="after")
    def _expects_something(self) -> Case:
        if not (self.layers or self.answer.numbers or self.answer.words or self.refused or len(self.say) > 1):
            raise ValueError(
                "expects nothing: give layers, answer.numbers, answer.words or refused, or several messages"
            )
        return self


class BadCases(Exception):
    """The cases cannot be read, or none was asked for; the message says what to mend."""


def load(folder: Path = CASES, only: Sequence[str] = ()) -> list[Case]:
    """All cases of a folder's `.toml` files, by category, in the order of the files.

    `only` keeps those whose category or name is given; `*` and `?` stand for any text and character.
    """
    files = sorted(folder.glob("*.toml"))
    if not files:
        raise BadCases(f"There are no cases (*.toml) in {folder}. Name their folder with --cases.")
    cases = [case for file in files for case in read(file)]
    seen: set[str] = set()
    for case in cases:
        if case.name in seen:
            raise BadCases(f"Two cases are called {case.name!r}.")
        seen.add(case.name)
    kept = [case for case in cases if not only or any(_is(case, wish) for wish in only)]
    if not kept:
        categories = ", ".join(dict.fromkeys(case.category for case in cases))
        raise BadCases(f"No case is called {' or '.join(only)}. Categories: {categories}.")
    return kept


def read(file: Path) -> Iterable[Case]:
    try:
        document: dict[str, Any] = tomllib.loads(file.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadCases(f"{file.name} is not TOML: {error}.") from error
    for number, entry in enumerate(document.get("case", ()), 1):
        try:
            yield Case.model_validate({"category": file.stem.replace("_", " "), **entry})
        except ValidationError as error:
            fault = error.errors(include_url=False)[0]
            where = ".".join(str(part) for part in fault["loc"])
            raise BadCases(
                f"{file.name}, case {number} ({entry.get('name', 'without a name')}): {where} {fault['msg']}."
            ) from error


def _is(case: Case, wish: str) -> bool:
    return any(fnmatch(text.casefold(), wish.casefold()) for text in (case.category, case.name))
