"""Names of countries and large cities in other languages or of other times, by which people look for them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache

from agents.core.nearest import fold
from agents.domain import Bounds

_SAME_PLACE = tuple(
    tuple(name.strip() for name in names.split("="))
    for names in """
    United States = USA = US = U.S. = U.S.A = America = United States of America
    United Kingdom = UK = Great Britain = Britain
    Netherlands = Holland = The Netherlands
    Czechia = Czech Republic
    Ivory Coast = Côte d'Ivoire
    Myanmar = Burma
    Turkey = Türkiye
    Eswatini = Swaziland
    North Macedonia = Macedonia
    Democratic Republic of the Congo = DR Congo = DRC = Congo-Kinshasa
    Republic of the Congo = Congo-Brazzaville
    South Korea = Korea = Republic of Korea
    Russia = Russian Federation
    Cape Verde = Cabo Verde
    East Timor = Timor-Leste = Timor Leste
    Vatican = Vatican City = Holy See
    United Arab Emirates = UAE
    New York City = New York = NYC
    Washington = Washington, D.C. = Washington D.C. = Washington DC
    Saint Petersburg = St Petersburg = St. Petersburg
    Kyiv = Kiev
    Mumbai = Bombay
    Kolkata = Calcutta
    Chennai = Madras
    Bengaluru = Bangalore
    Beijing = Peking
    Yangon = Rangoon
    Ho Chi Minh City = Saigon
    Munich = München
    Cologne = Köln
    Nuremberg = Nürnberg
    Vienna = Wien
    Prague = Praha
    Warsaw = Warszawa
    Copenhagen = København
    Gothenburg = Göteborg
    Lisbon = Lisboa
    Seville = Sevilla
    Rome = Roma
    Milan = Milano
    Turin = Torino
    Venice = Venezia
    Florence = Firenze
    Naples = Napoli
    Geneva = Genève = Genf
    The Hague = Hague = Den Haag
    Brussels = Bruxelles = Brussel
    Antwerp = Antwerpen
    Moscow = Moskva
    Athens = Athina
    Bucharest = București
    Belgrade = Beograd
    """.strip().splitlines()
)
"""Names of one place, the usual one first."""


def other_names(text: str) -> list[str]:
    """What else the place of this name is called, the usual name first; nothing where only one name is known."""
    wanted = fold(text)
    return [name for name in dict.fromkeys(_names_by_folded().get(wanted, ())) if fold(name) != wanted]


@cache
def _names_by_folded() -> Mapping[str, Sequence[str]]:
    """All names of the places of a name, by it without case and accents."""
    found: dict[str, list[str]] = defaultdict(list)
    for names in _SAME_PLACE:
        for name in dict.fromkeys(map(fold, names)):
            found[name] += names
    return found


CONTINENTS: dict[str, Bounds] = {
    "Africa": (-18.0, -35.0, 52.0, 38.0),
    "Antarctica": (-180.0, -85.0, 180.0, -60.0),
    "Asia": (26.0, -11.0, 180.0, 78.0),
    "Europe": (-25.0, 34.0, 45.0, 72.0),
    "North America": (-170.0, 7.0, -52.0, 84.0),
    "Oceania": (112.0, -48.0, -176.0, 15.0),
    "South America": (-82.0, -56.0, -34.0, 13.0),
}
"""Boxes in degrees that show a continent without its far islands; countries of Europe reach from the Caribbean to the
Pacific."""


def continent_called(text: str) -> str | None:
    """The continent of that name, as it is written."""
    return next((name for name in CONTINENTS if fold(name) == fold(text)), None)


def are_proper_names(samples: Sequence[str]) -> bool:
    """Whether common values of a column look like names of single things (`N2 Slane Bypass`), not like classes."""
    return all(each[:1].isupper() for each in samples) and (
        not samples or any(" " in each for each in samples)
    )


AREA_NOUNS = frozenset(
    ("area", "zone", "district", "boundary", "division", "border", "limit", "polygon", "unit")
)
"""Last words of names of tables of areas that are named for what is before: `community_areas`."""
_COMPOUND = re.compile(r"([a-zà-ÿ]{3,})(?:name|naam|namn|navn)")
"""“Name” behind a noun, written as one word."""
_SAME_NOUN = 3
"""Number of first letters that a noun and its plural have in common."""


def is_name_of_noun(column: str, noun: str) -> bool:
    """Whether a column is called the name of the rows in one word: `buurtnaam` of `buurten`, `ortsname` of `orte`; not
    `straatnaam` of buildings."""
    compound = _COMPOUND.fullmatch(column.lower())
    return compound is not None and compound[1][:_SAME_NOUN] == noun.lower()[:_SAME_NOUN]
