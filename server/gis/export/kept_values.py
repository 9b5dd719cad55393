"""Values that a format cannot hold: how they are written instead, and how many there are.

Silence would be worse than the loss: identifiers of twenty digits become others, one control character makes a
workbook unreadable, and a date of antiquity ends an export."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa

from agents.domain import Column
from agents.exports import ExportFormat
from agents.geo.wording.phrases import count_of
from agents.worded import Template
from server.gis.errors import listed
from server.gis.export.source import Field, Source
from server.gis.expressions.identifiers import Expression, base_type

VALUES_OF = Template("export_values_of", "{values} of {column}")
NO_DATES = Template(
    "export_no_dates",
    "Dates of {layer} that are empty, because they are infinite or before the year 1: {values}.",
)
EARLY_DATES = Template(
    "export_early_dates", "Dates of {layer} before 1900, which Excel does not show: {values}. Use csv."
)
ROUNDED_15 = Template(
    "export_rounded_15",
    "Numbers of {layer} that are rounded to 15 digits: {values}. Use csv, or cast them to text.",
)
ROUNDED_17 = Template(
    "export_rounded_17",
    "Numbers of {layer} that are rounded to 17 digits: {values}. Use csv, or cast them to text.",
)
LONG_CUT = Template(
    "export_long_cut",
    "Texts of {layer} that are cut, because a cell of Excel holds 32,767 characters: {values}. Use csv.",
)
LONG_LEFT_OUT = Template(
    "export_long_left_out",
    "Texts of {layer} that are left out, because a cell of Excel holds 32,767 characters: {values}. Use csv.",
)
IN_UTC = Template("export_in_utc", "Times of {layer} are in UTC, because Excel has no time zones: {names}.")


TYPED = frozenset({"gpkg", "fgb", "shp", "kml", "xlsx", "parquet"})
"""Formats with a type for each column; CSV and JSON hold what PostgreSQL writes."""
CONTROLS = {
    kind: Template(
        f"export_controls_{kind}",
        f"Control characters of {{layer}} are left out, which {kind} has no place for: {{values}}.",
    )
    for kind in ("kml", "xlsx")
}
BRACKETS = Template(
    "export_brackets", "“]]>” in texts of {layer} is written as “]] >”, which kml has no place for: {values}."
)
"""GDAL puts texts with signs into sections that end there, and the file would not be XML."""
XML = frozenset(CONTROLS)
FEW_DIGITS = frozenset({"kml", "xlsx"})
"""Formats that round numbers to 15 digits."""
CELL_CHARACTERS = 32_767
"""Characters that a cell of Excel holds."""
CONTROL_CHARACTERS = "[\x01-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]"
"""Characters that XML cannot contain."""
_DATES = ("date", "timestamp without time zone", "timestamp with time zone")
_MANY_DIGITS: Expression = sa.literal_column("1e15")


@dataclass(frozen=True)
class _Loss:
    """Values of some columns, and what happens to them."""

    condition: Expression
    column: str
    note: Template
    """With the values `layer` and `values`."""


def kept(field: Field, value: Expression, kind: str) -> Expression:
    """The value in a form that the format can hold. `value` has the type that is written."""
    declared = base_type(field.column.sql_type)
    if declared in _DATES:
        return sa.case((_in_calendar(field.value, declared), value))
    if not _is_text(field.column, declared) or kind not in XML:
        return value
    if field.is_place:
        return sa.case((sa.func.length(value) <= CELL_CHARACTERS, value)) if kind == "xlsx" else value
    plain = sa.func.regexp_replace(value, CONTROL_CHARACTERS, "", "g", type_=sa.Text)
    if kind == "kml":
        return sa.func.replace(plain, "]]>", "]] >", type_=sa.Text)
    return sa.func.left(plain, CELL_CHARACTERS, type_=sa.Text)


async def lost_values(name: str, kind: ExportFormat, source: Source) -> list[str]:
    """Notes of what is not in the file as it is in the table, counted by the database."""
    losses = [loss for field in source.fields for loss in _losses(field, kind)] if kind in TYPED else []
    if not losses:
        return _zones(name, kind, source)
    # Separate counts would each read the table.
    counts = await source.counts(*(loss.condition for loss in losses))
    found: dict[Template, list[str]] = {}
    for loss, count in zip(losses, counts, strict=True):
        if count:
            values = VALUES_OF(values=count_of(count, "value"), column=loss.column)
            found.setdefault(loss.note, []).append(values)
    notes = [note(layer=name, values=listed(values)) for note, values in found.items()]
    return [*notes, *_zones(name, kind, source)]


def _losses(field: Field, kind: str) -> list[_Loss]:
    declared, value = base_type(field.column.sql_type), field.value
    if declared in _DATES:
        lost = sa.and_(value.is_not(None), sa.not_(_in_calendar(value, declared)))
        losses = [_Loss(lost, field.label, NO_DATES)]
        if kind == "xlsx":
            early = sa.and_(_in_calendar(value, declared), value < _moment("1900-01-01", declared))
            losses.append(_Loss(early, field.label, EARLY_DATES))
        return losses
    if declared == "numeric" or (declared == "bigint" and kind in FEW_DIGITS):
        rounded = sa.cast(value, sa.Double)
        written = rounded if kind in FEW_DIGITS else sa.cast(rounded, sa.Text)
        number = sa.cast(value, sa.Numeric)
        many = sa.and_(
            sa.func.abs(number) >= _MANY_DIGITS,
            number != sa.literal_column("'NaN'::numeric"),
            sa.cast(written, sa.Numeric) != number,
        )
        return [_Loss(many, field.label, ROUNDED_15 if kind in FEW_DIGITS else ROUNDED_17)]
    if not _is_text(field.column, declared) or kind not in XML:
        return []
    text = sa.cast(value, sa.Text)
    losses = []
    if kind == "xlsx":
        is_long = sa.func.length(text) > CELL_CHARACTERS
        losses.append(_Loss(is_long, field.label, LONG_LEFT_OUT if field.is_place else LONG_CUT))
    if kind == "kml":
        losses.append(_Loss(sa.func.strpos(text, "]]>") > 0, field.label, BRACKETS))
    if not field.is_place:
        losses.append(_Loss(text.regexp_match(CONTROL_CHARACTERS), field.label, CONTROLS[kind]))
    return losses


def _zones(name: str, kind: str, source: Source) -> list[str]:
    zoned = [
        each.label for each in source.fields if base_type(each.column.sql_type).endswith("with time zone")
    ]
    if kind != "xlsx" or not zoned:
        return []
    return [IN_UTC(layer=name, names=listed(zoned))]


def _is_text(column: Column, declared: str) -> bool:
    return column.kind not in ("integer", "number", "boolean") and declared not in (*_DATES, "bytea")


def _in_calendar(value: Expression, declared: str) -> Expression:
    return value.between(_moment("0001-01-01", declared), _moment("9999-12-31", declared))


def _moment(day: str, declared: str) -> Expression:
    zone = "+00" if declared == "timestamp with time zone" else ""
    clock = " 00:00:00" if declared != "date" else ""
    return sa.literal_column(f"'{day}{clock}{zone}'::{declared}")
