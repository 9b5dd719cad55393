"""Evaluation cases: TOML files with requests, and conditions that must hold afterwards.

    [[case]]
    name = "high airports"
    say = ["show airports above 2000 m"]
    offline = "answers"

    [[case.layers]]
    table = "data.airports"
    count = 1234
    reference = "airports[airports.elevation_m > 2000]"

The file's name is the category. A `reference` is a pandas expression that the tests compare the expected numbers
with; the evaluation itself does not need it. docs/evaluation.md explains every field."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from agents.domain import Focus, StyleKind

CASES = Path(__file__).resolve().parents[2] / "tests" / "evals" / "cases"


class CasePart(BaseModel):
    """The base of all parts of a case: frozen, without unknown fields."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class ExpectedLayer(CasePart):
    """A layer that must be on the map. Omitted fields may have any value."""

    table: str
    """A table's id, or `analysis` for the result of an analysis."""
    count: Annotated[int, Field(ge=0)] | None = None
    tolerance: Annotated[float, Field(ge=0, lt=1)] = 0.0
    """Relative tolerance of `count` and `ids`, for rows at the very edge of a distance."""
    ids: int | None = None
    """The sum of the features' column `id`: together with the count it identifies the rows."""
    names: tuple[str, ...] | None = None
    """The values of the column `name`: exactly these, in any order."""
    values: dict[str, float] = {}
    """By name: a number that one of the row's columns must hold, within a hundredth; metres may be kilometres."""
    kind: StyleKind | None = None
    column: str | None = None
    """The column that the style shows."""
    color: str | None = None
    """As `#rrggbb` or a CSS name."""
    classes: int | None = None
    label: str | None = None
    name: str | None = None
    visible: bool = True
    opacity: float | None = None
    reference: str | None = None


class ExpectedAnswer(CasePart):
    """What the last answer must contain."""

    numbers: tuple[float, ...] = ()
    """All must occur, with a relative tolerance of one hundredth."""
    words: tuple[str, ...] = ()
    """All must occur, in any case."""
    reference: str | None = None
    """A pandas expression that gives `numbers`, or `words`."""


class NamedCase(CasePart):
    """The messages of a conversation."""

    name: Annotated[str, Field(min_length=1, max_length=80)]
    category: str
    say: Annotated[tuple[str, ...], Field(min_length=1)]


class Case(NamedCase):
    """One conversation on a new map and its expected end; nothing else may have changed."""

    focus: Focus | None = None
    """The focus that the last message is sent with."""
    offline: Literal["answers", "declines"] = "declines"
    """Whether the offline model must answer, or may decline."""
    layers: tuple[ExpectedLayer, ...] = ()
    """All layers of the map, bottom first; empty for a question that does not change the map."""
    answer: ExpectedAnswer = ExpectedAnswer()
    refused: tuple[str, ...] = ()
    """The request must be refused, with one of these words in the reason."""

    @model_validator(mode="after")
    def _expects_something(self) -> Case:
        if not (self.layers or self.answer.numbers or self.answer.words or self.refused or len(self.say) > 1):
            raise ValueError(
                "expects nothing: give layers, answer.numbers, answer.words or refused, or several messages"
            )
        return self


class BadCases(Exception):
    """The cases cannot be read, or none was selected; the message says what to correct."""


NamedCaseT = TypeVar("NamedCaseT", bound=NamedCase)


def load(folder: Path = CASES, only: Sequence[str] = ()) -> list[Case]:
    """The cases of all `.toml` files of a folder, in the order of the files. Raises BadCases.

    `only` selects by category or name, with the wildcards `*` and `?`."""
    return load_cases(Case, folder, only)


def load_cases(kind: type[NamedCaseT], folder: Path, only: Sequence[str]) -> list[NamedCaseT]:
    """The same for cases of any kind."""
    files = sorted(folder.glob("*.toml"))
    if not files:
        raise BadCases(f"There are no cases (*.toml) in {folder}. Name their folder with --cases.")
    cases = [case for file in files for case in _read(kind, file)]
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


def _read(kind: type[NamedCaseT], file: Path) -> Iterator[NamedCaseT]:
    try:
        document: dict[str, Any] = tomllib.loads(file.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadCases(f"{file.name} is not TOML: {error}.") from error
    for number, entry in enumerate(document.get("case", ()), 1):
        try:
            yield kind.model_validate({"category": file.stem.replace("_", " "), **entry})
        except ValidationError as error:
            fault = error.errors(include_url=False)[0]
            where = ".".join(str(part) for part in fault["loc"])
            raise BadCases(
                f"{file.name}, case {number} ({entry.get('name', 'without a name')}): {where} {fault['msg']}."
            ) from error


def _is(case: NamedCase, wish: str) -> bool:
    return any(fnmatch(text.casefold(), wish.casefold()) for text in (case.category, case.name))
