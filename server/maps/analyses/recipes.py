"""The recipes of a map: plans of its analyses saved under a name, shared by everyone on it.

Each change is recorded as an event of the map. Names are unique regardless of case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import delete, insert, select, update

from agents.core.nearest import nearest
from agents.domain import RecipeCard
from agents.offline.recipe_words import format_run, parse_run
from agents.worded import Template
from server import fault_texts
from server.gis.analysis.plan import Plan
from server.gis.analysis.recipes import Recipe, candidates, recipe_of
from server.gis.errors import listed
from server.maps.analyses.recipe_rows import card_of, recipes_of
from server.maps.analyses.store import AnalysisStore
from server.maps.faults import RequestFault
from server.maps.layers.verbs import BY_HAND, Author
from server.maps.log.event_log import EventLog
from server.maps.log.events import Change, clean_json
from server.maps.log.tables import recipe_table
from server.maps.log.writer import MapWriter

NEAREST_RECIPES = Template("map_nearest_recipes", "The nearest are: {names}.")
WITHOUT_RECIPES = Template("map_without_recipes", "It has none yet: save an analysis as one.")

NO_RECIPE = Template("map_no_recipe", "This map has no recipe {name}. {there}")
RECIPE_VALUE = Template(
    "map_recipe_value", "A value must not look like another parameter. Ask for it in the chat."
)

MAX_RECIPES = 100


class Recipes:
    """Saves, renames, removes and runs recipes. Raises RequestFault `unknown_recipe`, `conflict` or `too_large`."""

    def __init__(self, events: EventLog, analyses: AnalysisStore) -> None:
        self._events = events
        self._analyses = analyses

    async def cards(self, map_id: str) -> list[RecipeCard]:
        """The saved recipes of a map, as clients and agents see them."""
        return [card_of(recipe) for recipe in await self._analyses.recipes(map_id)]

    async def get(self, map_id: str, name: str) -> Recipe:
        """The recipe of this name. Raises RequestFault `not_found`."""
        return _named(await self._analyses.recipes(map_id), name)

    async def suggested(self, map_id: str, analysis_id: str) -> RecipeCard:
        """The recipe that saving this analysis would give, with everything that could be a parameter."""
        plan = await self._plan(map_id, analysis_id)
        return card_of(Recipe(name=plan.goal[:80] or "recipe", plan=plan, parameters=candidates(plan)))

    async def save(
        self,
        map_id: str,
        analysis_id: str | None,
        name: str,
        chosen: Sequence[str] | None,
        by: Author = BY_HAND,
    ) -> tuple[int, RecipeCard]:
        """Save an analysis, by default the latest that finished; returns the map's seq and the recipe."""
        recipe = recipe_of(_clean(name), await self._plan(map_id, analysis_id), chosen)
        async with self._events.writing(map_id, by.turn_id, by.server_id) as writer:
            await _check_free(writer, recipe.name)
            row = {
                "map_id": map_id,
                "name": recipe.name,
                "document": clean_json(recipe.model_dump(mode="json")),
            }
            await writer.connection.execute(insert(recipe_table), row)
            card = card_of(recipe)
            event = await writer.record(Change("recipe_saved", {"recipe": card.model_dump(mode="json")}))
        return event.seq, card

    async def rename(self, map_id: str, name: str, new_name: str, by: Author = BY_HAND) -> int:
        """Returns the seq of the event. Raises RequestFault if the recipe does not exist or the new name is taken."""
        wanted = _clean(new_name)
        async with self._events.writing(map_id, by.turn_id, by.server_id) as writer:
            recipe = _named(await recipes_of(writer.connection, map_id), name)
            if wanted.lower() != recipe.name.lower():
                await _check_free(writer, wanted)
            renamed = recipe.model_copy(update={"name": wanted})
            await writer.connection.execute(
                update(recipe_table)
                .where(recipe_table.c.map_id == map_id, recipe_table.c.name == recipe.name)
                .values(name=wanted, document=clean_json(renamed.model_dump(mode="json")))
            )
            event = await writer.record(Change("recipe_renamed", {"name": recipe.name, "new_name": wanted}))
        return event.seq

    async def remove(self, map_id: str, name: str, by: Author = BY_HAND) -> int:
        """Returns the seq of the event. Raises RequestFault `not_found`."""
        async with self._events.writing(map_id, by.turn_id, by.server_id) as writer:
            recipe = _named(await recipes_of(writer.connection, map_id), name)
            await writer.connection.execute(
                delete(recipe_table).where(
                    recipe_table.c.map_id == map_id, recipe_table.c.name == recipe.name
                )
            )
            event = await writer.record(Change("recipe_removed", {"name": recipe.name}))
        return event.seq

    async def request(self, map_id: str, name: str, values: Mapping[str, Any]) -> str:
        """The chat message that runs the recipe with these values. Raises RequestFault or GisError if it cannot run."""
        recipe = await self.get(map_id, name)
        recipe.filled(values)
        text = format_run(recipe.name, values)
        if parse_run(text, [card_of(recipe)]) != (
            recipe.name,
            {key: str(value) for key, value in values.items()},
        ):
            raise RequestFault("invalid_payload", RECIPE_VALUE())
        return text

    async def _plan(self, map_id: str, analysis_id: str | None) -> Plan:
        kept = (
            await self._analyses.latest(map_id)
            if analysis_id is None
            else await self._analyses.kept(map_id, analysis_id)
        )
        if kept is None or not kept.plan.steps:
            raise RequestFault("not_found", fault_texts.NOTHING_TO_SAVE())
        return kept.plan


def _named(recipes: Sequence[Recipe], name: str) -> Recipe:
    for recipe in recipes:
        if recipe.name.lower() == name.strip().lower():
            return recipe
    names = [recipe.name for recipe in recipes]
    close = nearest(name, names) or names
    there = NEAREST_RECIPES(names=listed(close)) if close else WITHOUT_RECIPES()
    raise RequestFault("unknown_recipe", NO_RECIPE(name=repr(name[:80]), there=there))


def _clean(name: str) -> str:
    clean = " ".join(name.replace("“", " ").replace("”", " ").replace('"', " ").split())
    if not 1 <= len(clean) <= 80:
        raise RequestFault("invalid_payload", fault_texts.RECIPE_NAME())
    return clean


async def _check_free(writer: MapWriter, name: str) -> None:
    query = select(recipe_table.c.name).where(recipe_table.c.map_id == writer.map_id)
    taken = list((await writer.connection.execute(query)).scalars())
    if name.lower() in {each.lower() for each in taken}:
        raise RequestFault("conflict", fault_texts.RECIPE_EXISTS(name=repr(name)))
    if len(taken) >= MAX_RECIPES:
        raise RequestFault("too_large", fault_texts.MAX_RECIPES(n=MAX_RECIPES))
