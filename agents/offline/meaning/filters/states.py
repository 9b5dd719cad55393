"""What is not done, by dates: `not fixed`, by the dates on which a fault was reported and fixed."""

from __future__ import annotations

import re

from agents.domain import Column, Cql2, Table
from agents.offline.language.conditions.flags import DONE
from agents.offline.language.names.comments import comment_head, comment_words
from agents.offline.language.names.costs import word_cost
from agents.offline.language.names.dates import ENDED, PLANNED
from agents.offline.language.words import are_forms, name_words, word_set
from agents.offline.meaning.cql2 import columns_in, equals, flat, negated, property_of
from agents.offline.meaning.row_names import text_columns
from agents.offline.meaning.scene import Scene
from agents.offline.meaning.stored_values import stored_values


async def only_begun(scene: Scene, table: Table, undone: Cql2) -> Cql2:
    """The filter of rows without a date of the end, but for those in which nothing ever began: `lights not fixed` of
    `fault_rep` and `fault_fix` are no lights without a fault; and but for those in a state in which the date is
    empty, too, by its comment: `undecided`, of “empty while undecided or withdrawn”."""
    ended = table.column(columns_in(undone)[0]) if undone["op"] == "isNull" else None
    for state in _other_states(ended) if ended is not None else ():
        stored = await stored_values(scene, table, text_columns(table), [state])
        for column, values in stored.items():
            undone = {"op": "and", "args": flat("and", [undone, negated(equals(column, values))])}
    begun = _begun_before(table, ended) if ended is not None else None
    if begun is None:
        return undone
    nothing: Cql2 = {"op": "isNull", "args": [property_of(begun.name)]}
    if not await scene.data.count(table.id, {"op": "and", "args": [undone, nothing]}):
        return undone
    return {"op": "and", "args": [undone, negated(nothing)]}


def _other_states(date: Column) -> list[str]:
    """The states in which a date is empty for another reason than that the thing is still to be done: `withdrawn`."""
    found = _EMPTY_IN.search(date.comment or "")
    return [each for each in name_words(found[1]) if each in _GIVEN_UP] if found is not None else []


_EMPTY_IN = re.compile(r"(?i)\bempty (?:while|where|when|if|for|=) ([^;.()]*)")
_GIVEN_UP = word_set("withdrawn retracted cancelled canceled abandoned lapsed void")


def _begun_before(table: Table, ended: Column) -> Column | None:
    """The only other date of the same thing, which is not the row itself: `fault_rep` for `fault_fix`."""
    if ended.kind not in _DATES or not _tells_end(ended):
        return None
    own = {*name_words(table.name), *comment_head(table.comment)}
    said = _words(ended) - own - _OF_DATES
    things = {
        word for word in said if all(word_cost(word, each) is None for each in own)
    }  # not `insp_closed`
    dates = [each for each in table.columns if each.kind in _DATES and things & _words(each)]
    found = [each for each in dates if not (_tells_end(each) or PLANNED & _words(each))]
    return found[0] if len(found) == 1 else None


def _tells_end(date: Column) -> bool:
    return any(are_forms(own, end) for own in _words(date) for end in _ENDS)


def _words(date: Column) -> set[str]:
    return {*name_words(date.name), *comment_words(date.comment)}


_DATES = ("date", "timestamp")
_OF_DATES = word_set("date day dt time year at of on in by the a when was were is last latest first next")
"""Words of dates that tell no thing."""
_ENDS = ENDED | DONE
