"""What earlier calls of a conversation reveal: their results, the layers mentioned, the latest result."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from agents.core.messages import AssistantMessage, Message, ToolCall, ToolMessage
from agents.domain import Layer
from agents.offline.analyses_read import analysis_read
from agents.offline.answers.texts import HAS_MOST
from agents.offline.conversation.memory import Memory, Outcome, Rows, recall
from agents.offline.language.vocabulary import RESULTS, Vocabulary
from agents.offline.language.words import fold, name_words, word_set
from agents.offline.meaning import intents as i
from agents.offline.meaning.conditions import MOST_FIRST, Mention, OneOf, parts_of
from agents.offline.meaning.features import Features
from agents.offline.meaning.row_names import name_column
from agents.offline.meaning.scene import Done
from agents.worded import wording_of

_QUESTIONS = ("count_features", "query_features", "column_stats")
_LAYER_ARGUMENTS = ("layer_id", "layer")


@dataclass(frozen=True, slots=True)
class CommandSpan:
    """The command that a call belongs to, as a range of the message. `last`: the call completes the command;
    `corrected`: typing mistakes were corrected."""

    start: int
    end: int
    last: bool = field(compare=False)
    corrected: bool = field(default=False, compare=False)

    def call_id(self, message: int, number: int) -> str:
        """An id that encodes the span."""
        ends = f"{'last' if self.last else 'more'}{'~' if self.corrected else ''}"
        return f"offline-{message}-{self.start}-{self.end}-{number}-{ends}"

    @classmethod
    def of(cls, call: ToolCall) -> CommandSpan | None:
        """The span encoded in a call's id; None for other calls."""
        parts = call.id.split("-")
        if len(parts) != 6 or parts[0] != "offline" or not all(part.isdecimal() for part in parts[1:5]):
            return None
        ends = parts[5].removesuffix("~")
        return cls(int(parts[2]), int(parts[3]), ends == "last", parts[5] != ends)


def calls_made(messages: Sequence[Message]) -> tuple[Done, ...]:
    """The calls in the messages with their results, in order."""
    calls = {
        call.id: call
        for message in messages
        if isinstance(message, AssistantMessage)
        for call in message.calls
    }
    found = []
    for message in messages:
        for result in message.results if isinstance(message, ToolMessage) else ():
            call = calls.get(result.call_id)
            if call is not None:
                found.append(Done(call, {**_arguments(call), **result.filled}, result))
    return tuple(found)


def _arguments(call: ToolCall) -> dict[str, Any]:
    try:
        parsed = json.loads(call.arguments or "{}")
    except ValueError:
        return {}
    return parsed if isinstance(parsed, dict) else {}


def layers_spoken_of(messages: Sequence[Message], vocabulary: Vocabulary) -> tuple[str, ...]:
    """The layers mentioned, latest first: in calls since the latest memory, then those of the memory.

    For an analysis, the layer that shows its result.
    """
    memory, remembered = recall(messages)
    found: list[str] = []
    for done in reversed(calls_made(messages[remembered:])):
        if done.call.name == "run_analysis":
            tables = tables_made(done)
            drawn = [layer.id for layer in vocabulary.layers if layer.table in tables]
            if drawn or done.result.ok:
                found += drawn[-1:]
                break
        for name in _LAYER_ARGUMENTS:
            layer_id = done.arguments.get(name)
            if done.result.ok and isinstance(layer_id, str) and layer_id not in found:
                found.append(layer_id)
    return (*found, *(each for each in memory.layers if each not in found))


def rows_asked_about(done: Done, vocabulary: Vocabulary, intent: i.Intent | None = None) -> Rows | None:
    """The rows that a question counted, listed or summed, that a chart shows, or that share the name of a place; for a
    ranking, its first rows, unless its intent was a sorted list of all."""
    asked = done.arguments
    if done.call.name in ("find_place", "zoom_to"):
        return _called_alike(done, vocabulary)
    charted = done.call.name == "make_chart"
    if not (charted or done.call.name in _QUESTIONS) or not done.result.ok:
        return None
    if "sort" in asked and asked.get("limit") == 1:
        return _first_row(done)
    filters, table = asked.get("filters"), str(asked.get("data" if charted else "table", ""))
    rows = Rows(table, filters if isinstance(filters, dict) else None, charted)
    listed = (done.result.data or {}).get("rows")
    number = len(listed) if isinstance(listed, list) else 0
    if "sort" not in asked:
        return replace(rows, number=number) if asked.get("limit", MOST_FIRST) < MOST_FIRST else rows
    ranked = replace(rows, sort=asked["sort"], descending=bool(asked.get("descending")), number=number)
    is_of_all = isinstance(intent, i.Rows) and intent.top is not None and not intent.top.limit
    return replace(ranked, number=0) if is_of_all else ranked if number else None


def with_name_for_pronoun(memory: Memory, text: str, vocabulary: Vocabulary) -> str | None:
    """`how many cities does it have?`, `show its airports`, `what is its area?`, `how deep is it?` with the name of
    the place or row that the previous question was about. None for other texts."""
    if memory.rows is not None and (where := _WHERE_IT_IS.fullmatch(text)):
        if "first one" in text and not memory.rows.single:
            return None  # of a list in some order
        if where["go"] and memory.named:
            return "zoom to it" if memory.rows.single else f"zoom to {memory.named}"
        return "show it and zoom to it" if memory.rows.single else "show them and zoom to them"
    fact = _FACT_OF_IT.fullmatch(text)
    if fact is not None and memory.named:
        return _IT.sub(lambda _: memory.named, fact["asked"], count=1)
    asked = _ITS.fullmatch(text)
    if asked is None or not memory.named:
        return None
    rows = asked["counted"] or asked["rows"]
    words = name_words(rows)
    found = vocabulary.match_table(words)
    is_whole = found is not None and (found.length == len(words) or words[found.length] in _GOES_ON)
    if found is not None and not found.guessed and is_whole:
        begin = "how many " if asked["counted"] else asked["begin"]
        return f"{begin}{rows}{' are there' if asked['counted'] else ''} in {memory.named}"
    return f"{asked['begin']}the {rows} of {memory.named}" if asked["begin"] else None


_WHERE_IT_IS = re.compile(
    r"(?:and )?where (?:is|are) (?:it|that|they|those|these)[\s?,.]*(?:and )?(?:(?:can you )?show (?:me|us)"
    r"|(?:zoom|go|fly|take me) (?:there|to (?:it|them)|in))?\W*"
    r"|(?:and |please )*show (?:me|us) where(?: (?:it is|(?:they|those|these) are))?\W*"
    r"|(?P<go>zoom|go|fly|take me|jump) (?:in )?(?:there|to (?:it|that|them|those|these|that one|the first one))",
    re.IGNORECASE,
)
_FACT_OF_IT = re.compile(
    r"(?:and )?(?P<asked>how (?!many\b|much\b)\w+ (?:is|was) it|when (?:was|did) it \w+|who \w+ it"
    r"|how far is it from [^?]+|what(?: is| was|'s|s) it \w+ (?:for|by|of|from|with)"
    r"|(?:which|what) [^?]+ (?:is|was) it (?:in|on|at|from|under)"
    r"|(?:is|was|does|has) it [^?]+?)\s*\?*",
    re.IGNORECASE,
)
_IT = re.compile(r"\bit\b", re.IGNORECASE)
_GOES_ON = word_set("over above below under with without that which larger smaller bigger between")
_ITS = re.compile(
    r"(?:and )?how many (?P<counted>[^?]+?) (?:does|did) it have\s*\?*"
    r"|(?P<begin>(?:[a-z']+ ){1,3})its (?P<rows>[^?]+?)\s*\?*",
    re.IGNORECASE,
)


def rows_meant(rows: Rows | None, text: str) -> Rows | None:
    """The rows that a text may be about: the first row of a ranking only for `it` and `how many km?`."""
    return None if rows is not None and rows.single and not _SPEAKS_OF_ONE.search(text) else rows


def _called_alike(done: Done, vocabulary: Vocabulary) -> Rows | None:
    """The rows that share a name which was looked up or zoomed to before there are layers: `where is Springfield?`;
    None unless there are several."""
    data = done.result.data or {}
    places = [*data.get("places", ()), *filter(None, [data.get("place")]), *data.get("others", ())]
    table = vocabulary.table(str(places[0].get("table"))) if places else None
    named = name_column(table) if table is not None else None
    same = [each["name"] for each in places if table is not None and each.get("table") == table.id]
    alike = [each for each in same if fold(each) == fold(same[0])]
    if table is None or named is None or len(alike) < 2 or vocabulary.layers:
        return None
    return Rows(table.id, {"op": "in", "args": [{"property": named.name}, list(dict.fromkeys(alike))]})


def _first_row(done: Done) -> Rows | None:
    """The first row of a ranking, identified by its texts and integers."""
    data = done.result.data or {}
    values = dict(data["rows"][0]) if len(data.get("rows") or ()) == 1 else {}
    known = [
        {"op": "=", "args": [{"property": name}, value]}
        for name, value in values.items()
        if (isinstance(value, str) and not _DATE.match(value))
        or (isinstance(value, int) and value is not True)
    ]
    return Rows(str(data["table"]), {"op": "and", "args": known}, single=True) if len(known) > 1 else None


_SPEAKS_OF_ONE = re.compile(r"\b(?:it|its|it's)\b|^\W*(?:and )?how many \w+\W*$", re.IGNORECASE)
_DATE = re.compile(r"\d{4}-\d\d-\d\d")


def latest_result(messages: Sequence[Message], vocabulary: Vocabulary) -> str | None:
    """The table of the latest analysis that produced one, if it still exists."""
    for done in reversed(calls_made(messages)):
        if done.call.name in ("run_analysis", "run_recipe") and done.result.ok:
            results = [each for each in tables_made(done) if vocabulary.table(each) is not None]
            if results:
                return results[-1]
    return None


def tables_made(done: Done) -> list[str]:
    """The tables that a call made, in order, not those that it read."""
    tables = [str(receipt.get("table")) for receipt in done.result.receipts]
    return [each for each in tables if each.startswith(f"{RESULTS}.")]


def first_of_ranking(done: Done) -> str:
    """The name of the only group that has the most or fewest rows in the answer of an analysis; else empty."""
    data = done.result.data if done.call.name == "run_analysis" else None
    answer = data.get("answer", "") if isinstance(data, Mapping) else ""
    for part in wording_of(answer):
        if part.code in {each.code for each in HAS_MOST.values()} and part.values["n"].number == 1:
            names = part.values["names"]
            return str(answer)[part.start : part.end][names.start : names.end]
    return ""


def layers_added(calls: Sequence[Done], layers: Sequence[Layer]) -> set[str]:
    """The layers that calls added to the map, including results of analyses."""
    done = [each for each in calls if each.result.ok]
    tables = {table for each in done if each.call.name == "run_analysis" for table in tables_made(each)}
    added = {each.result.data["layer_id"] for each in done if each.call.name == "add_map_layer"}
    return added | {layer.id for layer in layers if layer.table in tables}


def is_partly_done(calls: Sequence[Done]) -> bool:
    """Whether the calls completed a command before they ended."""
    spans = [(CommandSpan.of(each.call), each) for each in calls]
    return any(span is not None and span.last and ending(each) is None for span, each in spans)


def ending(done: Done) -> Outcome | None:
    """The outcome if a call ends the turn: it failed or was refused; else None."""
    if not done.result.ok:
        return "failed"
    if done.call.name == "cannot_do":
        return "refused"
    if done.call.name == "run_analysis" and not (done.result.data or {}).get("finished", True):
        return "refused"
    return None


def question_asked(command: i.Command, calls: Sequence[Done]) -> str:
    """The words of a question, for follow-ups.

    A figure of unnamed rows gets `of them`. Of an analysis, the goal as the analyst saw it, with the layer that
    `them` meant then.
    """
    goals = [each.arguments["goal"] for each in calls if each.call.name == "run_analysis"]
    meant, text = command.intent, _NOW.sub("", goals[0] if goals else command.text)
    if not (_looks_up(meant) or isinstance(meant, i.Count | i.Statistic | i.Rows | i.Lookup | i.Analyse)):
        return ""
    if not (isinstance(meant, i.Statistic) and meant.subject.pronoun) or re.search(
        r"\b(?:it|them|these|those|they|their|its|that|this|ones)\b", text, re.IGNORECASE
    ):
        return text
    return f"{text} of them" if meant.where is None else ""


def _looks_up(meant: Any) -> bool:
    """Whether it asks where a place is."""
    return isinstance(meant, i.UseTool) and meant.tool == "find_place"


_NOW = re.compile(r"(?: (?:right now|now|currently|at the moment|please|pls))*[ ?!.]*$", re.IGNORECASE)
"""Closing words, after which nothing can be added."""


def draws_rows(calls: Sequence[Done], rows: Rows | None) -> bool:
    """Whether a turn only drew the rows of the previous question, so that `and the lowest?` continues that."""
    drawn = [each for each in calls if each.call.name == "add_map_layer"]
    is_drawing = rows is not None and all(each.call.name in ("add_map_layer", "zoom_to") for each in calls)
    return is_drawing and [each.arguments.get("table") for each in drawn] == [rows.table if rows else ""]


def is_chart_of_answer(command: i.Command) -> bool:
    """Whether a command only draws the previous answer as a chart, so that the question may be asked again."""
    meant = command.intent
    return isinstance(meant, i.Chart) and meant.subject.pronoun and not meant.columns


def rows_listed(command: i.Command) -> str:
    """The words of a request for unsorted rows, to which a condition can be added."""
    meant = command.intent
    is_list = isinstance(meant, i.Rows) and meant.top is None and not meant.subject.of_layer
    return command.text.rstrip(" ?!.") if is_list else ""


def rows_named(command: i.Command) -> str:
    """The words of a count or a list for its rows, unless they refer to earlier ones."""
    meant = command.intent
    if not isinstance(meant, i.Count | i.Rows) or meant.subject.pronoun:
        return ""
    if isinstance(meant, i.Rows):
        found = _LISTED.fullmatch(rows_listed(command))
    else:
        is_plain = meant.other is None and meant.versus is None and not meant.share
        found = _COUNTED.fullmatch(command.text) if is_plain else None
    return found["rows"] if found is not None else ""


_COUNTED = re.compile(
    r"(?:how many|number of|count(?: of)?) (?:the )?(?P<rows>.+?)(?: (?:are|is) there| do we have| in total)*[ ?!.]*",
    re.IGNORECASE,
)
_LISTED = re.compile(
    r"(?:which|what|list|show|name|give me)(?: me)?(?: all)?(?: the)? (?P<rows>.+)", re.IGNORECASE
)


async def question_about(command: i.Command, vocabulary: Vocabulary) -> str:
    """The request with `{}` for its only place or value; empty if it has none or several."""
    meant: Any = command.intent
    if isinstance(meant, i.Analyse):
        meant = await analysis_read(meant.goal, vocabulary)
    elif not (
        _looks_up(meant) or isinstance(meant, i.Count | i.Lookup | i.Statistic | i.Rows | i.Show | i.Chart)
    ):
        return ""
    parts = parts_of(meant)
    named = [meant.of, *meant.others] if isinstance(meant, i.Lookup) else []
    named += [dict(meant.arguments)["text"]] if _looks_up(meant) else []
    named += [each.text for each in parts if isinstance(each, OneOf) and each.how in ("in", "of")]
    named += [each.text for each in parts if isinstance(each, Mention) and each.of_value]
    named += [each.place for each in parts if isinstance(each, Features) and each.place]
    named = named or [each.text for each in parts if isinstance(each, OneOf) and each.how in ("kind", "is")]
    named = list(dict.fromkeys(named))
    if len(named) != 1 or command.text.count(named[0]) != 1 or "{}" in command.text:
        return ""
    return command.text.rstrip(" ?!.").replace(named[0], "{}")
