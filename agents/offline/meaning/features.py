"""The subject of an analysis: rows of a table, a layer as drawn, a place, or the result of the previous step."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from agents.domain import Table
from agents.offline.meaning.conditions import Condition, Mention


@dataclass(frozen=True, slots=True)
class Features:
    """Rows of a table, or the place named `place`.

    `drawn`: a layer with its filter. `previous`: the result of the previous step; in the first step, the
    layer mentioned last. `areas`: the features contain, cross or border others, so they must not be points.
    `unless_column`: this reading is rejected if the words name a column of the source.
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
    """All rows of the table that contains the place of this name."""
    made: tuple[Any, ...] = ()
    """The steps whose result is meant (`the 20 largest cities`); `mention` is then their input."""

    @classmethod
    def of_table(cls, table: Table) -> Features:
        """All rows of a table, under the table's name."""
        name = table.name.replace("_", " ")
        return cls(Mention(name, (table.id,)), text=name)

    def alike(self, text: str) -> Features:
        """All rows of the same table under another noun: the `neighbours` of a country."""
        if self.mention is not None:
            return replace(self, where=None, made=(), text=text)
        return Features(rows_like=self.place, text=text)

    @property
    def named(self) -> bool:
        """Whether rows are named without a typing mistake."""
        return self.mention is not None and not self.mention.guessed

    @property
    def guessed(self) -> bool:
        """Whether the name was read through a typing mistake."""
        return self.mention is not None and self.mention.guessed

    @property
    def noun(self) -> str:
        """The text without a leading article or `all`."""
        return self.text.removeprefix("the ").removeprefix("all ")

    @property
    def heading(self) -> str:
        """The noun, capitalised."""
        return self.noun[:1].upper() + self.noun[1:]


RESULT = Features(previous=True)
"""The result of the previous step, when the request does not name it."""
