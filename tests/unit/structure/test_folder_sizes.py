"""A folder that holds more modules than one can take in at a glance needs subfolders."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
MAX_MODULES = 16  # without the package's own file; tests of the client beside their modules count
ONE_CLASS_A_FILE = {"server/gis/operations"}


def modules_per_folder() -> Counter[str]:
    found: Counter[str] = Counter()
    for top, endings in {"agents": {".py"}, "server": {".py"}, "web/src": {".ts", ".tsx"}}.items():
        for path in (ROOT / top).rglob("*"):
            if path.suffix in endings and path.name != "__init__.py":
                found[path.parent.relative_to(ROOT).as_posix()] += 1
    return found


def test_no_folder_holds_more_modules_than_one_can_take_in() -> None:
    crowded = {
        folder: count
        for folder, count in modules_per_folder().items()
        if count > MAX_MODULES and folder not in ONE_CLASS_A_FILE
    }
    assert crowded == {}, (
        f"more than {MAX_MODULES} modules: move some that belong together to a subfolder "
        "(docs/architecture.md#what-checks-ask-of-every-change)"
    )


def test_only_folders_with_one_class_a_file_are_exempt() -> None:
    """An exemption that is no longer needed is deleted."""
    assert {
        folder for folder in ONE_CLASS_A_FILE if modules_per_folder()[folder] > MAX_MODULES
    } == ONE_CLASS_A_FILE
