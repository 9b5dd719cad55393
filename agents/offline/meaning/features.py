"""What an analysis is about, in words: rows of a table, a layer as it is drawn, a place, or the step before."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from agents.domain import Table
from agents.offline.meaning.conditions import Condition, Mention


@dataclass(frozen=True, slots=True)
class Features:
    """Rows of a table, or what is at a place called so.

    `drawn`: a layer is meant, with its filter. `previous`: the result of the step before; in the first step the
    layer that was spoken of last. `areas`: something is to lie in them, cross them or
    border on them, so they may not be points.
    `unless_column`: they are not meant where the words name a column of the source.
    """

    mention: Mention | None = None
    where: Condition | None = None
    place: str = ""
    text: str = ""
    drawn: bool = False
    previous: bool = False
    areas: bool = False
    unless_column: bool = False
    rows_like: str = ""
    """All rows of the table in which the place of this name is found are meant."""
    made: tuple[Any, ...] = ()
    """The steps whose result is meant: `the 20 largest cities`, `cities within 50 km of Ulm`; then `mention` is what
    they start from."""

    @classmethod
    def of_table(cls, table: Table) -> Features:
        """All rows of a table, by its name."""
        name = table.name.replace("_", " ")
        return cls(Mention(name, (table.id,)), text=name)

    def alike(self, text: str) -> Features:
        """All rows of the table of these features, called by another noun: the `neighbours` of a country."""
        if self.mention is not None:
            return replace(self, where=None, made=(), text=text)
        return Features(rows_like=self.place, text=text)

    @property
    def named(self) -> bool:
        """Whether rows are named, and not only guessed through a typing mistake."""
        return self.mention is not None and not self.mention.guessed

    @property
    def guessed(self) -> bool:
        return self.mention is not None and self.mention.guessed

    @property
    def noun(self) -> str:
        return self.text.removeprefix("the ").removeprefix("all ")

    @property
    def heading(self) -> str:
        """The noun with a capital."""
        return self.noun[:1].upper() + self.noun[1:]


RESULT = Features(previous=True)
"""The result of the step before, where the text does not name it."""
