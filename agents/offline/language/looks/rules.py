"""Rules for styles: `in red`, `by population in viridis with 7 classes`, `as circles sized by …`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from agents.domain import StyleKind
from agents.geo.styling.ramps import REVERSED
from agents.offline.language import phrasebook as p
from agents.offline.language.cursor import Cursor
from agents.offline.language.lexicon import ANALYSIS_FUNCTIONS, METHODS, RAMP_OF_COLOUR, RAMPS_BETWEEN, SHADES
from agents.offline.language.looks.colours import is_value, take_colour, take_ramp
from agents.offline.language.looks.symbols import Symbols
from agents.offline.language.looks.values import take_further_values, take_value_colours
from agents.offline.language.nouns import take_column, take_count, take_unit
from agents.offline.language.words import Phrases, name_words, word_set
from agents.offline.meaning.columns import is_number
from agents.offline.meaning.conditions import ColumnMention, Condition, OneOf, joined
from agents.offline.meaning.intents import Look

_NAME_ENDS = word_set("coast county city town river island islands sea lake mountains forest state park")


class Looks(Symbols):
    """All rules for styles."""

    @property
    def pieces(self) -> tuple[Callable[[Look], Look | None], ...]:
        """The rules in the order in which they are tried."""
        return (
            self.opacity, self.unfilled, self.outline, self.heat, self.cells, self.raised, self.sized, self.symbols,
            self.circles, self.labels, self.value_colours, self.coloured, self.classes, self.ramp, self.colour,
            self.size, self.by, self.darker,
        )  # fmt: skip

    def add(self, look: Look) -> Look | None:
        """The style with one more property, if one follows."""
        start = self.cursor.at
        for rule in self.pieces:
            found = rule(look)
            if found is not None:
                return settled(found)
            self.cursor.at = start
        return None

    def of_values(self, look: Look, kind: Condition | None, noun: str) -> tuple[Look, Condition] | None:
        """`refused permits in red and granted ones in green`: the colours of values, and the rows with any of them."""
        if look.color is None or not isinstance(kind, OneOf) or kind.how not in ("kind", "is"):
            return None
        others = take_further_values(self.cursor, self.vocabulary, noun)
        colours = ((kind.text.strip('"'), look.color), *others)
        rows = joined("or", [replace(kind, text=value) for value, _ in colours])
        return (replace(look, color=None, values=colours), rows) if others else None

    def colour(self, look: Look) -> Look | None:
        """`in red`, `blue dots`, `with a green fill`, `fill green`."""
        opener = self.cursor.take(p.FILLS) or self.cursor.take(p.IN_COLOUR)
        self.cursor.take("in", ":", "a", "an", "the")
        begin = self.cursor.at
        color = take_colour(self.cursor)
        if color is None or look.color is not None or _is_name(self.cursor):
            return None
        if opener == "with" and self.vocabulary.columns_called(self.tables, self.cursor.since(begin)):
            return None  # `rivers with salmon`
        if is_value(self.cursor.since(begin), self.vocabulary, self.tables):
            return None
        self.cursor.take(p.COLOURED_THINGS, p.FILLS)
        if self.cursor.take(p.RAMP_NOUNS, "tones", "shades"):
            return replace(look, ramp=RAMP_OF_COLOUR.get(color)) if color in RAMP_OF_COLOUR else None
        end = self.cursor.at
        column = take_column(self.cursor, self.vocabulary, self.tables)  # `with a yellow warning level`
        self.cursor.at = end
        return replace(look, color=color) if column is None else None

    def ramp(self, look: Look) -> Look | None:
        """`in viridis`, `from light to dark green`, `yellow to red`, `in shades of blue`."""
        self.cursor.take(_RAMP)
        start = self.cursor.at
        shade = self.cursor.take(*SHADES)
        if shade is not None and self.cursor.take("to", "-", "–"):
            self.cursor.take(*SHADES)
            ramp = RAMP_OF_COLOUR.get(take_colour(self.cursor) or "")
            return None if ramp is None else replace(look, ramp=f"{ramp}{REVERSED if SHADES[shade] else ''}")
        self.cursor.at = start
        low, from_dark = self._hue()
        if low is not None and self.cursor.take("to", "-", "–"):
            high, to_dark = self._hue()
            ramp = ramp_between(low, high) if high is not None else None
            self.cursor.take(p.RAMP_NOUNS)
            is_back = low == high and from_dark and not to_dark
            return replace(look, ramp=f"{ramp}{REVERSED}" if is_back else ramp) if ramp else None
        self.cursor.at = start
        self.cursor.take("shades of", "tones of", "the", "a")
        shades = self.cursor.word(-1) == "of"
        if shades:
            color = take_colour(self.cursor)
            return replace(look, ramp=RAMP_OF_COLOUR[color]) if color in RAMP_OF_COLOUR else None
        name = take_ramp(self.cursor)
        if name is None:
            return None
        self.cursor.take(p.RAMP_NOUNS)
        return replace(look, ramp=name)

    def _hue(self) -> tuple[str | None, bool]:
        """The colour without its shade, and whether that is a dark one: `yellow` of `pale yellow`."""
        shade = SHADES.get(self.cursor.take(*SHADES) or "", False)
        color = take_colour(self.cursor) or ""
        hue = _SHADE.sub("", color)
        return hue or None, shade or color == f"dark{hue}"

    def classes(self, look: Look) -> Look | None:
        """`with 7 classes`, `in 5 quantile classes`, `using natural breaks`, `jenks`."""
        cursor = self.cursor
        opener = cursor.take("in", "with", "into", "using", "by", "and", "as")
        count = take_count(cursor)
        method = METHODS.get(cursor.word())
        if method is not None:
            cursor.at += 1
            cursor.take("breaks", "interval", "intervals", "sized", "count", "counts")
        noun = cursor.take(p.CLASS_NOUNS)
        if count is not None and noun is None and method is None:
            return None
        if count is None and (method is None or opener in ("and", "as")):
            return None
        by = look.by
        if noun is not None and by is None and cursor.take("of the", "of", "by the", "by"):
            by = self.column()
            if by is None:
                return None
        return replace(look, by=by, classes=count or look.classes, method=method or look.method)  # type: ignore[arg-type]  # METHODS has only valid methods

    def value_colours(self, look: Look) -> Look | None:
        """`fatal in red, serious in orange`."""
        values = () if look.values or look.color else take_value_colours(self.cursor, self.vocabulary)
        return replace(look, values=values) if values else None

    def coloured(self, look: Look) -> Look | None:
        """`coloured by population`, `painted red`."""
        cursor = self.cursor
        if cursor.take(p.COLOURED) is None:
            return None
        return self.by(look) or self.ramp(look) or self.colour(look) or self.size(look)

    def by(self, look: Look) -> Look | None:
        """`by population`: the size of circles, the weight of a heat map, else the colour."""
        groups = self.cursor.sees("per") or self.cursor.sees("for each")
        if groups and self.cursor.word(-1) not in _COLOURS:
            return None  # `airports per country` are counted
        by = self.cursor.take(p.BY)
        column = self.column() if by is not None else None
        if column is None or (by == "per" and self._are_numbers(column)):
            return None  # `budget per bed` is a quotient
        start = self.cursor.at
        unit = take_unit(self.cursor) if self.cursor.take("in") else None
        if unit is None:
            self.cursor.at = start
        return replace(look, by=column, unit=unit)

    def darker(self, look: Look) -> Look | None:
        """`darker = more`, `darker green = more canopy`: as numbers are drawn anyway, in that colour."""
        cursor = self.cursor
        if look.by is None or cursor.take(p.DARKER) is None:
            return None
        color = take_colour(cursor)
        ramp = look.ramp if color is None else RAMP_OF_COLOUR.get(color)
        is_more = cursor.take(p.IS_MORE)
        column = take_column(cursor, self.vocabulary, self.tables)
        is_same = column is None or column.columns == look.by.columns
        return replace(look, ramp=ramp) if is_more and is_same and (color is None or ramp) else None

    def _are_numbers(self, column: ColumnMention) -> bool:
        own = [each for table in self.tables if (each := table.column(column.columns[0])) is not None]
        return all(map(is_number, own))

    def circles(self, look: Look) -> Look | None:
        """`as circles sized by population`, `as normal dots`."""
        cursor = self.cursor
        form = cursor.take(p.CIRCLES)
        if form is None or (look.by is not None and look.kind is None and "proportional" not in form):
            return None
        start = cursor.at
        cursor.take("sized", "scaled")
        sized = self.by(look)
        if sized is not None:
            return replace(sized, kind="proportional")
        cursor.at = start
        sized = self.sized(look)
        if sized is not None:
            return sized
        cursor.at = start
        grows = form.endswith(("circles", "bubbles"))
        return replace(look, kind="proportional" if look.by is not None or grows else "single")

    def heat(self, look: Look) -> Look | None:
        """`as a heat map weighted by population`."""
        cursor = self.cursor
        if cursor.take(p.HEAT) is None:
            if (
                look.kind != "heatmap"
                or cursor.take("weighted by", "weighted with", "by", "weighted") is None
            ):
                return None
            column = self.column()
            return replace(look, by=column) if column is not None else None
        return replace(look, kind="heatmap")

    def cells(self, look: Look) -> Look | None:
        """`as hexbins`, `clustered`, and for cells `by average elevation`."""
        cursor = self.cursor
        for phrases, kind in _CELLS:
            if cursor.take(phrases):
                return replace(look, kind=kind)
        if look.kind not in ("hexbin", "grid") or cursor.take(p.WITH_STATISTIC) is None:
            return None
        cursor.take("the", "their")
        statistic = ANALYSIS_FUNCTIONS.get(cursor.word())
        if statistic == "median":
            return None
        cursor.at += statistic is not None
        cursor.take("of the", "of", "the")
        column = self.column()
        return None if column is None else replace(look, by=column, statistic=statistic)  # type: ignore[arg-type]  # all functions except the median

    def labels(self, look: Look) -> Look | None:
        """`labelled by name and country`, `labelled "{name}: {people}"`, `with name labels`, `with their names`."""
        cursor = self.cursor
        cursor.take("and")
        if cursor.take(p.UNLABELLED):
            return replace(look, unlabel=True)
        if cursor.take(p.LABELLED):
            cursor.take("by", "with", "for", "as", "showing", "of", "from", "using")
            return self.labelled(look)
        if cursor.take("put", "write", "print", "show"):
            look = self.labelled(look)
            return look if look.label and cursor.take(p.BESIDE_THEM) else None
        opener, start = cursor.take("with", "showing", "plus"), cursor.at
        if opener is None and "labels" not in cursor.words[start:]:
            return None
        if opener is None:  # `…, names as labels`
            columns = () if cursor.take(p.NAME_WORDS) else self.several_columns()
            named = cursor.at > start and cursor.take(p.AS_LABELS)
            return replace(look, label=columns, labelled=True) if named else None
        if cursor.take(p.NAME_WORDS) and cursor.word() not in ("like", "of", "containing", "starting"):
            cursor.take(p.AS_LABELS, "on it", "on")
            return replace(look, labelled=True)
        cursor.at = start
        names = cursor.take(p.NAME_WORDS) is not None
        cursor.at = start
        columns = self.several_columns()
        are_names = cursor.word(-1) in (
            "name",
            "names",
        )  # `with the zone names on`, not `with the alarm on`
        if columns and (names or cursor.take(p.AS_LABELS) or (are_names and cursor.take("on it", "on"))):
            return replace(look, label=columns, labelled=True)
        return None

    def labelled(self, look: Look) -> Look:
        """Labels after `labelled by`: a quoted text, columns, or the names."""
        text = self.cursor.take_string()
        if text is not None:
            return replace(look, label_text=text, labelled=True)
        columns = self.several_columns()
        if not columns:
            self.cursor.take(p.NAME_WORDS)
        return replace(look, label=columns, labelled=True)

    def several_columns(self) -> tuple[ColumnMention, ...]:
        """`name, country and population`; `and size 8` sets the symbol size."""
        cursor = self.cursor
        found: list[ColumnMention] = []
        while True:
            start = cursor.at
            if found and not cursor.take(", and", ",", "and"):
                break
            column = self.column()
            token = cursor.token()
            if column is None or (found and token is not None and token.kind == "number"):
                cursor.at = start
                break
            found.append(self._narrow_to_mentioned(column))
        return tuple(found)

    def _narrow_to_mentioned(self, column: ColumnMention) -> ColumnMention:
        """The column narrowed to one mentioned before: `with an IATA code, labelled by the code`."""
        mentioned = {
            word for token in self.cursor.tokens[: self.cursor.at] for word in name_words(token.text)
        }
        own = tuple(each for each in column.columns if set(name_words(each)) <= mentioned)
        return replace(column, columns=own) if len(column.columns) > 1 and len(own) == 1 else column


_CELLS: tuple[tuple[Phrases, StyleKind], ...] = (
    (p.HEXBINS, "hexbin"),
    (p.SQUARES, "grid"),
    (p.CLUSTERS, "cluster"),
)


def ramp_between(low: str, high: str) -> str | None:
    """The ramp from one colour to another, without their shades: `yellow`, `blue`."""
    if low in ("white", high):
        return RAMP_OF_COLOUR.get(high)
    if high == "white":
        return f"{RAMP_OF_COLOUR[low]}{REVERSED}" if low in RAMP_OF_COLOUR else None
    found = RAMPS_BETWEEN.get((low, high))
    return found or (f"{back}{REVERSED}" if (back := RAMPS_BETWEEN.get((high, low))) else None)


_RAMP = Phrases("""
    in | with | using | on | from
    | (in|with|using) (a|the) [colour|color] (ramp|gradient|scale|scheme) [running|going|that goes] from
""")
_COLOURS = word_set("colour color colours colors coloured colored shade shaded")
"""Words after which `per country` is a colour for each country."""
_SHADE = re.compile(r"^(?:light|dark|pale|deep|medium)(?=\w)")


def _is_name(cursor: Cursor) -> bool:
    """Whether the colour begins a name: `Ivory Coast`, `Orange County`."""
    token, before = cursor.token(), cursor.token(-1)
    if token is None or before is None or token.kind != "word":
        return False
    capitals = before.text[:1].isupper() and token.text[:1].isupper() and not before.text.isupper()
    return capitals or cursor.word() in _NAME_ENDS


def settled(look: Look) -> Look:
    """The style with a plain colour beside a column replaced by that colour's ramp: `by population in blue`; dots
    beside a column are coloured by it."""
    if look.by is not None and look.kind == "single":
        look = replace(look, kind=None)
    if (
        look.by is not None
        and look.kind != "proportional"
        and look.color in RAMP_OF_COLOUR
        and look.ramp is None
    ):
        return replace(look, color=None, ramp=RAMP_OF_COLOUR[look.color])
    return look
