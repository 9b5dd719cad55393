"""What several commands of one request mean together."""

from __future__ import annotations

from dataclasses import replace

from agents.offline.meaning.intents import Analyse, Chart, Command, NotUnderstood, Refine, Show


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
    is `levees per owner and type as a bar chart`: else the chart was one of another table."""
    meant = command.intent
    if not before:
        return command
    first = before[0].intent
    named = isinstance(meant, Refine) and meant.subject is not None and bool(meant.subject.tables)
    grouped = isinstance(first, Analyse | Chart) or (isinstance(first, Show) and first.look.by is not None)
    columns = meant.columns[:1] if isinstance(meant, Chart) else ()
    charted = any(command.text.lower().startswith(each.text.lower()) for each in columns)
    if (named and isinstance(first, Analyse)) or (charted and grouped):
        return replace(command, intent=NotUnderstood("", command.text))
    return command
