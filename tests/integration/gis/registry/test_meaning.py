"""Searches by meaning: a real SDK, a server that speaks OpenAI's `/embeddings`, and stored vectors."""

from __future__ import annotations

from importlib.util import find_spec

import aiohttp
import pytest
from sqlalchemy import text

from agents.core.model import ModelError
from agents.models.embeddings import embeddings
from server.app import Server
from tests.support.embedding_server import EmbeddingServer, embedding_server
from tests.support.looking import until
from tests.support.server import local_server

pytestmark = pytest.mark.asyncio(loop_scope="session")


def speaking_to(model: EmbeddingServer) -> dict[str, object]:
    return {
        "embeddings": "openai:text-embedding-3-small",
        "openai_api_key": "test",
        "openai_base_url": model.url,
    }


async def found(server: Server, words: str) -> list[str]:
    async with (
        aiohttp.ClientSession() as session,
        session.get(f"{server.url}/api/tables", params={"q": words}) as answer,
    ):
        return [table["id"] for table in (await answer.json())["tables"]]


async def finds(server: Server, words: str, table_id: str) -> None:
    """Wait until the table is the first that is found; a table is learned in the background."""

    async def is_first() -> bool:
        return (await found(server, words))[:1] == [table_id]

    await until(is_first)


async def test_a_table_is_found_by_a_word_that_it_does_not_have(samples_url: str) -> None:
    async with local_server(samples_url) as server:
        assert await found(server, "aerodromes") == []
    async with embedding_server() as model, local_server(samples_url, **speaking_to(model)) as server:
        await finds(server, "aerodromes", "data.airports")
        await finds(server, "settlements", "data.cities")
        async with server.database.owner.begin() as connection:
            await connection.execute(text("CREATE TABLE data.clinics (id int PRIMARY KEY, beds int)"))
        await finds(server, "where is the next infirmary", "data.clinics")
        async with server.database.owner.begin() as connection:
            await connection.execute(text("DROP TABLE data.clinics"))
        await until(lambda: server.registry.find("data.clinics") is None)
        assert "data.clinics" not in await found(server, "infirmary")


@pytest.mark.skipif(find_spec("wordllama") is None, reason="the package has no build for this Python")
async def test_a_model_in_the_server_finds_it_without_any_other_program(samples_url: str) -> None:
    async with local_server(samples_url, embeddings="wordllama:l2_supercat_256") as server:
        await finds(server, "aerodromes", "data.airports")
        await finds(server, "settlements", "data.cities")
        await finds(server, "states of the earth", "data.countries")


async def test_values_of_tables_never_reach_the_embedding_model(samples_url: str) -> None:
    async with embedding_server() as model, local_server(samples_url, **speaking_to(model)) as server:
        for statement in (
            "CREATE TABLE data.patients (id int PRIMARY KEY, town text)",
            "INSERT INTO data.patients SELECT n, 'Xylophonia' FROM generate_series(1, 9) n",
            "ANALYZE data.patients",
        ):
            async with server.database.owner.begin() as connection:
                await connection.execute(text(statement))
        await server.registry.refresh()
        await until(lambda: "Xylophonia" in str(server.registry.get("data.patients").columns))
        await until(lambda: any(asked.startswith("patients:") for asked in model.texts))
        assert "Xylophonia" not in str(model.texts)


async def test_after_a_restart_nothing_is_asked_twice(samples_url: str) -> None:
    async with embedding_server() as model:
        async with local_server(samples_url, **speaking_to(model)) as server:
            await finds(server, "aerodromes", "data.airports")
        model.texts.clear()
        async with local_server(samples_url, **speaking_to(model)) as server:
            await finds(server, "aerodromes", "data.airports")
        assert model.texts == ["aerodromes"]


async def test_another_model_of_the_same_name_reads_all_tables_again(samples_url: str) -> None:
    """After a restart and while the server runs. The vectors that the first model gave no longer fit."""
    async with embedding_server() as model:
        async with local_server(samples_url, **speaking_to(model)) as server:
            await finds(server, "aerodromes", "data.airports")
        model.padding = 2
        model.texts.clear()
        async with local_server(samples_url, **speaking_to(model)) as server:
            await finds(server, "aerodromes", "data.airports")
            model.padding = 3
            await finds(server, "infirmary and aerodrome", "data.airports")
            await finds(server, "aerodromes", "data.airports")
            assert sum(asked.startswith("airports:") for asked in model.texts) == 2
        model.texts.clear()
        async with local_server(samples_url, **speaking_to(model)) as server:
            await finds(server, "aerodromes", "data.airports")
        assert model.texts == ["aerodromes"]


async def test_a_table_that_is_added_after_the_model_changed_is_found_with_the_others(
    samples_url: str,
) -> None:
    async with embedding_server() as model, local_server(samples_url, **speaking_to(model)) as server:
        await finds(server, "aerodromes", "data.airports")
        model.padding = 2
        async with server.database.owner.begin() as connection:
            await connection.execute(text("CREATE TABLE data.clinics (id int PRIMARY KEY, beds int)"))
        await finds(server, "where is the next infirmary", "data.clinics")
        await finds(server, "runway", "data.airports")


async def test_while_the_model_is_away_words_find_tables(samples_url: str) -> None:
    async with embedding_server() as model, local_server(samples_url, **speaking_to(model)) as server:
        await finds(server, "aerodromes", "data.airports")
        model.is_broken = True
        assert "data.airports" in await found(server, "airports")
        assert await found(server, "aerodrome") == []
        model.is_broken = False
        assert (await found(server, "aerodrome"))[0] == "data.airports"


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("text-embedding-3-small", "write `provider:model`"),
        ("openai:text-embedding-3-small", "OPENAI_API_KEY"),
        ("anthropic:claude-haiku-4-5", "offers no embeddings"),
        ("nobody:model", "There is no provider 'nobody'"),
    ],
)
async def test_an_embedding_model_that_cannot_be_used_is_explained(name: str, advice: str) -> None:
    with pytest.raises(ModelError, match=advice):
        embeddings(name, {"ANTHROPIC_API_KEY": "test"})
