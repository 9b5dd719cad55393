"""Rows of many tables that have one of some texts, such as words of a request: small tables are asked together."""

from __future__ import annotations

from agents.domain import Table
from agents.ports import TableRegistry
from agents.text_search import TextSearch
from server.gis.errors import existing_column
from server.gis.query.place_names import escaped
from server.gis.query.together import column_text, relation_text, rows_of_tables
from server.gis.query.values import text_length
from server.gis.statements.guard import Guard

ALONE_TIMEOUT_S = 3.0
"""Time limit for a table that is not small, or a view."""
_SUBJECT = "the texts of tables"


async def find_texts(
    guard: Guard, registry: TableRegistry, search: TextSearch
) -> dict[str, list[dict[str, str | None]]]:
    """See `agents.ports.DataSource.find_texts`. Raises DataUnavailable."""
    tables = [registry.get(each) for each in search.columns]
    values = {
        "texts": list(search.texts),
        "endings": [f"%{escaped(each.lower())}" for each in search.endings],
    }

    def select(number: int) -> str:
        return _select(number, tables[number], search)

    found: dict[str, list[dict[str, str | None]]] = {}
    rows = await rows_of_tables(guard, tables, select, values, _SUBJECT, alone_s=ALONE_TIMEOUT_S)
    for number, texts in rows:
        table = tables[number].id
        found.setdefault(table, []).append(dict(zip(search.columns[table], texts, strict=True)))
    return found


def _select(number: int, table: Table, search: TextSearch) -> str:
    """The statement for one table; its parameters are the same for all."""
    columns = search.columns[table.id]
    most = text_length(search.limit * len(columns))
    shown = ", ".join(f"left({_text(table, name)}, {most})" for name in columns)
    conditions = [f"{_comparable(table, name)} = ANY(CAST(:texts AS text[]))" for name in columns]
    ending = [_text(table, name) for name in search.ending.get(table.id, ())]
    # Each statement has all parameters.
    conditions += [f"lower({text}) LIKE ANY(CAST(:endings AS text[]))" for text in ending or ["NULL"]]
    where = f"{relation_text(table)} WHERE {' OR '.join(conditions)} LIMIT {search.limit}"
    return f"(SELECT {number}, ARRAY[{shown}] FROM {where})"  # noqa: S608 - quoted names and numbers only


def _text(table: Table, name: str) -> str:
    """A column as text; one that is text already stays as it is, so that its indexes serve."""
    column = existing_column(table, name)
    quoted = column_text(column.name)
    return quoted if column.sql_type == "text" else f"CAST({quoted} AS text)"


def _comparable(table: Table, name: str) -> str:
    """A column for comparing; citext equals texts in any case."""
    text = _text(table, name)
    return f"lower({text})" if existing_column(table, name).sql_type == "citext" else text
