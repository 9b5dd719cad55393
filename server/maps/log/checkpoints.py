"""The layers and charts of a map as of some of its events: a moment is restored from the nearest one before it, so that
how long that takes does not grow with the log. They repeat what the log says, and may be deleted at any time."""

from __future__ import annotations

from pydantic import TypeAdapter
from sqlalchemy import ScalarSelect, func, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from agents.charts import Chart
from agents.domain import Layer
from server.maps.log.events import clean_json
from server.maps.log.replay import MapState
from server.maps.log.tables import checkpoint_table, map_table

EVENTS_PER_CHECKPOINT = 1_000
LAYERS: TypeAdapter[tuple[Layer, ...]] = TypeAdapter(tuple[Layer, ...])
CHARTS: TypeAdapter[tuple[Chart, ...]] = TypeAdapter(tuple[Chart, ...])

_OWN = checkpoint_table.c


def newest_checkpoint() -> ScalarSelect[int]:
    """The seq of the newest checkpoint of a map, 0 without one, as a column of a query of maps."""
    newest = select(func.coalesce(func.max(_OWN.seq), 0)).where(_OWN.map_id == map_table.c.id)
    return newest.scalar_subquery()


async def save_checkpoint(connection: AsyncConnection, map_id: str, state: MapState) -> None:
    """Keep the state of a map whose row the transaction has locked."""
    row = {
        "map_id": map_id,
        "seq": state.seq,
        "layers": clean_json(LAYERS.dump_python(state.layers, mode="json")),
        "charts": clean_json(CHARTS.dump_python(state.charts, mode="json")),
    }
    await connection.execute(insert(checkpoint_table), row)


async def checkpoint_before(connection: AsyncConnection, map_id: str, seq: int) -> MapState:
    """The newest kept state up to this event; an empty map without one."""
    query = select(_OWN.seq, _OWN.layers, _OWN.charts).where(_OWN.map_id == map_id, _OWN.seq <= seq)
    row = (await connection.execute(query.order_by(_OWN.seq.desc()).limit(1))).one_or_none()
    if row is None:
        return MapState()
    layers = LAYERS.validate_python(row.layers, extra="ignore")
    return MapState(row.seq, layers, CHARTS.validate_python(row.charts, extra="ignore"))
