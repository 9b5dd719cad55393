"""CSV and TSV as Arrow batches: a first pass over the file finds delimiter, encoding, types and coordinates.

Coordinates are two columns (longitude and latitude, x and y), or one column of WKT. Rows that do not fit are skipped
and reported."""

from __future__ import annotations

import codecs
import csv
import datetime
import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

import pyarrow as pa

from agents.worded import Template
from server.gis.reading.notes import Layout, Notes, Unreadable, check_names
from server.gis.reading.places import (
    PlacesSeen,
    coordinate_columns,
    crs_of,
    geometry_column,
    is_shape,
    number_of,
    point_of,
    shape_columns,
    shape_of,
    srid_of,
)

NO_HEADER = Template("file_no_header", "{file} has no header line with the names of its columns.")
UNKNOWN_ENCODING = Template(
    "file_unknown_encoding",
    "{file} is neither UTF-8 nor UTF-16 nor Windows-1252 text. Say which encoding it has.",
)
NO_TEXT = Template("file_no_text", "{file} is not a text file.")
BAD_LINE = Template("file_bad_line", "{file} cannot be read at line {line}: {why}.")
NO_ENCODING = Template("file_no_encoding", "There is no encoding {encoding}.")
DECIMAL_COMMAS = Template("file_decimal_commas", "Numbers of {file} with a decimal comma: {names}.")
LONG_NUMBERS = Template(
    "file_long_numbers",
    "Whole numbers of {file} that are longer than a number may be were kept as texts: {names}.",
)
ALL_QUOTED = Template(
    "file_all_quoted",
    "All values of {file} are in quotes, so quotes do not mark texts. Read as numbers or true and "
    "false: {names}. quoted=text (geoagent load --quoted-text) keeps them as texts.",
)
LINE = Template("file_line", "line {line}: {why}")
VALUES_IN_LINE = Template("file_values_in_line", "{n|one=# value|other=# values}, and the header has {most}")

ENCODINGS = ("utf-8-sig", "cp1252")
UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
"""The first bytes of what spreadsheets save as Unicode text."""
MAX_QUOTE_LINES = 10_000
"""Lines that are read to decide which columns are in quotes."""
_QUOTED_TYPES = ("date", "dotted_date", "local_timestamp", "timestamp")
"""Types that values in quotes may have; numbers and true stay text."""
MAX_LISTED_NAMES = 10
BATCH_ROWS = 20_000
BATCH_CHARACTERS = 8 * 1024 * 1024
MAX_FIELD_CHARS = 160 * 1024 * 1024
"""Characters: a geometry as WKT may have several times the bytes of its WKB."""

_WHOLE = re.compile(r"[+-]?\d+")
_INT64 = range(-(2**63), 2**63)
_INT64_DIGITS = 19
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?")
_COMMA_NUMBER = re.compile(r"[+-]?(0|[1-9]\d*|[1-9]\d{0,2}(\.\d{3})+)(,\d+)?")
_DOTTED_DATE = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})")
_LEADING_ZERO = re.compile(r"[+-]?0\d")

Convert = Callable[[str], Any]


@dataclass
class Guess:
    """The types that fit all values of a column so far, most specific first."""

    kinds: list[str]
    empty: bool = True

    def see(self, text: str) -> None:
        """Rule out the kinds that the text does not fit."""
        self.empty = False
        self.kinds = [kind for kind in self.kinds if _FITS[kind](text)]

    @property
    def kind(self) -> str:
        """The kind that fits all texts so far."""
        return "text" if self.empty or not self.kinds else self.kinds[0]


@dataclass
class CsvFile:
    """A CSV file after the first pass."""

    path: Path
    name: str
    """Displayed name of the file."""
    encoding: str
    delimiter: str
    names: list[str]
    guesses: list[Guess]
    places: tuple[int, ...]
    """Indices of longitude and latitude (x and y), or of one WKT column; empty for a table without geometry."""
    lonlat: bool
    """Whether the two columns are longitude and latitude."""
    crs: str | None = None
    """The reference system that the WKT names."""
    all_quoted: bool = False
    """Whether the file puts all values in quotes."""

    @property
    def remarks(self) -> list[str]:
        """Types that the quotes of the file did not keep from being recognised, and decimal commas."""
        remarks: list[str] = []
        if commas := self._names_of("comma_number"):
            remarks.append(DECIMAL_COMMAS(file=self.name, names=commas))
        if long := self._names_of("digits"):
            remarks.append(LONG_NUMBERS(file=self.name, names=long))
        typed = self._names_of("boolean", "integer", "number", "comma_number")
        if self.all_quoted and typed:
            remarks.append(ALL_QUOTED(file=self.name, names=typed))
        return remarks

    def _names_of(self, *kinds: str) -> str:
        names = [name for name, guess in zip(self.names, self.guesses, strict=True) if guess.kind in kinds]
        return ", ".join(names[:MAX_LISTED_NAMES]) + (", ..." if len(names) > MAX_LISTED_NAMES else "")

    def schema(self) -> pa.Schema:
        """The Arrow schema; its metadata hold a Layout."""
        fields = [
            pa.field(name, _TYPES[guess.kind])
            for index, (name, guess) in enumerate(zip(self.names, self.guesses, strict=True))
            if not self._is_shape(index)
        ]
        geometry = self.geometry
        if geometry is not None:
            fields.append(pa.field(geometry, pa.binary()))
        crs = "EPSG:4326" if self.lonlat else self.crs
        return pa.schema(fields, metadata=Layout(geometry, crs, self.lonlat, self.encoding).metadata())

    @property
    def geometry(self) -> str | None:
        """The name of the geometry column, which is WKT or made of coordinates; None without one."""
        if not self.places:
            return None
        if len(self.places) == 1:
            return self.names[self.places[0]]
        return geometry_column(self.names)

    def batches(self, notes: Notes) -> Iterator[pa.RecordBatch]:
        """The rows; those that cannot be read are skipped and noted."""
        schema = self.schema()
        converts = [_CONVERT[guess.kind] for guess in self.guesses]
        columns: list[list[Any]] = [[] for _ in schema]
        characters = 0
        for line, row in _rows(self.path, self.name, self.encoding, self.delimiter):
            try:
                values = self._values(row, converts)
            except ValueError as error:
                notes.skip(LINE(line=str(line), why=str(error)))
                continue
            for column, value in zip(columns, values, strict=True):
                column.append(value)
            characters += sum(map(len, row))
            if len(columns[0]) == BATCH_ROWS or characters > BATCH_CHARACTERS:
                yield _batch(schema, columns)
                columns, characters = [[] for _ in schema], 0
        if columns[0]:
            yield _batch(schema, columns)

    def _values(self, row: Sequence[str], converts: Sequence[Convert]) -> list[Any]:
        if len(row) != len(self.names):
            raise ValueError(VALUES_IN_LINE(n=len(row), most=len(self.names)))
        shape = self._shape(row)
        values = [
            convert(text) if text != "" else None
            for index, (text, convert) in enumerate(zip(row, converts, strict=True))
            if not self._is_shape(index)
        ]
        return [*values, shape] if self.places else values

    def _shape(self, row: Sequence[str]) -> bytes | None:
        if len(self.places) == 1:
            return shape_of(row[self.places[0]])
        return point_of(row[self.places[0]], row[self.places[1]], self.lonlat) if self.places else None

    def _is_shape(self, index: int) -> bool:
        return len(self.places) == 1 and index == self.places[0]


def sheet(path: Path, name: str, encoding: str | None = None, quoted_text: bool = False) -> CsvFile:
    """Run the first pass. With `quoted_text` what is in quotes is text in a file that quotes everything, too. Raises
    Unreadable."""
    csv.field_size_limit(MAX_FIELD_CHARS)
    encoding = encoding or _encoding_of(path, name)
    delimiter = _delimiter_of(path, name, encoding)
    with _opened(path, encoding) as file:
        header = next(csv.reader(file, delimiter=delimiter), None)
    if not header or not any(name.strip() for name in header):
        raise Unreadable(NO_HEADER(file=name))
    names = [name.strip() or f"column_{index}" for index, name in enumerate(header, 1)]
    check_names(name, names)
    # Files with decimal commas separate values by semicolons.
    kinds = [kind for kind in _FITS if kind != "comma_number" or delimiter == ";"]
    guesses = [Guess(kinds) for _ in names]
    shaped = [True] * len(names)
    pair, seen = coordinate_columns(names), PlacesSeen()
    srids: list[set[str | None]] = [set() for _ in names]
    for _, row in _rows(path, name, encoding, delimiter):
        if len(row) != len(names):
            continue
        for index, text in enumerate(row):
            if text != "":
                guesses[index].see(text)
                shaped[index] = shaped[index] and is_shape(text)
                if shaped[index]:
                    srids[index].add(srid_of(text))
        if pair:
            seen.see(row[pair[0]], row[pair[1]])
    quoted, all_quoted = _quoted_columns(path, encoding, delimiter, len(names))
    for index in quoted if quoted_text or not all_quoted else ():
        guesses[index].kinds = [kind for kind in guesses[index].kinds if kind in _QUOTED_TYPES]
    places = next(
        ((index,) for index in shape_columns(names) if shaped[index] and not guesses[index].empty), pair
    )
    is_pair = len(places) == 2
    for index in places if is_pair else ():
        guesses[index].kinds = ["coordinate"]
    lonlat = is_pair and seen.are_lonlat
    crs = crs_of(srids[places[0]]) if len(places) == 1 else None
    return CsvFile(path, name, encoding, delimiter, names, guesses, places, lonlat, crs, all_quoted)


def _quoted_columns(path: Path, encoding: str, delimiter: str, width: int) -> tuple[list[int], bool]:
    """Columns whose values are all in quotes, and whether these are all columns: if a file has quoted and unquoted
    values, quotes mark texts; if it quotes everything, they have no meaning. Decided by the first lines."""
    sign = re.escape(delimiter)
    value = re.compile(rf'(?P<quoted>"(?:[^"]|"")*")(?={sign}|$)|[^{sign}]*')
    bare, quoted = [0] * width, [0] * width
    with _opened(path, encoding) as file:
        for line in itertools.islice(file, 1, MAX_QUOTE_LINES):
            text, at, found = line.rstrip("\r\n"), 0, []
            while at <= len(text) and (match := value.match(text, at)) is not None:
                found.append(match)
                at = match.end() + 1
            if len(found) != width:
                continue  # A value of several lines.
            for index, each in enumerate(found):
                quoted[index] += each["quoted"] is not None
                bare[index] += each["quoted"] is None and each.end() > each.start()
    columns = [index for index in range(width) if quoted[index] and not bare[index]]
    return columns, bool(columns) and not any(bare)


def _encoding_of(path: Path, name: str) -> str:
    with path.open("rb") as start:
        is_utf16 = start.read(2) in UTF16_MARKS
    for encoding in ("utf-16",) if is_utf16 else ENCODINGS:
        try:
            with _opened(path, encoding) as file:
                while file.read(1024 * 1024):
                    pass
            return encoding
        except UnicodeError:
            continue
    raise Unreadable(UNKNOWN_ENCODING(file=name))


def _delimiter_of(path: Path, name: str, encoding: str) -> str:
    """The delimiter that splits the header into most columns."""
    with _opened(path, encoding) as file:
        first = file.readline(1024 * 1024)
    if "\0" in first:
        raise Unreadable(NO_TEXT(file=name))
    return max(
        (",", ";", "\t", "|"), key=lambda delimiter: len(next(csv.reader([first], delimiter=delimiter), []))
    )


def _rows(path: Path, name: str, encoding: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    with _opened(path, encoding) as file:
        reader = csv.reader(file, delimiter=delimiter)
        next(reader, None)
        try:
            for row in reader:
                if row:
                    yield reader.line_num, row
        except (csv.Error, UnicodeDecodeError) as error:
            raise Unreadable(BAD_LINE(file=name, line=str(reader.line_num), why=str(error))) from error


def _opened(path: Path, encoding: str) -> TextIO:
    try:
        return path.open(encoding=encoding, newline="")
    except LookupError:
        raise Unreadable(NO_ENCODING(encoding=repr(encoding))) from None


def _batch(schema: pa.Schema, columns: Sequence[list[Any]]) -> pa.RecordBatch:
    arrays = [pa.array(column, type=field.type) for column, field in zip(columns, schema, strict=True)]
    return pa.record_batch(arrays, schema=schema)


def _is_date(text: str) -> bool:
    return re.fullmatch(r"\d{4}-\d\d-\d\d", text) is not None and _parses(datetime.date.fromisoformat, text)


def _dotted_date(text: str) -> datetime.date:
    """31.12.2023: where dots part it, the day comes first everywhere."""
    day, month, year = map(int, text.split("."))
    return datetime.date(year, month, day)


def _is_timestamp(text: str) -> bool:
    return re.match(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d", text) is not None and _parses(_timestamp, text)


def _is_local_timestamp(text: str) -> bool:
    return _is_timestamp(text) and datetime.datetime.fromisoformat(text).tzinfo is None


def _timestamp(text: str) -> datetime.datetime:
    """The time; in UTC where the text names no time zone, in a column in which others do."""
    moment = datetime.datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=datetime.UTC)


def _parses(parse: Callable[[str], Any], text: str) -> bool:
    try:
        parse(text)
    except ValueError:
        return False
    return True


def _is_whole(text: str) -> bool:
    """007 is a code, not a number."""
    return _WHOLE.fullmatch(text) is not None and not _LEADING_ZERO.match(text)


_FITS: dict[str, Callable[[str], bool]] = {
    "boolean": lambda text: text.lower() in ("true", "false"),
    "integer": lambda text: _is_whole(text) and len(text) <= _INT64_DIGITS + 1 and int(text) in _INT64,
    # Codes of parcels, for example: as floating-point numbers, different ones would become equal.
    "digits": lambda text: _is_whole(text),
    "number": lambda text: _NUMBER.fullmatch(text) is not None and not _LEADING_ZERO.match(text),
    "comma_number": lambda text: _COMMA_NUMBER.fullmatch(text) is not None,
    "date": _is_date,
    "dotted_date": lambda text: _DOTTED_DATE.fullmatch(text) is not None and _parses(_dotted_date, text),
    "local_timestamp": _is_local_timestamp,
    "timestamp": _is_timestamp,
}
_CONVERT: dict[str, Convert] = {
    "boolean": lambda text: text.lower() == "true",
    "integer": int,
    "digits": str,
    "number": float,
    "comma_number": lambda text: float(text.replace(".", "").replace(",", ".")),
    "date": datetime.date.fromisoformat,
    "dotted_date": _dotted_date,
    "local_timestamp": datetime.datetime.fromisoformat,
    "timestamp": _timestamp,
    "coordinate": lambda text: number_of(text.strip()) if text.strip() else None,
    "text": lambda text: text,
}
_TYPES: dict[str, pa.DataType] = {
    "boolean": pa.bool_(),
    "integer": pa.int64(),
    "digits": pa.string(),
    "number": pa.float64(),
    "comma_number": pa.float64(),
    "coordinate": pa.float64(),
    "date": pa.date32(),
    "dotted_date": pa.date32(),
    "local_timestamp": pa.timestamp("us"),
    "timestamp": pa.timestamp("us", "UTC"),
    "text": pa.string(),
}
