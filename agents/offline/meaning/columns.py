"""Finds the column that a request means: by name, measure (`highest`), unit (`2000 m`) or the range of its
values."""

from __future__ import annotations

from collections.abc import Sequence

from agents.domain import Column, Table
from agents.geo.phrases import is_year
from agents.offline.answers import refusals
from agents.offline.language.column_names import columns_called, measure_columns, tells_of_last, times_of
from agents.offline.language.lexicon import ABBREVIATIONS, MEASURES
from agents.offline.language.name_costs import UNIT_WORDS, are_made, is_short_for
from agents.offline.language.words import comment_head, fold, name_words, naming_places, nearest, word_set
from agents.offline.meaning.conditions import (
    Between,
    ColumnMention,
    Compare,
    Condition,
    Day,
    NamedRow,
    Quantity,
    Top,
    parts_of,
)
from agents.offline.meaning.scene import Refuse, Scene
from agents.offline.meaning.units import column_unit, in_one_unit, in_unit, name_without_unit
from agents.units import Unit

_CODES = word_set("id key code iso fips zip postal oid fid gid lat lon lng latitude longitude srid")
_CODES_AT_END = word_set("number nr no numeric ref reference")
"""Last words of identifiers: `plan_no` is no measure, but `number_of_pupils` and `no_car_pct` are."""
_AXES, _OF_AXES = word_set("x y z"), word_set("coord coords coordinate point utm pos")
"""Not measures: `y`, `coord_y`. `vol_m3_y` is one (cubic metres per year)."""
_IS_NAME = word_set("name nam namn navn naam nom nombre nome nazwa naziv nimi")
"""“Name” in European languages."""
_NAMES = _IS_NAME | word_set("title label")
_CLASS_RANK = 4
"""Rank of a column that classifies rows instead of naming them."""


def is_number(column: Column) -> bool:
    """Whether a column holds numbers."""
    return column.kind in ("integer", "number")


def number_columns(table: Table) -> list[Column]:
    """Columns that measure something: no keys, codes or coordinates."""
    return [c for c in table.columns if is_number(c) and c.name not in table.key and not is_code(c.name)]


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
    return min(named, key=lambda each: _rank_as_name(table, each), default=None)


def _rank_as_name(table: Table, column: Column) -> int:
    """Rank of a text column as the name of the rows; lower is better."""
    words = name_words(column.name)
    last = {word for own in words[-1:] for word in (own, *ABBREVIATIONS.get(own, ()))}
    if last & _IS_NAME:
        return 0 if len(words) == 1 else 1
    if not _NAMES.isdisjoint((*words, *last, *comment_head(column.comment)[-1:])):
        return 2
    rows = name_words(table.name)
    if words == rows[-1:] and len(rows) - 1 in naming_places(table.name) and not column.samples:
        return 2  # `scheme`, of planned schemes
    is_code = words[-1:] and words[-1] in _CODES | _CODES_AT_END and not _names_another(table, column)
    return 3 if is_code or _is_own_code(table, column) else _CLASS_RANK


def tells_apart(table: Table) -> bool:
    """Whether a column names individual rows, not only their class (`cause` of outages)."""
    named = name_column(table)
    return named is not None and _rank_as_name(table, named) < _CLASS_RANK


def _is_own_code(table: Table, column: Column) -> bool:
    """Whether a column is the code of the rows: `well_no` of wells; “Transformer number” of transformers."""
    rows, column_words = (set(comment_head(each.comment)) for each in (table, column))
    is_own = _begins_with_rows(table, column) or bool(rows & column_words)
    return is_own and bool((_CODES | _CODES_AT_END) & {*name_words(column.name)[-1:], *column_words})


def _begins_with_rows(table: Table, column: Column) -> bool:
    own, rows = name_words(column.name), name_words(table.name)
    nouns = [rows[at] for at in naming_places(table.name)]
    return any(own[0] == each or is_short_for(own[0], each) for each in nouns)


def _names_another(table: Table, column: Column) -> bool:
    """Whether a column's comment shows that it does not name the rows: `dist_nm` is “District” of hydrants."""
    label = name_words(column.comment or "")
    is_own = _begins_with_rows(table, column) or _is_own_code(table, column)
    return bool(label) and _NAMES.isdisjoint(label) and len(name_words(column.name)) > 1 and not is_own


def spoken_name(table: Table, column: str) -> str:
    """A column's name without its unit (`elevation` for `elevation_m`), unless that is ambiguous."""
    words = column.replace("_", " ")
    shorter, _, unit = words.rpartition(" ")
    if not shorter or fold(unit) not in UNIT_WORDS or table.column(shorter.replace(" ", "_")) is not None:
        return words
    meant = columns_called((table,), name_words(shorter))
    same = {name_without_unit(each) for name in meant if (each := table.column(name)) is not None}
    return shorter if len(same) == 1 and column in meant else words


def column_called(scene: Scene, table: Table, text: str) -> str:
    """The name of the table's column that `text` means. Raises Ask or Refuse."""
    exact = table.column(text)
    if exact is not None:
        return exact.name
    found = columns_called((table,), name_words(text))
    return named_column(scene, table, ColumnMention(text, tuple(found))).name


def named_column(
    scene: Scene, table: Table, mention: ColumnMention, *, unit: Unit | None = None, purpose: str = ""
) -> Column:
    """The table's column that a mention means, even if read for another table. Raises Ask or Refuse."""
    found = [column for name in mention.columns if (column := table.column(name)) is not None]
    called = columns_called((table,), words) if not found and (words := name_words(mention.text)) else ()
    found = found or [column for column in table.columns if column.name in called]
    if not found:
        there = [column.name for column in table.columns if column.kind != "geometry"]
        close = nearest(mention.text, there, 3) or there[:8]
        raise Refuse(
            refusals.NO_COLUMN(table=table.title, text=mention.text), refusals.IT_HAS(names=", ".join(close))
        )
    return chosen(scene, found, unit, purpose or f"“{mention.text}”", mention.text)


def chosen(
    scene: Scene, columns: Sequence[Column], unit: Unit | None, purpose: str, words: str = ""
) -> Column:
    """One of several columns: in the requested unit, else metric. Raises Ask if several remain."""
    narrowed = list(columns)
    if unit is not None:
        same = [column for column in narrowed if column_unit(column) == unit]
        fitting = [
            c for c in narrowed if (own := column_unit(c)) is not None and own.dimension == unit.dimension
        ]
        narrowed = same or fitting or narrowed
    narrowed = in_one_unit(narrowed)
    if len(narrowed) == 1:
        return narrowed[0]
    names = [column.name for column in narrowed]
    picked = scene.choose(
        names,
        refusals.WHICH(purpose=purpose, names=", ".join(names[:-1]), last=names[-1]),
        words,
    )
    return next(column for column in narrowed if column.name == picked)


def check_unit(table: Table, column: Column | None, unit: Unit | None) -> None:
    """Raise Refuse if the column's values cannot be converted to the requested unit."""
    if unit is not None and column is not None and not in_unit(column, unit):
        raise Refuse(refusals.NO_UNIT(column=column.name, table=table.title, unit=unit.symbol))


def check_age(words: str, column: Column | None) -> None:
    """Raise Refuse if the words ask for an age but the column holds dates or years."""
    if "age" in name_words(words) and column is not None and is_point_in_time(column):
        raise Refuse(refusals.NO_AGE(column=column.name), refusals.SAY_EARLIEST())


def check_when(scene: Scene, table: Table, where: Condition | None) -> None:
    """Raise Refuse if a bare year would be compared with a construction date: `traffic in 2010`."""
    for each in parts_of(where):
        if isinstance(each, Compare) and (each.op, each.measure, each.column) == ("=", "time", None):
            column = compared_column(scene, table, each)
            if any(are_made(word, "built") for word in name_words(column.name)):
                raise Refuse(refusals.ONLY_BUILT(column=column.name, table=table.title))


_EXTENTS = ("high", "tall", "long", "deep", "wide", "thick")
"""Measures that must not be confused with each other."""


def _measures_another(column: Column, measure: str) -> bool:
    """Whether the column's name states another extent: `deeper` never compares a height."""
    words = set(name_words(column.name))
    others = {word for each in _EXTENTS for word in MEASURES[each]}
    return measure in _EXTENTS and not words & set(MEASURES[measure]) and bool(words & others)


def compared_column(scene: Scene, table: Table, condition: Compare | Between) -> Column:
    """The column that a comparison means, by name, unit, measure or value. Raises Ask or Refuse."""
    value = condition.value if isinstance(condition, Compare) else condition.low
    unit = value.unit if isinstance(value, Quantity) else None
    if condition.column is not None:
        return named_column(scene, table, condition.column, unit=unit)
    if isinstance(value, Day) or condition.measure == "time":
        return _time_column(scene, table)
    if isinstance(value, NamedRow):
        return top_column(scene, table, Top(1, measure=condition.measure, word=f"than {value.text}"))
    by_measure = [
        c for name in measure_columns(table, condition.measure) if (c := table.column(name)) is not None
    ]
    if unit is not None:
        fitting = [
            c
            for c in number_columns(table)
            if (own := column_unit(c)) is not None
            and own.dimension == unit.dimension
            and not _measures_another(c, condition.measure)
        ]
        if unit.dimension == "people":
            fitting = fitting or [
                c for name in measure_columns(table, "people") if (c := table.column(name)) is not None
            ]
        both = [column for column in fitting if column in by_measure]
        # “Larger” by a length may mean longer, wider or deeper.
        if not both and (not fitting or (condition.measure == "big" and unit.dimension == "length")):
            raise _no_unit(table, unit)
        return chosen(scene, both or fitting, unit, _value_text(condition))
    if condition.measure:
        if not by_measure and condition.measure == "old" and (times := _times_of_origin(table)):
            return chosen(scene, times, None, _value_text(condition))
        if not by_measure:
            raise _no_measure(table, condition.measure)
        return chosen(scene, by_measure, None, _value_text(condition))
    return _fitting_value(scene, table, condition)


_NUMERIC_SUPERLATIVES = ("top", "bottom", "most", "fewest", "least", "highest", "lowest")
"""Superlatives that cannot rank texts."""


def top_column(scene: Scene, table: Table, top: Top) -> Column:
    """The column by which a superlative ranks a table. Raises Ask, or Refuse if there is none."""
    if top.column is not None:
        return _rankable(table, named_column(scene, table, top.column), top)
    built = [c for name in measure_columns(table, "old") if (c := table.column(name)) and is_point_in_time(c)]
    if top.word == "newest" and built and len(_times_of_origin(table)) < 2:
        return chosen(scene, built, None, f"“{top.word}”")
    if top.measure == "time":
        return _time_column(scene, table, of_origin=top.word == "newest")
    if top.measure == "big" and table.geometry_family == "polygon":
        areas = [
            c
            for name in measure_columns(table, "area")
            if (c := table.column(name)) is not None and is_number(c)
        ]
        if areas:
            return chosen(scene, areas, None, f"“{top.word}”")
    if top.measure:
        found = [c for name in measure_columns(table, top.measure) if (c := table.column(name)) is not None]
        if not found and top.measure == "old" and (times := _times_of_origin(table)):
            return chosen(scene, times, None, f"“{top.word}”")
        if not found:
            raise _no_measure(table, top.measure)
        return chosen(scene, found, None, f"“{top.word}”")
    numbers = number_columns(table)
    if not numbers:
        raise Refuse(refusals.NO_NUMBERS(table=table.title))
    if len(numbers) == 1 and top.word in ("most", "fewest", "least"):
        raise Refuse(refusals.NO_COLUMN_FOR(text=top.word))  # most of what?
    return chosen(scene, numbers, None, f"“{top.word}”")


def is_point_in_time(column: Column) -> bool:
    """Whether older rows have lower values: true of dates and years, false of ages."""
    return column.kind in ("date", "timestamp") or holds_years(column)


def holds_years(column: Column) -> bool:
    """Whether a column's numbers are years, by its name, comment or range."""
    ends = (column.minimum, column.maximum)
    is_said = column.kind == "integer" and comment_head(column.comment)[:1] == ("year",)
    name = column.name if not is_said else "year"
    return is_number(column) and all(is_year(name, end) for end in ends)


def ranks_descending(top: Top, column: Column) -> bool:
    """Whether the first row has the greatest value; the oldest row has the earliest date or year."""
    return top.descending != (top.measure == "old" and is_point_in_time(column))


def _rankable(table: Table, column: Column, top: Top) -> Column:
    """The column, if it can rank rows. Raises Refuse for `top 10 cities by country`."""
    if column.kind == "text" and (top.measure not in ("", "time") or top.word in _NUMERIC_SUPERLATIVES):
        first = next((each.name for each in number_columns(table)), None)
        raise Refuse(
            refusals.NO_RANK(column=column.name, table=table.title),
            refusals.SAY_RANK(word=top.word, n=str(top.limit), table=table.title, column=first)
            if first
            else "",
        )
    return column


def _value_text(condition: Compare | Between) -> str:
    value = condition.value if isinstance(condition, Compare) else condition.low
    return f"“{value.text}”" if isinstance(value, Quantity | Day) else f"“{value}”"


def when_column(scene: Scene, table: Table, mention: ColumnMention | None) -> Column:
    """The date or time column that is meant. Raises Ask or Refuse; years have no months or days."""
    column = named_column(scene, table, mention) if mention is not None else _time_column(scene, table)
    if column.kind not in ("date", "timestamp"):
        raise Refuse(refusals.NO_DATES(column=column.name, table=table.title))
    return column


def _time_column(scene: Scene, table: Table, *, of_origin: bool = False) -> Column:
    times = _times_of_origin(table) if of_origin else times_of(table) or _years(table)
    if not times:
        raise _no_measure(table, "time")
    return chosen(scene, times, None, "the time")


def _times_of_origin(table: Table) -> list[Column]:
    """Date or year columns that tell a row's age; excludes dates such as the last inspection."""
    times, years = (
        [each for each in own if not tells_of_last(each)] for own in (times_of(table), _years(table))
    )
    return times or years


def _years(table: Table) -> list[Column]:
    return [column for column in table.columns if holds_years(column)]


def _fitting_value(scene: Scene, table: Table, condition: Compare | Between) -> Column:
    """The column for a bare number: the one whose range includes it. Raises Ask or Refuse."""
    value = condition.value if isinstance(condition, Compare) else condition.low
    numbers = number_columns(table)
    if not isinstance(value, Quantity) or not numbers:
        raise Refuse(refusals.NONE_TO_COMPARE(table=table.title))
    fitting = [column for column in numbers if _in_range(column, value.value)]
    is_year = value.unit is None and value.value.is_integer() and 1000 <= value.value < 3000
    may_be_years = len(numbers) > 1 or isinstance(condition, Between)
    if is_year and may_be_years and not fitting and times_of(table):
        return _time_column(scene, table)
    return chosen(scene, fitting or numbers, None, _value_text(condition))


def _in_range(column: Column, value: float) -> bool:
    low, high = column.minimum, column.maximum
    if not isinstance(low, int | float) or not isinstance(high, int | float):
        return True
    return low <= value <= high


def _no_unit(table: Table, unit: Unit) -> Refuse:
    numbers = [column.name for column in number_columns(table)]
    return Refuse(
        refusals.NONE_IS(
            table=table.title,
            what=refusals.DIMENSIONS[unit.dimension]()
            if unit.dimension in refusals.DIMENSIONS
            else f"a {unit.dimension}",
        ),
        _numbers_hint(numbers),
    )


def _no_measure(table: Table, measure: str) -> Refuse:
    numbers = [column.name for column in number_columns(table)]
    return Refuse(
        refusals.NONE_TELLS(
            table=table.title, what=refusals.MEASURES[measure]() if measure in refusals.MEASURES else measure
        ),
        _numbers_hint(numbers),
    )


def _numbers_hint(names: Sequence[str]) -> str:
    return refusals.NUMBERS(names=", ".join(names[:8])) if names else refusals.COLUMN_NO_NUMBERS()


def tells_area(table: Table, noun: str, name: str, areas: Table | None) -> bool:
    """Whether the table knows the area in `tickets in zone Harbour`: by a column `zone` or a value `Harbour`."""
    known = {each for column in areas.columns for each in column.samples} if areas is not None else set()
    columns = [each for each in table.columns if each.kind == "text" and known & set(each.samples)]
    own = columns_called((table,), name_words(noun), lambda each: each in columns)
    has_name = name_words(name) in [
        name_words(v) for each in columns if each.name in own for v in each.samples
    ]
    return has_name or any(name_words(each) == name_words(noun) for each in own)
