"""Finds the column that a request means: by name, measure (`highest`), unit (`2000 m`) or the range of its values."""

from __future__ import annotations

from collections.abc import Sequence

from agents.domain import Column, Table
from agents.geo.wording.phrases import is_year
from agents.offline.answers import refusals
from agents.offline.language.conditions.explained_numbers import QUALITY, worst_is_greatest
from agents.offline.language.lexicon import MEASURES, spelt_out
from agents.offline.language.names.columns import columns_called, measure_columns
from agents.offline.language.names.comments import comment_head
from agents.offline.language.names.costs import UNIT_WORDS, are_made
from agents.offline.language.names.dates import ENDED, PLANNED, is_called_after, records_last_time, times_of
from agents.offline.language.names.periods import dates_of_birth, is_age_of_people, newest
from agents.offline.language.names.rows import year_of_rows
from agents.offline.language.words import fold, name_words, nearest, word_set
from agents.offline.meaning import units
from agents.offline.meaning.conditions import (
    Between,
    ColumnMention,
    Compare,
    Condition,
    Day,
    NamedRow,
    Operand,
    Quantity,
    Top,
    parts_of,
)
from agents.offline.meaning.filters.depths import is_lowest_of_depths
from agents.offline.meaning.row_names import has_row_names, is_code, name_column
from agents.offline.meaning.scene import Refuse, Scene
from agents.offline.meaning.units import column_unit, in_one_unit, in_unit, name_without_unit
from agents.units import Unit


def is_number(column: Column) -> bool:
    """Whether a column holds numbers."""
    return column.kind in ("integer", "number")


def number_columns(table: Table) -> list[Column]:
    """Columns that measure something: no keys, codes or coordinates."""
    return [c for c in table.columns if is_number(c) and c.name not in table.key and not is_code(c.name)]


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


def named_column(scene: Scene, table: Table, mention: ColumnMention, *, unit: Unit | None = None) -> Column:
    """The table's column that a mention means, even if read for another table. Raises Ask or Refuse."""
    own = name_column(table) if name_words(mention.text) == ("name",) and has_row_names(table) else None
    if own is not None:
        return own  # `dist_nm` of districts, although `rm_name` is closer by its letters
    found = [column for name in mention.columns if (column := table.column(name)) is not None]
    called = columns_called((table,), words) if not found and (words := name_words(mention.text)) else ()
    found = found or [column for column in table.columns if column.name in called]
    if not found:
        there = [column.name for column in table.columns if column.kind != "geometry"]
        close = nearest(mention.text, there, 3) or there[:8]
        raise Refuse(
            refusals.NO_COLUMN(table=table.title, text=mention.text), refusals.IT_HAS(names=", ".join(close))
        )
    return chosen(scene, found, unit, f"“{mention.text}”", mention.text)


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
    are_people = all(spelt_out(column.name) & {*MEASURES["people"]} for column in narrowed)
    of_now = newest([column.name for column in narrowed]) if are_people else []  # of several years
    narrowed = in_one_unit([column for column in narrowed if column.name in of_now] or narrowed)
    if len(narrowed) == 1:
        return narrowed[0]
    names = [column.name for column in narrowed]
    picked = scene.choose(
        names, refusals.WHICH(purpose=purpose, names=", ".join(names[:-1]), last=names[-1]), words
    )
    return next(column for column in narrowed if column.name == picked)


def check_unit(table: Table, column: Column | None, unit: Unit | None) -> None:
    """Raise Refuse if the column's values cannot be converted to the requested unit."""
    if unit is not None and column is not None and not in_unit(column, unit):
        raise Refuse(refusals.NO_UNIT(column=column.name, table=table.title, unit=unit.symbol))


def asks_for_age(words: str, column: Column) -> bool:
    """Whether the words ask for an age, of which the column holds the date or year of the beginning."""
    return "age" in name_words(words) and is_point_in_time(column)


def check_age(words: str, column: Column | None) -> None:
    """Raise Refuse if the words ask for an age but the column holds dates or years."""
    if column is not None and asks_for_age(words, column):
        raise Refuse(refusals.NO_AGE(column=column.name), refusals.SAY_EARLIEST())


def check_when(scene: Scene, table: Table, where: Condition | None) -> None:
    """Raise Refuse if a bare year would be compared with a construction date: `traffic in 2010`."""
    for each in parts_of(where):
        if isinstance(each, Compare) and (each.op, each.measure, each.column) == ("=", "time", None):
            column = compared_column(scene, table, each)
            if any(are_made(word, "built") for word in name_words(column.name)):
                raise Refuse(refusals.ONLY_BUILT(column=column.name, table=table.title))


_EXTENTS = ("high", "tall", "long", "deep", "wide", "thick")  # are not confused with each other


def _measures_another(column: Column, measure: str) -> bool:
    """Whether the column's name states another extent: `deeper` never compares a height."""
    words = set(name_words(column.name))
    others = {word for each in _EXTENTS for word in MEASURES[each]}
    return measure in _EXTENTS and not words & set(MEASURES[measure]) and bool(words & others)


def _when_if_a_year(table: Table, column: Column, value: Operand) -> Column:
    """The column of years that goes with a flag, if the value is a year: `burned in 2015` means `burn_yr`."""
    if column.kind != "boolean" or not isinstance(value, Quantity) or not units.is_year(value.value):
        return column
    flag = name_words(column.name)[-1]
    of_it = [each for each in _years(table) if is_called_after(each, flag)]
    return of_it[0] if len(of_it) == 1 else column


def compared_column(scene: Scene, table: Table, condition: Compare | Between) -> Column:
    """The column that a comparison means, by name, unit, measure or value. Raises Ask or Refuse."""
    value = condition.value if isinstance(condition, Compare) else condition.low
    unit = value.unit if isinstance(value, Quantity) else None
    if condition.column is not None:
        mention = _in_whose_range(table, condition.column, value)
        if "/" in mention.text and (unsure := units.of_any_unit(table)):  # `above 10 mg/L`
            named = [each for each in table.columns if each.name in mention.columns]
            return chosen(scene, [*named, *unsure], None, _value_text(condition))
        column = named_column(scene, table, mention, unit=unit)
        if (
            isinstance(value, Quantity)
            and unit is None
            and is_age_of_people(column, mention.text, value.value)
        ):
            raise Refuse(refusals.NO_COLUMN_FOR(text=f"{mention.text} {value.text}"))
        return _when_if_a_year(table, column, value)
    if isinstance(value, Day) or condition.measure == "time":
        is_year = isinstance(value, Day | Quantity) and value.text.isdigit()
        year = year_of_rows(table, _years(table), times_of(table)) if is_year else None
        return year or _time_column(scene, table)
    if isinstance(value, NamedRow):
        return top_column(scene, table, Top(1, measure=condition.measure, word=f"than {value.text}"))
    by_measure = _measured(table, condition.measure)
    if unit is not None:
        fitting = [
            c
            for c in number_columns(table)
            if (own := column_unit(c)) is not None
            and own.dimension == unit.dimension
            and not _measures_another(c, condition.measure)
        ]
        if unit.dimension == "people":
            fitting = fitting or _measured(table, "people")
        both = [column for column in fitting if column in by_measure]
        if condition.measure == "big" and unit.dimension == "length" and not both:
            # “Larger” by a length may mean longer, wider or deeper.
            both = [c for c in fitting if len(fitting) == 1 and _ACROSS & spelt_out(c.name)]
            fitting = []
        if not both and condition.measure == "old":  # `older than 50 years`
            both = [c for c in by_measure if is_point_in_time(c)] or _times_of_origin(table)
        if not both and not fitting:
            raise _no_unit(table, unit)
        if unsure := units.of_any_unit(table) if not both else []:
            return chosen(scene, [*fitting, *unsure], None, _value_text(condition))
        return chosen(scene, both or fitting, unit, _value_text(condition))
    if condition.measure:
        if not by_measure and condition.measure == "old" and (times := _times_of_origin(table)):
            return chosen(scene, times, None, _value_text(condition))
        if not by_measure:
            raise _no_measure(table, condition.measure)
        return chosen(scene, by_measure, None, _value_text(condition))
    return _fitting_value(scene, table, condition)


def _measured(table: Table, measure: str) -> list[Column]:
    return [c for name in measure_columns(table, measure) if (c := table.column(name)) is not None]


def _in_whose_range(table: Table, mention: ColumnMention, value: Operand) -> ColumnMention:
    """The mention with the only one of its columns in whose range the number lies: `132 kV`, of two voltages."""
    own = [each for name in mention.columns if (each := table.column(name)) is not None]
    if not isinstance(value, Quantity) or len(own) < 2:
        return mention
    fitting = [each.name for each in own if _in_range(each, value.value)]
    return ColumnMention(mention.text, tuple(fitting)) if len(fitting) == 1 else mention


_ACROSS = word_set("diameter width span girth")  # the one length by which a thing is `bigger than 40 m`
_NUMERIC_SUPERLATIVES = ("top", "bottom", "most", "fewest", "least", "highest", "lowest")  # cannot rank texts


def top_column(scene: Scene, table: Table, top: Top) -> Column:
    """The column by which a superlative ranks a table. Raises Ask, or Refuse if there is none."""
    if top.column is not None:
        return _rankable(table, named_column(scene, table, top.column), top)
    built = [c for c in _measured(table, "old") if is_point_in_time(c)]
    if top.word == "newest" and built and len(_times_of_origin(table)) < 2:
        return chosen(scene, built, None, f"“{top.word}”")
    if top.measure == "time":
        return _time_column(scene, table, of_origin=top.word == "newest")
    areas = [c for c in _measured(table, "area") if is_number(c)] if top.measure == "big" else []
    if areas and table.geometry_family == "polygon":
        return chosen(scene, areas, None, f"“{top.word}”")
    if top.measure:
        found = _measured(table, top.measure)
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
    drawn = {
        layer.style.column
        for layer in scene.layers
        if layer.table == table.id and layer.style.kind in ("graduated", "proportional")
    }
    if top.word in ("top", "bottom") and len(shown := [each for each in numbers if each.name in drawn]) == 1:
        return shown[0]  # `only the top 5` of what is coloured by its count
    return chosen(scene, numbers, None, f"“{top.word}”")


def is_point_in_time(column: Column) -> bool:
    """Whether older rows have lower values: true of dates and years, false of ages."""
    return column.kind in ("date", "timestamp") or holds_years(column)


def holds_years(column: Column) -> bool:
    """Whether a column's numbers are years, by its name, comment or range."""
    ends = (column.minimum, column.maximum)
    is_described = column.kind == "integer" and comment_head(column.comment)[:1] == ("year",)
    name = column.name if not is_described else "year"
    return is_number(column) and all(is_year(name, end) for end in ends)


def ranks_descending(top: Top, column: Column) -> bool:
    """Whether the first row has the greatest value: not the oldest, nor the best of a scale that ends in the worst."""
    if top.word in QUALITY and (is_worst := worst_is_greatest(column)) is not None:
        return is_worst == (top.word == "worst")
    reverses = top.measure == "old" and is_point_in_time(column)
    return top.descending != (reverses or is_lowest_of_depths(column, top.column, top.word))


def _rankable(table: Table, column: Column, top: Top) -> Column:
    """The column, if it can rank rows. Raises Refuse for `top 10 cities by country`."""
    is_unknown = top.word in QUALITY and worst_is_greatest(column) is None
    is_other = top.measure not in ("", "time") or top.word in _NUMERIC_SUPERLATIVES or is_unknown
    if (column.kind == "text" and is_other) or column.kind == "boolean":
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
    """Date or year columns that tell a row's age: that of its birth, else without dates such as the last inspection."""
    if born := dates_of_birth(table):
        return born
    times, years = (
        [each for each in own if not records_last_time(each)] for own in (times_of(table), _years(table))
    )
    times = [each for each in times if not PLANNED & spelt_out(each.name)]
    return [each for each in times if not ENDED & spelt_out(each.name)] or times or years


def _years(table: Table) -> list[Column]:
    return [column for column in table.columns if holds_years(column)]


def _fitting_value(scene: Scene, table: Table, condition: Compare | Between) -> Column:
    """The column for a bare number: the one whose range includes it. Raises Ask or Refuse."""
    value = condition.value if isinstance(condition, Compare) else condition.low
    numbers = number_columns(table)
    if not isinstance(value, Quantity) or not numbers:
        raise Refuse(refusals.NONE_TO_COMPARE(table=table.title))
    if isinstance(condition, Between) and _are_years(condition) and (times_of(table) or _years(table)):
        return _time_column(scene, table)
    fitting = [column for column in numbers if _in_range(column, value.value)]
    is_year = value.unit is None and value.value.is_integer() and 1000 <= value.value < 3000
    may_be_years = len(numbers) > 1 or isinstance(condition, Between)
    if is_year and may_be_years and not fitting and times_of(table):
        return _time_column(scene, table)
    return chosen(scene, fitting or numbers, None, _value_text(condition))


def _are_years(condition: Between) -> bool:
    """Whether two bare numbers are years: `between 2015 and 2020`."""
    ends = (condition.low, condition.high)
    return all(
        isinstance(each, Quantity) and each.unit is None and each.value in _LIKELY_YEARS for each in ends
    )


_LIKELY_YEARS = range(1900, 2100)


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


def knows_area(table: Table, noun: str, name: str, areas: Table | None) -> bool:
    """Whether the table knows the area in `tickets in zone Harbour`: by a column `zone` or a value `Harbour`."""
    known = {each for column in areas.columns for each in column.samples} if areas is not None else set()
    columns = [each for each in table.columns if each.kind == "text" and known & set(each.samples)]
    own = columns_called((table,), name_words(noun), lambda each: each in columns)
    has_name = name_words(name) in [
        name_words(v) for each in columns if each.name in own for v in each.samples
    ]
    return has_name or any(name_words(each) == name_words(noun) for each in own)
