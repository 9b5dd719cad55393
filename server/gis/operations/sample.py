"""A random sample of rows, the same one each time; or the rows in an order."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field
from sqlalchemy import Text, cast, func, literal, literal_column, select

from server.gis.operations.base import Arguments, Operation, Step, Workspace, table_argument
from server.gis.operations.columns import carried, geometry_out


class SampleArguments(Arguments):
    source: str = table_argument("The table to sample.")
    n: Annotated[int, Field(ge=1, le=1_000_000, description="How many rows.")] = 1000
    seed: int = 0
    """The same seed gives the same rows."""


class Sample(Operation[SampleArguments]):
    name = "sample"
    summary = "A random sample of n rows; the same seed gives the same rows again."
    arguments = SampleArguments

    async def build(self, arguments: SampleArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        # A hash of the row instead of random(): repeatable, and independent of the order on disk.
        row = cast(literal_column(source.alias), Text())
        order = func.md5(row + literal(f":{arguments.seed}"))
        statement = (
            select(*carried(source), *geometry_out(source))
            .select_from(source.rows)
            .order_by(order)
            .limit(arguments.n)
        )
        return Step.keeping(
            source,
            statement,
            notes=(f"Sampled by a hash of each row with seed {arguments.seed}.",),
        )
