"""What several commands of one request mean together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from agents.offline.answers import refusals
from agents.offline.language.lexicon import SHOW
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.meaning.conditions import OneOf
from agents.offline.meaning.intents import (
    Analyse,
    Chart,
    Command,
    Count,
    NotUnderstood,
    Refine,
    Show,
    Unsupported,
)
from agents.offline.meaning.steps import AnalysisStep


def all_read(commands: list[Command]) -> list[Command]:
    """Of several commands none is carried out where one is an analysis that could not be read."""
    if len(commands) < 2:
        return commands
    return [
        replace(each, intent=NotUnderstood("", each.text))
        if isinstance(each.intent, Analyse) and not each.intent.is_read
        else each
        for each in commands
    ]


def of_rows_analysed(command: Command, before: list[Command]) -> Command:
    """`average beds by operator, only hospitals with emergency` is one request: else the figures were of all rows; so
    is `levees per owner and type as a bar chart`: else the chart was one of another table. Behind figures of groups
    `and how many valves?` asks for the valves of each of them."""
    meant = command.intent
    if not before:
        return command
    first = before[0].intent
    also_counts = (
        isinstance(meant, Count) and meant.where is None and command.text.lower().startswith("how many")
    )
    named = isinstance(meant, Refine) and meant.subject is not None and bool(meant.subject.tables)
    # `trees by species, oaks planted since 2020`
    named |= (
        isinstance(meant, Show) and meant.where is not None and command.text.split()[0].lower() not in SHOW
    )
    grouped = isinstance(first, Analyse | Chart) or (isinstance(first, Show) and first.look.by is not None)
    columns = meant.columns[:1] if isinstance(meant, Chart) else ()
    charted = any(command.text.lower().startswith(each.text.lower()) for each in columns)
    if also_counts and isinstance(first, Analyse):
        reason = refusals.UNSUPPORTED_ONE_NUMBER(both=f"{before[0].text}, {command.text}".rstrip(" ?"))
        return replace(command, intent=Unsupported(reason, refusals.UNSUPPORTED_ONE_NUMBER_DO()))
    if (named and isinstance(first, Analyse)) or (charted and grouped):
        return replace(command, intent=NotUnderstood("", command.text))
    return command


def of_both(
    text: str,
    before: list[Command],
    second: Command,
    vocabulary: Vocabulary,
    read: Callable[[str, Vocabulary], list[Command]],
) -> list[Command]:
    """Of `trees and benches in Riverside`, `… within 50 m of a school` the trees, where the place behind the second
    noun is that of both; other commands as they are. `read`: reads words as commands."""
    if not before or text[before[0].end : second.start].strip() != "and":
        return before
    (first,), shown, meant = before, before[0].intent, second.intent
    is_plain = isinstance(shown, Show) and shown == Show(shown.subject) and bool(shown.subject.tables)
    if not is_plain:
        return before
    if isinstance(meant, Show):
        is_placed = isinstance(meant.where, OneOf) and meant.where.how == "in" and meant.top is None
        noun = meant.subject.text if is_placed else ""
    else:
        noun = _noun_near(meant) if isinstance(meant, Analyse) and meant.is_read else ""
    if not noun or not second.text.startswith(noun):
        return before
    whole = read(f"{first.text}{second.text[len(noun) :]}", vocabulary)
    fits = len(whole) == 1 and type(whole[0].intent) is type(meant)
    return [replace(first, intent=whole[0].intent if fits else NotUnderstood("", first.text))]


def _noun_near(meant: Analyse) -> str:
    """The rows that are looked for near or in others."""
    step = meant.steps[0] if len(meant.steps) == 1 else None
    if not isinstance(step, AnalysisStep) or step.operation != "select_by_location":
        return ""
    source = step.inputs[0][1]
    return source.text if source.where is None and not source.made else ""
