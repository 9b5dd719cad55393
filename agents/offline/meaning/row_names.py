"""Finds the column that holds the names of a table's rows."""

from __future__ import annotations

from agents.domain import Column, Table
from agents.geo.place_names import AREA_NOUNS, are_proper_names, is_name_of_noun
from agents.offline.language.lexicon import ABBREVIATIONS, spelt_out
from agents.offline.language.names.comments import comment_head, without_origin
from agents.offline.language.names.costs import is_short_for
from agents.offline.language.names.foreign import MEANINGS
from agents.offline.language.words import name_words, naming_places, word_set

_CODES = word_set("id key code iso fips zip postal oid fid gid lat lon lng latitude longitude srid")
_CODES_AT_END = word_set("number nr no numeric ref reference")
"""Last words of identifiers: `plan_no` is not a measure, but `number_of_pupils` and `no_car_pct` are."""
_AXES, _OF_AXES = word_set("x y z"), word_set("coord coords coordinate point utm pos")
"""Not measures: `y`, `coord_y`. `vol_m3_y` is one (cubic metres per year)."""
_IS_NAME = {"name", "nam", *(own for own, words in MEANINGS.items() if words == ("name",))}
"""“Name” in European languages."""
_NAMES = _IS_NAME | word_set("title label")
_MIN_BEGINNING = 3
"""Minimum number of letters of a noun's beginning that abbreviates it in a column's name."""
_CLASS_RANK = 4
"""Rank of a column that classifies rows instead of naming them."""


def is_code(name: str) -> bool:
    """Whether a numeric column of this name holds an identifier or coordinate, not a measure."""
    words = name_words(name)
    is_axis = bool(_AXES & {*words}) and (len(words) == 1 or bool(_OF_AXES & {*words}))
    return bool(_CODES & {*words}) or not _CODES_AT_END.isdisjoint(words[-1:]) or is_axis


def text_columns(table: Table) -> list[Column]:
    """The columns of a table that hold text."""
    return [column for column in table.columns if column.kind == "text"]


def name_column(table: Table) -> Column | None:
    """The column that holds the names of the rows."""
    texts = text_columns(table)
    named = [each for each in texts if not _names_another(table, each)] or texts
    return min(
        named,
        key=lambda each: (_rank_as_name(table, each), not _begins_with_rows(table, each)),
        default=None,
    )


def _rank_as_name(table: Table, column: Column) -> int:
    """Rank of a text column as the name of the rows; lower is better."""
    words = name_words(column.name)
    last = {word for own in words[-1:] for word in (own, *ABBREVIATIONS.get(own, ()))}
    if last & _IS_NAME:
        return 0 if len(words) == 1 else 1
    if is_name_of_noun(column.name, name_words(table.name)[-1]):
        return 1
    if not _NAMES.isdisjoint((*words, *last, *comment_head(column.comment)[-1:])):
        return 2
    rows = name_words(table.name)
    is_noun = words == rows[-1:] and len(rows) - 1 in naming_places(table.name)
    is_of_area = words == rows[:-1] and rows[-1] in AREA_NOUNS and table.geometry_family == "polygon"
    if (is_noun or is_of_area) and are_proper_names(column.samples):
        return 2  # `scheme`, of planned schemes, `community`, of community areas
    is_code = words[-1:] and words[-1] in _CODES | _CODES_AT_END and not _names_another(table, column)
    return 3 if is_code or _is_own_code(table, column) else _CLASS_RANK


def has_row_names(table: Table) -> bool:
    """Whether a column names individual rows, not only their class (`cause` of outages)."""
    named = name_column(table)
    return named is not None and _rank_as_name(table, named) < _CLASS_RANK


def _is_own_code(table: Table, column: Column) -> bool:
    """Whether a column is the code of the rows: `well_no` of wells; “Transformer number” of transformers."""
    rows, column_words = (set(comment_head(each.comment)) for each in (table, column))
    is_own = _begins_with_rows(table, column) or bool(rows & column_words)
    ends_as_code = not (_CODES | _CODES_AT_END).isdisjoint((*name_words(column.name)[-1:], *column_words))
    return table.key == (column.name,) or (is_own and ends_as_code)


def _begins_with_rows(table: Table, column: Column) -> bool:
    own, rows = name_words(column.name), name_words(table.name)
    nouns = [rows[at] for at in naming_places(table.name)]
    # `dist`, elsewhere a distance, is short for the district in `dist_nm` of districts.
    return any(
        (len(own[0]) >= _MIN_BEGINNING and each.startswith(own[0])) or is_short_for(own[0], each)
        for each in nouns
    )


def _names_another(table: Table, column: Column) -> bool:
    """Whether a column does not name the rows, by its comment (`dist_nm` is “District” of hydrants) or beside their own
    code: `road_nm` of crossings with an `asset_no`."""
    comment = without_origin(column.comment) or ""
    label = name_words(comment) if any(map(str.isalnum, comment)) else ()
    is_own = _begins_with_rows(table, column) or _is_own_code(table, column)
    if label[-1:] == ("as",):  # “Doing business as”
        return False
    if not is_own and any(name == column.name for name, *_ in table.references):
        return True
    if not label and not is_own:
        *thing, last = name_words(column.name)
        said = spelt_out(table.name) | {*name_words(table.comment or "")}
        is_name = not _IS_NAME.isdisjoint((last, *ABBREVIATIONS.get(last, ())))
        codes = [name_words(each.name) for each in text_columns(table) if _is_own_code(table, each)]
        has_code = bool(codes) and all(thing[:1] != list(code[:1]) for code in codes)
        return bool(thing) and is_name and has_code and said.isdisjoint(spelt_out("_".join(thing)))
    return bool(label) and _NAMES.isdisjoint(label) and len(name_words(column.name)) > 1 and not is_own


PEOPLE = word_set("""
    architect artist author collector contractor inspector leader officer observer operator owner recorder sampler
    surveyor teacher
""")
"""Names of columns that hold people."""
