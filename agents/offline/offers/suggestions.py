"""Suggests requests that work right now, from the registry and the map: to click on, and for "you could say".

Each is a sentence that the command language understands with this data.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from agents.domain import Column, Layer, Table
from agents.geo.wording.phrases import number
from agents.offline.answers import requests
from agents.offline.language.vocabulary import RESULTS
from agents.offline.language.words import fold, name_words, singular, word_set
from agents.offline.meaning.columns import number_columns, spoken_name
from agents.offline.meaning.row_names import name_column, text_columns
from agents.offline.meaning.units import column_unit
from agents.ports import TableRegistry
from agents.worded import joined

_COLOURS = ("red", "blue", "green", "orange", "purple")
_SUITED = ("population", "elevation", "area", "magnitude", "length", "height", "depth", "value", "count")
_OPENINGS = {
    "how": word_set("amount count number total"),
    "top": word_set("""
        best biggest deepest fewest greatest heaviest highest largest least longest lowest most newest oldest ranking
        shortest smallest tallest widest worst
    """),
    "show": word_set("display draw map where"),
    "colour": word_set("choropleth color shade shaded"),
}
"""Words of a request that ask for what a suggestion with this first word does."""
_MOST_TABLES = 6
_LOOKED_AT = 200


def suggestions(
    registry: TableRegistry, layers: Sequence[Layer] = (), limit: int = 6, like: str = ""
) -> list[str]:
    """At most `limit` requests, the most useful first. `like`: text of the user; if it names tables, all requests are
    about these."""
    drawable = [table for table in registry.tables() if table.geometry_column is not None]
    tables = [table for table in drawable if table.schema_name != RESULTS]
    words = set(name_words(like))
    named = _named(tables, words, registry)
    if named:
        about = [[*_mentioned(table, words), *_basic_requests(table)] for table in named]
        nearest = sorted(dict.fromkeys(_interleave(about)), key=lambda line: -_shared(line, words))
        return nearest[:limit]
    known = {table.id: table for table in drawable}
    starts = [
        _first(table, _COLOURS[place % len(_COLOURS)])
        for place, table in enumerate(_varied(tables, registry))
    ]
    nexts = [
        line
        for layer in reversed(layers)
        if layer.table in known
        for line in _following(layer, known[layer.table])
    ]
    questions = [line for table in _varied(tables, registry) for line in _questions(table)]
    chosen = _interleave([nexts, starts, questions] if layers else [starts, questions])
    if like:
        chosen.sort(key=lambda line: -_shared(line, words))
    return list(dict.fromkeys(chosen))[:limit]


def suggestions_about(registry: TableRegistry, text: str, limit: int = 4) -> list[str]:
    """Suggestions about the tables that a text names; empty if it names none."""
    drawable = [each for each in registry.tables() if each.geometry_column and each.schema_name != RESULTS]
    named = _named(drawable, set(name_words(text)), registry)
    return suggestions(registry, limit=limit, like=text) if named else []


def _shared(line: str, words: set[str]) -> int:
    """The number of words that a suggestion shares with a request, including what its first word does."""
    own = name_words(line)
    asked = _OPENINGS.get(own[0], frozenset()) if own else frozenset()
    return len(words & {*own}) + 2 * bool(words & asked)


def _named(tables: Sequence[Table], words: set[str], registry: TableRegistry) -> list[Table]:
    """The tables that share most words with the text by name, else by columns; only tables with a unique name. The
    last word of a name decides between equals: “permits” names abstraction_permits, “water” hardly water_samples."""
    names = Counter(table.name for table in registry.tables())
    clear = [table for table in tables if names[table.name] == 1 and _is_sayable(table.name)]
    for words_of in (_name_of, _columns_of):
        shared = {
            table.id: (len(words & words_of(table)), not words.isdisjoint(name_words(table.name)[-1:]))
            for table in clear
        }
        most = max(shared.values(), default=(0, False))
        if most[0]:
            return [table for table in clear if shared[table.id] == most][:_MOST_TABLES]
    return []


def _name_of(table: Table) -> set[str]:
    return set(name_words(table.name))


def _columns_of(table: Table) -> set[str]:
    """The words of the columns that questions can be about."""
    columns = [*number_columns(table), *text_columns(table)]
    return {word for each in columns if each != name_column(table) for word in name_words(each.name)}


def _mentioned(table: Table, words: set[str]) -> list[str]:
    """Questions about the columns that the words name."""
    own = words - set(name_words(table.name))
    measures = [spoken_name(table, c.name) for c in number_columns(table) if _is_named(c.name, own)]
    names = name_column(table)
    groups = [
        spoken_name(table, c.name) for c in text_columns(table) if c != names and _is_named(c.name, own)
    ]
    spoken = spoken_table(table)
    lines: list[str] = [
        requests.AVERAGE_BY(measure=measure, name=spoken, column=group)
        for measure in measures
        for group in groups
    ]
    lines += [requests.NUMBER_BY(name=spoken, column=group) for group in groups]
    return lines + [requests.TOP(n=10, name=spoken, column=measure) for measure in measures]


def _basic_requests(table: Table) -> list[str]:
    """A plain request to show the table, or to colour its areas, and questions; a colour was not asked for."""
    shown = _first(table, _COLOURS[0])
    if shown.startswith("show "):
        shown = requests.SHOW(name=spoken_table(table))
    return [shown, *_questions(table)]


def _is_named(column: str, words: set[str]) -> bool:
    return _is_sayable(column) and bool(words & set(name_words(column)))


def _varied(tables: Sequence[Table], registry: TableRegistry) -> list[Table]:
    """A few tables with unique names, those with names and numbers first."""
    names = Counter(table.name for table in registry.tables())
    large = sorted(tables, key=lambda table: -table.row_estimate)[:_LOOKED_AT]
    clear = [table for table in large if names[table.name] == 1 and _is_sayable(table.name)]
    return sorted(
        clear, key=lambda table: (not number_columns(table), name_column(table) is None, -table.row_estimate)
    )[:_MOST_TABLES]


def _first(table: Table, color: str) -> str:
    """A request that shows a table usefully: areas coloured by a number if they have one."""
    spoken = spoken_table(table)
    column = _best_number(table)
    if table.geometry_family == "polygon" and column is not None:
        return requests.COLOUR(name=spoken, column=spoken_name(table, column.name))
    return requests.SHOW_IN[color](name=spoken)


def _following(layer: Layer, table: Table) -> list[str]:
    """Requests that follow up on a layer."""
    name = _layer_name(layer, table)
    lines: list[str] = []
    best = _best_number(table)
    column = spoken_name(table, best.name) if best is not None else None
    threshold = _threshold(best) if best is not None else None
    if column is not None and threshold and layer.filter is None:
        lines.append(requests.ONLY_ABOVE(name=name, column=column, value=threshold))
    if layer.filter is not None:
        lines.append(requests.SHOW_ALL(name=name))
    if column is not None and layer.style.kind == "single":
        sized = layer.geometry_type == "point"
        draw = requests.CIRCLES if sized else requests.COLOUR
        lines.append(draw(name=name, column=column))
    if layer.style.label is None and name_column(table) is not None:
        lines.append(requests.LABEL(name=name))
    lines += [requests.ZOOM_LAYER(name=name), requests.UNDO()]
    return lines


def _questions(table: Table) -> list[str]:
    spoken = spoken_table(table)
    lines: list[str] = []
    column = _best_number(table)
    if column is not None:
        lines.append(requests.TOP(n=10, name=spoken, column=spoken_name(table, column.name)))
    lines.append(requests.COUNT(name=spoken))
    return lines


def _best_number(table: Table) -> Column | None:
    """The most informative numeric column."""
    numbers = [column for column in number_columns(table) if _is_sayable(column.name)]
    places = {word: place for place, word in enumerate(_SUITED)}
    return min(
        numbers,
        key=lambda column: min(
            (place for word, place in places.items() if word in column.name.lower()), default=len(_SUITED)
        ),
        default=None,
    )


def _threshold(column: Column) -> str | None:
    """A round number in the range of a column, with its unit."""
    if not isinstance(column.maximum, int | float) or not isinstance(column.minimum, int | float):
        return None
    middle = (column.maximum + max(column.minimum, 0)) / 4
    if middle <= 0:
        return None
    step = 10 ** max(len(str(int(middle))) - 1, 0)
    unit = column_unit(column)
    sign = f" {unit.symbol}" if unit is not None and unit.symbol in ("m", "km", "ft", "mi") else ""
    return joined("", (number(max(int(middle // step), 1) * step), sign))


def _layer_name(layer: Layer, table: Table) -> str:
    if table.is_result:
        return f'"{layer.name}"'
    if _is_sayable(layer.name.replace(" ", "_")) and fold(layer.name) == fold(table.name).replace("_", " "):
        return layer.name.lower()
    return spoken_table(table)


def spoken_table(table: Table) -> str:
    """The name of a table as a request has it."""
    return table.name.replace("_", " ").lower()


def _is_sayable(name: str) -> bool:
    """Whether a name is easy to say: ASCII letters and digits, beginning with a letter."""
    return (
        bool(name)
        and all(part.isalnum() for part in name.split("_"))
        and name.isascii()
        and bool(singular(name[:1].lower()).isalpha())
    )


def _interleave(lists: Sequence[list[str]]) -> list[str]:
    """The lists interleaved."""
    woven = []
    for place in range(max((len(lines) for lines in lists), default=0)):
        woven += [lines[place] for lines in lists if place < len(lines)]
    return woven
