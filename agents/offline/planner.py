"""Plans the tool calls that carry out an intent, one step at a time.

`plan` returns the calls of the next step, or none when the command is finished, and raises `Ask`, `Refuse` or `Say`
if there is nothing to call. It sees this command's earlier calls and their results.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.offline.answers import refusals
from agents.offline.commands import (
    catalogue,
    exports,
    history,
    layers,
    tools,
    view,
)
from agents.offline.commands.plans import charts, drawing, questions
from agents.offline.meaning.intents import Analyse, Chart, Export, Intent, Refine, Show
from agents.offline.meaning.scene import Refuse, Scene
from agents.offline.meaning.tables_meant import (
    refuse_partly_done,
    refuse_unnamed_rows,
    with_rows_spoken_of,
    with_tables_meant,
    with_unnamed_rows,
)

_PLANS: Mapping[str, Any] = {
    **drawing.PLANS, **questions.PLANS, **charts.PLANS, **layers.PLANS, **history.PLANS, **view.PLANS,
    **catalogue.PLANS, **tools.PLANS, **exports.PLANS,
}  # fmt: skip
_ON_THE_WAY = ("query_features", "count_features")
"""Tools that look up rows before they are drawn."""


@dataclass(frozen=True, slots=True)
class PlannedCall:
    """A call to make; `last`: it completes the command."""

    name: str
    arguments: Mapping[str, Any]
    last: bool = True


async def plan(scene: Scene, intent: Intent) -> list[PlannedCall]:
    """The next calls; none if the command is finished. Look-ups of rows are intermediate steps."""
    steps: Sequence[str] = _ON_THE_WAY if isinstance(intent, Show | Refine | Export | Chart) else ()
    if isinstance(intent, Show) and intent.zoom:
        steps = (*_ON_THE_WAY, "add_map_layer")
    if isinstance(intent, Analyse) and (intent.chart or not intent.look.empty):
        steps = ("run_analysis",)
    if any(each.call.name not in steps or not each.result.ok for each in scene.done):
        return []
    refuse_partly_done(scene, intent)
    refuse_unnamed_rows(scene, intent)
    intent = with_unnamed_rows(scene, intent)
    intent = await with_tables_meant(scene, with_rows_spoken_of(scene, intent))
    calls = await _PLANS[type(intent).__name__](scene, intent)
    title = getattr(intent, "chart_title", "") or (intent.title if isinstance(intent, Chart) else "")
    for name, arguments in calls:
        if title and name == "make_chart":
            arguments["title"] = title
        if name not in scene.tools:
            raise Refuse(refusals.NO_TOOL(name=name))
    return [PlannedCall(name, arguments, name not in steps) for name, arguments in calls]
