"""Questions about what exists: tables, layers, columns, places, and the commands themselves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agents.geo.wording.phrases import layer_words
from agents.offline.answers import refusals
from agents.offline.commands.requests import command
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import are_names, name_words
from agents.offline.meaning.conditions import Group, Mention, OneOf
from agents.offline.meaning.intents import (
    Describe,
    Greeting,
    Help,
    Intent,
    ListLayers,
    Lookup,
    Show,
    UseTool,
)
from agents.offline.meaning.row_names import name_column
from agents.offline.meaning.scene import Calls, Say, Scene
from agents.offline.offers.suggestions import suggestions
from agents.worded import joined

MAX_TABLES_FOUND = 12
_HERE = "(here|in here|in there|available|loaded|in (the|this|my|your|our) (database|db)|to (choose from|work with))"
_ARE_THERE = (
    f"[(is|are) [there] [{_HERE}]|exist|(do (you|i|we) have|have (you|we) got) [{_HERE}]|there are"
    f"|can i (use|see|show|explore|query|ask about|work with)|{_HERE}]"
)
_DATA = "(tables|datasets|data sets|data sources)"
_OVERVIEW = "[give me|show me|show] [a|an|the] [quick|short] overview [(of|over) [all] [the|my|your|our] (data|tables)]"
_LIST_TABLES = (
    f"((what|which|list|show|show me) [all] [the|your|my|our] {_DATA} {_ARE_THERE}"
    f"|(what|which) data {_ARE_THERE}|(list|show|show me) [your|my|our] data|{_DATA}|available (tables|data)"
    f"|what can i (see|map|look at)|what (is|else is) there|(what is|what's|what do (you|we|i) have) {_HERE}"
    f"|what do you have|what have (you|i|we) got [{_HERE}]|what layers (are available|can i add)"
    f"|which layers (are available|can i add)|what can you show [me]|show me what you have|how many tables {_ARE_THERE}"
    f"|{_OVERVIEW})"
)
_LIST_LAYERS = (
    "((what|what's) [is] on the map|(what|which) layers [(are on the map|are there|do i have)]|list [all] layers"
    "|what do i see|what is (shown|displayed)|what am i looking at|show the legend|layers|how many layers [are there])"
)
_HELP = (
    "(help [me]|what can (you do|i do|i ask|i say)|what do you understand|how does this work|how do you work|commands"
    "|[give me|show me] examples|what are you|who are you|what is this|how do i start|instructions|manual|?)"
)
_ABOUT = "(about|for|on)"
_SEARCH = (
    f"(search [for] [tables {_ABOUT}]|find (tables|data) {_ABOUT}|(tables|data) (about|on)"
    f"|(is|are) there [any] (data|tables|anything) {_ABOUT}|anything about"
    f"|do you have [any] (data|anything) {_ABOUT}|(which|what) (tables|table) (are|is) about|look for"
    "|which tables mention)"
)
_DESCRIBE = (
    "(describe|explain|tell me [more] about|(information|info) (about|on)|details (of|about)"
    "|(what|which) columns are in"
    "|what are the columns of|[show [me]] columns (of|in)|fields of|schema of|structure of|what is in the table"
    "|(what is|what's) in|what do you know about|attributes of|more about|about)"
)
_TELL = (
    "(tell me [more|everything|something] about|(information|info|facts) (about|on)|details (of|about|for)"
    "|[show me|give me] everything about|what do you know about|describe)"
)
_GREETING = (
    "(hello [there]|hi [there]|hey [there]|good (morning|evening|afternoon|day)|moin|servus|hallo) [geoagent]"
)
_THANKS = (
    "(thank you [very much|so much]|thanks [a lot]|great|perfect|cool|nice|well done|good job|awesome)"
    " [job|work|thanks|thank you]"
)


def _described(bound: Mapping[str, Any], _: Vocabulary) -> Intent | None:
    return None if bound["table"].everything else Describe(bound["table"])


def _searched(bound: Mapping[str, Any], _: Vocabulary) -> Intent:
    wanted = {"text": bound["words"].strip('"'), "limit": MAX_TABLES_FOUND}
    return UseTool("search_tables", tuple(wanted.items()))


def _facts(bound: Mapping[str, Any], _: Vocabulary) -> Intent | None:
    """`tell me about Switzerland`: the numbers of the row with this name."""
    return Lookup("", bound["name"]) if are_names(bound["name"].strip('"')) else None


def _located(bound: Mapping[str, Any], _: Vocabulary) -> Intent:
    return UseTool("find_place", (("text", bound["place"].strip('"')),))


def _place_alone(bound: Mapping[str, Any], vocabulary: Vocabulary) -> Intent | None:
    """`find Lima`, unless it is the name of a table."""
    return None if vocabulary.is_named(name_words(bound["place"])) else _located(bound, vocabulary)


def _one_of_a_kind(bound: Mapping[str, Any], _: Vocabulary) -> Intent | None:
    """`where is the capital of Japan`: rows by a value and a place."""
    rows = bound["rows"]
    is_sure = rows.mention.of_value and isinstance(rows.where, Group) and rows.top is None
    if is_sure:
        return Show(rows.mention, where=rows.where, condition_text=rows.condition_text, zoom=True)
    return None


def _all_called(bound: Mapping[str, Any], vocabulary: Vocabulary) -> Intent | None:
    """`where are all places called San José`: the rows of exactly that name, of whichever table has some."""
    tables = tuple(each.id for each in vocabulary.few_tables if name_column(each) is not None)
    name = bound["name"].strip('"')
    return Show(Mention(name, tables), where=OneOf(f'"{name}"', how="named"), all=True) if tables else None


COMMANDS = (
    command(_LIST_TABLES, lambda bound, _: UseTool("list_tables")),
    command(_LIST_LAYERS, lambda bound, _: ListLayers()),
    command(_HELP, lambda bound, _: Help()),
    command(_GREETING, lambda bound, _: Greeting()),
    command(_THANKS, lambda bound, _: Greeting(thanks=True)),
    command(f"{_SEARCH} {{words:value}}", _searched),
    command(f"{_DESCRIBE} {{table:mention}}", _described),
    command("(what|which) (columns|fields|attributes) does {table:mention} (have|contain)", _described),
    command("how many (columns|fields|attributes) does {table:mention} have", _described),
    command(f"{_DESCRIBE} {{words:value}}", _searched, 2.0),
    command(f"{_TELL} {{name:value}}", _facts),
    command(
        "(where is|where's|wheres|where lies|locate|find the place|where can i find) [the (city|town|country) of]"
        " {place:value} [on the map|located|situated]",
        _located,
    ),
    command(
        "(where is|where's|wheres|where lies|locate) {rows:selection} [on the map]", _one_of_a_kind, -1.0
    ),
    command("find [me] {place:value} [on the map]", _place_alone, 3.0),
    command(
        "(where are|show [me]|list|find|map|display) [all] [of] [the] (places|locations|things)"
        " (called|named|with the name) {name:value} [on the map]",
        _all_called,
        -1.0,
    ),
)


async def list_layers(scene: Scene, intent: ListLayers) -> Calls:
    """List the layers of the map."""
    if not scene.layers:
        raise Say(joined(" ", filter(None, (refusals.SAY_NO_LAYERS(), scene.first_step()))))
    lines = [f"- {layer_words(layer)}" for layer in reversed(scene.layers)]
    raise Say(joined("\n", (refusals.LAYERS_LISTED(), *lines)))


async def describe(scene: Scene, intent: Describe) -> Calls:
    """Call `describe_table`."""
    return [("describe_table", {"table": scene.table_of(intent.subject).id})]


async def help_(scene: Scene, intent: Help) -> Calls:
    """List what can be asked, with examples for existing tables."""
    lines = [
        joined("", ("- ", example)) for example in suggestions(scene.agent.registry, scene.layers, limit=8)
    ]
    if not lines:
        raise Say(refusals.SAY_NO_TABLES())
    raise Say(joined("\n", (refusals.HELP(), *lines)))


async def greeting(scene: Scene, intent: Greeting) -> Calls:
    """Reply to a greeting or thanks."""
    if intent.thanks:
        raise Say(refusals.WELCOME())
    examples = suggestions(scene.agent.registry, scene.layers, limit=3)
    hint = (
        refusals.TRY(examples=joined("; ", (joined("", ("“", each, "”")) for each in examples)))
        if examples
        else ""
    )
    raise Say(refusals.HELLO(hint=hint))


PLANS = {
    "ListLayers": list_layers, "Describe": describe, "Help": help_, "Greeting": greeting,
}  # fmt: skip
