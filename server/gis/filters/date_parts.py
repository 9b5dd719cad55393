"""Parts of dates and times in filters, an extension of the standard: `month(day) = 1`, `weekday(day) IN (6, 7)`.

Monday is 1. A time with a zone has the parts that the clock shows in UTC."""

from __future__ import annotations

import sqlalchemy as sa

from server.gis.errors import InvalidFilter
from server.gis.expressions.identifiers import Expression
from server.gis.filters.temporal import TAKES_TIMES
from server.gis.filters.terms import INSTANTS, Term

DATE_PARTS = {"year": "year", "month": "month", "weekday": "isodow", "hour": "hour"}
"""PostgreSQL's names for them."""


def date_part(name: str, term: Term) -> Term:
    """The part as a number. Raises InvalidFilter unless it is of a column of dates or times."""
    if term.kind not in INSTANTS or term.is_literal:
        raise InvalidFilter(TAKES_TIMES(term=term.label))
    moment = term.expression
    if isinstance(term.type, sa.TIMESTAMP) and term.type.timezone:
        moment = sa.func.timezone("UTC", moment)
    part: Expression = sa.func.floor(sa.func.date_part(DATE_PARTS[name], moment), type_=sa.Double())
    return Term("number", {"op": name, "args": [term.json]}, part, type=sa.Double())
