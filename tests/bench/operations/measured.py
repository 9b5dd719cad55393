"""What was measured, kept in a file beside this one: a case at a time, so that several sittings make one table."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from pydantic import BaseModel

from tests.bench.operations.case import Case
from tests.bench.operations.cases import CASES

FOLDER = Path(__file__).with_name("measured")


class Took(BaseModel):
    """Seconds of one case, all of one run; None where nothing was measured. `own` is the operation's own SQL in psql.

    `late` names the clocks that were stopped at `cap`: what they would have shown is more than that."""

    case: str
    ours: float | None = None
    hand: float | None = None
    own: float | None = None
    geopandas: float | None = None
    stored: float | None = None
    """GeoPandas, with reading the tables from PostGIS and writing the answer there."""
    small: float | None = None
    """The operation in a town of a hundredth of the size."""
    rows: int = 0
    fault: str = ""
    late: tuple[str, ...] = ()
    cap: float = 0.0
    day: str = ""
    load: float = 0.0
    """Of the machine, when the case ended: processes that ran or waited to."""


class Measured:
    """The cases of a town of one size, in the order of cases.py."""

    def __init__(self, rows: int, folder: Path = FOLDER) -> None:
        self._file = folder / f"{rows}.json"
        self._took: dict[str, Took] = {}
        self._read()

    def __contains__(self, case: Case) -> bool:
        return case.name in self._took

    def put(self, took: Took) -> None:
        """Keep it in place of what was measured of the case before."""
        self._read()  # another sitting may have written meanwhile
        self._took[took.case] = took
        self._file.parent.mkdir(exist_ok=True)
        place = {case.name: number for number, case in enumerate(CASES)}
        every = sorted(self._took.values(), key=lambda each: place.get(each.case, len(place)))
        lines = ",\n".join(each.model_dump_json(exclude_defaults=True) for each in every)
        self._file.write_text(f"[\n{lines}\n]\n")

    def _read(self) -> None:
        kept = json.loads(self._file.read_text()) if self._file.exists() else []
        self._took = {each["case"]: Took.model_validate(each) for each in kept}

    def all(self) -> list[tuple[Case, Took]]:
        return [(case, self._took[case.name]) for case in CASES if case.name in self._took]

    def missing(self, cases: Iterable[Case]) -> list[Case]:
        return [case for case in cases if case not in self]
