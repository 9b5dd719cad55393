"""Selects the tables and columns in which places are searched: names, codes, populations, regions.

Decided from the registry's entries alone, so that a user's table of trails or shops is searched like the samples."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from agents.core.nearest import without_strokes
from agents.domain import Column, Table
from agents.geo.place_names import AREA_NOUNS, are_proper_names, is_name_of_noun

MAX_NAME_COLUMNS, MAX_CODE_COLUMNS = 3, 6
MAX_KEPT_CHARS = 1_000_000
"""Longer lists of names are folded again for each search, to bound the memory of those that are kept."""

_FIRST_NAMES = ("name", "name_en", "name_eng", "english_name", "official_name", "full_name", "title", "label")
_NAME_LIKE = re.compile(r"(.*_)?name(_.*)?|asciiname|city|town|place|country|station")
_NAME_ELSEWHERE = re.compile(r"(.*_)?(namn|navn|naam|nom|nombre|nome|nazwa|naziv|nimi)")
"""“Name” in other languages; where a comment says what it is, that has to speak of a name."""
_AREA_NAME = re.compile(r"(?!user|file|owner|sur|street)[a-z]{2,}(\d\d)?(name|nm)|name(lsad)?\d*")
"""Names of areas as statistical offices call them: `lad22nm`, `ntaname`, `NAME10`, `NAMELSAD`."""
_NOT_NAMES = re.compile(
    r".*(near|user|file|owner|author|operator|column|table|host|country|region|state)_?name.*"
)
_NAME_OF_ROWS = re.compile(r"([a-z]*?)_?(name|nm)")
_WORD = re.compile(r"[a-z]+")
_CODES = re.compile(r"iata|icao|iso.*|code|abbrev(iation)?|short_?name|postal|fips")
_POPULATIONS = re.compile(r"(total_)?pop(ulation)?(_?(est|max|total|\d{4}))?|inhabitants|einwohner")
_REGIONS = ("city", "region", "state", "province", "county", "admin1", "country", "country_name", "continent")
_PLACE_WORDS = re.compile(
    r"cit(y|ies)|countr(y|ies)|place|airport|region|state|town|village|island|province|district|station|peak|lake"
)


@dataclass(frozen=True)
class Searchable:
    """A table with geometry and a name column."""

    table: Table
    names: tuple[str, ...]
    codes: tuple[str, ...]
    population: str | None
    regions: tuple[str, ...]

    @property
    def is_result(self) -> bool:
        """Whether an analysis made the table, which repeats rows of others."""
        return self.table.schema_name == "analysis"

    @property
    def kind(self) -> str:
        """The kind of one row: `country` for data.countries."""
        return singular(self.table.name.replace("_", " ").strip().lower())


def searchable(tables: Sequence[Table]) -> list[Searchable]:
    """All tables that have names, the most promising first."""
    found = [each for table in tables if (each := _searchable(table)) is not None]
    return sorted(found, key=lambda each: (-_promise(each), each.table.id))


def folded(text: str) -> str:
    """The text without case, accents and punctuation; places.py does the same in SQL."""
    decomposed = unicodedata.normalize("NFD", text)
    plain = without_strokes(re.sub("[\u0300-\u036f]", "", decomposed)).lower()
    return re.sub(r"[-_.,'’()/\s]+", " ", plain).strip()


def folded_each(texts: Sequence[str]) -> Sequence[str]:
    """Each text folded, in a fraction of the time that `folded` takes one by one. No text may contain a NUL, as none
    of PostgreSQL does."""
    if not texts:
        return ()
    joined = "\0".join(texts)
    return _folded_parts(joined) if len(joined) <= MAX_KEPT_CHARS else _folded_parts.__wrapped__(joined)


@lru_cache(maxsize=4)
def _folded_parts(joined: str) -> tuple[str, ...]:
    """Kept by the names themselves, so that a changed table is never answered with its former names."""
    return tuple(each.strip() for each in folded(joined).split("\0"))


def singular(word: str) -> str:
    """The singular of an English word, by its ending."""
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "xes", "sses")):
        return word[:-2]
    return (
        word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3 else word
    )


def _searchable(table: Table) -> Searchable | None:
    if table.geometry_column is None:
        return None
    texts = [column for column in table.columns if column.kind == "text"]
    names = _names(table, texts)
    if not names:
        return None
    numbers = [column for column in table.columns if column.kind in ("integer", "number")]
    return Searchable(
        table,
        names,
        tuple(
            each.name
            for each in texts
            if _CODES.fullmatch(each.name.lower()) or (each.name,) == (*table.key,)
        )[:MAX_CODE_COLUMNS],
        next((column.name for column in numbers if _POPULATIONS.fullmatch(column.name.lower())), None),
        tuple(
            column.name for column in texts if column.name.lower() in _REGIONS and column.name not in names
        )[:4],
    )


def _names(table: Table, texts: Sequence[Column]) -> tuple[str, ...]:
    by_lower = {column.name.lower(): column.name for column in texts}
    first = [by_lower[name] for name in _FIRST_NAMES if name in by_lower]
    alike = [name for lower, name in by_lower.items() if _names_own_rows(lower, table)]
    alike += [
        name
        for lower, name in by_lower.items()
        if _NAME_LIKE.fullmatch(lower) and not _NOT_NAMES.fullmatch(lower) and "name" in lower
    ]
    alike += [name for lower, name in by_lower.items() if is_name_of_noun(lower, _noun_of(table))]
    alike += [
        each.name
        for each in texts
        if _NAME_ELSEWHERE.fullmatch(each.name.lower()) and "name" in (each.comment or "name").lower()
    ]
    if not first and not alike and table.geometry_family == "polygon":
        areas = [name for lower, name in by_lower.items() if _AREA_NAME.fullmatch(lower)]
        alike = areas if len(areas) == 1 else []  # of several, the others may name larger areas
    if not first and not alike:
        alike = [name for lower, name in by_lower.items() if _NAME_LIKE.fullmatch(lower)]
        noun = singular(_noun_of(table))  # `scheme`, of `planned_schemes`
        if noun in AREA_NOUNS and table.geometry_family == "polygon":  # `community`, of `community_areas`
            noun = "_".join(table.name.lower().split("_")[:-1])
        own = [each.name for each in texts if each.name.lower() == noun and are_proper_names(each.samples)]
        alike = own or alike[:1]
    return tuple(dict.fromkeys([*first, *alike]))[:MAX_NAME_COLUMNS]


def _names_own_rows(column: str, table: Table) -> bool:
    """Whether a column is called “name” or “nm”, alone or after the noun of the table's rows or its short form:
    `trl_nm` of trails, `dist_name` of districts; not `zone_nm` of incidents, which says where one was."""
    found = _NAME_OF_ROWS.fullmatch(column)
    noun = _noun_of(table)
    letters = iter(noun)
    return found is not None and noun.startswith(found[1][:1]) and all(each in letters for each in found[1])


def _noun_of(table: Table) -> str:
    """The last word of the table's name; empty where it has none, as `2024` and an emoji."""
    words: list[str] = _WORD.findall(table.name.lower())
    return words[-1] if words else ""


def _promise(each: Searchable) -> float:
    table = each.table
    return (
        3.0 * (each.names[0].lower() in _FIRST_NAMES)
        + 2.0 * (each.population is not None)
        + 2.0 * bool(_PLACE_WORDS.search(table.name.lower()))
        - 3.0 * each.is_result
        - 1.0 * (table.row_estimate > 1_000_000)
    )
