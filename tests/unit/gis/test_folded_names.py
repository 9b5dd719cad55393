"""Folding the names of many places at once gives what folding each gives, also after some of them changed."""

from __future__ import annotations

import pytest

from server.gis.catalog import gazetteer
from server.gis.catalog.gazetteer import folded, folded_each

NAMES = ["São Paulo", "", "Saint-Étienne ", "(Ö) St. John's"]


@pytest.mark.parametrize("kept", [0, gazetteer.MAX_KEPT_CHARS])
def test_names_are_folded_as_they_are_now(monkeypatch: pytest.MonkeyPatch, kept: int) -> None:
    monkeypatch.setattr(gazetteer, "MAX_KEPT_CHARS", kept)
    for names in (NAMES, NAMES, [*NAMES[1:], "Zürich"], [], [""]):
        assert list(folded_each(names)) == [folded(name) for name in names]
