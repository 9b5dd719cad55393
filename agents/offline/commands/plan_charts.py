"""The plan of a chart: which columns play which role, and what kind of chart shows that when none was named."""

from __future__ import annotations

from typing import Any

from agents.domain import Column
from agents.offline.meaning import intents as i
from agents.offline.meaning.columns import is_number, named_column
from agents.offline.meaning.resolver import to_cql2
from agents.offline.meaning.scene import Calls, Refuse, Scene


async def chart(scene: Scene, intent: i.Chart) -> Calls:
    if scene.done:
        return []
    mention = intent.subject
    shown = mention.pronoun or bool(mention.layers)
    layer = scene.layer_of(mention) if shown else None
    table = scene.table(layer.table) if layer is not None else scene.table_of(mention)
    columns = [named_column(scene, table, each) for each in intent.columns]
    kind = intent.kind or _kind(columns)
    arguments: dict[str, Any] = {"kind": kind, "data": layer.id if layer is not None else table.id}
    arguments |= _roles(kind, columns)
    if intent.color is not None:
        arguments["color"] = named_column(scene, table, intent.color).name
    if intent.how and "y" in arguments and kind in ("bar", "line"):
        arguments["aggregate"] = intent.how
    if intent.where is not None:
        arguments["filters"] = await to_cql2(scene, table, intent.where)
    return [("make_chart", arguments)]


async def remove_chart(scene: Scene, intent: i.RemoveChart) -> Calls:
    if scene.done:
        return []
    charts = scene.agent.map.charts()
    if not charts:
        raise Refuse("the map has no charts")
    return [("remove_chart", {"chart": charts[-1].id})]


def _kind(columns: list[Column]) -> str:
    """Of one number its histogram, of two a scatter plot, over time a line, and bars for all groups."""
    last = columns[-1]
    if last.kind in ("date", "timestamp"):
        return "line"
    if not is_number(last):
        return "bar"
    return "histogram" if len(columns) == 1 else "scatter"


def _roles(kind: str, columns: list[Column]) -> dict[str, str]:
    """What was named first is shown along the second. What does not fit the tool refuses, and says why."""
    first, *rest = [column.name for column in columns]
    if rest:
        return {"x": rest[0], "y": first} if kind != "histogram" else {"x": first, "color": rest[0]}
    return {"y": first} if kind == "box" else {"x": first}


PLANS = {"Chart": chart, "RemoveChart": remove_chart}
