"""Numbers in text: `28,298`, `28 298`, `28.298`, `2.5 million`, `12,3 %`, `٢٨٬٢٩٨`.

The meaning of a notation depends on the language, which is unknown: `1.234` is 1234 or 1.234. A `Numeral` has
all its readings, most likely first, each with the step to which it was rounded. Digits that are not quantities
(in names, dates, versions, codes, addresses, list markers) are skipped."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from agents.provenance import vocabulary


@dataclass(frozen=True, slots=True)
class Reading:
    """A value that a numeral can mean. `step` is the unit of its last written place: 100 for 2.3 thousand.

    `converted` readings are in another unit than the text: 2300 for `2.3 km`, for a result in metres. A
    `doubtful` one reads a probable thousands separator as a decimal one; it only matches numbers with decimals."""

    value: float
    step: float
    converted: bool = False
    doubtful: bool = False
    factor: float = 1.0
    """The factor that converted `value` to the other unit."""


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number at characters `start` to `end` of the text, with a scale word and a percent sign, without a unit."""

    start: int
    end: int
    text: str
    readings: tuple[Reading, ...]
    percent: bool = False
    hedged: bool = False
    """Preceded by `about`, `over` or the like."""
    leaning: int = 0
    """1 if the quantity is at least the number, -1 if at most, else 0."""
    like_year: bool = False
    """Four bare digits from 1000 to 2199 at a position where a year is possible."""
    scale: str = ""
    """The word that multiplies it: million."""
    unit: str = ""
    """The unit that follows."""
    in_words: bool = False
    """Written as a word: seven."""

    @property
    def value(self) -> float:
        """The most likely reading; `readings` holds the others."""
        return self.readings[0].value


_ALIKE = {
    **dict.fromkeys(map(ord, "\u00a0\u2007\u2009\u202f"), " "),
    ord("\u066c"): ",", ord("\u066b"): ".", ord("\u066a"): "%",
    ord("\u2212"): "-", ord("\u2019"): "'", ord("\uff0e"): ".", ord("\uff0c"): ",",
}  # fmt: skip

_GROUPED = r"\d{1,3}(?P<group>[,.' ])\d{3}(?!\d)(?:(?P=group)\d{3}(?!\d)){0,8}(?P<rest>[.,]\d+)?"
_INDIAN = r"\d{1,2}(?:,\d{2}){1,8},\d{3}(?!\d)(?P<indian_rest>\.\d+)?"
_PLAIN = r"\d+(?:[.,]\d+)?"
_NUMBER = re.compile(rf"(?:{_INDIAN}|{_GROUPED}|{_PLAIN})(?P<exponent>[eE][+-]?\d{{1,2}}(?!\d))?(?!\d)")
_MASKED = re.compile(
    "|".join(
        (
            r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)",  # code
            r"(?<!\\)(`+)(?!`).+?(?<!`)\1(?!`)",
            r"!?\[[^\]\n]{0,300}\]\([^)\s]{0,2000}\)",  # links
            r"\b[a-z][a-z0-9+.-]{0,20}://\S+|\bwww\.\S+|(?<!\S)\S{1,80}@\S{1,200}\.\w+",
            r"&#?\w+;",
            r"“[^“”\n]{0,300}[^\W\d_][^“”\n]{0,300}”",  # quotations: examples, names
            r"\"[^\"\n]{0,160}[^\W\d_][^\"\n]{0,160}\"",
            r"^[ \t]*(?:>[ \t]*)*(?:#{1,6}[ \t]+)?(?:\*\*)?\d+(?:[.)]|\\[.)])(?=[ \t*])",  # ordinals of lists
            r"\b1:\d[\d.,' ]*(?:(?:[mk]|million|thousand)\b)?",  # scales of maps
            r"\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?\b",  # dates, times
            r"\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b|\b\d{1,2}:\d{2}(?::\d{2})?\b",
            r"\b\d{1,20}(?:\.\d{1,20}){2,8}\b(?<!\.\d\d\d)",  # versions; 1.234.567 is a number
            r"\b\d+/\d+\b",
            r"\b(?:CC[ -]?BY|CC0|ODbL|L?GPL|Apache)(?:-[A-Z]{2})*[ \t-]?v?\d+(?:\.\d+)?\b",  # licences
            rf"\b(?:{vocabulary.CODES})[ \t]?[-:#]?[ \t]?\d[\w.-]*",
        )
    ),
    re.DOTALL | re.MULTILINE | re.IGNORECASE,
)
_SCALE = re.compile(
    rf"(?P<space>[ \t]?)(?P<word>{'|'.join(sorted(map(re.escape, vocabulary.SCALES), key=len, reverse=True))})\b"
)
_PERCENT = re.compile(
    r"[ \t]?(?:%|‰|(?:percent|per cent|prozent|pour ?cent|por ciento|per ?cento)\b)", re.IGNORECASE
)
_UNIT = re.compile(
    rf"[ \t-]?(?P<unit>{'|'.join(sorted(map(re.escape, vocabulary.FACTORS), key=len, reverse=True))})(?!\w)"
)
_PER_AREA = re.compile(
    r"\s?(?:[^\W\d]{1,20}\s?)?(?:/|per\b)\s?"
    rf"(?P<unit>{'|'.join(sorted(map(re.escape, vocabulary.AREAS), key=len, reverse=True))})(?!\w)"
)
_BELOW = re.compile(r"\s?(?:m|metres?|meters?|ft|feet)?\s?(?:below|under the sea|unter dem)|°\s?[SW]\b")
_HEDGE = re.compile(rf"(?:\b(?:{vocabulary.HEDGES})|[~≈≃<>≥≤])[ \t*_]*$", re.IGNORECASE)
_LEAST = re.compile(rf"(?:\b(?:{vocabulary.LEAST})|[>≥])[ \t*_]*$", re.IGNORECASE)
_MOST = re.compile(rf"(?:\b(?:{vocabulary.MOST})|[<≤])[ \t*_]*$", re.IGNORECASE)
_JOINED = re.compile(r"[ \t]*(?:,|;|–|-|,?[ \t]+(?:and|or|to|und|oder|bis|et|ou|y|o|e|و|и))[ \t]*")
_WORD = re.compile(rf"(?<![\w-])(?:{'|'.join(vocabulary.NUMBER_WORDS)})(?![\w-])", re.IGNORECASE)
_YEAR = re.compile(rf"(?:\b(?:{vocabulary.YEARS})|\b[^\W\d_a-z]\w*|[(–-])[ \t]*$")


MAX_CHARACTERS = 20_000
"""Characters of a text that are searched for numbers."""
MAX_CONTEXT = 60
"""Characters before and after a number that are considered."""


MAX_HEDGE_CHARS = 8 + max(map(len, vocabulary.HEDGES.split("|")))
"""Characters before a number in which a hedge is looked for: one word, what is before it, and blanks and `**`."""


MAX_KEPT = 1000
"""Characters of a text whose quantities are kept."""


def numerals(text: str) -> list[Numeral]:
    """All quantities in the text, in order."""
    return list(_kept_numerals(text) if len(text) <= MAX_KEPT else _numerals(text))


def _numerals(text: str) -> tuple[Numeral, ...]:
    alike = _ascii(text[:MAX_CHARACTERS])
    masked = _mask(alike)
    found = [_numeral(text, masked, match) for match in _NUMBER.finditer(masked)]
    spelled = [_spelled(text, masked, match) for match in _WORD.finditer(masked)]
    there = sorted((each for each in (*found, *spelled) if each is not None), key=lambda each: each.start)
    return tuple(_with_shared(there, masked))


_kept_numerals = lru_cache(4096)(_numerals)
"""Each turn reads the results of the earlier ones again."""


def _with_shared(there: list[Numeral], masked: str) -> list[Numeral]:
    """In `24.9, 19 and 17.5 million km`, scale and unit apply to all numbers."""
    for place in range(len(there) - 2, -1, -1):
        one, other = there[place], there[place + 1]
        bare = not (one.unit or one.scale or one.percent or one.in_words)
        if not bare or not _JOINED.fullmatch(masked, one.end, other.start):
            continue
        if other.scale:
            scaled = [_times(each, by) for each in one.readings for by in vocabulary.SCALES[other.scale]]
            one = replace(one, readings=(*scaled, *one.readings), scale=other.scale)
        if other.unit:
            direct = [each for each in one.readings if not each.converted]
            converted = [
                _times(each, by, converted=True) for by in _conversions(other.unit) for each in direct
            ]
            one = replace(one, readings=(*one.readings, *converted), unit=other.unit)
        there[place] = one
    return there


def values_in(text: str) -> Iterator[float]:
    """The values that the numbers of a text can mean, without unit conversions."""
    for numeral in numerals(text):
        yield from (reading.value for reading in numeral.readings if not reading.converted)


def _ascii(text: str) -> str:
    """The text with digits and signs of all scripts replaced by ASCII ones, one to one."""
    if text.isascii():
        return text
    return "".join(
        str(unicodedata.decimal(sign)) if sign.isdecimal() else sign for sign in text.translate(_ALIKE)
    )


def _mask(text: str) -> str:
    """The text with everything that is not prose replaced by `#`, one to one."""
    return _MASKED.sub(lambda found: "#" * len(found.group()), text)


def _numeral(text: str, masked: str, match: re.Match[str]) -> Numeral | None:
    start, end = match.span()
    before, after = masked[max(start - MAX_CONTEXT, 0) : start], masked[end : end + MAX_CONTEXT]
    if _is_attached(before, after):
        return None
    negative = before.endswith("-") and not before[-2:-1].isalnum()
    body = match.group()
    readings = list(_readings(match))
    percent = _PERCENT.match(after)
    scale = None if percent else _SCALE.match(after)
    if scale is not None and len(scale["word"]) == 1 and scale["space"]:
        scale = None  # `5 M` may be anything
    if scale is not None:
        factors = vocabulary.SCALES[scale["word"]]
        readings = [_times(reading, by) for reading in readings for by in factors]
    taken = percent or scale
    end += taken.end() if taken else 0
    after = masked[end : end + MAX_CONTEXT]
    if taken is None and after[:1].isalpha() and _UNIT.match(after) is None:
        return None  # 12th, 3D, 4x4
    if negative:
        readings = [replace(reading, value=-reading.value) for reading in readings]
    elif _BELOW.match(after):
        readings += [replace(reading, value=-reading.value) for reading in readings]
    if percent:
        readings += [_times(reading, 0.01, converted=True) for reading in readings]
    unit = _UNIT.match(after)
    if unit is not None:
        direct = list(readings)
        readings += [_times(each, by, converted=True) for by in _conversions(unit["unit"]) for each in direct]
    rate = None if unit or percent else _PER_AREA.match(after)
    if rate is not None:
        per_km2 = vocabulary.AREAS["km²"] / vocabulary.AREAS[rate["unit"]]
        readings += [_times(each, per_km2, converted=True) for each in list(readings) if per_km2 != 1]
    start -= negative
    leading = before[: len(before) - negative][-MAX_HEDGE_CHARS:]
    hedged = bool(_HEDGE.search(leading))
    year = bool(re.fullmatch(r"1\d{3}|2[01]\d{2}", body)) and taken is None and unit is None
    return Numeral(
        start, end, text[start:end], tuple(readings), bool(percent),
        hedged=hedged,
        leaning=bool(_LEAST.search(leading)) - bool(_MOST.search(leading)) if hedged else 0,
        like_year=year and bool(_YEAR.search(before)), scale="" if scale is None else scale["word"],
        unit="" if unit is None else unit["unit"],
    )  # fmt: skip


def _spelled(text: str, masked: str, match: re.Match[str]) -> Numeral:
    """A small number written as a word."""
    start, end = match.span()
    unit = _UNIT.match(masked, end)
    readings = (Reading(vocabulary.NUMBER_WORDS[match.group().lower()], 1.0),)
    return Numeral(
        start, end, text[start:end], readings, unit="" if unit is None else unit["unit"], in_words=True
    )


def _conversions(unit: str) -> list[float]:
    """Factors that convert a number with this unit to units that results may have."""
    kind, metres = vocabulary.DIMENSIONS.get(unit, ("", 1.0))
    others = {metres / factor for known, factor in vocabulary.COLUMN_UNITS.values() if known == kind} - {1.0}
    return [
        *vocabulary.FACTORS[unit],
        *(factor for factor in others if factor not in vocabulary.FACTORS[unit]),
    ]


def _times(reading: Reading, factor: float, *, converted: bool = False) -> Reading:
    return replace(
        reading,
        value=reading.value * factor,
        step=reading.step * factor,
        converted=converted or reading.converted,
        factor=reading.factor * factor if converted else reading.factor,
    )


def _is_attached(before: str, after: str) -> bool:
    """Whether the digits are part of a word, a code or a path: A320, step_1, x.5, no-12, 5_a."""
    last, first = before[-1:], after[:1]
    if last.isalnum() or last in ("_", "#", "/", "\\") or first in ("_", "/") or after[:2] == "#:":
        return True
    if last in (".", ",", "'", ":") and before[-2:-1].isalnum():
        return last != ":" and before[-2:-1].isdigit()
    return last == "-" and before[-2:-1].isalpha()


def _readings(match: re.Match[str]) -> Iterator[Reading]:
    """The values that a notation can mean, most likely first."""
    body, exponent = match.group(), match["exponent"]
    if exponent:
        digits = body[: -len(exponent)].replace(",", ".")
        power = 10.0 ** int(exponent[1:])
        yield Reading(float(digits) * power if digits.count(".") < 2 else 0.0, _step(digits) * power)
        return
    group, rest = match["group"], match["rest"] or ""
    if match["group"] is None and "," in body and body.count(",") > 1:
        digits = body.replace(",", "")
        yield Reading(float(digits), _step(digits))
        return
    if group is None:
        digits = body.replace(",", ".")
        yield Reading(float(digits), _step(digits))
        return
    whole = body[: len(body) - len(rest)].replace(group, "")
    if rest[:1] == group:  # 1,234,56 is not a number of any language
        yield Reading(float(whole), 1.0)
        return
    digits = whole + rest.replace(",", ".")
    once = body.count(group) == 1 and not rest and group in ",."
    decimal = body.replace(",", ".")
    if not (once and body.startswith("0")):
        yield Reading(float(digits), _step(digits))
    if once:
        yield Reading(float(decimal), _step(decimal), doubtful=not body.startswith("0"))


def _step(digits: str) -> float:
    """The unit of the last written place."""
    return 10.0 ** -len(digits.partition(".")[2])
