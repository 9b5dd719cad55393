"""Each layer of defence alone against the list of attacks: what it is meant to stop, it stops without the others."""

from __future__ import annotations

from collections.abc import Callable

import asyncpg
import pytest
from sqlglot import exp

from agents.core import ToolFailed
from server.gis.sql import Limits, PostgisSql, check_statement, dialect, functions, grammar, names
from server.gis.sql.session import run
from tests.integration.sql.attacks import ATTACKS, Attack, docs, table
from tests.integration.sql.conftest import Place
from tests.support.looking import until

QUICK = Limits(seconds=0.7, lock_seconds=0.3)
LAYERS = {"g": "grammar", "n": "names", "f": "functions"}

everything = pytest.mark.parametrize("attack", ATTACKS, ids=[attack.what for attack in ATTACKS])


def test_the_list_is_long_and_its_table_in_the_documentation_fresh() -> None:
    assert len(ATTACKS) >= 60
    assert len({attack.what for attack in ATTACKS}) == len(ATTACKS)
    assert table() in docs().read_text(), "run: python -m tests.integration.sql.attacks"


@everything
def test_each_layer_of_the_checker_alone(attack: Attack, place: Place) -> None:
    statement = prepared(attack, place)

    def known(tree: exp.Expr) -> None:
        dialect.fold(tree)
        names.resolve(tree, place.registry)

    stopped = {
        "g": refuses(lambda: grammar.check(grammar.only_query(dialect.read(statement)))),
        "n": refuses(lambda: [known(tree) for tree in dialect.read(statement)]),
        "f": refuses(lambda: [functions.check(tree) for tree in dialect.read(statement)]),
    }
    found = "".join(layer for layer, faults in stopped.items() if faults)
    assert found == attack.by, stopped


@everything
def test_the_checker_as_a_whole(attack: Attack, place: Place) -> None:
    """Only what merely takes too much, which no reader of text can know, is left to the database."""
    if attack.by:
        with pytest.raises(ToolFailed):
            check_statement(prepared(attack, place), place.registry)
    else:
        assert check_statement(prepared(attack, place), place.registry).sql
        assert attack.database == "refuses"


@everything
async def test_the_database_alone(attack: Attack, place: Place) -> None:
    """The raw text, unread by anybody, in the session that statements get: refused, or gone without a trace."""
    before = await place.traces()
    heard: list[object] = []
    await place.owner.add_listener("attacked", lambda *notification: heard.append(notification))
    try:
        await run(place.database.reader_session, prepared(attack, place), QUICK)
        refused = False
    except ToolFailed:
        refused = True
    assert refused is (attack.database == "refuses")

    async def unchanged() -> bool:
        return await place.traces() == before

    await until(unchanged)
    assert heard == []


@everything
async def test_all_layers_together(attack: Attack, place: Place) -> None:
    with pytest.raises(ToolFailed) as refusal:
        await PostgisSql(place.database.reader_session, place.registry, QUICK).run(prepared(attack, place))
    assert "Traceback" not in str(refusal.value)
    assert len(str(refusal.value)) < 2000


async def test_a_session_that_may_write_is_not_used(place: Place) -> None:
    """Were the roles ever mixed up, nothing is run."""
    owners = await asyncpg.create_pool(place.database.url, min_size=0, max_size=1)
    try:
        with pytest.raises(ToolFailed, match="more than reading rights"):
            await run(lambda settings: owners.acquire(), "SELECT 1", QUICK)
    finally:
        await owners.close()


async def test_a_statement_that_waits_for_a_lock_gives_up(place: Place) -> None:
    async with place.owner.transaction():
        await place.owner.execute("LOCK TABLE data.countries IN ACCESS EXCLUSIVE MODE")
        with pytest.raises(ToolFailed, match="locked by another transaction"):
            await run(place.database.reader_session, "SELECT count(*) FROM data.countries", QUICK)


def prepared(attack: Attack, place: Place) -> str:
    return attack.sql.replace("{owner_pid}", str(place.owner.get_server_pid())).replace(
        "{database}", place.database.url.rsplit("/", 1)[1].partition("?")[0]
    )


def refuses(check: Callable[[], object]) -> str:
    """What a layer said, or nothing."""
    try:
        check()
    except ToolFailed as fault:
        return str(fault)
    return ""
