"""The columns by which the rows of two tables belong together, as far as the data confirm it."""

from __future__ import annotations

from agents.domain import Table
from agents.offline.language.names.keys import Link, links
from agents.offline.meaning.cql2 import equals, is_null, negated
from agents.offline.meaning.scene import Scene

SMALL_TABLE = 5000
"""Maximum number of rows of a table used for look-ups."""
_COVERED = 0.95
"""Minimum share of rows with a code that the other table must know."""


async def link_between(scene: Scene, table: Table, other: Table) -> Link | None:
    """The only foreign key between two tables; without any, the only pair of columns that their names and values
    say to be one. None if there is no such pair, or more than one."""
    found = links(table, other, scene.vocabulary.few_tables)
    if any(each.declared for each in found):
        return found[0] if len(found) == 1 else None
    fitting = {(each.own, each.other): each for each in found if await _fits(scene, table, other, each)}
    return next(iter(fitting.values())) if len(fitting) == 1 else None


async def _fits(scene: Scene, table: Table, other: Table, link: Link) -> bool:
    """Whether the values of one column number the rows of its table, and nearly all values of the other are among
    them."""
    ours, theirs = (link.own, link.other) if link.refers else (link.other, link.own)
    referring, referred = (table, other) if link.refers else (other, table)
    if not 0 < referred.row_estimate <= SMALL_TABLE:
        return False
    if referred.key != (theirs,) or referred.is_result:
        facts = await scene.data.stats(referred.id, theirs)
        if facts.get("distinct") != facts.get("count"):
            return False
    if (
        link.named
        and await scene.data.count(referring.id, is_null(ours)) > (1 - _COVERED) * referring.row_estimate
    ):
        return False  # rows lie in areas that they do not name
    return await covers(scene, referring, ours, referred, theirs)


async def covers(scene: Scene, table: Table, ours: str, other: Table, theirs: str) -> bool:
    """Whether the other table knows nearly all our codes; otherwise rows would be missed silently."""
    answer = await scene.data.query(other.id, [theirs], limit=SMALL_TABLE)
    codes = sorted({row[theirs] for row in answer.get("rows", ()) if row.get(theirs)})
    if not codes:
        return False
    known = await scene.data.count(table.id, equals(ours, codes))
    coded = await scene.data.count(table.id, negated(is_null(ours)))
    return bool(coded) and known >= _COVERED * coded
