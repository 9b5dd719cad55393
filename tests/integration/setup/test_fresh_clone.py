"""The newcomer's first minutes, for real: copy what git has, `make run`, look; then stop, start again, start twice.

The clone lies in a folder that only its owner may enter, as a clone under /root does. The packages come from wherever
pip and npm get theirs; the address of none of them is known here."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import geopandas
import psutil
import pytest
from shapely import Point

from tests.integration.setup import shell_blocks
from tests.support.children import kill, leash, processes_in

ROOT = Path(__file__).resolve().parents[3]
FIRST, LATER = 900.0, 120.0
READY = "GeoAgent is ready: "
RUN_IN_A_COPY = "docs/extending.md:"
"""The page whose blocks `tests/integration/docs/test_architecture.py` runs, in a copy to which it adds what they are
about."""


@pytest.fixture(scope="module")
def clone() -> Iterator[Path]:
    """What a commit of the work tree would hold."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    folder = Path(tempfile.mkdtemp(prefix="geoagent clone ", dir=Path.home()))
    try:
        for name in filter(None, listed.stdout.split("\0")):
            if (ROOT / name).is_file():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, folder / name)
        yield folder
    finally:
        for place in (*homes_of(folder), folder):
            shutil.rmtree(place)


def homes_of(clone: Path) -> list[Path]:
    """Where its private PostgreSQL lives."""
    places = (Path("/var/lib/geoagent"), Path.home() / ".local/share/geoagent")
    return [home for place in places for home in place.glob(f"{clone.name}-*")]


def newcomers_environment() -> dict[str, str]:
    """Without settings of the developer's, and without what `make test` leaves for a make below it."""
    foreign = ("GEOAGENT_", "OPENAI_", "MAKE", "MFLAGS", "DATABASE_URL")
    return {name: value for name, value in os.environ.items() if not name.startswith(foreign)}


class Run:
    """One `make run`, in a process group of its own as a terminal would give it."""

    def __init__(self, clone: Path) -> None:
        self.output = tempfile.TemporaryFile()  # noqa: SIM115 - read after the process has ended, too
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115
        self.process = subprocess.Popen(
            ["make", "run"],
            cwd=clone,
            env=newcomers_environment() | {"PORT": "0"},
            stdin=subprocess.DEVNULL,
            stdout=self.output,
            stderr=self.errors,
            start_new_session=True,
            preexec_fn=leash(),
        )
        self.url = ""

    def await_ready(self, seconds: float) -> None:
        """The address is in the one line on standard output."""
        deadline = time.monotonic() + seconds
        while not (line := content(self.output)).endswith("\n"):
            assert self.process.poll() is None, f"{line}{self.said()}"
            assert time.monotonic() < deadline, f"not ready in time: {line}{self.said()}"
            time.sleep(0.02)
        assert line.startswith(READY)
        assert line.count("\n") == 1
        self.url = line.removeprefix(READY).strip()

    def said(self) -> str:
        return content(self.errors)

    def get(self, path: str) -> str:
        with urllib.request.urlopen(self.url + path, timeout=30) as answer:
            return str(answer.read().decode())

    def stop(self) -> None:
        """As Ctrl-C does: to every process of the group."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGINT)
        self.process.wait(60)


def content(file: IO[bytes]) -> str:
    """All of it so far; its position is another process's and stays."""
    return os.pread(file.fileno(), 1_000_000, 0).decode()


@contextlib.contextmanager
def running(clone: Path, seconds: float) -> Iterator[Run]:
    run = Run(clone)
    try:
        run.await_ready(seconds)
        yield run
    finally:
        run.stop()


@pytest.fixture(scope="module")
def later_run(clone: Path) -> Iterator[Run]:
    """One that several tests use, after the first of the clone has ended."""
    with running(clone, LATER) as run:
        yield run


def left_over(clone: Path) -> list[psutil.Process]:
    """Processes of this clone that still run."""
    return [process for place in (clone, *homes_of(clone)) for process in processes_in(place)]


def tables(run: Run) -> str:
    return json.dumps(json.loads(run.get("/api/tables")))


def test_make_run_on_a_fresh_clone_serves_the_map_with_data(clone: Path) -> None:
    with running(clone, FIRST) as run:
        page = run.get("/")
        assert "<title>" in page
        assert all(f"data.{name}" in tables(run) for name in ("countries", "cities", "airports"))
        assert run.get("/readyz")
    assert left_over(clone) == []


def test_make_run_again_installs_and_builds_nothing(later_run: Run) -> None:
    assert "Installing" not in later_run.said()
    assert "Building" not in later_run.said()
    assert "data.airports" in tables(later_run)


def test_every_shell_block_of_the_documentation_runs(clone: Path, later_run: Run, tmp_path: Path) -> None:
    parks = geopandas.GeoDataFrame({"name": ["Kruger"]}, geometry=[Point(31.5, -24.0).buffer(1)], crs=4326)
    parks.to_file(clone / "parks.gpkg")
    for name in ("my_tools.py", "parks.py"):
        shown = (
            (clone / "docs/agents.md").read_text().partition(f"```python\n# {name}\n")[2].partition("```")[0]
        )
        (clone / name).write_text(shown)
    (clone / "my-cases").mkdir()
    cases = (clone / "tests/evals/cases/show.toml").read_text().split("[[case]]")
    (clone / "my-cases" / "mine.toml").write_text(f"[[case]]{cases[1]}")
    make = shell_blocks.stand_ins(tmp_path / "stand-ins", str(shutil.which("make")))
    environment = newcomers_environment() | {"PORT": later_run.url.rpartition(":")[2]}
    faults = {
        where: fault
        for where, commands in shell_blocks.blocks(clone)
        if not where.startswith(RUN_IN_A_COPY)
        and (fault := shell_blocks.run(commands, clone, make, environment))
    }
    assert faults == {}
    assert "data.parks" in tables(later_run)


def test_two_runs_of_one_clone_share_the_database_and_the_second_outlives_the_first(
    clone: Path, later_run: Run
) -> None:
    with running(clone, LATER) as second:
        assert later_run.url != second.url
        later_run.stop()
        assert "data.airports" in tables(second)
    assert left_over(clone) == []


def test_the_next_run_starts_normally_after_all_processes_were_killed(clone: Path) -> None:
    with running(clone, LATER) as run:
        os.killpg(run.process.pid, signal.SIGKILL)
        kill(*left_over(clone))
    with running(clone, LATER) as again:
        assert "data.airports" in tables(again)
    assert left_over(clone) == []
