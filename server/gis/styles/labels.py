"""Labels of features: a column, or a text with columns in braces such as `{name} ({population} people)`.

Where a column has no value, the text before it is left out, and round brackets without any value are left out whole."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from agents.domain import Table
from agents.geo.wording.phrases import is_year, names_key
from agents.worded import Template
from server.gis.errors import existing_column
from server.gis.styles.attributes import tile_value
from server.gis.styles.errors import InvalidStyle
from server.gis.styles.expressions import Expression

NO_LABEL = Template("style_no_label", "{column} of {table} is {type}, which cannot be written on a map.")
NOT_A_LABEL = Template("style_not_a_label", "A label has columns in braces, as `{example}`; got {label}.")
_COLUMN = re.compile(r"\{([^{}]*)\}")
_PIECE = re.compile(r"\([^(){}]*(?:\{[^{}]*\}[^(){}]*)+\)|\{[^{}]*\}")
"""A column, or round brackets with columns."""


def label_columns(table: Table, label: str | None) -> tuple[str, ...]:
    """The names of the columns that a label reads, whether the table has them or not."""
    if label is None:
        return ()
    if "{" not in label or table.column(label) is not None:
        return (label,)
    return tuple(dict.fromkeys(_COLUMN.findall(label)))


def renamed_label(label: str, names: Mapping[str, str]) -> str:
    """The label with columns by their new names."""
    if "{" not in label or label in names:
        return names.get(label, label)
    return _COLUMN.sub(lambda found: f"{{{names.get(found[1], found[1])}}}", label)


def label_text(table: Table, label: str) -> Expression:
    """The expression that writes a label. Raises InvalidStyle or UnknownColumn."""
    if label_columns(table, label) == (label,):
        return _if(["has", label], _value(table, label))
    if "{" not in label or {"{", "}"} & {*_COLUMN.sub("", label)}:
        raise InvalidStyle(NOT_A_LABEL(example="{name} ({population})", label=repr(label)))
    return _text(table, label)[0]


def _text(table: Table, text: str) -> tuple[Expression, Expression]:
    """The text, and whether a feature has any value for it."""
    parts: list[Expression] = []
    present: list[Expression] = []
    pieces = list(_PIECE.finditer(text))
    end = 0
    for piece in pieces:
        inner = piece.group()[1:-1]
        if piece.group().startswith("("):
            body, has = _text(table, inner)
            body = _joined(["(", body, ")"])
        else:
            body, has = _value(table, inner), ["has", inner]
        before = text[end : piece.start()]
        separator = _if(_any(present), before) if present and before else before
        end = piece.end()
        after = text[end:] if piece is pieces[-1] else ""
        parts.append(_if(has, _joined([separator, body, after])))
        present.append(has)
    return _joined(parts), _any(present)


def _value(table: Table, name: str) -> Expression:
    """The value of a column as text; numbers in the form of the reader's language, which the browser adds."""
    column = existing_column(table, name)
    if tile_value(table, column) is None:
        raise InvalidStyle(NO_LABEL(column=repr(name), table=table.id, type=column.sql_type))
    value = ["get", name]
    if column.kind not in ("integer", "number") or names_key(name) or is_year(name, None):
        return ["to-string", value]
    digits = 0 if column.kind == "integer" else ["case", ["<", ["abs", value], 1], 6, 3]
    return ["number-format", value, {"max-fraction-digits": digits}]


def _if(condition: Expression, text: Expression) -> Expression:
    return ["case", condition, text, ""]


def _any(conditions: Sequence[Expression]) -> Expression:
    return conditions[0] if len(conditions) == 1 else ["any", *conditions]


def _joined(texts: Sequence[Expression]) -> Expression:
    parts = [text for text in texts if text != ""]
    return parts[0] if len(parts) == 1 else ["concat", *parts]
