"""A newer GeoAgent beside this one on the same database, as while a new version is rolled out."""

from __future__ import annotations

import re
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest
import pytest_asyncio

from server.app import Server
from server.database import schema_version
from server.postgres.problem import DatabaseProblem
from tests.chaos.people import small_file
from tests.support.looking import until
from tests.support.server import ROOT, Child, client, local_server

MIGRATION = '''"""A column of a newer version."""

from alembic import op

revision = "{revision}"
down_revision = "{previous}"
{additive}

def upgrade() -> None:
    op.execute("ALTER TABLE geoagent.map ADD COLUMN of_{revision} text")
'''


STORED = {
    "agents/domain.py": ("Layer", "Focus"),
    "agents/charts.py": ("Chart", "ChartData"),
    "server/gis/analysis/plan.py": ("Plan",),
    "server/gis/analysis/receipt.py": ("Receipt",),
    "server/gis/analysis/recipes.py": ("Recipe",),
}
"""Values that are stored for all servers, by the file that declares them."""


class Newer:
    """A copy of the program whose stored values have a field that this version does not know, and which has one
    migration more for each call of `migration`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for package in ("agents", "migrations", "server"):
            shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
        for file, classes in STORED.items():
            source = (folder / file).read_text()
            for name in classes:
                source, changed = re.subn(
                    rf"^(class {name}\(Value\):\n)",
                    r"\1    of_newer: str = 'x'\n",
                    source,
                    flags=re.MULTILINE,
                )
                assert changed == 1, name
            (folder / file).write_text(source)
        self.revision = schema_version.newest_revision()

    def migration(self, *, additive: bool) -> None:
        previous, self.revision = self.revision, f"{int(self.revision) + 1:04}"
        source = MIGRATION.format(
            revision=self.revision, previous=previous, additive="additive = True\n" if additive else ""
        )
        (self.folder / "migrations" / "versions" / f"{self.revision}_newer.py").write_text(source)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def newer(tmp_path_factory: pytest.TempPathFactory) -> Newer:
    return Newer(tmp_path_factory.mktemp("newer"))


@asynccontextmanager
async def started(newer: Newer, url: str) -> AsyncIterator[Child]:
    child = await Child.start(url, code=newer.folder)
    try:
        yield child
    finally:
        await child.kill()


async def found_by_readyz(server: Server) -> str:
    """What the check of migrations says."""
    async with aiohttp.ClientSession() as session, session.get(f"{server.url}/readyz") as answer:
        found: str = (await answer.json())["checks"]["migrations"]
        return found


async def test_maps_that_a_newer_server_changed_stay_usable_on_this_one(
    samples_url: str, newer: Newer
) -> None:
    newer.migration(additive=True)
    async with local_server(samples_url) as server, client(server) as early:
        await early.ask("join")
        async with started(newer, samples_url) as deployed, client(deployed) as other:
            await other.ask("join", map_id=early.map_id)
            for text in ("show airports in red", "buffer cities by 10 km", "chart countries by continent"):
                assert (await other.says(text))["status"] == "done"
            await until(lambda: early.named("turn_finished")[2:])
        assert await found_by_readyz(server) == "ok"
        async with client(server) as late:
            joined = await late.ask("join", map_id=early.map_id)
            buffers, airports = joined["snapshot"]["layers"]
            assert (await late.says("colour airports blue"))["status"] == "done"
            assert (await late.says("undo"))["status"] == "done"
            assert late.named("layer_updated")[-1]["layer"]["style"]["color"] == airports["style"]["color"]
            await until(lambda: early.numbered()[-1:] == late.numbered()[-1:])
        seqs = [seq for seq, _ in early.numbered()]
        assert seqs == list(range(seqs[0], seqs[0] + len(seqs)))
        async with aiohttp.ClientSession(server.url) as http:
            async with http.get(buffers["tiles"].format(z=0, x=0, y=0)) as answer:
                assert answer.status == 200
            async with http.post("/api/uploads", data=small_file("of_this_version")) as answer:
                assert answer.status == 201
    async with local_server(samples_url) as again, client(again) as one:
        assert await found_by_readyz(again) == "ok"
        await one.ask("join", map_id=early.map_id)


async def test_a_newer_schema_that_this_server_cannot_use_ends_its_part_in_words(
    samples_url: str, newer: Newer
) -> None:
    async with local_server(samples_url) as server:
        newer.migration(additive=False)
        async with started(newer, samples_url):
            pass

        async def refused() -> str:
            found = await found_by_readyz(server)
            return "" if found == "ok" else found

        assert f"at {newer.revision}, and this version needs" in await until(refused)
    with pytest.raises(DatabaseProblem, match="made by a newer GeoAgent"):
        async with local_server(samples_url):
            pass
