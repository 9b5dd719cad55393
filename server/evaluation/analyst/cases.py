"""Cases of the analyst suite: the request, the calls that solve it, and the expected file.

    [[case]]
    name = "parcels in Lambert-93"
    say = ["export the parcels as a GeoPackage in EPSG:2154"]
    script = [[{export = {items = ["data.eval_parcels"], format = "gpkg"}}], "Here is the file."]

    [case.file]
    format = "gpkg"

    [[case.file.layers]]
    crs = "EPSG:2154"
    rows = 20

`script` is what the scripted model replies, one entry a model call: a text, or calls. `{result}` in it becomes the
table of the latest result, `{before}` that of the one before. The expected values follow from the formulas in
`server.evaluation.analyst.data`. docs/evaluation.md explains every field."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from server.evaluation.cases import CasePart, NamedCase, load_cases

CASES = Path(__file__).resolve().parents[3] / "tests" / "evals" / "analyst"

Scripted = str | list[dict[str, dict[str, Any]]]


class ExpectedContent(CasePart):
    """One layer, sheet or list of records in the file. Omitted fields may have any value."""

    name: str | None = None
    crs: str | None = None
    """`EPSG:2154`, as GDAL or the metadata of the file has it."""
    kinds: tuple[str, ...] | None = None
    """The types of geometry in the file, sorted; none for a table."""
    rows: int | None = None
    columns: tuple[str, ...] | None = None
    """Exactly these, in this order, without the geometry."""
    types: dict[str, str] = {}
    """By column: text, integer, number, boolean, date or timestamp."""
    values: tuple[dict[str, Any], ...] = ()
    """Rows that must be there; numbers to a millionth."""
    sums: dict[str, float] = {}
    """By column, to a millionth; of text that holds numbers, too."""
    bounds: tuple[float, float, float, float] | None = None
    """In the CRS of the file, within `tolerance`."""
    tolerance: float = 1e-6
    area: float | None = None
    """All geometries together, in the units of the CRS, to a thousandth."""
    length: float | None = None
    decimals: int | None = None
    """The most decimals that coordinates may have."""


class ExpectedFile(CasePart):
    """A file that the analyst is expected to deliver."""

    format: str
    name: str | None = None
    layers: Annotated[tuple[ExpectedContent, ...], Field(min_length=1)]
    """All of the file, in order."""
    members: dict[str, Any] = {}
    """Top-level members of JSON and GeoJSON."""
    entries: tuple[str, ...] = ()
    """Files that the zip must have."""


class AnalystCase(NamedCase):
    """A task for the analyst, and what its answer and files must hold."""

    script: Annotated[tuple[Scripted, ...], Field(min_length=1)]
    file: ExpectedFile


def load(folder: Path = CASES, only: Sequence[str] = ()) -> list[AnalystCase]:
    """The cases of all `.toml` files of a folder; `only` selects by category or name. Raises BadCases."""
    return load_cases(AnalystCase, folder, only)
