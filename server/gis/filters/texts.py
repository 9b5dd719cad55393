"""casei and accenti: text without regard to case or accents. Needs no extension of PostgreSQL.

What is done to one side of a comparison is done to the other too, so `casei(name) = 'PARIS'`, which models
write, means what it looks like.
"""

from __future__ import annotations

from dataclasses import replace

import sqlalchemy as sa

from server.gis.errors import InvalidFilter
from server.gis.expressions.identifiers import Expression
from server.gis.filters.literals import untyped
from server.gis.filters.terms import Term

FOLDS = ("casei", "accenti")


def folded(name: str, term: Term) -> Term:
    if term.kind != "text":
        raise InvalidFilter(f"{name} takes text, {term.says} is not text.")
    if name in term.folds:
        return term
    term = untyped(term)
    sql = (
        sa.func.lower(term.expression, type_=sa.Text())
        if name == "casei"
        else without_accents(term.expression)
    )
    json = {"op": name, "args": [term.json]}
    return replace(term, json=json, sql=sql, column=None, folds=(name, *term.folds), type=sa.Text())


def folded_alike(left: Term, right: Term) -> tuple[Term, Term]:
    for name in FOLDS:
        if left.kind == right.kind == "text" and (name in left.folds) != (name in right.folds):
            left, right = folded(name, left), folded(name, right)
    return left, right


def without_accents(text: Expression) -> Expression:
    """Decomposed, and the combining marks taken away: é is e. Letters of their own, as ø, stay."""
    decomposed = sa.func.normalize(text, sa.literal_column("NFD"))
    stripped = sa.func.regexp_replace(decomposed, "[\u0300-\u036f]", "", "g", type_=sa.Text())
    is_ascii = sa.func.octet_length(text) == sa.func.length(text)
    return sa.case((is_ascii, text), else_=stripped)
