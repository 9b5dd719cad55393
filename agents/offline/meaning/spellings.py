"""The ways in which a value that a request names may be written in a table; countries by their other names and
adjectives.
"""

from __future__ import annotations

from collections.abc import Sequence

from agents.offline.language.words import fold, singular

DEMONYMS = {
    "french": "France", "chinese": "China", "japanese": "Japan", "italian": "Italy", "spanish": "Spain",
    "british": "United Kingdom", "dutch": "Netherlands", "swiss": "Switzerland", "greek": "Greece",
    "polish": "Poland", "turkish": "Turkey", "danish": "Denmark", "swedish": "Sweden",
    "finnish": "Finland", "norwegian": "Norway", "portuguese": "Portugal", "irish": "Ireland",
    "brazilian": "Brazil", "canadian": "Canada", "peruvian": "Peru", "mexican": "Mexico",
    "american": "United States", "us": "United States", "usa": "United States",
    "uk": "United Kingdom", "austrian": "Austria", "belgian": "Belgium",
    "czech": "Czechia", "hungarian": "Hungary", "egyptian": "Egypt", "ukrainian": "Ukraine",
    "argentine": "Argentina", "argentinian": "Argentina", "chilean": "Chile", "korean": "South Korea",
    "vietnamese": "Vietnam", "thai": "Thailand",
}  # fmt: skip
SAME_PLACE = tuple(
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
    """.strip().splitlines()
)
"""Names of one place, the usual one first."""
_CURRENCIES = {
    "euro": "EUR", "us dollar": "USD", "dollar": "USD", "pound": "GBP", "pound sterling": "GBP", "yen": "JPY",
    "swiss franc": "CHF", "yuan": "CNY", "renminbi": "CNY", "rupee": "INR", "indian rupee": "INR", "ruble": "RUB",
    "australian dollar": "AUD", "canadian dollar": "CAD", "danish krone": "DKK", "norwegian krone": "NOK",
    "swedish krona": "SEK", "zloty": "PLN", "cfa franc": "XOF",
}  # fmt: skip
"""The codes of currencies by their names."""


def unquoted(text: str) -> str:
    """The text without the double quotes around it."""
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text


def place_forms(text: str) -> list[str]:
    """The text, and what else that place is called."""
    text = unquoted(text)
    bare = text[4:] if text.lower().startswith("the ") else text
    wanted = fold(bare)
    others = [name for names in SAME_PLACE if wanted in map(fold, names) for name in names]
    return list(dict.fromkeys([bare, *others]))


def adjective_forms(text: str) -> list[str]:
    """`large`, what an adjective of a place comes from (European -> Europe), and the singular (oaks -> oak)."""
    word = unquoted(text)
    lowered = word.lower()
    before, _, last = lowered.rpartition(" ")
    one = f"{before} {singular(last)}".strip()
    forms = [word, DEMONYMS.get(lowered, ""), one, DEMONYMS.get(one, ""), _CURRENCIES.get(one, "")]
    if lowered.endswith("an") and len(word) > 4:
        forms += [word[:-1], word[:-2], f"{word}y"]
    return [form for index, form in enumerate(forms) if form and form not in forms[:index]]


def spellings(forms: Sequence[str]) -> list[str]:
    """How a value is usually written: such rows are found without folding every row of the table."""
    spelt = [
        way for form in forms for way in (form, form.title(), form.capitalize(), form.lower(), form.upper())
    ]
    return list(dict.fromkeys(spelt))
