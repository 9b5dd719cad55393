"""A dataset is registered from a map, by a sentence or by the form, with the rights of uploads."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest_asyncio
from aiohttp import ClientSession
from sqlalchemy import text

from server.app import Server
from tests.support import lake as datasets
from tests.support.server import client, local_server

ROWS = 1000


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def lake_server(samples_url: str, lake_folder: Path) -> AsyncIterator[Server]:
    datasets.hive(lake_folder / "Pings 2024", ROWS)
    async with local_server(samples_url, lake_paths=(lake_folder,)) as server:
        yield server
        async with server.database.owner.begin() as connection:
            made = await connection.scalars(
                text("SELECT relation::regclass::text FROM geoagent_lake.dataset")
            )
            for relation in list(made):
                await connection.exec_driver_sql(f"DROP TABLE {relation}")


async def register(server: Server, map_id: str, **body: Any) -> tuple[int, dict[str, Any]]:
    async with (
        ClientSession() as session,
        session.post(f"{server.url}/api/maps/{map_id}/lake", json=body) as answer,
    ):
        return answer.status, await answer.json()


async def tables_of(server: Server, map_id: str) -> dict[str, dict[str, Any]]:
    async with ClientSession() as session, session.get(f"{server.url}/api/maps/{map_id}/tables") as answer:
        return {each["id"]: each for each in (await answer.json())["tables"]}


async def uploads_in(server: Server) -> int:
    async with server.database.owner.connect() as connection:
        return int(await connection.scalar(text("SELECT count(*) FROM geoagent.upload")) or 0)


async def test_a_sentence_registers_a_dataset_that_its_map_alone_sees(
    lake_server: Server, lake_folder: Path
) -> None:
    async with client(lake_server) as one, client(lake_server) as other:
        map_id = (await one.ask("join"))["map_id"]
        elsewhere = (await other.ask("join"))["map_id"]
        await one.says(f"add the dataset {lake_folder}/Pings 2024 as pings")
        message = one.named("ai_response")[-1]["message"]
        assert "data.pings: 2,000 rows in 2 files, which stay where they are" in message
        await one.says("how many pings where zone = 1?")
        assert "1,000" in one.named("ai_response")[-1]["message"]
        await one.says("show pings")
        assert one.named("layer_added")[-1]["layer"]["count"] == 2 * ROWS
        found = (await tables_of(lake_server, map_id))["data.pings"]
        assert (found["lake"]["rows"], found["is_private"]) == (2 * ROWS, True)
        assert "data.pings" not in await tables_of(lake_server, elsewhere)
        async with (
            ClientSession() as session,
            session.post(f"{lake_server.url}/api/maps/{map_id}/tables/data.pings/share") as answer,
        ):
            assert answer.status == 200
        assert not (await tables_of(lake_server, elsewhere))["data.pings"]["is_private"]


async def test_without_a_name_it_is_called_after_the_folder(lake_server: Server, lake_folder: Path) -> None:
    async with client(lake_server) as one:
        map_id = (await one.ask("join"))["map_id"]
        status, made = await register(lake_server, map_id, location=f"{lake_folder}/Pings 2024")
    assert (status, made["table"], made["rows"], made["files"]) == (201, "data.pings_2024", 2 * ROWS, 2)
    assert (made["geometry"], made["srid"]) == ("POINT", 4326)
    assert str(lake_folder) not in str({**made, "remarks": ()})


async def test_paths_outside_of_the_lake_are_refused_with_the_reason_and_leave_nothing(
    lake_server: Server, lake_folder: Path, tmp_path: Path
) -> None:
    outside = datasets.write(datasets.pings(10), tmp_path / "outside.parquet")
    link = lake_folder / "link.parquet"
    os.symlink(outside, link)
    before = await uploads_in(lake_server)
    async with client(lake_server) as one:
        map_id = (await one.ask("join"))["map_id"]
        for path in (str(outside), "/etc", f"{lake_folder}/../elsewhere", str(link)):
            status, refused = await register(lake_server, map_id, location=path, name="secret")
            assert (status, refused["error"]["code"]) == (403, "forbidden")
            assert "outside of the folders that lake tables may be read from" in refused["error"]["message"]
            await one.says(f"add the dataset {path} as secret")
            assert "GEOAGENT_LAKE_PATHS" in one.named("ai_response")[-1]["message"]
        status, refused = await register(lake_server, map_id, location="s3://bucket/pings")
        assert (status, refused["error"]["code"]) == (403, "forbidden")
        assert "secret" not in str(await tables_of(lake_server, map_id))
    link.unlink()
    assert await uploads_in(lake_server) == before


async def test_a_name_that_is_taken_and_a_folder_without_data_are_refused(
    lake_server: Server, lake_folder: Path
) -> None:
    (lake_folder / "empty").mkdir()
    async with client(lake_server) as one:
        map_id = (await one.ask("join"))["map_id"]
        path = f"{lake_folder}/Pings 2024"
        status, refused = await register(lake_server, map_id, location=path, name="airports")
        assert (status, refused["error"]["code"]) == (409, "conflict")
        assert "data.airports" in await tables_of(lake_server, map_id)
        status, refused = await register(lake_server, map_id, location=f"{lake_folder}/empty")
        assert "no Parquet file" in refused["error"]["message"]
        status, refused = await register(lake_server, map_id, location=path, name="x", other=1)
        assert (status, refused["error"]["code"]) == (400, "invalid_payload")


async def test_people_with_a_view_link_register_nothing(lake_server: Server, lake_folder: Path) -> None:
    async with client(lake_server) as one:
        await one.ask("join")
        key = (await one.ask("share", view=True))["view_key"]
        status, refused = await register(lake_server, key, location=f"{lake_folder}/Pings 2024", name="seen")
        assert (status, refused["error"]["code"]) == (403, "read_only")


async def test_without_the_setting_both_say_why(samples_url: str, lake_folder: Path) -> None:
    async with local_server(samples_url) as server, client(server) as one:
        map_id = (await one.ask("join"))["map_id"]
        status, refused = await register(server, map_id, location=str(lake_folder))
        assert (status, refused["error"]["code"]) == (403, "forbidden")
        await one.says(f"add the dataset {lake_folder} as pings")
        assert "GEOAGENT_LAKE_PATHS" in one.named("ai_response")[-1]["message"]


async def test_samples_count_towards_the_quota_of_uploads(samples_url: str, lake_folder: Path) -> None:
    settings = {"lake_paths": (lake_folder,), "upload_quota": 0.05}
    async with local_server(samples_url, **settings) as server, client(server) as one:
        map_id = (await one.ask("join"))["map_id"]
        status, refused = await register(
            server, map_id, location=f"{lake_folder}/Pings 2024", name="too_much"
        )
        assert (status, refused["error"]["code"]) == (413, "quota")
        await server.registry.refresh(patience=5)
        assert "data.too_much" not in await tables_of(server, map_id)
