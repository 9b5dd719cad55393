"""Names become SQL identifiers in one place."""

from __future__ import annotations

from pathlib import Path

from server.database.quoting import quoted

ROOT = Path(__file__).resolve().parents[3]
OTHER_LANGUAGES = {
    "server/gis/export/layers.py",  # CSV
    "server/gis/filters/writing.py",  # CQL2
}


def test_a_name_is_quoted_with_its_quotes_doubled() -> None:
    assert quoted("data", 'My "Table" 100%') == '"data"."My ""Table"" 100%"'


def test_no_other_module_quotes_names() -> None:
    doubling = """replace('"', '""')"""
    found = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "server").rglob("*.py")
        if doubling in path.read_text()
    }
    assert found == OTHER_LANGUAGES, (
        "use server.database.quoting (docs/architecture.md#what-checks-ask-of-every-change)"
    )
