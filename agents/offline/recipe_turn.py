"""Replies about recipes and results: one tool call, then its outcome."""

from __future__ import annotations

import json
from collections.abc import Sequence

from agents.core.messages import AssistantMessage, ToolCall
from agents.core.model import ModelRequest
from agents.domain import RecipeCard
from agents.offline.answers import refusals
from agents.offline.answers.wording import failed
from agents.offline.language.reading import read
from agents.offline.meaning.scene import Done, MapAgent
from agents.offline.recipe_words import parse_recipe_command
from agents.ports import Analyst
from agents.worded import joined

_ID = "recipe-"


async def recipe_reply(
    request: ModelRequest, agent: MapAgent, text: str, done: Sequence[Done], tools: frozenset[str]
) -> AssistantMessage | None:
    """The reply to a message about recipes or results; None for other messages."""
    if done and done[-1].call.id.startswith(_ID):
        return AssistantMessage(_outcome(done[-1]))
    analyst: Analyst | None = getattr(agent, "analyst", None)
    about = "recipe" in text.lower() or "result" in text.lower()
    if done or not about or analyst is None or "save_recipe" not in tools:
        return None
    recipes = await analyst.recipes(agent.map)
    results = [table.id for table in agent.registry.own() if table.is_result]
    call = await read(parse_recipe_command, text, recipes, results)
    if call is None:
        return None
    if not call.tool:
        return AssistantMessage(_list_recipes(recipes))
    arguments = json.dumps(call.arguments, ensure_ascii=False, separators=(",", ":"))
    return AssistantMessage("", (ToolCall(f"{_ID}{len(request.messages)}", call.tool, arguments),))


def _outcome(done: Done) -> str:
    if not done.result.ok:
        return failed(done.result)
    facts = done.result.data
    match done.call.name:
        case "save_recipe":
            return refusals.SAVED(how=_how_to_run(RecipeCard.model_validate(facts["recipe"])))
        case "rename_recipe":
            return refusals.RENAMED(name=facts["name"])
        case "remove_recipe":
            return refusals.REMOVED(name=facts["removed"])
        case "drop_result":
            return refusals.DROPPED(table=facts["dropped"])
        case _:
            return (
                str(facts["answer"]) if isinstance(facts, dict) and "answer" in facts else done.result.content
            )


def _how_to_run(recipe: RecipeCard) -> str:
    values = " and ".join(f"{each.name} {each.default}" for each in recipe.parameters[:2])
    also = [each.name for each in recipe.parameters[2:]]
    rest = refusals.ALSO(names=", ".join(also)) if also else ""
    request = f"run recipe {recipe.name} with {values}" if values else f"run recipe {recipe.name}"
    return refusals.RUN_AGAIN(request=request) + rest


def _list_recipes(recipes: Sequence[RecipeCard]) -> str:
    if not recipes:
        return refusals.NO_RECIPES()
    return joined("\n", (joined("", (f"- **{each.name}**: ", _format_parameters(each))) for each in recipes))


def _format_parameters(recipe: RecipeCard) -> str:
    given = ", ".join(f"{each.name} {each.default}" for each in recipe.parameters)
    return given or refusals.NO_PARAMETERS()
