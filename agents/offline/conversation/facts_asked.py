"""Questions that ask a fact of the rows spoken of, and name neither them nor a column: `who recorded them`, `when was
the last one`, `how many of them fledged at least one chick`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from agents.domain import Table
from agents.offline.conversation.past_calls import tables_made
from agents.offline.conversation.pieces import message, one_of
from agents.offline.conversation.spoken import COUNTS, Again, Spoken, message_about_rows, number_of
from agents.offline.language.conditions.verbs import records
from agents.offline.language.lexicon import ADJECTIVES, SUPERLATIVES
from agents.offline.language.names.columns import measure_columns
from agents.offline.language.names.costs import TIMES
from agents.offline.language.names.dates import times_of
from agents.offline.language.words import are_forms, doers_of, name_words, singular, word_set
from agents.result_rows import rows_of

_WATCHED = word_set("record see saw observe spot find found report count survey monitor")
"""Verbs of those who record rows, however their column is called."""


@message_about_rows(r"(?:and )?who (?P<verb>\w+) (?:it|them|these|those)")
def _by_whom(spoken: Spoken, asked: re.Match[str], table: Table) -> Iterator[Again]:
    """`who recorded them`: the only column of people that is called after the verb, or of those who record rows."""
    verb = asked["verb"].lower()
    stems = [stem for ending in ("ed", "d", "s", "") if (stem := verb.removesuffix(ending))]
    watched = any(are_forms(stem, each) for stem in stems for each in _WATCHED)
    doers = {doer for stem in stems for doer in doers_of(stem)}
    doers |= {doer for each in _WATCHED for doer in doers_of(each)} if watched else set()
    called = {name for doer in doers for name in spoken.vocabulary.columns_called((table,), doer)}
    named = [each.name for each in table.columns if each.name in called and each.kind == "text"]
    if len(named) == 1:
        yield Again(f'who is the "{named[0]}" of them', spoken.memory.rows)


_ONE = r"(?: (?:one|of (?:them|these|those)))?"
_RECORDED = word_set("seen sighted observed recorded reported registered found made done added received")
"""Verbs for any date of a row."""
_FIRST = ("first", "earliest", "oldest", "longest")


@message_about_rows(
    r"(?:and )?(?:when (?:was|were|is|did|does|do|will) the"
    rf" (?P<which>first|earliest|oldest|last|latest|newest|most recent){_ONE}(?: (?P<verb>\w+))?"
    rf"|how long (?:has|have|is|was) the (?P<longest>oldest|longest|first|earliest){_ONE}"
    r" (?:been )?(?:waiting|open|pending|there))"
)
def _when(spoken: Spoken, asked: re.Match[str], table: Table) -> Iterator[Again]:
    """`when was the last one`, `how long has the oldest one been waiting`: the row with the latest or earliest date."""
    times = [each for each in table.columns if each.kind in ("date", "timestamp")]
    verb = (asked["verb"] or "").lower()
    named = [each for each in times if verb and records(each, verb)]
    if verb and not named and verb not in _RECORDED:
        return
    times = named or times
    times = times if len(times) == 1 else times_of(table)
    if len(times) == 1:
        most = "earliest" if (asked["which"] or asked["longest"]).lower() in _FIRST else "latest"
        yield Again(f'which of them has the {most} "{times[0].name}"', spoken.memory.rows)


@message_about_rows(
    r"(?:and )?(?P<asked>how many of (?:them|these|those)|which of (?:them|these|those)|which ones) (?P<verb>\w+)"
    rf" (?P<how>at least|more than|over|fewer than|less than|at most) (?P<n>{COUNTS}|one|a)"
    r"(?: (?P<noun>[^\W\d]+))?"
)
def _compared(spoken: Spoken, asked: re.Match[str], table: Table) -> Iterator[Again]:
    """`how many of them fledged at least one chick`: a number that is called after the verb, or after both words."""
    wanted = [name_words(each)[0] for each in (asked["verb"], asked["noun"] or asked["verb"])]
    named = [
        each.name
        for each in table.columns
        if each.kind in ("integer", "number")
        and all(
            any(are_forms(word, own) for own in (*name_words(each.name), *name_words(each.comment or "")))
            for word in wanted
        )
    ]
    if len(named) == 1:
        yield Again(
            f'{asked["asked"]} have {asked["how"]} {number_of(asked["n"])} "{named[0]}"', spoken.memory.rows
        )


@message_about_rows(
    r"(?:and )?how many (?:different |distinct )?(?P<kinds>[a-z]+(?: [a-z]+)?)(?: are there| is that)?"
)
def kinds_counted(spoken: Spoken, asked: re.Match[str], table: Table) -> Iterator[Again]:
    """`how many species` after nests were shown: the different values of their column, not a number of another
    table."""
    if table.is_result:
        return
    named = spoken.vocabulary.columns_called((table,), asked["kinds"])
    kinds = [each.name for each in table.columns if each.name in named and each.kind == "text"]
    words = name_words(asked["kinds"])
    is_table = spoken.vocabulary.match_table(words) is not None and words not in map(name_words, kinds)
    if len(named) == len(kinds) == 1 and not is_table:
        rows = table.name.replace("_", " ")
        yield Again(f"how many different {asked['kinds']} do those {rows} have", spoken.memory.rows)


@message(
    r"(?:and )?(?:how \w+ (?:is|was|are|were)|(?:what|where|who)(?:'s| is| was| were)) the"
    rf" (?P<most>{one_of([*SUPERLATIVES])}){_ONE}"
)
def _the_most(spoken: Spoken, asked: re.Match[str]) -> Iterator[Again]:
    """`how deep is the deepest`, `what was the longest one`."""
    yield Again(f"which of them is the {asked['most']}", spoken.memory.rows)


@message_about_rows(
    r"(?:and )?(?:who|what|when) (?:is|was|are|were)(?: the| its| their)? (?P<fact>[a-z]+(?: [a-z]+){0,2})"
)
def _fact(spoken: Spoken, asked: re.Match[str], table: Table) -> Iterator[Again]:
    """`who is the landlord` after a question about a single row: a column of that row."""
    rows = spoken.memory.rows
    named = spoken.vocabulary.columns_called((table,), asked["fact"])
    if len(named) == 1 and rows is not None and rows.single:
        yield Again(f'list it with "{named[0]}"', rows)
        yield Again(f'list them with "{named[0]}"', replace(rows, single=False))
    elif len(named) == 1 and asked[0].lower().startswith(("who", "and who")):
        yield Again(f'list them with "{named[0]}"', rows)


@message_about_rows(
    r"(?:and )?when (?:was|were) (?:they|these|those|them|it)(?: all)? (?P<done>(?:last )?[a-z]+ed|built)"
)
def _dates(spoken: Spoken, asked: re.Match[str], table: Table) -> Iterator[Again]:
    """`when were they last inspected`: the rows with the date of it."""
    named = spoken.vocabulary.columns_called((table,), asked["done"])
    times = [each for name in named if (each := table.column(name)) is not None and each.kind in TIMES]
    if len(times) == 1:
        yield Again(f'list them with "{times[0].name}"', spoken.memory.rows)


@message(
    r"(?:and )?(?:which|what) (?P<areas>[a-z]+(?: [a-z]+)?) (?:are|is|were|was) "
    r"(?:(?:the )?most(?: of)? (?:them|those|these)|(?:they|those|these) mostly)(?: in| inside)?"
)
def _areas_of_most(spoken: Spoken, asked: re.Match[str]) -> Iterator[Again]:
    """`which zone are most of them in`: the rows counted in each area, most of them first."""
    yield Again(f"how many of them are in each {asked['areas']}", spoken.memory.rows)


@message_about_rows(
    r"(?:and |so |but )?(?:(?:in|from|of|at) )?(?:which|what) (?P<what>[^\W\d]+(?: [^\W\d]+){0,2}?)"
    r" (?:are|were|is|was|do|did) (?:they|these|those|them)(?: all)?"
    r"(?: (?:(?:located|found|lying) )?(?:in|from|of|at|on|have|belong to))?"
)
def _values(spoken: Spoken, asked: re.Match[str], table: Table) -> Iterator[Again]:
    """`which countries are they in`: the values of a column of the rows with their numbers; else the areas with rows
    in them."""
    rows, words = spoken.memory.rows, name_words(asked["what"])
    if rows is not None and rows.single:
        return
    named = spoken.vocabulary.columns_called((table,), asked["what"])
    texts = [each.name for each in table.columns if each.name in named and each.kind in ("text", "boolean")]
    exact = [name for name in texts if name_words(name) == words]
    if exact or len(texts) == 1:
        yield Again(f'values of "{(exact or texts)[0]}" of them', rows)
    if not texts and spoken.vocabulary.match_table(words) is not None:
        before, _, noun = asked["what"].rpartition(" ")
        yield Again(f"how many of them are in each {f'{before} {singular(noun)}'.strip()}", rows)


def of_thing_made(spoken: Spoken, asked_now: str) -> Iterator[Again]:
    """`what's its area` right after an analysis that made one shape: of that shape, not of the place that it was made
    of. `what's its population` after one that found one row (`nearest city to Berlin`): of that row."""
    layer, made = spoken.layer, [table for done in spoken.last_calls for table in tables_made(done)]
    table = spoken.vocabulary.table(layer.table) if layer is not None and layer.table in made else None
    if layer is None or table is None or layer.count != 1:
        return
    fact = _fact_of_row(spoken, asked_now) if rows_of(table) else _size(spoken, asked_now)
    if fact is not None:
        yield Again(fact)


@message_about_rows(
    r"(?:and )?how (?P<how>[a-z]+) (?:is|was) it"
    r"|(?:and )?(?:(?:what is|what was|what's|whats|tell me|show me) )?its (?P<what>[^?,]+?)"
)
def _fact_of_row(spoken: Spoken, asked: re.Match[str], table: Table) -> str | None:
    measure = ADJECTIVES.get((asked["how"] or "").lower())
    own = measure_columns(table, measure) if measure is not None else ()
    named = own if asked["how"] else spoken.vocabulary.columns_called((table,), asked["what"])
    return f'list them with "{named[0]}"' if len(named) == 1 else None


@message(
    r"(?:(?:and|so|now|ok|please),? )*(?:(?:what is|what's|whats|what are|how much is|tell me|give me|show me) )?"
    r"(?:(?:the|its|their) )?(?:total )?(?P<what>area|size|extent|length)(?: of (?:it|that|this|them))?"
    r"(?P<unit> in [^?,]+?)?"
    r"|(?:and |so )?how (?:big|large|long) (?:is|are) (?:it|that|this|they)(?P<in> in [^?,]+?)?"
)
def _size(spoken: Spoken, asked: re.Match[str]) -> str | None:
    layer = spoken.layer
    long = _LONG.get(layer.geometry_type) if layer is not None else None
    if layer is None or long is None:
        return None
    west, south, east, north = layer.bounds or (0, 0, 0, 0)
    in_km = _IN_KM[long] if max(east - west, north - south) > _MUCH else ""
    fits = asked["what"] is None or (asked["what"].lower() == "length") == (long == "long")
    return f"how {long} is the layer `{layer.id}`{asked['unit'] or asked['in'] or in_km}" if fits else None


_LONG = {"polygon": "large", "line": "long"}
_IN_KM = {"large": " in km2", "long": " in km"}
_MUCH = 0.1
"""Minimum width or height of a shape, in degrees, whose size is given in kilometres."""


RULES = (_dates, _areas_of_most, _values, _by_whom, _when, _compared, _the_most, _fact)
