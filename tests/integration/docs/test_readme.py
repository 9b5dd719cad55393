"""The documentation says what is so: its settings and examples are the code's, and the examples run."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.children import ran
from tests.support.server import child_server

ROOT = Path(__file__).resolve().parents[3]


def test_the_pages_show_the_settings_and_examples_of_the_code() -> None:
    found = subprocess.run(
        [sys.executable, "tools/fill_docs.py", "--check"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stderr


@pytest.mark.parametrize("example", ["client.py", "client.mjs"])
async def test_the_example_clients_show_the_airports(samples_url: str, example: str, tmp_path: Path) -> None:
    script = tmp_path / shutil.copy(ROOT / "docs/examples" / example, tmp_path)
    # Node looks for packages beside the script; socket.io-client is among those of the browser client.
    (tmp_path / "node_modules").symlink_to(ROOT / "web/node_modules")
    command = [sys.executable if example.endswith(".py") else "node", str(script)]
    async with child_server(samples_url) as server:
        told = await ran(*command, server.url)
    assert told.status == 0, told.err
    lines = told.out.splitlines()
    layer = next(line for line in lines if line.startswith("layer airports "))
    count = int(layer.rsplit(" ", 1)[1])
    assert count > 20_000
    assert any(line.startswith("answer ") and f"{count:,}" in line for line in lines)
