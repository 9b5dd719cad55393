"""Interprets several commands of one request together."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from agents.offline.answers import refusals
from agents.offline.commands.assembly.fitting import names_no_fact
from agents.offline.language.lexicon import SHOW, STARTS, STATISTICS
from agents.offline.language.names.columns import columns_called, measure_columns
from agents.offline.language.names.costs import TIMES
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import is_plural, name_words
from agents.offline.meaning.conditions import all_of
from agents.offline.meaning.intents import (
    Analyse,
    Chart,
    Command,
    Count,
    Lookup,
    NotUnderstood,
    Refine,
    Rows,
    Show,
    Statistic,
    Unsupported,
)
from agents.offline.meaning.steps import AnalysisStep
from agents.units import UNITS


def refuse_unread(commands: list[Command]) -> list[Command]:
    """The commands, with an unread analysis among several marked as not understood, so that none is carried out."""
    if len(commands) < 2:
        return commands
    return [
        replace(each, intent=NotUnderstood("", each.text))
        if isinstance(each.intent, Analyse) and not each.intent.is_read
        else each
        for each in commands
    ]


def is_contrast(text: str, start: int) -> bool:
    """Whether what begins at `start` follows `but`: it restricts what was said before, and is no request of its own, as
    in `the smallest country but with at least one airport`."""
    return text[:start].lower().rstrip(" ,").endswith(" but")


def with_next(
    text: str,
    before: list[Command],
    command: Command,
    vocabulary: Vocabulary,
    read: Callable[[str, Vocabulary], list[Command]],
) -> list[Command]:
    """The commands and a further one, as they are meant together. `read`: reads words as commands."""
    before = apply_to_all_nouns(text, before, command, vocabulary, read)
    return _ranked_of_fewer(text, [*before, _check_continuation(command, before[-1:])])


def _check_continuation(command: Command, before: list[Command]) -> Command:
    """The command after others, refused if it belongs to the previous one.

    `average beds by operator, only hospitals with emergency` is one request (else the figures cover all rows), and so
    is `levees per owner and type as a bar chart`. After figures of groups, `and how many valves?` asks for the valves
    of each group.
    """
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
    # `population by country, only countries with more than 20 cities`
    named |= isinstance(meant, Analyse) and command.text.split()[0].lower() in ("only", "just")
    grouped = isinstance(first, Analyse | Chart) or (isinstance(first, Show) and first.look.by is not None)
    columns = meant.columns[:1] if isinstance(meant, Chart) else ()
    charted = any(command.text.lower().startswith(each.text.lower()) for each in columns)
    if also_counts and isinstance(first, Analyse):
        reason = refusals.ONE_NUMBER(both=f"{before[0].text}, {command.text}".rstrip(" ?"))
        return replace(command, intent=Unsupported(reason, refusals.ONE_NUMBER_DO()))
    if (named and isinstance(first, Analyse)) or (charted and grouped):
        return replace(command, intent=NotUnderstood("", command.text))
    return command


_SAME_REQUEST = (",", "but", ", but", "and", ", and")
_ENDS = ("?", ".", ";")


def _ranked_of_fewer(text: str, commands: list[Command]) -> list[Command]:
    """The commands, with a last one that leaves rows out of the ranking before it made part of that ranking: `most
    populous countries, top 15, but leave out those under 1000 km2`. It is not understood after a ranking of groups."""
    *before, last = commands
    if not before or not isinstance(last.intent, Refine) or last.intent.verb not in ("", "exclude"):
        return commands
    first, meant = before[-1], last.intent
    is_part = meant.mode == "and" and meant.top is None
    joined_on = (*_SAME_REQUEST, *_ENDS) if meant.verb else _SAME_REQUEST
    if text[first.end : last.start].strip() not in joined_on or not is_part:
        return commands
    ranked, tables = first.intent, meant.subject.tables if meant.subject is not None else ()
    is_own = meant.subject is None or meant.subject.everything or (tables and not meant.subject.layers)
    if not is_own or meant.where is None:
        return commands
    operations = [each.operation for each in getattr(ranked, "steps", ()) if isinstance(each, AnalysisStep)]
    if isinstance(ranked, Analyse) and "top" in operations:
        return [*before, replace(last, intent=NotUnderstood("", last.text))]
    if not isinstance(ranked, Rows | Show) or ranked.top is None or not {*tables} <= {*ranked.subject.tables}:
        return commands
    where = all_of(ranked.where, meant.where)
    whole = text[first.start : last.end]
    return [*before[:-1], replace(first, intent=replace(ranked, where=where), end=last.end, text=whole)]


def apply_to_all_nouns(
    text: str,
    before: list[Command],
    last: Command,
    vocabulary: Vocabulary,
    read: Callable[[str, Vocabulary], list[Command]],
) -> list[Command]:
    """The commands before the last one, with conditions after the last noun applied to all nouns: `trees, bins and
    benches in Riverside`, `trees and benches within 50 m of a school`, `number of schools and total capacity in
    Ledeberg`. `read`: reads words as commands."""
    is_listed = bool(before) and text[before[-1].end : last.start].strip() in _LIST_JOINERS
    if is_listed and (figure := _with_rows_of(before[-1], last, vocabulary, read)) is not None:
        return [*before[:-1], figure]
    if before and (
        _is_fact_of(before[-1], last, vocabulary) or (is_listed and _is_unknown(before[-1], last, vocabulary))
    ):
        return [*before[:-1], replace(before[-1], intent=NotUnderstood("", before[-1].text))]
    behind = _after_noun(last, vocabulary, read) if before and not _is_about(last, before[-1]) else ""
    at, following = len(before), last
    while behind and at and _ends_with_noun(before[at - 1]):
        if text[before[at - 1].end : following.start].strip() not in _LIST_JOINERS:
            break
        at, following = at - 1, before[at - 1]
    commands = before[:at]
    for each in before[at:]:
        whole = read(f"{each.text}{behind}", vocabulary)
        kind = Count if isinstance(last.intent, Statistic) else type(last.intent)
        fits = len(whole) == 1 and type(whole[0].intent) is kind
        commands.append(replace(each, intent=whole[0].intent if fits else NotUnderstood("", each.text)))
    return commands


def _with_rows_of(
    figure: Command, last: Command, vocabulary: Vocabulary, read: Callable[[str, Vocabulary], list[Command]]
) -> Command | None:
    """A figure without rows, of those that the next one is of: `total cost and number of repairs completed in 2024`;
    not understood if that cannot be read. None for others."""
    meant, own = last.intent, figure.intent
    is_bare = isinstance(own, Statistic) and own.where is None and own.subject.text == own.column.text
    if not is_bare or {*last.text.lower().split()[:1]} & _VERBS:
        return None
    unread = replace(figure, intent=NotUnderstood("", figure.text))
    if not isinstance(meant, Count | Statistic):
        return unread if isinstance(meant, Lookup | Refine | Show) else None
    if meant.where is None:
        return None
    rows = re.sub(r"^(?:how many|.*?\bof) ", "", last.text, count=1, flags=re.IGNORECASE)
    whole = read(f"{figure.text} of {rows}", vocabulary)
    found = whole[0].intent if len(whole) == 1 else None
    fits = isinstance(found, Statistic) and found.where is not None
    return replace(figure, intent=found) if fits and found is not None else unread


_VERBS = STARTS - {"how", "number", "count"} - STATISTICS.keys()


def _is_unknown(shown: Command, last: Command, vocabulary: Vocabulary) -> bool:
    """Whether words without a meaning follow the rows to show, which a place behind them may be of, too: `show stock
    and bus stops in Govan`."""
    return (
        _ends_with_noun(shown) and isinstance(last.intent, Lookup) and names_no_fact(last.intent, vocabulary)
    )


def _is_fact_of(counted: Command, last: Command, vocabulary: Vocabulary) -> bool:
    """Whether a column of the rows that were counted follows, and a place that both may be of: `number of accidents and
    injured in Ledeberg`."""
    if not isinstance(counted.intent, Count) or not isinstance(last.intent, Lookup):
        return False
    tables = vocabulary.tables(counted.intent.subject.tables)
    return _ends_with_noun(counted) and bool(vocabulary.columns_called(tables, last.intent.words))


def _is_about(command: Command, before: Command) -> bool:
    """Whether `it` means the only row of the command before: `the Laidley Creek catchment and the crossings in it`."""
    shown = before.intent
    is_one = isinstance(shown, Show) and shown.where is not None and not is_plural(shown.subject.text)
    return is_one and _OF_IT.search(command.text) is not None


_OF_IT = re.compile(r"\b(?:in|inside|within|of|on|along|near|around|from|to) it\b", re.IGNORECASE)
_LIST_JOINERS = (",", "and", ", and", "&")


def _ends_with_noun(command: Command) -> bool:
    """Whether nothing follows the noun of the rows that a command shows or counts."""
    meant = command.intent
    if not isinstance(meant, Count | Show) or not meant.subject.tables:
        return False
    is_plain = isinstance(meant, Count) or (meant.top is None and meant.look.empty)
    return is_plain and command.text.endswith(meant.subject.text)


def _after_noun(
    command: Command, vocabulary: Vocabulary, read: Callable[[str, Vocabulary], list[Command]]
) -> str:
    """The conditions after the noun, as written."""
    meant = command.intent
    if isinstance(meant, Analyse):
        noun = _noun_near(meant) if meant.is_read else ""
        counting, _, behind = command.text.partition(noun) if noun else (command.text, "", "")
        return behind if counting.lower().strip() in ("", "how many") else ""
    if isinstance(meant, Statistic) and meant.where is not None:
        behind = command.text.partition(meant.column.text)[2]
        return "" if behind.lstrip().startswith("of ") else behind
    if isinstance(meant, Count) and meant.where is not None and meant.subject.tables:
        return command.text.partition(meant.subject.text)[2]
    if not isinstance(meant, Show) or meant.where is None:
        return ""
    start, noun, behind = command.text.partition(meant.subject.text)
    if {*start.lower().split()[:1]} & STARTS:
        return ""  # a request of its own
    alone = read(f"{noun}{behind}", vocabulary) if behind else []
    has_condition = (
        len(alone) == 1 and isinstance(alone[0].intent, Show) and alone[0].intent.where is not None
    )
    return behind if has_condition and meant.top is None else ""


def _noun_near(meant: Analyse) -> str:
    """The rows that are searched near or in others."""
    step = meant.steps[0] if len(meant.steps) == 1 else None
    if not isinstance(step, AnalysisStep) or step.operation != "select_by_location":
        return ""
    source = step.inputs[0][1]
    ends_with_noun = source.mention is not None and source.text.endswith(source.mention.text)
    return source.text if ends_with_noun and not source.made else ""


_LENGTHS = "|".join(name for name, unit in UNITS.items() if unit.dimension == "length")
_ONE_DISTANCE = re.compile(rf"\d[\d.]*(?: ?(?P<unit>{_LENGTHS})\b)?", re.IGNORECASE)
_ANY_DISTANCE = _ONE_DISTANCE.pattern.replace("?P<unit>", "?:")
_DISTANCES = re.compile(
    rf"\b(?:within|closer than|less than|in a radius of|at most) "
    rf"(?P<all>{_ANY_DISTANCE}(?:(?:, and |,? and |, ?){_ANY_DISTANCE})+) (?:of|from|around|to)\b",
    re.IGNORECASE,
)


def with_each_distance(text: str, start: int, read: Callable[[str], list[Command]]) -> list[Command]:
    """`population within 50, 100 and 200 km of Madrid`: a request for each distance; empty for other requests. `read`:
    reads a request."""
    asked = _DISTANCES.search(text)
    found = [*_ONE_DISTANCE.finditer(text, *asked.span("all"))] if asked is not None else []
    commands: list[Command] = []
    for each in found if found and found[-1]["unit"] else ():
        far = each[0] if each["unit"] else f"{each[0]} {found[-1]['unit']}"
        request = f"{text[: found[0].start()]}{far}{text[found[-1].end() :]}"
        whole = read(request)
        if len(whole) != 1 or isinstance(whole[0].intent, NotUnderstood | Unsupported):
            return []
        begin, end = (each.start() if commands else 0), (len(text) if each is found[-1] else each.end())
        commands.append(replace(whole[0], start=begin, end=end, text=request))
    return [each for each in commands if each.end > start]


_WITH_OR_WITHOUT = re.compile(
    r"(?P<rows>.+? )(?:with|that have|which have|have|has|having) (?P<what>[^,?]+?),?"
    r" (?:vs\.?|versus|and|or|compared (?:to|with)) (?:how many |of )?(?:those |the ones |that |which |of them )?"
    r"(?:without(?: (?:it|one|any|them))?|(?:don't|do not)(?: have (?:it|one|any))?|have (?:none|not))"
    r"|(?P<before>.+? )with,? (?:vs\.?|versus|and|or) without (?P<all>[^,?]+?)",
    re.IGNORECASE,
)


def with_or_without(text: str, start: int, read: Callable[[str], list[Command]]) -> list[Command]:
    """`count airports with an iata code vs without`: the numbers of the rows that have it and of those that do not;
    empty for other requests. `read`: reads a request."""
    asked = _WITH_OR_WITHOUT.fullmatch(text.strip(" ?.!"))
    if asked is None:
        return []
    rows, what = asked["rows"] or asked["before"], asked["what"] or asked["all"]
    both = [read(f"{rows}{each} {what}") for each in ("with", "without")]
    if any(len(each) != 1 or not isinstance(each[0].intent, Count) for each in both):
        return []
    (held,), (lacking,) = both
    commands = replace(held, start=0, end=len(rows)), replace(lacking, start=len(rows), end=len(text))
    return [each for each in commands if each.end > start]


_AND_OF_IT = re.compile(
    r"(?P<first>(?:which|what|who)\b.+?),? and (?P<how>when|how \w+) (?:was|is|did) it(?: (?P<done>\w+))?\W*",
    re.IGNORECASE,
)
_MADE = ("built", "made", "constructed", "opened")


def with_fact_of_it(
    text: str, start: int, vocabulary: Vocabulary, read: Callable[[str], Sequence[Command]]
) -> Command | None:
    """`which park is the biggest and when was it acquired?`: the first row of a ranking with another column; None for
    other requests. `read`: reads a request."""
    asked = _AND_OF_IT.fullmatch(text[start:].strip())
    commands = read(asked["first"]) if asked is not None else ()
    meant = commands[0].intent if len(commands) == 1 else None
    if asked is None or not isinstance(meant, Rows) or meant.top is None or meant.limit != 1:
        return None
    table = vocabulary.table(meant.subject.tables[0]) if len(meant.subject.tables) == 1 else None
    if table is None:
        return None
    how, done = asked["how"].lower().split()[-1], (asked["done"] or "").lower()
    if how == "when":
        names = columns_called((table,), name_words(done), lambda each: each.kind in TIMES)
    else:
        names = measure_columns(table, how)
    is_ranked_by_it = meant.top.measure == "old" and (done in _MADE or how == "old")
    if len(names) != 1 and not is_ranked_by_it:
        return None
    columns = () if is_ranked_by_it else tuple(names)
    return Command(replace(meant, columns=(*meant.columns, *columns)), start, len(text), text[start:])
