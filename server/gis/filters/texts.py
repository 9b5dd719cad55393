"""casei and accenti: text comparison without regard to case or accents. Needs no extension of PostgreSQL.

What is applied to one side of a comparison is applied to the other as well, so `casei(name) = 'PARIS'`, which
models write, finds Paris."""

from __future__ import annotations

from dataclasses import replace

import sqlalchemy as sa

from agents.core.nearest import STROKES, WITHOUT_STROKES
from agents.worded import Template
from server.gis.errors import InvalidFilter
from server.gis.expressions.identifiers import Expression
from server.gis.filters.literals import untyped
from server.gis.filters.terms import Term

TAKES_TEXT = Template("filter_takes_text", "{op} takes text, {term} is not text.")

FOLDS = ("casei", "accenti")


def fold_text(name: str, term: Term) -> Term:
    """The term with `casei` or `accenti` applied. Raises InvalidFilter unless it is text."""
    if term.kind != "text":
        raise InvalidFilter(TAKES_TEXT(op=name, term=term.label))
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


def fold_both(left: Term, right: Term) -> tuple[Term, Term]:
    """Both sides with every fold that one of them has."""
    for name in FOLDS:
        if left.kind == right.kind == "text" and (name in left.folds) != (name in right.folds):
            left, right = fold_text(name, left), fold_text(name, right)
    return left, right


def without_accents(text: Expression) -> Expression:
    """The text decomposed (NFD) and without combining marks and strokes: é becomes e, and ø becomes o."""
    decomposed = sa.func.normalize(text, sa.literal_column("NFD"))
    stripped = sa.func.regexp_replace(decomposed, "[\u0300-\u036f]", "", "g", type_=sa.Text())
    stripped = sa.func.translate(stripped, STROKES, WITHOUT_STROKES, type_=sa.Text())
    is_ascii = sa.func.octet_length(text) == sa.func.length(text)
    return sa.case((is_ascii, text), else_=stripped)
