"""Rows by words that no value has: `free` campsites, `grizzly` sightings, stands that `didn't burn`."""

from __future__ import annotations

import datetime
import re

from agents.domain import Column, Cql2, Table
from agents.offline.language.conditions.explained_numbers import worst_is_greatest
from agents.offline.language.conditions.flags import flag_values, is_flag
from agents.offline.language.conditions.verbs import words_where_held
from agents.offline.language.lexicon import same_state, spelt_out
from agents.offline.language.names.columns import columns_called, measure_columns
from agents.offline.language.names.comments import codes_of, comment_head
from agents.offline.language.names.dates import due_dates
from agents.offline.language.words import are_forms, is_participle, name_words, word_set
from agents.offline.meaning.cql2 import contains, equals, negated, property_of
from agents.offline.meaning.filters.alike_columns import by_explanation
from agents.offline.meaning.filters.flags_in_words import flag_in_words
from agents.offline.meaning.filters.named_in_part import named_in_part
from agents.offline.meaning.row_names import name_column, text_columns
from agents.offline.meaning.scene import Scene, unless_failed
from agents.offline.meaning.units import name_without_unit

_CHARGES = word_set("fee fare price cost charge toll")
_NOT_DONE = re.compile(r"(?:did|do|does|have|has|had)(?:n't| not) (?P<verb>[a-z]+)", re.IGNORECASE)
_MOST_VALUES = 50
"""Maximum number of rows whose values are compared."""


async def in_other_words(scene: Scene, table: Table, text: str) -> Cql2 | None:
    """The rows; None if the words mean nothing of this kind."""
    return (
        _free(table, text)
        or _not_done(table, text)
        or state_alike(table, text)
        or _done_with(table, text)
        or _overdue(table, text)
        or await _beginning_so(scene, table, text)
        or by_explanation(table, text)
        or flag_in_words(table, text)
        or await named_in_part(
            scene, table, [c for c in text_columns(table) if c != name_column(table)], text
        )
    )


def state_alike(table: Table, text: str) -> Cql2 | None:
    """`approved`, of permits that are `granted`: the only value with that meaning, also by its explanation."""
    alike = same_state(text)
    texts = text_columns(table)
    found = [(each.name, v) for each in texts for v in each.samples if v.casefold() in alike]
    explained = [(each.name, *each_of) for each in texts for each_of in codes_of(each).items()]
    found += [(name, codes[0]) for name, words, codes in explained if len(words) == 1 and words[0] in alike]
    return equals(found[0][0], [found[0][1]]) if len(found) == 1 else None


def _done_with(table: Table, text: str) -> Cql2 | None:
    """`gas heated`, of `Gas CH` in `heat_src`: the only value that begins so, of a column called after the verb; `F
    rated`, of letters that are grades."""
    value, _, done = text.lower().rpartition(" ")
    words, is_verb = name_words(value), bool(value) and is_participle(done)
    named = [
        each for each in text_columns(table) if any(are_forms(done, own) for own in name_words(each.name))
    ]
    named = named or [c for c in text_columns(table) if done == "rated" and worst_is_greatest(c)]
    found = [(c.name, v) for c in named for v in c.samples if name_words(v)[: len(words)] == words]
    return equals(found[0][0], [found[0][1]]) if is_verb and len(found) == 1 else None


def _overdue(table: Table, text: str) -> Cql2 | None:
    """`overdue`, `overdue for inspection`: the only due date is past, and no state says that it is done."""
    due = due_dates(table)
    if not _OVERDUE.fullmatch(text) or len(due) != 1:
        return None
    today: Cql2 = {due[0].kind: datetime.date.today().isoformat()}
    if due[0].kind == "timestamp":
        today = {"timestamp": f"{datetime.date.today().isoformat()}T00:00:00Z"}
    past: Cql2 = {"op": "<", "args": [property_of(due[0].name), today]}
    done = {
        c.name: own for c in text_columns(table) if (own := [v for v in c.samples if v.casefold() in _DONE])
    }
    if done:
        return {"op": "and", "args": [past, *(negated(equals(name, own)) for name, own in done.items())]}
    return past


_OVERDUE = re.compile(
    r"(?:(?:whose|with|where|that|which|is|are) (?:.* )?)?(?:overdue|past due)(?: for .*)?", re.IGNORECASE
)
_DONE = word_set("closed completed complete done finished resolved fixed cancelled canceled withdrawn")


def _free(table: Table, text: str) -> Cql2 | None:
    """`free` and `free of charge`: the only charge is 0."""
    if text.lower() not in ("free", "free of charge"):
        return None
    charges = [name for name in measure_columns(table, "worth") if _CHARGES & spelt_out(name)]
    return equals(charges[0], [0]) if len(charges) == 1 else None


def _not_done(table: Table, text: str) -> Cql2 | None:
    """`didn't burn`, of a flag `burned`."""
    verb = _NOT_DONE.fullmatch(text)
    flags = columns_called((table,), name_words(verb["verb"]), is_flag) if verb is not None else []
    flag = table.column(flags[0]) if len(flags) == 1 else None
    done = flag_values(flag, True) if flag is not None else []
    return negated(equals(flag.name, done)) if flag is not None and done else None


async def _beginning_so(scene: Scene, table: Table, text: str) -> Cql2 | None:
    """`grizzly`, of “Grizzly bear”: the first word of common nouns, in one column only."""
    if not re.fullmatch(r"[a-z]{4,}", text):
        return None
    found = []
    for column in text_columns(table):
        begins = contains(column.name, f"{text} ", before="")
        answer = (
            await unless_failed(scene.data.query(table.id, [column.name], begins, limit=_MOST_VALUES)) or {}
        )
        values = {str(row[column.name]) for row in answer.get("rows", ())}
        if values and all(re.fullmatch(r"\S+ [a-z]+", value) for value in values):
            found.append(begins)
    return found[0] if len(found) == 1 else None


_CODE = re.compile(r"[A-Z0-9]{2,4}")


def column_held(table: Table, text: str) -> Column | None:
    """The only decimal column, or column of codes, with this name: `nitrate samples` and `IATA airports` are those with
    a value; so are `airline airports` of a column “only where airlines fly”."""
    words = name_words(text)
    found = [
        each
        for each in table.columns
        if (each.kind == "number" and words in (name_without_unit(each), comment_head(each.comment)))
        or (words == name_words(each.name) and each.samples and all(map(_CODE.fullmatch, each.samples)))
        or (words and words == name_words(" ".join(words_where_held(each)))[: len(words)])
    ]
    return found[0] if len(found) == 1 else None
