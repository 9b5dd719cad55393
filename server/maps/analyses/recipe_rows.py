"""The recipes of a map as database rows, and as cards for users and models."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from agents.domain import RecipeCard, RecipeParameter
from server.gis.analysis.recipes import Recipe
from server.maps.log.tables import recipe_table


async def recipes_of(connection: AsyncConnection, map_id: str) -> list[Recipe]:
    """The recipes of a map, sorted by name."""
    query = select(recipe_table.c.document).where(recipe_table.c.map_id == map_id)
    found = await connection.execute(query.order_by(recipe_table.c.name))
    return [Recipe.model_validate(document, extra="ignore") for document in found.scalars()]


def card_of(recipe: Recipe) -> RecipeCard:
    """The summary of a recipe: its goal, step titles and parameters."""
    titles = {step.id: step.title or step.operation for step in recipe.plan.steps}
    return RecipeCard(
        name=recipe.name,
        goal=recipe.plan.goal,
        steps=tuple(titles.values()),
        parameters=tuple(
            RecipeParameter(name=name, step=titles[place.step], **place.model_dump(exclude={"step", "path"}))
            for name, place in recipe.parameters.items()
        ),
    )
