"""Receipts as files: everyone who may see the map may keep what ran, and psql runs it unchanged."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import aiohttp
import asyncpg
import pytest

from server.app import Server
from tests.integration.analysis.asking import FARTHEST, GOAL, hand_over, tables_of
from tests.support.children import ran
from tests.support.forking import ran as geoagent
from tests.support.models import ScriptedModel, play
from tests.support.server import client


async def fetched(server: Server, path: str) -> tuple[int, aiohttp.typedefs.LooseHeaders, str]:
    async with aiohttp.ClientSession(server.url) as session, session.get(path) as answer:
        return answer.status, dict(answer.headers), await answer.text()


def psql() -> str | None:
    """The client, wherever the system keeps it."""
    folders = [f"/usr/lib/postgresql/{version}/bin" for version in (18, 17, 16, 15, 14)]
    return shutil.which("psql", path=os.pathsep.join([os.environ.get("PATH", ""), *folders]))


async def test_a_receipt_tells_inputs_units_and_rows_and_stays_when_the_result_is_dropped(
    samples_url: str, server: Server, model: ScriptedModel
) -> None:
    play(model, hand_over(), *FARTHEST)
    async with client(server) as one:
        await one.ask("join")
        await one.says(GOAL)
        (done,) = one.named("analysis_finished")
        address = f"/api/maps/{one.map_id}/analyses/{done['analysis_id']}/receipt"
        status, headers, text = await fetched(server, f"{address}.json")
        assert status == 200
        assert "attachment" in str(headers["Content-Disposition"])
        receipt: dict[str, Any] = json.loads(text)
        assert receipt["status"] == "finished"
        assert receipt["steps"] == done["receipt"]["steps"]
        cities = receipt["steps"][0]["inputs"][0]
        connection = await asyncpg.connect(samples_url)
        assert cities["rows"] == await connection.fetchval("SELECT count(*) FROM data.cities")
        assert cities["exact"] is True
        assert receipt["steps"][0]["arguments"]["filter"] == "population > 3000000"
        assert receipt["steps"][1]["inputs"][0]["rows"] == receipt["steps"][0]["rows"]
        await connection.execute("UPDATE data.cities SET name = name WHERE population > 3000000")
        await connection.close()
        layer = one.named("layer_added")[0]["layer"]
        await one.ask("layer_remove", layer_id=layer["id"])
        await one.ask("result_drop", table=done["table"])
        assert (await fetched(server, f"{address}.json"))[2] == text
        model.then(hand_over(), *FARTHEST)
        await one.says(GOAL)
        again = one.named("analysis_finished")[-1]["receipt"]["steps"][0]["inputs"][0]
        assert again["version"] != cities["version"]


async def test_the_command_line_runs_a_receipt_again_and_compares_it(
    samples_url: str, tmp_path: Path, server: Server, model: ScriptedModel
) -> None:
    """By its id over the same rows, and from a file once rows have gone."""
    play(model, hand_over(), *FARTHEST)
    async with client(server) as one:
        await one.ask("join")
        await one.says(GOAL)
        (done,) = one.named("analysis_finished")
        address = f"/api/maps/{one.map_id}/analyses/{done['analysis_id']}/receipt.json"
        saved = tmp_path / "receipt.json"
        saved.write_text((await fetched(server, address))[2])
        there = await tables_of(server, one.map_id)
        environment = {**os.environ, "DATABASE_URL": samples_url}
        same = await geoagent("analysis", "rerun", done["analysis_id"], env=environment)
        assert same.status == 0, same
        assert "step_3 Farthest cities: 20 rows by PostGIS" in same.out
        assert f"All rows are those of {done['table']}" in same.out
        connection = await asyncpg.connect(samples_url)
        gone = await connection.execute(
            "DELETE FROM data.cities WHERE (name, population) ="
            " (SELECT name, population FROM data.cities ORDER BY population DESC NULLS LAST LIMIT 1)"
        )
        await connection.close()
        assert gone == "DELETE 1"
        other = await geoagent("analysis", "rerun", str(saved), env=environment)
        assert other.status == 1, other
        rows = done["receipt"]["steps"][0]["rows"]
        assert f"{rows - 1} rows by PostGIS" in other.out
        assert f"where there were {rows}" in other.out
        assert "data.cities had" in other.out
        assert await tables_of(server, one.map_id) == there
        unknown = await geoagent("analysis", "rerun", "analysis_of_nobody", env=environment)
        assert unknown.status == 1
        assert "There is no file and no analysis" in unknown.err


async def test_nobody_gets_a_receipt_by_another_map(server: Server, model: ScriptedModel) -> None:
    play(model, hand_over(), *FARTHEST)
    async with client(server) as one, client(server) as two:
        await one.ask("join")
        await two.ask("join")
        await one.says(GOAL)
        analysis = one.named("analysis_finished")[0]["analysis_id"]
        for map_id, name in ((two.map_id, f"{analysis}/receipt.sql"), (one.map_id, "analysis_x/receipt.sql")):
            assert (await fetched(server, f"/api/maps/{map_id}/analyses/{name}"))[0] == 404
        assert (await fetched(server, f"/api/maps/{one.map_id}/analyses/{analysis}/receipt.xml"))[0] == 404


@pytest.mark.skipif(psql() is None, reason="there is no psql here")
async def test_psql_runs_the_script_of_a_receipt_beside_the_result_and_gets_the_same_rows(
    samples_url: str, server: Server, model: ScriptedModel
) -> None:
    top = ("top", {"source": "step_2", "by": "distance_m", "n": 20, "title": "20 farthest cities"})
    play(model, hand_over(), *FARTHEST[:2], [top], FARTHEST[3])
    async with client(server) as one:
        await one.ask("join")
        await one.says(GOAL)
        (done,) = one.named("analysis_finished")
        _, headers, script = await fetched(
            server, f"/api/maps/{one.map_id}/analyses/{done['analysis_id']}/receipt.sql"
        )
        assert str(headers["Content-Type"]).startswith("application/sql")
        name = done["table"].removeprefix("analysis.")
        assert name.startswith("20_farthest")  # a name that must be quoted
        compare = f'TABLE pg_temp."{name}" EXCEPT TABLE analysis."{name}"'
        script += f"SELECT 'differing ' || count(*) FROM ({compare}) AS differing;\n"
        run = await ran(str(psql()), "-X", "-A", "-t", samples_url, stdin=script)
        assert run.status == 0, run
        assert run.out.splitlines()[-2:] == ["20", "differing 0"], run


async def test_what_a_script_quotes_from_people_stays_a_comment(server: Server, model: ScriptedModel) -> None:
    goal = "large cities\nDROP TABLE data.cities; --"
    play(model, hand_over(goal), FARTHEST[0], [("finish", {"summary": "Done."})])
    async with client(server) as one:
        await one.ask("join")
        await one.says("large cities")
        (done,) = one.named("analysis_finished")
        script = (
            await fetched(server, f"/api/maps/{one.map_id}/analyses/{done['analysis_id']}/receipt.sql")
        )[2]
        assert script.startswith("-- large cities DROP TABLE data.cities; --\n")
