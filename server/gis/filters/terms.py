"""The parts of a filter during compilation: kind, canonical JSON and SQL."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import sqlalchemy as sa

from agents.domain import Column
from server.gis.expressions.identifiers import Expression

Kind = Literal[
    "text", "integer", "number", "boolean", "date", "timestamp", "geometry", "json", "array", "other", "null"
]

NUMBERS = ("integer", "number")
INSTANTS = ("date", "timestamp")


@dataclass(frozen=True)
class Term:
    """A value in a filter. A literal has no `sql` until the other side of a comparison gives it a type."""

    kind: Kind
    json: Any
    sql: Expression | None = None
    value: Any = None
    column: Column | None = None
    type: sa.types.TypeEngine[Any] | None = None
    """The SQL type that a literal takes when it is compared with this term."""
    srid: int = 0
    """Reference system of a geometry; 0 if unknown."""
    folds: tuple[str, ...] = ()
    """Text functions applied, outermost first; the other side of a comparison gets the same ones."""

    @property
    def is_literal(self) -> bool:
        """Whether this is a value that has no SQL type yet."""
        return self.sql is None

    @property
    def expression(self) -> Expression:
        """The SQL expression. Raises AssertionError for a literal without a type."""
        if self.sql is None:
            raise AssertionError("a literal was used before it had a type")
        return self.sql

    @property
    def label(self) -> str:
        """The name of this term in error messages."""
        if self.column is not None:
            return f"{self.column.name!r} ({self.column.sql_type})"
        if self.is_literal:
            return repr(self.value) if len(repr(self.value)) <= 60 else repr(self.value)[:57] + "..."
        return f"this {self.kind}"

    @property
    def negated(self) -> Term:
        """The condition that is true where this one is false."""
        return Term("boolean", {"op": "not", "args": [self.json]}, sa.not_(self.expression))
