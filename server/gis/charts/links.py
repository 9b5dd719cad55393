"""Links between a chart and the map: the features behind a part of a chart, and the parts that features belong to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import ARRAY

from agents.charts import ChartData
from agents.domain import Column
from agents.worded import Template
from server.gis.charts.axes import place
from server.gis.charts.columns import measured
from server.gis.charts.question import Question
from server.gis.errors import InvalidQuestion
from server.gis.expressions.identifiers import Expression, column_of
from server.gis.query.values import plain
from server.gis.statements.guard import Guard
from server.gis.tiles.columns import feature_key

CHART_MAX_PARTS = Template("chart_max_parts", "At most {n} parts of a chart can be asked about at once.")
NO_KEY = Template(
    "chart_no_key", "{table} has no integer key, so its features cannot be identified on the map."
)

MAX_FEATURES = 5_000
MAX_FEATURE_IDS = 300
MAX_PARTS = 1_000

Window = tuple[float, float, float, float]
"""Least and greatest x, least and greatest y."""


@dataclass(frozen=True)
class Part:
    """An index on a chart's axis, of one series or of all."""

    place: int
    series: int | None = None


@dataclass(frozen=True)
class Features:
    """At most `MAX_FEATURES` ids of `total` features."""

    ids: Sequence[int | str]
    total: int


async def features_in(
    guard: Guard, asked: Question, data: ChartData, parts: Sequence[Part], window: Window | None
) -> Features:
    """The features of some bars, bins, lines or boxes, or of the points within a window. Raises InvalidQuestion."""
    key = _key(asked)
    series = place(asked.table, data.series)
    if window is not None:
        west, east, south, north = window
        assert asked.x is not None and asked.y is not None  # noqa: S101, PT018
        inside: list[Expression] = [
            measured(asked.table, asked.x).between(west, east),
            measured(asked.table, asked.y).between(south, north),
        ]
    else:
        inside = [sa.or_(sa.false(), *_chosen(place(asked.table, data.x), series, parts))]
    wanted = asked.usable.where(*inside, *([series.is_not(None)] if data.series is not None else []))
    identifier = sa.cast(column_of(asked.table, key.name), sa.BigInteger)
    counted = sa.func.count().over()
    found = await guard.rows(
        wanted.add_columns(identifier, counted).order_by(identifier).limit(MAX_FEATURES), asked.table.id
    )
    return Features([plain(row[0]) for row in found], int(found[0][1]) if found else 0)


async def parts_of(
    guard: Guard, asked: Question, data: ChartData, ids: Sequence[int]
) -> list[tuple[Any, ...]]:
    """`(index, series, count)` of the features with these ids; for a scatter plot `(x, y, series)` of each feature."""
    key = _key(asked)
    mine = asked.rows.where(
        column_of(asked.table, key.name) == sa.any_(sa.cast(list(ids), ARRAY(sa.BigInteger)))
    )
    series = place(asked.table, data.series).label("series")
    if data.points is not None:
        assert asked.x is not None and asked.y is not None  # noqa: S101, PT018
        wanted = (measured(asked.table, asked.x), measured(asked.table, asked.y), series)
        found = await guard.rows(mine.add_columns(*wanted).limit(MAX_FEATURE_IDS), asked.table.id)
        return [tuple(row) for row in found if row[2] is not None]
    across = place(asked.table, data.x).label("place")
    counted = mine.add_columns(across, series, sa.func.count())
    found = await guard.rows(counted.group_by(sa.literal_column("1"), sa.literal_column("2")), asked.table.id)
    places = data.x.places if data.x is not None else 1
    return [tuple(row) for row in found if row[0] is not None and row[0] < places and row[1] is not None]


def _chosen(across: Expression, series: Expression, parts: Sequence[Part]) -> list[Expression]:
    if len(parts) > MAX_PARTS:
        raise InvalidQuestion(CHART_MAX_PARTS(n=MAX_PARTS))
    whole = [part.place for part in parts if part.series is None]
    single = [
        sa.and_(across == part.place, series == part.series) for part in parts if part.series is not None
    ]
    return [*([across.in_(whole)] if whole else []), *single]


def _key(asked: Question) -> Column:
    key = feature_key(asked.table)
    if key is None:
        raise InvalidQuestion(NO_KEY(table=asked.table.id))
    return key
