"""What the pieces of a question request together: rows and conditions, a figure, and the order of the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from agents.domain import Table
from agents.offline.commands.assembly.piece import PAYMENT, Piece
from agents.offline.language.figures import adds_up
from agents.offline.language.names.columns import columns_called, measure_columns
from agents.offline.language.nouns import are_counts
from agents.offline.language.words import is_singular_of, name_words
from agents.offline.meaning.columns import is_number
from agents.offline.meaning.conditions import (
    ColumnMention,
    Compare,
    Condition,
    Group,
    Mention,
    OneOf,
    Top,
    all_of,
    lies_in_place,
)
from agents.offline.meaning.features import Features
from agents.offline.meaning.row_names import is_code
from agents.offline.meaning.steps import ColumnWords
from agents.offline.meaning.units import column_unit

COUNT = {"function": "count"}
PERCENT = "percent"
_FUNCTIONS = {"minimum": "min", "maximum": "max"}
_ANY_FIGURE = ("big", "high", "")
"""Measures of words that describe any figure, such as `largest` and `highest`."""
_MEASURED_IN = {"worth": {"currency"}, "long": {"length", "time"}, "heavy": {"mass"}}
"""Dimensions of figures that such words describe, whatever the column's name."""
_FIGURES = ("figure", "count", "measured")
_FORM = ("table", "chart", "order", "look", "ask", "draw", "with")
_GROUP_KINDS = ("text", "boolean", "integer")
_PREDICATES = frozenset(("is", "are", "was", "were", "has", "have", "had"))


@dataclass(frozen=True, slots=True)
class Asked:
    """The pieces of a question about `table`, in the order of the words."""

    table: Table
    pieces: tuple[Piece, ...]

    def all(self, kind: str) -> list[Piece]:
        """The pieces of this kind."""
        return [each for each in self.pieces if each.kind == kind]

    def one(self, kind: str) -> Piece | None:
        """The first piece of this kind."""
        return next((each for each in self.pieces if each.kind == kind), None)

    def has(self, *kinds: str) -> bool:
        """Whether there is a piece of any of these kinds."""
        return any(each.kind in kinds for each in self.pieces)

    def only(self, *kinds: str) -> bool:
        """Whether all pieces are of these kinds."""
        return all(each.kind in kinds for each in self.pieces)

    def without(self, kind: str) -> Asked:
        """The question without pieces of this kind."""
        return replace(self, pieces=tuple([each for each in self.pieces if each.kind != kind]))

    def with_numbers(self) -> Asked:
        """The question with numeric columns after functions: `average pressure`, for `pressure` and
        `pressure_zone`."""
        pieces = list(self.pieces)
        for at, (before, each) in enumerate(pairwise(self.pieces), 1):
            if before.kind != "figure" or each.kind != "column" or self._are_numbers(each.value):
                continue
            numbers = columns_called((self.table,), name_words(each.text), is_number)
            if len(numbers) == 1:
                pieces[at] = replace(each, value=ColumnMention(numbers[0], tuple(numbers)))
        return replace(self, pieces=tuple(pieces))

    def with_amount(self) -> Asked:
        """The question with an amount for `what` before a payment: `what did we spend on repairs`."""
        kinds = [(each.kind, each.text) for each in self.pieces[:2]]
        if len(kinds) < 2 or kinds[0][0] != "ask" or kinds[1] != ("column", PAYMENT):
            return self
        first, *rest = self.pieces
        return replace(self, pieces=(replace(first, kind="amount"), *rest))

    def of_them(self) -> Asked:
        """The same question about the rows mentioned before."""
        rows = Features(Mention("them", pronoun=True), text="them")
        return replace(self, pieces=(Piece("rows", -1, -1, rows, text="them"), *self.pieces))

    def with_alternatives(self) -> Asked:
        """The question with adjacent values of one column as alternatives: `the fatal and the serious crashes`; a row
        has one value."""
        pieces: list[Piece] = []
        for each in self.pieces:
            before = pieces[-1] if pieces else None
            joined_by = before.kind == "and" if before is not None else False
            if joined_by and len(pieces) > 1:
                before = pieces[-2]
            if before is not None and _are_alternatives(before, each):
                pieces[-2 if joined_by else -1 :] = [_either(before, each)]
            else:
                pieces.append(each)
        return replace(self, pieces=tuple(pieces))

    @property
    def is_joined(self) -> bool:
        """Whether the connecting words are placed sensibly: `and` between conditions, columns or output options,
        numbers before rows, `them` after rows, `with` before a column or ranking."""
        kinds = [each.kind for each in self.pieces]
        if "them" in kinds and "rows" not in kinds[: kinds.index("them")]:
            return False
        kinds = [each for each in kinds if each != "them"]
        joints = [at for at, kind in enumerate(kinds) if kind == "and"]
        numbers = [at for at, kind in enumerate(kinds) if kind == "number"]
        before_rows = all(kinds[at + 1 : at + 2] in (["rows"], ["top"]) for at in numbers)
        before_columns = all(
            kinds[at + 1 : at + 2] in (["column"], ["top"], ["most"])
            for at, kind in enumerate(kinds)
            if kind == "with"
        )
        columns = [each for each in self.all("group") if not isinstance(each.value, str)]
        groups = [each.end for each in columns if not each.has_suffix]
        nouns = [each for each in self.pieces if each.kind in ("rows", "column")]
        is_of_group = any(each.end - len(each.text.split()) in groups for each in nouns)
        return (
            before_rows
            and before_columns
            and not is_of_group  # `how many per community area`, of a column `community`
            and all(0 < at < len(kinds) - 1 and _joins(kinds[at - 1], kinds[at + 1]) for at in joints)
        )

    def is_listed(self, column: Piece) -> bool:
        """Whether a column is to be shown: it follows `list`, `give me` or `with their`, and describes no rows as in
        `the capital cities`."""
        at = self.pieces.index(column)
        after = self.pieces[at + 1 : at + 2]
        if after and (after[0].kind, after[0].begin) == ("rows", column.end) and self._is_flag(column):
            return False
        while at and self.pieces[at - 1].kind in ("column", "and"):
            at -= 1
        before = self.pieces[at - 1] if at else None
        if before is not None and before.kind == "with" and at > 1 and self.pieces[at - 2].kind == "ask":
            return True  # `list with density`
        table = self.one("table")
        if before is not None and before.kind == "with" and table is not None and table.begin < before.begin:
            return True  # `a table of gauges with level`
        of_them = before is not None and before.kind == "with" and before.text.split()[-1] in ("their", "its")
        return of_them or (before is not None and before.kind == "ask")

    def _is_flag(self, column: Piece) -> bool:
        """Whether a yes/no column is mentioned."""
        return any(
            each.kind == "boolean" and each.name in column.value.columns for each in self.table.columns
        )

    # --- rows ------------------------------------------------------------------------------------------------

    @property
    def noun(self) -> str:
        """The noun for the rows."""
        rows = self.one("rows")
        return rows.text if rows is not None else self.table.name.replace("_", " ")

    @property
    def mention(self) -> Mention:
        """The mention of the rows."""
        rows = self.one("rows")
        own: Features | None = rows.value if rows is not None else None
        if own is not None and own.mention is not None:
            return own.mention
        return Mention(self.noun, (self.table.id,))

    @property
    def conditions(self) -> list[Condition]:
        """All conditions on the rows."""
        rows = self.one("rows")
        own = rows.value.where if rows is not None else None
        besides = [each.where for each in self.pieces if each.where is not None]
        return [
            *([own] if own is not None else []),
            *(each.value for each in self.all("condition")),
            *besides,
        ]

    @property
    def where(self) -> Condition | None:
        """All conditions as one."""
        return all_of(*self.conditions)

    @property
    def called(self) -> str:
        """The rows with their conditions, in the words of the request."""
        limiting = [
            each for each in self.pieces if each.kind == "condition" or (each.kind == "column" and each.where)
        ]
        conditions = [each.text.removeprefix(f"{self.noun} ") for each in limiting]
        return " ".join([self.noun, *map(_after_noun, conditions)])

    @property
    def rows_are_spoken_of(self) -> bool:
        """Whether they are the rows of the previous question."""
        return self.mention.pronoun

    def rows(self, where: Condition | None) -> Features:
        """The rows with a condition, as the input of a step."""
        return Features(Mention(self.noun, (self.table.id,)), where, text=self.called)

    def share(self) -> tuple[Condition | None, Condition | None] | None:
        """The condition on the part and that on the whole; None if the request does not separate them."""
        rows = self.one("rows")
        after = [
            each.value
            for each in self.all("condition")
            if rows is not None and each.begin >= rows.end and each.text.split()[0].lower() in _PREDICATES
        ]
        others = [each for each in self.conditions if each not in after]
        part = after or [each for each in others if not lies_in_place(each)] or others
        whole = [each for each in others if each not in part]
        if len(part) > 1 or any(isinstance(each, Group) for each in part):
            return None
        return (part[0] if part else None), all_of(*whole)

    # --- figures ---------------------------------------------------------------------------------------------

    def figure(self) -> dict[str, Any] | None:
        """The function and its column, as operations take it; None if the words do not form one."""
        columns, named = self.all("column"), self.one("figure")
        if self.has("measured") or (not columns and self.has("amount")):
            return None
        if not columns:
            ranked = self.one("top")
            first = ranked is None or ranked.value.word in ("top", "bottom")
            counts = self.has("count", "table", "chart", "most", "compare") or self._groups_are_counted
            if first and named is None and counts:
                return dict(COUNT)
            return None
        if len(columns) != 1:
            return None
        column: ColumnMention = columns[0].value
        if not self._are_numbers(column):
            return None
        function = self._function(columns[0])
        return {"function": function, "column": ColumnWords(column.text)} if function else None

    @property
    def _groups_are_counted(self) -> bool:
        """Whether the groups are those of some values, areas or years (`2024 vs 2025`), or named as `block wise`."""
        named = [each for each in self.pieces if each.kind in ("group", "groups")]
        groups = [each.value.where if isinstance(each.value, Features) else each.where for each in named]
        are_some = any(each is not None and getattr(each, "how", "") != "kind" for each in groups)
        return are_some or any(each.has_suffix for each in named)

    @property
    def figure_is_fixed(self) -> bool:
        """Whether a condition fixes the value of the figure's column; not so in `total repair costs 2024`."""
        fixed = {
            each.column.columns
            for each in self.conditions
            if isinstance(each, Compare) and each.op == "=" and each.column
        }
        return self.has("figure") and any(each.value.columns in fixed for each in self.all("column"))

    def figures(self) -> list[dict[str, Any]]:
        """Several functions of one column, or one per column or columns, in the order of the words; else empty."""
        kinds = "".join(each.kind[0] for each in self.pieces if each.kind in ("figure", "column"))
        named, columns = self.all("figure"), self.all("column")
        pairs: list[tuple[Piece, Piece]] = []
        are_apart = all(one.end < other.begin for one, other in pairwise(columns))  # not `floor area`
        if len(columns) == 1 and kinds[-1] == "c":
            pairs = [(each, columns[0]) for each in named]
        elif kinds[:1] == "f" and kinds[-1] == "c" and "ff" not in kinds and are_apart:
            before = [kinds[:n].count("f") - 1 for n, kind in enumerate(kinds) if kind == "c"]
            pairs = [(named[n], column) for n, column in zip(before, columns, strict=True)]
        if not all(self._are_numbers(column.value) for _, column in pairs):
            return []
        return [
            {"function": _FUNCTIONS.get(each.value, each.value), "column": ColumnWords(column.value.text)}
            for each, column in pairs
        ]

    def _function(self, column: Piece) -> str:
        named, top = self.one("figure"), self.one("top")
        names = column.value.columns
        counts = are_counts((self.table,), names)
        is_ranked = self.has("whose")
        if named is not None:
            return _FUNCTIONS.get(named.value, named.value) if top is None or is_ranked else ""
        if self.has("count"):
            return "sum" if counts and top is None else ""
        if top is not None and not is_ranked:
            if top.end == column.begin and top.value.limit == 1:
                return "max" if top.value.descending else "min"
            return ""
        adds = adds_up(self.table, names, column.text)
        return "sum" if adds else ""

    def _are_numbers(self, column: ColumnMention) -> bool:
        return all(map(self.is_figure, column.columns))

    def is_figure(self, name: str) -> bool:
        """Whether a column holds numbers that are neither keys nor codes."""
        own = self.table.column(name)
        return own is not None and is_number(own) and name not in self.table.key and not is_code(name)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns mentioned by themselves."""
        return tuple(name for each in self.all("column") for name in each.value.columns)

    # --- groups ----------------------------------------------------------------------------------------------

    @property
    def group_column(self) -> str | None:
        """The only column of the rows whose values are the groups."""
        group, whose = self.one("group"), self.one("whose")
        return self.own_column(
            group.value if group is not None else whose.value[0] if whose is not None else None
        )

    def own_column(self, mention: Any) -> str | None:
        """The column that a mention means, if it can hold groups."""
        if not isinstance(mention, ColumnMention) or len(mention.columns) != 1:
            return None
        column = self.table.column(mention.columns[0])
        fits = column is not None and column.kind in _GROUP_KINDS and column.name not in self.table.key
        if self.is_figure(mention.columns[0]) and is_singular_of(mention.text, mention.columns[0]):
            return None  # `budget per bed`
        return mention.columns[0] if fits else None

    @property
    def group_words(self) -> str:
        """The words for the groups."""
        group, whose = self.one("group"), self.one("whose")
        value = group.value if group is not None else whose.value[0] if whose is not None else ""
        kinds = [each.where for each in (group, whose) if each is not None and isinstance(each.where, OneOf)]
        kind = next((f"{each.text} " for each in kinds if each.how == "kind"), "")  # `Canadian province`
        return value if isinstance(value, str) else kind + str(value.text).removeprefix("the ")

    @property
    def does_fit(self) -> bool:
        """Whether a verb, if any, matches the groups: `does each operator run`."""
        does, name = self.one("does"), self.group_column
        return does is None or (name is not None and bool(does.value & set(name_words(name))))

    # --- order -----------------------------------------------------------------------------------------------

    def descends(self, columns: Sequence[str] = ()) -> bool | None:
        """Whether the greatest figures come first, also without an order; None if the order does not apply to these
        columns. `fewest` only applies to counts."""
        order, most = self.one("order"), self.one("most")
        if most is not None:
            return "most" in most.value.split() if order is None and not columns else None
        if order is None or isinstance(order.value, bool):
            return order is None or bool(order.value)
        top: Top = order.value
        own = [column for name in columns if (column := self.table.column(name)) is not None]
        units = {unit.dimension for each in own if (unit := column_unit(each)) is not None}
        fits = set(columns) & set(measure_columns(self.table, top.measure)) or units & _MEASURED_IN.get(
            top.measure, set()
        )
        return top.descending if top.measure in _ANY_FIGURE or fits else None


def _are_alternatives(one: Piece, other: Piece) -> bool:
    """Whether both are values of the same column."""
    a, b = one.value, other.value
    return (
        one.kind == other.kind == "condition"
        and isinstance(a, OneOf)
        and isinstance(b, OneOf)
        and a.column is not None
        and a.column.columns == getattr(b.column, "columns", ())
        and a.how == b.how
    )


def _either(one: Piece, other: Piece) -> Piece:
    value = replace(one.value, text=f"{one.value.text} or {other.value.text}")
    return replace(
        one, end=other.end, value=value, cost=one.cost + other.cost, text=f"{one.text} and {other.text}"
    )


def _after_noun(text: str) -> str:
    """A condition as written after a noun: `that are in North`."""
    return f"that {text}" if text.split()[0].lower() in _PREDICATES else text


def _joins(before: str, after: str) -> bool:
    """Whether `and` may join pieces of these kinds."""
    same = {before, after} <= {"condition"} or {before, after} <= {"column", "same", "figure"}
    return same or before in _FORM or after in (*_FORM, *_FIGURES)
