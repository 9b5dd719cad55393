"""A random sample of rows, the same one each time; or the rows in an order."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field
from sqlalchemy import BigInteger, ColumnElement, Text, cast, func, literal, literal_column, select

from agents.worded import Template
from server.gis.expressions.identifiers import base_type
from server.gis.operations.support.attributes.columns import attribute_columns, geometry_out
from server.gis.operations.support.base import Arguments, Operation, Source, Step, Workspace, table_argument

SAMPLED = Template("op_sampled", "Sampled by a hash of {columns} with seed {seed}.")

_HASHED = ("smallint", "integer", "bigint", "text", "character varying", "uuid", "date")
"""Types of keys of which PostgreSQL makes hashes."""


class SampleArguments(Arguments):
    source: str = table_argument("The table to sample.")
    n: Annotated[int, Field(ge=1, le=1_000_000, description="How many rows.")] = 1000
    seed: int = 0
    """The same seed gives the same rows."""


class Sample(Operation[SampleArguments]):
    """Some rows, chosen by a hash of their key and a seed: the same ones each time."""

    summary = "A random sample of n rows; the same seed gives the same rows again."
    traits = frozenset({"keeps_geometry", "tabular"})
    checks_geometries = False
    phrases = ("[take|draw|show|pick] (random sample of|sample of|sample|random) {n} [random] [of] {source}",)

    async def build(self, arguments: SampleArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        order, hashed = _order(source, arguments.seed)
        statement = (
            select(*attribute_columns(source), *geometry_out(source))
            .select_from(source.rows)
            .order_by(*order)
            .limit(arguments.n)
        )
        return Step.keeping(source, statement, method=(SAMPLED(columns=hashed, seed=str(arguments.seed)),))


def _order(source: Source, seed: int) -> tuple[list[ColumnElement[Any]], str]:
    """The order by a hash instead of random(), repeatable and independent of the order on disk; and what is hashed.

    Of the key where there is one, because a hash of whole rows writes out every geometry."""
    known = [source.table.column(name) for name in source.table.key]
    if known and all(each is not None and base_type(each.sql_type) in _HASHED for each in known):
        keys = [source.column(name) for name in source.table.key]
        return [
            func.hash_record_extended(func.row(*keys), literal(seed % (1 << 63), BigInteger())),
            *keys,
        ], "each row's key"
    row = cast(literal_column(source.alias), Text())
    return [func.md5(row + literal(f":{seed}"))], "each row"
