"""The cases themselves: enough of them, readable, and true by an independent reckoning."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.evaluation.cases import CASES, BadCases, load
from tests.evals.fill import filled


def test_there_are_enough_cases_of_every_kind() -> None:
    cases = load()
    assert len(cases) >= 60
    assert sum(bool(case.refused) for case in cases) >= 15
    assert {"show", "refine", "style", "ask", "analysis", "refuse"} <= {case.category for case in cases}
    assert sum(case.offline == "answers" for case in cases) >= 40


@pytest.mark.parametrize("file", sorted(CASES.glob("*.toml")), ids=lambda file: file.stem)
def test_what_is_expected_is_what_pandas_and_geopandas_find_in_the_sources(file: Path) -> None:
    """If not, and the sample data was renewed: run `python -m tests.evals.fill`."""
    text = file.read_text("utf-8")
    assert filled(text) == text


def test_cases_are_chosen_by_category_and_by_name() -> None:
    assert {case.category for case in load(only=["style"])} == {"style"}
    assert [case.name for case in load(only=["Hospitals"])] == ["hospitals"]
    assert len(load(only=["airports *"])) > 1


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[[case]\n", "is not TOML"),
        ('[[case]]\nname = "a"\n', "case 1 (a): say"),
        ('[[case]]\nname = "a"\nsay = ["b"]\nrefused = ["x"]\nexpects = 1\n', "expects"),
        ('[[case]]\nname = "a"\nsay = ["b"]\n', "expects nothing"),
        ('[[case]]\nname = "a"\nsay = ["b"]\nrefused = ["x"]\n' * 2, "Two cases"),
    ],
)
def test_a_faulty_file_is_told_with_its_place(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "mine.toml").write_text(text)
    with pytest.raises(BadCases, match=told.replace("(", r"\(").replace(")", r"\)")):
        load(tmp_path)


def test_missing_cases_and_unknown_options_are_reported(tmp_path: Path) -> None:
    with pytest.raises(BadCases, match="no cases"):
        load(tmp_path)
    with pytest.raises(BadCases, match="Categories: analysis"):
        load(only=["nothing like it"])
