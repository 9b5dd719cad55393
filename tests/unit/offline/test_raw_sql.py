"""`sql:` before a statement hands it to `run_sql` as it stands, where the server allows that."""

from __future__ import annotations

import pytest

from agents.core import ToolFailed
from agents.domain import SqlAnswer
from tests.unit.offline.chatting import Chat


class Runner:
    """Answers every statement alike."""

    def __init__(self, *rows: tuple[object, ...], truncated: bool = False, fault: str = "") -> None:
        self.rows, self.truncated, self.fault = rows, truncated, fault

    async def run(self, statement: str) -> SqlAnswer:
        if self.fault:
            raise ToolFailed(self.fault)
        return SqlAnswer(
            sql=statement,
            tables=("data.cities",),
            columns=("name", "n"),
            rows=self.rows,
            truncated=self.truncated,
        )


@pytest.mark.parametrize("prefix", ["sql: ", "SQL:", "/sql ", "  /SQL\n"])
async def test_the_statement_is_handed_over_as_it_stands(prefix: str) -> None:
    statement = "SELECT name, 'then undo; and show cities' AS n\nFROM cities -- and hide it"
    chat = Chat(sql=Runner(("Ulm", 3)))
    answer = await chat(prefix + statement)
    assert chat.calls == [("run_sql", {"statement": statement})]
    assert "1 row:" in answer
    assert "| Ulm | 3 |" in answer


async def test_rows_that_were_left_out_and_none_are_reported() -> None:
    assert "The first 1 row" in await Chat(sql=Runner(("Ulm", 3), truncated=True))("sql: SELECT 1")
    assert "no row" in await Chat(sql=Runner())("sql: SELECT 1")


async def test_markup_in_the_data_stays_text() -> None:
    assert "&lt;img" in await Chat(sql=Runner(("<img src=x>", 1)))("sql: SELECT 1")


async def test_a_refusal_is_told_in_its_own_words() -> None:
    chat = Chat(sql=Runner(fault="Only a SELECT is run; this is DROP."))
    assert "Only a SELECT is run" in await chat("sql: DROP TABLE cities")


async def test_without_a_runner_it_is_refused_with_the_way_to_get_it() -> None:
    chat = Chat()
    assert "GEOAGENT_SQL=on" in await chat("sql: SELECT 1")
    assert [name for name, _ in chat.calls] == ["cannot_do"]
    assert "run_sql" not in {tool.name for tool in chat.agent.toolbox}


async def test_words_about_sql_are_no_statement() -> None:
    chat = Chat(sql=Runner(("Ulm", 3)))
    await chat("sql")
    assert chat.calls == []
