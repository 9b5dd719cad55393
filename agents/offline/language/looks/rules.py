"""Rules for styles: `in red`, `by population in viridis with 7 classes`, `as circles sized by …`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from agents.domain import StyleKind
from agents.geo.styling.ramps import REVERSED
from agents.offline.language.conditions.ranks import take_superlative
from agents.offline.language.cursor import Cursor
from agents.offline.language.lexicon import (
    ANALYSIS_FUNCTIONS,
    COMPARATIVES,
    METHODS,
    RAMP_OF_COLOUR,
    RAMPS_BETWEEN,
    SHADES,
    SUPERLATIVES,
    WAYS,
)
from agents.offline.language.looks import phrases as style
from agents.offline.language.looks.colours import is_value, take_colour, take_ramp
from agents.offline.language.looks.labels import Labels
from agents.offline.language.looks.values import take_further_values, take_others, take_value_colours
from agents.offline.language.names.columns import measure_columns
from agents.offline.language.nouns import take_column, take_count, take_unit
from agents.offline.language.words import Phrases, word_set
from agents.offline.meaning.columns import is_number
from agents.offline.meaning.conditions import ColumnMention, Condition, OneOf, joined
from agents.offline.meaning.intents import Look

_NAME_ENDS = word_set("coast county city town river island islands sea lake mountains forest state park")


class Looks(Labels):
    """All rules for styles."""

    @property
    def pieces(self) -> tuple[Callable[[Look], Look | None], ...]:
        """The rules in the order in which they are tried."""
        return (
            self.opacity, self.unfilled, self.outline, self.heat, self.cells, self.raised, self.sized, self.symbols,
            self.circles, self.labels, self.value_colours, self.each_own, self.coloured, self.classes, self.ramp,
            self.colour, self.size, self.by, self.darker,
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

    def of_values(
        self, look: Look, kind: Condition | None, noun: str
    ) -> tuple[Look, Condition | None] | None:
        """`refused permits in red and granted ones in green`: the colours of values, and the rows with any of them;
        all rows with `capitals red, the others grey`."""
        if look.color is None or not isinstance(kind, OneOf) or kind.how not in ("kind", "is"):
            return None
        if (rest := take_others(self.cursor)) is not None:
            return replace(
                look, color=None, values=((kind.text.strip('"'), look.color), ("others", rest))
            ), None
        others = take_further_values(self.cursor, self.vocabulary, noun) if noun else ()
        colours = ((kind.text.strip('"'), look.color), *others)
        rows = joined("or", [replace(kind, text=value) for value, _ in colours])
        return (replace(look, color=None, values=colours), rows) if others else None

    def colour(self, look: Look) -> Look | None:
        """`in red`, `blue dots`, `with a green fill`, `fill green`."""
        opener = self.cursor.take(style.FILLS) or self.cursor.take(style.IN_COLOUR)
        self.cursor.take("in", ":", "a", "an", "the")
        begin = self.cursor.at
        color = take_colour(self.cursor)
        if color is None or look.color is not None or _is_name(self.cursor):
            return None
        if opener == "with" and self.vocabulary.columns_called(self.tables, self.cursor.since(begin)):
            return None  # `rivers with salmon`
        if is_value(self.cursor.since(begin), self.vocabulary, self.tables):
            return None
        self.cursor.take(style.COLOURED_THINGS, style.FILLS)
        if self.cursor.take(style.RAMP_NOUNS, "tones", "shades"):
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
        low, from_dark, first = self._hue()
        if low is not None and self.cursor.take("to", "-", "–"):
            high, to_dark, last = self._hue()
            ramp = ramp_between(low, high) or f"{first}-{last}" if high is not None else None
            self.cursor.take(style.RAMP_NOUNS)
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
        self.cursor.take(style.RAMP_NOUNS)
        return replace(look, ramp=name)

    def _hue(self) -> tuple[str | None, bool, str]:
        """The colour without its shade, whether that is a dark one, and both together: `yellow` of `pale yellow`."""
        start = self.cursor.at
        whole, self.cursor.at = take_colour(self.cursor) or "", start
        shade = SHADES.get(self.cursor.take(*SHADES) or "", False)
        color = take_colour(self.cursor) or ""
        hue = _SHADE.sub("", color)
        return hue or None, shade or color == f"dark{hue}", whole

    def classes(self, look: Look) -> Look | None:
        """`with 7 classes`, `in 5 quantile classes`, `using natural breaks`, `jenks`."""
        cursor = self.cursor
        opener = cursor.take("in", "with", "into", "using", "by", "and", "as", ",")
        count = take_count(cursor)
        method = METHODS.get(cursor.word())
        if method is not None:
            cursor.at += 1
            cursor.take("breaks", "interval", "intervals", "sized", "count", "counts")
        noun = cursor.take(style.CLASS_NOUNS)
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
        if cursor.take(style.COLOURED) is None:
            return None
        start = cursor.at
        for rule in (self.by, self.ramp, self.colour, self.size, self.opacity):
            if (found := rule(look)) is not None:
                return found
            cursor.at = start
        return None

    def each_own(self, look: Look) -> Look | None:
        """`a different colour for each status`, `each status in its own colour`, `give every status another colour`."""
        cursor = self.cursor
        if look.by is not None:
            return None
        start = cursor.at
        if cursor.take(style.APART):
            cursor.take(style.BY)
            column = self.column()
            return replace(look, apart=column is None, by=column)
        cursor.take("in", "with", "using", "give", "use")
        column = self.column() if cursor.take(style.COLOUR_FOR_EACH) else None
        if column is None:
            cursor.at = start
            column = self.column() if cursor.take(style.EACH) else None
            cursor.take("in", "with", "has", "have", "having", "gets", "get", "is", "by") if column else None
            column = column if column is not None and cursor.take(style.OWN_COLOUR) else None
        return None if column is None else replace(look, by=column)

    def by(self, look: Look) -> Look | None:
        """`by population`: the size of circles, the weight of a heat map, else the colour."""
        if self.cursor.sees("per") or self.cursor.sees("for each"):
            return None  # `airports per country` are counted
        by = self.cursor.take(style.BY)
        column = self.column() if by is not None else None
        if column is None or (by == "per" and self._are_numbers(column)):
            return None  # `budget per bed` is a quotient
        start = self.cursor.at
        unit = take_unit(self.cursor) if self.cursor.take("in") else None
        if unit is None:
            self.cursor.at = start
        return replace(look, by=column, unit=unit)

    def darker(self, look: Look) -> Look | None:
        """`darker = more`, `darker green = more canopy`, `the darker the denser`: as numbers are drawn anyway, in that
        colour."""
        cursor = self.cursor
        if look.by is None or cursor.take(style.DARKER) is None:
            return None
        color = take_colour(cursor)
        ramp = look.ramp if color is None else RAMP_OF_COLOUR.get(color)
        cursor.take(style.IS_MORE)
        is_same = self._greatest(look.by)
        return replace(look, ramp=ramp) if is_same and (color is None or ramp) else None

    def _greatest(self, by: ColumnMention) -> bool:
        """Read the greater values of a column: `more`, `higher density`, `denser`, `more crowded`."""
        cursor = self.cursor
        cursor.take("the")
        ranked = take_superlative(cursor)
        way, measure = COMPARATIVES.get(cursor.word(), ("", ""))
        if ranked is not None:
            way, measure = (">" if ranked.descending else "<"), ranked.measure
        elif way == ">" or WAYS.get(cursor.word()) == ">" or cursor.word() == "most":
            way, cursor.at = ">", cursor.at + 1
            if (crowded := SUPERLATIVES.get(f"most {cursor.word()}")) is not None:
                cursor.at, measure = cursor.at + 1, crowded[0]
        column = self.column()
        cursor.take(style.THEY_HAVE)
        if column is not None or way != ">":
            return column is not None and way == ">" and column.columns == by.columns
        own = {name for each in self.tables for name in measure_columns(each, measure)}
        return measure in ("", "big") or not own.isdisjoint(by.columns)

    def _are_numbers(self, column: ColumnMention) -> bool:
        own = [each for table in self.tables if (each := table.column(column.columns[0])) is not None]
        return all(map(is_number, own))

    def circles(self, look: Look) -> Look | None:
        """`as circles sized by population`, `as normal dots`."""
        cursor = self.cursor
        scaled = cursor.take(style.SCALED)
        form = scaled or cursor.take(style.CIRCLES)
        if form is None or (look.by is not None and look.kind is None and not scaled):
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
        if scaled and look.by is None:
            return self.scaled(look)
        grows = form.endswith(("circles", "bubbles"))
        return replace(look, kind="proportional" if look.by is not None or grows else "single")

    def heat(self, look: Look) -> Look | None:
        """`as a heat map weighted by population`."""
        cursor = self.cursor
        if cursor.take(style.HEAT) is None:
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
        if look.kind not in ("hexbin", "grid") or cursor.take(style.WITH_STATISTIC) is None:
            return None
        cursor.take("the", "their")
        statistic = ANALYSIS_FUNCTIONS.get(cursor.word())
        if statistic == "median":
            return None
        cursor.at += statistic is not None
        cursor.take("of the", "of", "the")
        column = self.column()
        return None if column is None else replace(look, by=column, statistic=statistic)  # type: ignore[arg-type]  # all functions except the median


_CELLS: tuple[tuple[Phrases, StyleKind], ...] = (
    (style.HEXBINS, "hexbin"),
    (style.SQUARES, "grid"),
    (style.CLUSTERS, "cluster"),
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
