"""The command line as people use it: a process, its output, its exit status."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from server import protocol_export
from server.app import Server
from tests.support.children import Ran, ran
from tests.support.looking import until
from tests.support.models import ScriptedModel
from tests.support.server import ROOT, client


async def geoagent(*arguments: str, stdin: str = "", **environment: str) -> Ran:
    env = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1", **environment}
    return await ran(sys.executable, "-m", "server", *arguments, stdin=stdin, cwd=ROOT, env=env)


async def test_help_teaches_every_command() -> None:
    told = await geoagent("--help")
    assert told.status == 0
    for command in (
        "serve",
        "load",
        "tables",
        "chat",
        "notes",
        "eval",
        "protocol",
        "tools",
        "migrate",
        "database-url",
    ):
        assert command in told.out
    assert "geoagent load lakes.geojson --table lakes" in told.out


async def test_chat_prints_the_answer_and_what_happens_on_the_map(
    server: Server, model: ScriptedModel
) -> None:
    model.then([("add_map_layer", {"table": "data.airports"})], ["There are ", "many airports."])
    said = await geoagent("chat", "show airports", "--server", server.url)
    assert (said.status, said.out) == (0, "There are many airports.\n")
    lines = said.err.splitlines()
    assert lines[0].startswith("  + airports (data.airports, ")
    assert lines[1].startswith("  ✓ add_map_layer: ")
    assert lines[-1].startswith(f"{server.url}/m/")
    map_id = lines[-1].rsplit("/", 1)[1]
    model.then([("remove_map_layer", {"layer_id": "airports"})], ["Gone."])
    again = await geoagent("chat", "remove them", "--map", map_id, "--server", server.url)
    assert "  - airports" in again.err
    async with client(server) as one:
        assert (await one.ask("join", map_id=map_id))["snapshot"]["layers"] == []


async def test_chat_says_which_numbers_no_tool_gave(server: Server, model: ScriptedModel) -> None:
    model.then([("count_features", {"table": "data.airports"})], ["28,298 airports and 7,777 pilots."])
    said = await geoagent("chat", "how many?", "--server", server.url)
    assert (said.status, said.out) == (0, "28,298 airports and 7,777 pilots.\n")
    assert "  ? found in no result: 7,777\n" in said.err


async def test_chat_without_a_server_says_how_to_start_one() -> None:
    said = await geoagent("chat", "hello", "--server", "http://127.0.0.1:9")
    assert said.status == 1
    assert "geoagent serve" in said.err
    assert "Traceback" not in said.err


async def test_chat_on_a_map_that_is_not_there_is_refused(server: Server) -> None:
    said = await geoagent("chat", "hello", "--map", "nowhere", "--server", server.url)
    assert said.status == 1
    assert "no map 'nowhere'" in said.err


async def test_tables_are_listed_and_searched(samples_url: str) -> None:
    listed = await geoagent("tables", DATABASE_URL=samples_url)
    assert listed.status == 0
    assert [line.split()[0] for line in listed.out.splitlines()] == [
        "data.airports",
        "data.cities",
        "data.countries",
    ]
    found = await geoagent("tables", "airport", "--json", DATABASE_URL=samples_url)
    assert json.loads(found.out)[0]["id"] == "data.airports"


async def test_notes_are_added_found_and_removed(
    samples_url: str, server: Server, model: ScriptedModel
) -> None:
    added = await geoagent(
        "notes", "add", "Airport elevations", "--table", "data.airports",
        stdin="elevation_m is in metres above sea level.", DATABASE_URL=samples_url,
    )  # fmt: skip
    note_id = added.out.strip()
    assert note_id.startswith("note_")
    listed = await geoagent("notes", "list", DATABASE_URL=samples_url)
    assert f"{note_id}  Airport elevations  [data.airports]\n" in listed.out
    async with client(server) as one:
        await one.ask("join")
        await one.says("how high are the airports?")
    assert "metres above sea level" in "\n".join(model.requests[-1].system)
    assert (await geoagent("notes", "remove", note_id, DATABASE_URL=samples_url)).status == 0
    gone = await geoagent("notes", "remove", note_id, DATABASE_URL=samples_url)
    assert (gone.status, gone.err) == (1, f"There is no note {note_id}.\n")


async def test_migrate_and_the_address_of_the_database(samples_url: str) -> None:
    assert (await geoagent("migrate", DATABASE_URL=samples_url)).out == "The database is up to date.\n"
    assert (await geoagent("database-url", DATABASE_URL=samples_url)).out.startswith("postgresql://")


async def test_a_database_that_is_not_there_is_told_in_one_sentence() -> None:
    told = await geoagent("serve", DATABASE_URL="postgresql://nobody@127.0.0.1:9/nothing")
    assert told.status == 1
    assert told.out == ""
    assert "DATABASE_URL" in told.err
    assert "Traceback" not in told.err


@pytest.mark.parametrize(
    ("environment", "told"),
    [({"PORT": "many"}, "PORT"), ({"GEOAGENT_MODEL": "nonsense"}, "nonsense")],
)
async def test_a_wrong_setting_is_told_in_one_sentence(environment: dict[str, str], told: str) -> None:
    ran = await geoagent("serve", DATABASE_URL="postgresql://nobody@127.0.0.1:9/nothing", **environment)
    assert ran.status == 1
    assert told in ran.err
    assert "Traceback" not in ran.err


async def test_the_catalogue_of_tools_is_printed() -> None:
    markdown = await geoagent("tools")
    assert "add_map_layer" in markdown.out
    as_json = await geoagent("tools", "--format", "openai")
    assert "add_map_layer" in {one["name"] for one in json.loads(as_json.out)}
    assert (await geoagent("tools", "--format", "nonsense")).status == 2


def test_the_documents_of_the_protocol_are_as_the_code_says() -> None:
    """If not: run `geoagent protocol`, and `npm run protocol` in web."""
    assert protocol_export.stale() == []


async def test_a_file_is_loaded_and_the_running_server_knows_it(
    server: Server, samples_url: str, tmp_path: Path
) -> None:
    lake = {"type": "Point", "coordinates": [9.4, 47.6]}
    feature = {"type": "Feature", "properties": {"name": "Bodensee", "depth_m": 251}, "geometry": lake}
    file = tmp_path / "lakes.geojson"
    file.write_text(json.dumps({"type": "FeatureCollection", "features": [feature]}))
    loaded = await geoagent("load", str(file), "--table", "lakes", DATABASE_URL=samples_url)
    assert loaded.status == 0, loaded.err
    assert loaded.out.startswith("data.lakes: 1 rows")
    await until(lambda: "data.lakes" in {table.id for table in server.registry.tables()})
    async with client(server) as one:
        await one.ask("join")
        await one.ask("layer_add", table="lakes", filter="depth_m > 200")
        assert (await one.hears("layer_added"))["layer"]["count"] == 1
    again = await geoagent("load", str(file), "--table", "lakes", DATABASE_URL=samples_url)
    assert (again.status, "already" in again.err) == (1, True)
