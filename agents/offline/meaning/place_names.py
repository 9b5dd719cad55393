"""Countries by the other names that people use for them, and by their adjectives. Data only."""

from __future__ import annotations

DEMONYMS = {
    "french": "France", "chinese": "China", "japanese": "Japan", "italian": "Italy", "spanish": "Spain",
    "british": "United Kingdom", "dutch": "Netherlands", "swiss": "Switzerland", "greek": "Greece",
    "polish": "Poland", "turkish": "Turkey", "danish": "Denmark", "swedish": "Sweden",
    "finnish": "Finland", "norwegian": "Norway", "portuguese": "Portugal", "irish": "Ireland",
    "brazilian": "Brazil", "canadian": "Canada", "peruvian": "Peru", "mexican": "Mexico",
    "american": "United States", "us": "United States", "austrian": "Austria", "belgian": "Belgium",
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
