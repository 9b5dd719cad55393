"""Rules for how things are to look: `in red`, `by population in viridis with 7 classes`, `as circles sized by …`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from agents.domain import StyleKind, Table
from agents.offline.language import phrasebook as p
from agents.offline.language.cursor import Cursor
from agents.offline.language.lexicon import ANALYSIS_FUNCTIONS, METHODS, RAMP_OF_COLOUR
from agents.offline.language.nouns import take_colour, take_column, take_count, take_ramp, take_unit
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import Phrases, word_set
from agents.offline.meaning.conditions import ColumnMention
from agents.offline.meaning.intents import Look

_NAME_ENDS = word_set("coast county city town river island islands sea lake mountains forest state park")


class Looks:
    """The rules over one cursor; `tables` are those whose columns may be meant."""

    def __init__(self, cursor: Cursor, vocabulary: Vocabulary, tables: tuple[Table, ...] = ()) -> None:
        self.cursor = cursor
        self.vocabulary = vocabulary
        self.tables = tables

    def add(self, look: Look) -> Look | None:
        """The look with one more piece, if one stands here."""
        start = self.cursor.at
        rules: tuple[Callable[[Look], Look | None], ...] = (
            self.outline, self.heat, self.cells, self.big_circles, self.circles, self.labels, self.coloured,
            self.classes, self.ramp, self.colour, self.size, self.by,
        )  # fmt: skip
        for rule in rules:
            found = rule(look)
            if found is not None:
                return settled(found)
            self.cursor.at = start
        return None

    def column(self) -> ColumnMention | None:
        return take_column(self.cursor, self.vocabulary, self.tables)

    def colour(self, look: Look) -> Look | None:
        self.cursor.take(p.IN_COLOUR)
        self.cursor.take("a", "an", "the")
        color = take_colour(self.cursor)
        if color is None or look.color is not None or _is_name(self.cursor):
            return None
        self.cursor.take(p.COLOURED_THINGS, p.FILLS)
        if self.cursor.take(p.RAMP_NOUNS, "tones", "shades"):
            return replace(look, ramp=RAMP_OF_COLOUR.get(color)) if color in RAMP_OF_COLOUR else None
        return replace(look, color=color)

    def ramp(self, look: Look) -> Look | None:
        self.cursor.take("in", "with", "using", "on", "from")
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
        return replace(look, by=by, classes=count or look.classes, method=method or look.method)  # type: ignore[arg-type]  # METHODS holds the three

    def coloured(self, look: Look) -> Look | None:
        cursor = self.cursor
        if cursor.take(p.COLOURED) is None:
            return None
        return self.by(look) or self.ramp(look) or self.colour(look)

    def by(self, look: Look) -> Look | None:
        """`by population`: of circles their size, of a heat map its weight, else the colour."""
        if self.cursor.take(p.BY) is None:
            return None
        column = self.column()
        if column is None:
            return None
        start = self.cursor.at
        unit = take_unit(self.cursor) if self.cursor.take("in") else None
        if unit is None:
            self.cursor.at = start
        return replace(look, by=column, unit=unit)

    def outline(self, look: Look) -> Look | None:
        """`with a black outline`, `outlined in white`."""
        named = self.cursor.take(p.OUTLINED) is not None
        if not named and self.cursor.take("with", "and", "in", "using") is None:
            return None
        self.cursor.take("a", "an", "the")
        color = take_colour(self.cursor)
        noun = "" if named else self.cursor.take(p.OUTLINES)
        return replace(look, outline=color) if color is not None and noun is not None else None

    def big_circles(self, look: Look) -> Look | None:
        """`as big blue circles`, `as small dots`."""
        cursor = self.cursor
        if cursor.take("as", "with", "using") is None:
            return None
        grow = 1.5 if cursor.take("big", "large", "bigger", "larger") else 0.0
        grow = grow or (1 / 1.5 if cursor.take("small", "tiny", "smaller") else 0.0)
        color = take_colour(cursor)
        if not (grow or color) or not cursor.take(
            "circles", "dots", "points", "bubbles", "markers", "symbols"
        ):
            return None
        return replace(look, kind="single", color=color or look.color, grow=grow or look.grow)

    def circles(self, look: Look) -> Look | None:
        cursor = self.cursor
        if look.by is not None and look.kind is None:
            return None  # one column gives the colours; another one cannot give the sizes besides
        if cursor.take(p.SIZED):
            column = self.column()
            return replace(look, by=column, kind="proportional") if column is not None else None
        if cursor.take(p.CIRCLES) is None:
            return None
        start = cursor.at
        cursor.take("sized", "scaled")
        sized = self.by(look)
        if sized is not None:
            return replace(sized, kind="proportional")
        cursor.at = start
        if cursor.take(p.SIZED):
            column = self.column()
            return replace(look, by=column, kind="proportional") if column is not None else None
        return replace(look, kind="proportional") if look.by is not None else replace(look, kind="single")

    def heat(self, look: Look) -> Look | None:
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
        """`as hexbins`, `clustered`, and of cells `by average elevation`."""
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
        return None if column is None else replace(look, by=column, statistic=statistic)  # type: ignore[arg-type]  # the functions but the median

    def labels(self, look: Look) -> Look | None:
        """`labelled by name and country`, `labelled "{name}: {people}"`, `with labels`, `with their names`."""
        cursor = self.cursor
        cursor.take("and")
        if cursor.take(p.UNLABELLED):
            return replace(look, unlabel=True)
        if cursor.take("labelled", "labeled", "with labels", "with label", "with a label"):
            cursor.take("by", "with", "for", "as", "showing", "of", "from", "using")
            text = cursor.take_string()
            if text is not None:
                return replace(look, label_text=text, labelled=True)
            columns = self.several_columns()
            if not columns:
                cursor.take(p.NAME_WORDS)
            return replace(look, label=columns, labelled=True)
        if cursor.take("with"):
            start = cursor.at
            if cursor.take(p.NAME_WORDS) and cursor.word() not in ("like", "containing", "starting"):
                cursor.take("as labels", "as label", "as a label")
                return replace(look, labelled=True)
            cursor.at = start
            column = self.column()
            if column is not None and cursor.take("as labels", "as label", "as a label", "labels"):
                return replace(look, label=(column,), labelled=True)
        return None

    def several_columns(self) -> tuple[ColumnMention, ...]:
        """`name, country and population`; `and size 8` is about the size of what is drawn."""
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
            found.append(column)
        return tuple(found)

    def size(self, look: Look) -> Look | None:
        """`with size 6`, `3 px wide`, `bigger`."""
        cursor = self.cursor
        cursor.take("with", "of", "at", "to")
        cursor.take("a", "the")
        named = cursor.take("line width", "radius", "size", "width", "thickness", "circle size", "point size")
        cursor.take("of", "to", "=")
        token = cursor.take_number()
        if token is not None and 0 < token.value <= 100:
            unit = cursor.take("px", "pixels", "pixel")
            wide = cursor.take("wide", "thick", "big", "large")
            if named or unit or wide:
                return replace(look, size=token.value)
            return None
        if named or token is not None:
            return None
        cursor.take("a bit", "a little", "much", "slightly")
        bigger = cursor.take("bigger", "larger", "thicker", "wider", "fatter", "big", "large", "thick")
        smaller = cursor.take("smaller", "thinner", "narrower", "finer", "small", "thin", "tiny")
        if not (bigger or smaller) or cursor.word() == "than":
            return None
        return replace(look, grow=1.5 if bigger else 1 / 1.5)


_CELLS: tuple[tuple[Phrases, StyleKind], ...] = (
    (p.HEXBINS, "hexbin"),
    (p.SQUARES, "grid"),
    (p.CLUSTERS, "cluster"),
)


def _is_name(cursor: Cursor) -> bool:
    """Whether the colour only begins a name: `Ivory Coast`, `Orange County`."""
    token, before = cursor.token(), cursor.token(-1)
    if token is None or before is None or token.kind != "word":
        return False
    capitals = before.text[:1].isupper() and token.text[:1].isupper() and not before.text.isupper()
    return capitals or cursor.word() in _NAME_ENDS


def settled(look: Look) -> Look:
    """A plain colour beside a column is that colour's ramp: `by population in blue`."""
    if (
        look.by is not None
        and look.kind != "proportional"
        and look.color in RAMP_OF_COLOUR
        and look.ramp is None
    ):
        return replace(look, color=None, ramp=RAMP_OF_COLOUR[look.color])
    return look
