"""Rules for sizes, outlines, opacity and symbols: `as big blue circles`, `with a black outline`, `at 50 % opacity`."""

from __future__ import annotations

from dataclasses import replace

from agents.domain import Table
from agents.offline.language.conditions.ranks import take_superlative
from agents.offline.language.cursor import Cursor
from agents.offline.language.looks import phrases as style
from agents.offline.language.looks.colours import take_colour
from agents.offline.language.names.columns import measure_columns
from agents.offline.language.nouns import take_column, take_share
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import word_set
from agents.offline.meaning.conditions import ColumnMention, Top
from agents.offline.meaning.intents import Look

HALF, SLIGHT, FAINTER, THIN_PX, THICK_PX, MAX_OUTLINE_PX = 0.5, 0.3, 0.6, 0.5, 3.0, 20
_WIDE = word_set("thicker thickest wider widest width widths thickness")


class Symbols:
    """Rules for symbols; `tables` have the columns that may be meant."""

    def __init__(self, cursor: Cursor, vocabulary: Vocabulary, tables: tuple[Table, ...] = ()) -> None:
        self.cursor = cursor
        self.vocabulary = vocabulary
        self.tables = tables

    def column(self) -> ColumnMention | None:
        """A column of the tables."""
        return take_column(self.cursor, self.vocabulary, self.tables)

    def opacity(self, look: Look) -> Look | None:
        """`at 50 % opacity`, `with an opacity of 0.4`, `30 % transparent`, `half transparent`, `more transparent`."""
        cursor = self.cursor
        cursor.take("with", "at", "in", "and", "as")
        how_far = cursor.take("a bit", "slightly", "very", "more", "less")
        cursor.take("a", "an")
        wholly = cursor.take("fully", "completely") is not None
        noun = cursor.take(style.OPACITY, style.TRANSPARENCY)
        if noun is not None:
            cursor.take("of", "at", "to", "=", ":")
        share = take_share(cursor)
        noun = noun or cursor.take(style.OPACITY, style.TRANSPARENCY)
        if share is None and noun in style.TRANSPARENCY and how_far in ("a bit", "slightly"):
            share = SLIGHT
        if noun is not None and share is None and how_far in ("more", "less"):
            fainter = (noun in style.TRANSPARENCY) == (how_far == "more")
            return replace(look, fade=FAINTER if fainter else 1 / FAINTER)
        if noun is None or (share is None and (how_far or noun in ("opacity", "visible"))):
            return None
        if wholly and noun in style.TRANSPARENCY:
            return None  # features would be invisible
        if noun in style.OPACITY:
            return replace(look, opacity=1.0 if share is None else share)
        return replace(look, opacity=round(1 - (HALF if share is None else share), 4))

    def unfilled(self, look: Look) -> Look | None:
        """`without a fill`, `only the outlines`."""
        self.cursor.take("and", "with")
        return replace(look, unfilled=True) if self.cursor.take(style.UNFILLED) else None

    def outline(self, look: Look) -> Look | None:
        """`with a black outline`, `outlined in white`, `outline dark green`, `white borders 2 px wide`."""
        cursor = self.cursor
        cursor.take("with", "and", "in", "using")
        cursor.take("a", "an", "the")
        named = cursor.take(style.OUTLINED, style.OUTLINES) is not None
        if named:
            cursor.take("in", ":", "a", "an", "the")
        if not named and cursor.take(style.UNOUTLINED):
            return replace(look, outline_width=0.0)
        width = self._pixels() or self._width_word()
        color = take_colour(cursor)
        if color is None or not (named or cursor.take(style.OUTLINES)):
            return None
        return replace(look, outline=color, outline_width=width or self._pixels() or look.outline_width)

    def _pixels(self) -> float | None:
        """`2 px`, `, 2 px wide`."""
        start = self.cursor.at
        self.cursor.take(",", "of")
        token = self.cursor.take_number()
        if (
            token is not None
            and 0 < token.value <= MAX_OUTLINE_PX
            and self.cursor.take("px", "pixels", "pixel")
        ):
            self.cursor.take("wide", "thick")
            return token.value
        self.cursor.at = start
        return None

    def _width_word(self) -> float | None:
        word = self.cursor.take("thick", "bold", "wide", "thin", "fine")
        return None if word is None else THIN_PX if word in ("thin", "fine") else THICK_PX

    def symbols(self, look: Look) -> Look | None:
        """`as big blue circles`, `small dots`, `thick green lines`, `brown triangles`."""
        cursor = self.cursor
        opener = cursor.take("as", "with", "using", "in", "by", "and")
        cursor.take("a", "an", "the")
        grow = None
        cursor.take("very", "really")
        if cursor.take(style.BIG):
            grow = 1.5
        elif cursor.take(style.SMALL):
            grow = 1 / 1.5
        color = take_colour(cursor)
        cursor.take("filled", "solid")
        shape = cursor.take(style.SYMBOLS) if grow or color else None
        if shape is None and (color is not None or opener == "as"):
            shape = cursor.take(style.OTHER_SYMBOLS)
        if shape is None or (color is not None and look.color is not None):
            return None
        other = shape if shape in style.OTHER_SYMBOLS else look.symbol
        kind = look.kind or ("single" if look.by is None and opener in ("as", "with", "using") else None)
        return replace(look, kind=kind, color=color or look.color, grow=grow or look.grow, symbol=other)

    def sized(self, look: Look) -> Look | None:
        """`sized by population`, `bigger dots the more people live there`, `thickest for the busiest`."""
        cursor, start = self.cursor, self.cursor.at
        cursor.take("and", "with", "using", "in", "as")
        column: ColumnMention | None = None
        if cursor.take(style.SIZED):
            column = self.column()
        elif cursor.take(style.SIZED_MORE):
            column = self._more_of()
        elif cursor.take("the more", "the higher", "the larger", "the greater"):
            column = self._more_of()
            if column is not None and not cursor.take(style.THE_BIGGER):
                return None
        elif cursor.take(style.SIZED_MOST):
            top = take_superlative(cursor)
            column = self._measured(top) if top is not None and top.descending else None
        if column is None or (look.by is not None and look.kind is None):
            return None  # one column sets the colours, so another cannot set the sizes
        wide = bool(_WIDE & set(cursor.since(start).lower().split()))
        return replace(look, by=column, kind="proportional", symbol="lines" if wide else look.symbol)

    def _measured(self, top: Top) -> ColumnMention | None:
        """The column that a superlative means: `busiest`, `highest traffic`."""
        columns = measure_columns(self.tables[0], top.measure) if self.tables else []
        return self.column() or (ColumnMention(top.word, tuple(columns)) if columns else None)

    def _more_of(self) -> ColumnMention | None:
        """A column with filler words: `traffic they carry`, `people live there`. The rows' own noun means
        their size (`bigger dots for bigger cities`)."""
        self.cursor.take("their", "the", "its")
        column = self.column() or self._size_of_rows()
        if column is not None:
            self.cursor.take(style.THEY_HAVE)
        return column

    def scaled(self, look: Look) -> Look | None:
        """`as graduated symbols`: by the named column, else by the size of the rows."""
        if look.by is not None:
            return replace(look, kind="proportional")
        columns = measure_columns(self.tables[0], "big") if self.tables else []
        size = ColumnMention("size", tuple(columns))
        return replace(look, kind="proportional", by=size) if columns else None

    def _size_of_rows(self) -> ColumnMention | None:
        words, used = self.cursor.keys()
        match = self.vocabulary.match_table(words) if words else None
        if match is None or match.guessed or not set(match.found) & set(self.tables[:1]):
            return None
        columns = measure_columns(self.tables[0], "big")
        self.cursor.at += used[match.length - 1] if columns else 0
        return ColumnMention("size", tuple(columns)) if columns else None

    def raised(self, look: Look) -> Look | None:
        """`in 3D by population`, `extruded by height`."""
        cursor = self.cursor
        opener = cursor.take("in", "as")
        three = cursor.token()
        if opener is not None and three is not None and three.text == "3" and cursor.word(1) == "d":
            cursor.at += 2
            cursor.take("blocks", "columns", "towers")
        elif opener is not None or cursor.take("extruded", "raised", "rising") is None:
            return None
        self.cursor.take("by", "according to", "from", "of", "based on")
        column = self.column()
        return replace(look, height=column) if column is not None else None

    def size(self, look: Look) -> Look | None:
        """`with size 6`, `3 px wide`, `bigger`."""
        cursor = self.cursor
        cursor.take("with", "of", "at", "to")
        cursor.take("the") if cursor.sees("a bit") or cursor.sees("a little") else cursor.take("a", "the")
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
        times = cursor.take("twice as", "double", "half as", "half")
        if times is not None:
            cursor.take("the")
            grown = cursor.take("big", "large", "thick", "wide", "size", "width")
            return replace(look, grow=2.0 if times[0] in "td" else HALF) if grown else None
        cursor.take("a bit", "a little", "much", "slightly")
        bigger = cursor.take("bigger", "larger", "thicker", "wider", "fatter", "big", "large", "thick")
        smaller = cursor.take("smaller", "thinner", "narrower", "finer", "small", "thin", "tiny")
        cursor.take(style.THAN_USUAL)
        if not (bigger or smaller) or cursor.word() == "than":
            return None
        cursor.take(style.SYMBOLS)
        return replace(look, grow=1.5 if bigger else 1 / 1.5)
