"""Following docs/extending.md adds one of everything: its files, its changes and its commands, in a copy.

A block whose title is a path is that file; one marked `diff` changes it. Then the tests of the page run in the copy,
those that hold every operation and tool to their obligations, and the checks of the client."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.children import leash

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs/extending.md").read_text()
OVERVIEW = (ROOT / "docs/architecture.md").read_text()
MAX_OVERVIEW_LINES = 80
FOLDERS = ("agents", "server", "migrations", "docs", "tests", "tools", "web/src", "web/scripts")
FILES = (
    *("pyproject.toml", "README.md", "Makefile", "Dockerfile", "docker-compose.yml", ".dockerignore"),
    *("web/package.json", "web/tsconfig.json", "web/vite.config.ts"),
)
BLOCK = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```', re.MULTILINE | re.DOTALL)
BLOCKS = [(found[1], found[2], found[3]) for found in BLOCK.finditer(PAGE)]
OBLIGATIONS = (
    "tests/unit/test_references.py",
    "tests/unit/test_catalogue.py",
    "tests/unit/bench/test_operations.py",
    "tests/unit/geo_agent/test_geo_agent.py",
    "tests/unit/models/test_docs.py",
    "tests/unit/offline/test_steps.py",
    "tests/unit/offline/test_templates.py",
    "tests/unit/setup/test_containers.py::test_compose_hands_over_settings_and_the_keys_and_addresses_of_all_providers",
    "tests/unit/structure",
    "tests/integration/docs/test_readme.py::test_the_pages_show_the_settings_and_examples_of_the_code",
)

OF_THE_WHOLE = "test_parts_of_the_server_can_be_imported_first"
"""A test of processes, which what the page adds does not change: circles of imports are looked for in its text."""


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    place = tmp_path_factory.mktemp("architecture") / "copy"
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, place / folder)
    for file in FILES:
        shutil.copy(ROOT / file, place / file)
    (place / "web/node_modules").symlink_to(ROOT / "web/node_modules")
    (place / ".venv").symlink_to(sys.prefix)
    yield place
    shutil.rmtree(place)


def changed(path: Path, diff: str) -> str:
    """The text of a file with the lines of a diff, which must be found in it once."""
    text = path.read_text()
    before = "".join(line[1:] for line in diff.splitlines(keepends=True) if line[0] in " -")
    after = "".join(line[1:] for line in diff.splitlines(keepends=True) if line[0] in " +")
    assert text.count(before) == 1, (
        f"{path.name} does not have these lines exactly once; choose other lines for its diff in "
        f"docs/extending.md:\n{before}"
    )
    return text.replace(before, after)


def run(copy: Path, *command: str) -> None:
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("PYTEST_XDIST")},
        "PYTHONPATH": str(copy),
    }
    done = subprocess.run(
        command, cwd=copy, env=environment, capture_output=True, text=True, check=False, preexec_fn=leash()
    )
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout[-4000:]}\n{done.stderr[-2000:]}"


def test_one_of_everything_is_added_by_following_the_page(copy: Path) -> None:
    tests: list[str] = []
    client_tests: list[str] = []
    for language, path, content in BLOCKS:
        if language == "diff":
            (copy / path).write_text(changed(copy / path, content))
        elif path:
            assert not (copy / path).exists(), path
            (copy / path).parent.mkdir(exist_ok=True)
            (copy / path).write_text(content)
            tests += [path] if path.startswith("tests/") else []
            client_tests += [path.removeprefix("web/")] if ".test." in path else []
    for command in [content for language, _, content in BLOCKS if language == "sh"]:
        run_with_node(copy, command)
    assert (len(tests), len(client_tests)) == (9, 2)
    run(
        copy,
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:xdist",
        "-p",
        "no:cacheprovider",
        "-k",
        f"not {OF_THE_WHOLE}",
        *tests,
        *OBLIGATIONS,
    )
    run_with_node(copy, "cd web && npm run --silent check")
    run_with_node(copy, f"cd web && npm test --silent -- src/i18n/worded.test.ts {' '.join(client_tests)}")


def run_with_node(copy: Path, command: str) -> None:
    """Run a command in the shell with the Node.js that builds the client."""
    run(copy, "bash", "-c", f"cd {ROOT} && source tools/node.sh && cd {copy} && {command}")


def test_the_diffs_of_the_page_fit() -> None:
    for language, path, content in BLOCKS:
        if language == "diff":
            assert changed(ROOT / path, content)


def test_every_path_of_the_page_exists() -> None:
    added = {path for _, path, _ in BLOCKS if path}
    named = re.findall(r"`((?:agents|server|web|tests|tools|migrations|docs)/[\w./-]+)`", PAGE + OVERVIEW)
    assert len(named) > 50
    assert [path for path in named if path not in added and not (ROOT / path).exists()] == []


def test_the_overview_is_a_page() -> None:
    assert len(OVERVIEW.splitlines()) <= MAX_OVERVIEW_LINES, "examples belong in docs/extending.md"
