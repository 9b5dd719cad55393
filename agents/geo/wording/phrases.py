"""Numbers, filters, styles, layers and rows as plain English sentences.

Pure functions from values to text. Tools use them for summaries and the offline model for answers, so that both
describe a fact in the same words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from functools import reduce
from typing import Any, Literal

from agents.domain import USUAL_CLASSES, Cql2, Layer, Style, StyleSpec
from agents.geo.styling.colours import colour_name
from agents.geo.wording import texts
from agents.geo.wording.positions import point_words
from agents.worded import Worded, joined, numeral

# The page writes the same columns without separators: `isLabel` in web/src/i18n/format.ts has these words, too.
_YEAR_WORDS = frozenset(
    ("year", "years", "built", "founded", "established", "opened", "started", "planted", "constructed")
)
_YEAR_ENDINGS = ("jaar", "jahr", "annee", "anno", "wjr", "bjr")
"""Endings of words for a year in other languages: `bouwjaar`, `bouwjr`, `baujahr`."""
_OTHER_YEARS = frozenset(("yr", "jr", "rok", "ano", "año"))
"""Whole words for a year that are abbreviated or in other languages."""
_KEY_WORDS = frozenset(
    ("id", "oid", "gid", "fid", "objectid", "key", "code", "zip", "postcode", "fips", "no", "nr")
)
_MIN_YEAR, _MAX_YEAR = 1500, 2100
_WHOLE, _HUNDREDTH = Decimal("1"), Decimal("0.01")
_MARKUP = re.compile(r"([\\`*\[\]|~]|\b_|_\b)")
"""Characters with a meaning in Markdown inside of a line."""
_ADDRESS = re.compile(r"https?://[^\s|<\\]+")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Za-z][a-z]*")


def number(value: float) -> Worded:
    """The number with thousands separators and as many decimals as its size needs: `7,813`, `1,234.5`, `0.0042`. Half
    of the last one is rounded up, as PostgreSQL does: `10.075` is `10.08` in a sentence as in a table."""
    if isinstance(value, bool):
        return texts.YES() if value else texts.NO()
    return numeral(value, _digits(value))


def _digits(value: float) -> str:
    if float(value).is_integer() and abs(value) < 1e15:
        return f"{int(value):,}"
    if value != value or abs(value) >= 1e15 or 0 < abs(value) < 0.01:
        return f"{value:.3g}"
    last = _WHOLE if abs(value) >= 1e6 else _HUNDREDTH
    text = f"{Decimal(str(value)).quantize(last, ROUND_HALF_UP):,}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def is_year(column: str, item: Any) -> bool:
    """Whether a number of a column is a year: by the column's name, or by the number where the name says when
    something was done (`installed`, `plant_yr`); `built_per_ha` and `age_yr` do not."""
    if isinstance(item, bool) or not isinstance(item, int | float | None):
        return False
    words = [word.lower() for word in _WORD.findall(column)]
    is_dated = item is None or _MIN_YEAR <= item <= _MAX_YEAR
    if not {"sum", "per", "age"}.isdisjoint(words):
        return False
    if not _YEAR_WORDS.isdisjoint(words):
        is_early = item is not None and item < _MIN_YEAR and float(item).is_integer()
        return is_dated or is_early or "year" in words or "years" in words
    if not _OTHER_YEARS.isdisjoint(words) or any(word.endswith(_YEAR_ENDINGS) for word in words):
        return is_dated
    return item is not None and is_dated and any(word.endswith("ed") for word in words)


def count_of(count: int, noun: str = "feature", plural: str | None = None) -> Worded:
    """`1 feature`, `7,813 features`."""
    known = texts.COUNTED.get(noun) if plural in (None, f"{noun}s") else None
    if known is not None:
        return known(n=count)
    return texts.COUNT_NAMED(n=count, noun=noun if count == 1 else plural or noun + "s")


def about(count: int, noun: str = "feature") -> Worded:
    """`about 10.0 million rows`."""
    return texts.ABOUT(count=texts.COUNTED[noun](n=rounded(count)))


def feature_count(layer: Layer) -> Worded:
    """`7,813 features`, or `about 10.0 million features` where the layer's count is an estimate."""
    return about(layer.count) if layer.estimated else count_of(layer.count)


def rounded(count: int) -> Worded:
    """A number that is known to three digits: `10.0 million`, `1.25 billion`, `812,000`."""
    for size, word in ((10**9, "billion"), (10**6, "million")):
        if count >= size:
            shown = f"{count / size:#.3g}".rstrip(".")
            return numeral(float(shown) * size, f"{shown} {word}")
    return numeral(float(f"{count:.3g}"), f"{float(f'{count:.3g}'):,.0f}")


MAX_LISTED = 8
"""Names in a sentence."""


def listed(words: Sequence[str], joiner: Literal["and", "or"] = "and", most: int | None = None) -> Worded:
    """`a`, `a and b`, `a, b and c`; of more than `most` the first ones and the number of the others."""
    if most is not None and len(words) > most:
        return texts.LIST_MORE(first=joined(", ", words[:most]), n=len(words) - most)
    if len(words) < 2:
        return joined("", words)
    both = texts.LIST_AND if joiner == "and" else texts.LIST_OR
    return both(first=joined(", ", words[:-1]), last=words[-1])


def refusal(reason: str, alternative: str = "") -> str:
    """The text that the user reads when something cannot be done."""
    sentence = texts.CANNOT(reason=reason.removesuffix("."))
    return joined(" ", (sentence, alternative)) if alternative else sentence


def is_label(column: str, item: Any) -> bool:
    """Whether a number of a column is no quantity: a year, or a whole number in a column of keys or codes."""
    if is_year(column, item):
        return item is not None
    is_whole = isinstance(item, int | float) and not isinstance(item, bool) and float(item).is_integer()
    return is_whole and names_key(column)


def names_key(column: str) -> bool:
    """Whether a column of numbers holds keys or codes, by its name."""
    words = _WORD.findall(column)
    return bool(words) and words[-1].lower() in _KEY_WORDS


def value(item: Any) -> str:
    """One value of a table as readable text."""
    if item is None:
        return "–"
    if isinstance(item, bool | int | float):
        return number(item)
    text = str(item)
    return text if len(text) <= 120 else text[:119] + "…"


def value_of(column: str, item: Any) -> str:
    """One value of a column as readable text: years, keys and codes without a separator."""
    return f"{item:.15g}" if is_label(column, item) else value(item)


def filter_words(filter: Cql2 | str | None) -> str:
    """A CQL2 filter as a short phrase: `elevation_m > 2,000 and country is DE and opened < 1970`."""
    if filter is None:
        return ""
    if isinstance(filter, str):
        return filter
    return _expression(filter)


def breakdown_words(breakdown: Mapping[str, int]) -> str:
    """The classes of a result, after its number of rows: ` (hot 99 %: 812, not significant: 33,191)`."""
    parts = joined(
        ", ", (texts.CLASS_COUNT(name=name, count=number(count)) for name, count in breakdown.items())
    )
    return joined("", (" (", parts, ")")) if parts else ""


def colour_words(color: str) -> str:
    """The name of a colour, or the colour as it is."""
    name = colour_name(color)
    return texts.COLOURS[name]() if name in texts.COLOURS else name


def style_words(style: StyleSpec | Style) -> str:
    """How a layer is drawn, after its name: `in red`, `coloured by population (5 quantile classes)`."""
    template = texts.STYLE_LABEL_TEXT if "{" in (style.label or "") else texts.STYLE_LABEL
    label = template(column=style.label) if style.label else ""
    return joined(", ", filter(None, (_kind_words(style), label)))


def _kind_words(style: StyleSpec | Style) -> str:
    kind, column = style.kind, style.column or ""
    if kind == "categorical" and 0 < len(style.values) <= 4:
        pairs = [joined(" ", (str(each.value), colour_words(each.color))) for each in style.values]
        return texts.STYLED["values"](column=column, values=joined(", ", pairs))
    if kind == "graduated":
        classes = (
            texts.STYLE_CLASSES(n=len(style.breaks) + 1)
            if style.breaks
            else texts.STYLE_METHOD(n=style.classes or USUAL_CLASSES, method=str(style.method))
        )
        return texts.STYLED[kind](column=column, classes=joined(", ", filter(None, (classes, style.ramp))))
    if kind == "heatmap":
        return texts.STYLED["weighted"](column=column) if column else texts.STYLED[kind]()
    if kind in ("hexbin", "grid"):
        figure = (
            texts.STYLE_STATISTIC(statistic=style.statistic or "mean", column=column)
            if column
            else texts.STYLE_NUMBER()
        )
        return texts.STYLED[kind](figure=figure)
    if kind == "single":
        return texts.STYLED[kind](colour=colour_words(style.color)) if style.color else ""
    return texts.STYLED[kind](column=column)


def layer_words(layer: Layer) -> str:
    """One line about a layer: `Airports (id airports): 7,813 features, in red, only elevation_m > 2,000, hidden`."""
    parts = [feature_count(layer), style_words(layer.style)]
    if layer.filter is not None:
        parts.append(f"only {filter_words(layer.filter)}")
    if not layer.visible:
        parts.append("hidden")
    if layer.opacity < 1:
        parts.append(f"{layer.opacity:.0%} opaque")
    return f"{layer.name} (id {layer.id}): " + ", ".join(part for part in parts if part)


def table_rows(columns: Sequence[str], rows: Sequence[Any], limit: int = 20) -> str:
    """Rows as a Markdown table, cells escaped and columns of numbers aligned to the right."""
    shown = [row_values(columns, row) for row in rows[:limit]]
    numeric = [_numeric(row[index] for row in shown) for index in range(len(columns))]
    lines = [
        "| " + " | ".join(_cell(name) for name in columns) + " |",
        "|" + "|".join(" ---: " if right else " --- " for right in numeric) + "|",
    ]
    lines += [
        "| " + " | ".join(_cell(value_of(*each)) for each in zip(columns, row, strict=True)) + " |"
        for row in shown
    ]
    if len(rows) > len(shown):
        lines.append(f"\n… and {len(rows) - len(shown):,} more.")
    return "\n".join(lines)


def row_values(columns: Sequence[str], row: Any) -> list[Any]:
    """The values of a row, a mapping or a sequence, in the order of the columns."""
    return [row.get(name) for name in columns] if isinstance(row, Mapping) else list(row)


def _numeric(values: Iterable[Any]) -> bool:
    present = [each for each in values if each is not None]
    return bool(present) and all(
        isinstance(each, int | float) and not isinstance(each, bool) for each in present
    )


def _cell(text: str) -> str:
    """The text on one line, without a meaning in Markdown; only a web address stays a link."""
    if _ADDRESS.fullmatch(text):
        return text
    return _MARKUP.sub(r"\\\1", text.replace("\n", " ")).replace("<", "&lt;")


def _expression(node: Any, negated: bool = False) -> str:
    if not isinstance(node, Mapping) or "op" not in node:
        return _operand(node)
    op, arguments = str(node["op"]), list(node.get("args", []))
    if op == "not" and arguments and not negated:
        return _expression(arguments[0], negated=True)
    sentence = _predicate(op, arguments, negated)
    if sentence is not None:
        return sentence
    return texts.NOT(condition=_expression(node)) if negated else _positive(op, arguments)


def _positive(op: str, arguments: Sequence[Any]) -> str:
    """Conditions without their own words for the opposite."""
    if op in ("and", "or"):
        both = texts.AND if op == "and" else texts.OR
        # An area that several shapes make up is named once.
        parts = {_grouped(each, op): each for each in arguments}
        if len(parts) == 1:
            return _expression(arguments[0])
        return reduce(lambda one, other: both(first=one, second=other), parts)
    if op == "not" and arguments:
        return texts.NOT(condition=_expression(arguments[0]))
    if op in _SIGNS and len(arguments) == 2:
        what, shown = _operands(arguments)
        return texts.COMPARES(what=what, sign=_SIGNS[op], value=shown)
    if op == "between" and len(arguments) == 3:
        what, low, high = _operands(arguments)
        return texts.BETWEEN(what=what, low=low, high=high)
    if op == "geometry_type":
        return texts.GEOMETRY_TYPE()
    return f"{op}({', '.join(_operand(argument) for argument in arguments)})"


_SIGNS = {">": ">", ">=": "≥", "<": "<", "<=": "≤"}
_ROW_IDS = ("id", "fid", "gid", "oid", "ogc_fid", "objectid")
_CALCULATES = {"*": "×", "/": "/", "+": "+", "-": "-"}


def _predicate(op: str, arguments: Sequence[Any], negated: bool) -> str | None:
    """A condition that has words for its opposite as well."""
    if op in ("=", "<>") and len(arguments) == 2:
        what, shown = _operands(arguments)
        return texts.IS[(op == "=") == negated](what=what, value=shown)
    if op == "in" and len(arguments) == 2 and isinstance(arguments[1], list):
        what, *items = _operands([arguments[0], *arguments[1]])
        rows_listed = what.lower() in _ROW_IDS and len(items) > 2  # such as those of a ranking
        chosen = texts.GIVEN_VALUES(n=len(items)) if rows_listed else _choices(items)
        return texts.IS[negated](what=what, value=chosen)
    if op == "isNull" and arguments:
        return texts.IS_EMPTY[negated](what=_operand(arguments[0]))
    if op == "like" and len(arguments) == 2:
        return _like(arguments, negated)
    if op.startswith("s_"):
        return _position(op, arguments, negated)
    return texts.SHAPES[op][negated]() if op in texts.SHAPES else None


def _position(op: str, arguments: Sequence[Any], negated: bool) -> str | None:
    """Where a geometry lies, to a literal that has a name or is a point."""
    literals = [
        each for each in arguments if isinstance(each, Mapping) and not each.keys() & {"op", "property"}
    ]
    shape = literals[0] if literals else {}
    spot = point_words(shape) if shape.get("type") == "Point" else ""
    name = shape.get("name")
    area = name if isinstance(name, str) else spot or texts.GIVEN_AREA()
    if op == "s_dwithin" and len(arguments) == 3:
        return texts.NEAR[negated](distance=_length(arguments[2]), area=area)
    if area == spot != "" and op in ("s_intersects", "s_contains"):
        return texts.COVERS[negated](spot=area)
    if op == "s_intersects" and shape.get("type") in ("LineString", "MultiLineString"):
        return texts.MEETS[negated](line=area)
    return texts.POSITIONS[op][negated](area=area) if op in texts.POSITIONS else None


def _length(metres: Any) -> str:
    if not isinstance(metres, int | float):
        return str(metres)
    return f"{value(metres)} m" if metres < 1000 else f"{value(round(metres / 1000, 3))} km"


def _grouped(node: Any, parent: str) -> str:
    text = _expression(node)
    other = isinstance(node, Mapping) and node.get("op") in ("and", "or") and node.get("op") != parent
    return joined("", ("(", text, ")")) if other else text


def _choices(words: Sequence[str]) -> str:
    if len(words) > 6:
        return texts.ONE_OF(n=len(words), first=", ".join(words[:4]))
    return listed(words, "or")


def _like(arguments: Sequence[Any], negated: bool) -> str:
    pattern = arguments[1]
    while isinstance(pattern, Mapping) and pattern.get("args"):
        pattern = pattern["args"][0]
    text = str(pattern)
    before = text.startswith("%")
    after = text.endswith("%") and not text.endswith("\\%")
    core = text[1 if before else 0 : -1 if after and len(text) > 1 else None]
    core = core.replace("\\%", "%").replace("\\_", "_").replace("\\\\", "\\")
    return texts.LIKE[before, after][negated](what=_operand(arguments[0]), text=core.strip() or core)


def _operands(nodes: Sequence[Any]) -> list[str]:
    """A column and what it is compared with; years, keys and codes without a separator of thousands, months and days by
    name."""
    column = _operand(nodes[0])
    part = nodes[0].get("op") if isinstance(nodes[0], Mapping) else None
    return [column, *(_compared(column, part, each) for each in nodes[1:])]


def _compared(column: str, part: Any, value: Any) -> str:
    names = texts.NUMBERED.get(str(part), {})
    if isinstance(value, int) and value in names:
        return names[value]()
    is_number = isinstance(value, int | float)
    return f"{value:.15g}" if (is_number and part == "year") or is_label(column, value) else _operand(value)


def _operand(node: Any) -> str:
    if isinstance(node, Mapping):
        if "property" in node:
            return str(node["property"])
        if node.get("op") in ("casei", "accenti") and node.get("args"):
            return _operand(node["args"][0])
        if node.get("op") in _CALCULATES and len(node.get("args", ())) == 2:
            return f" {_CALCULATES[node['op']]} ".join(map(_operand, node["args"]))
        if node.get("op") in texts.PARTS_OF_DATES and node.get("args"):
            return texts.PARTS_OF_DATES[node["op"]](what=_operand(node["args"][0]))
        for kind in ("date", "timestamp"):
            if kind in node:
                return str(node[kind]).removesuffix("T00:00:00Z")
        return _expression(node) if "op" in node else texts.GIVEN_AREA()
    return value(node) if not isinstance(node, str) else node
