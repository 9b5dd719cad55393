"""Each upload starts a process that reads it: what that loads is what all who upload wait for."""

from __future__ import annotations

import sys
from pathlib import Path

from server.gis.ingest import process
from tests.support.children import ran

HEAVY = ("agents.core.loop", "asyncio", "certifi", "geopandas", "pandas", "pyproj")


async def test_the_reader_loads_no_library_that_it_does_not_use(tmp_path: Path) -> None:
    limits = process.LIMITED.format(root=str(process.ROOT), seconds=60, memory=2**32, output=2**30)
    bootstrap = limits.partition("runpy.run_module")[0]
    program = f"{bootstrap}\nimport server.gis.reading.reader\nprint(*sorted(sys.modules))"
    found = await ran(
        sys.executable, "-c", program, cwd=tmp_path, env={"PYTHONPATH": str(process.ROOT), "PATH": ""}
    )
    loaded = set(found.out.split())
    assert "pyogrio" in loaded, found.err
    assert loaded.isdisjoint(HEAVY)
