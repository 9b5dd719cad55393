"""Writes `agents/offline/language/english.txt`, the extract of WordNet that the offline language knows words by.

Usage: `python tools/word_forms.py FOLDER`, with the database files of WordNet 3.0, as in the Debian package
`wordnet-base`.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

OUTPUT = Path(__file__).parents[1] / "agents" / "offline" / "language" / "english.txt"
PERSON, GROUP, LOCATION, OBJECT = 18, 14, 15, 17
"""Lexicographer files of nouns: a renter is no form of rent."""
DERIVED, PERTAINS, INSTANCE = "+", "\\", "@i"
MIN_LETTERS, MAX_LETTERS, MIN_CUT_LETTERS = 3, 8, 2
"""Letters of a beginning, and of what is cut off of a longer word."""
MAX_COMMON_LETTERS = 10
"""Letters of a verb or adjective whose family counts, although WordNet's own texts do not use it."""
MIN_SURE_LETTERS = 5
"""Letters of a beginning that counts, although they do not."""
CORRECTED = {
    "american": "United_States", "usa": "United_States", "uk": "United_Kingdom",
    "british": "United_Kingdom", "czech": "Czechia", "mauritanian": "Mauritania",
    "sri_lankan": "Sri_Lanka",
}  # fmt: skip
"""Adjectives whose place has another name today, or another one than WordNet says."""
OF_SEVERAL = ("korean", "guinean", "georgian", "dominican", "congolese")
"""Adjectives of more than one country."""
OTHER_THINGS = (
    "currency", "emergency", "priority", "majority", "minority", "locality", "facility", "community", "utility",
    "quality", "organ", "vacation",
)  # fmt: skip
"""Nouns for other things than the adjectives and verbs that they come from."""
MISSING = {"loss": "lose", "payout": "pay", "sale": "sell"}
_POS = {"n": "noun", "v": "verb", "a": "adj", "s": "adj", "r": "adv"}
_WORD = re.compile(r"[a-z]{3,}$")
Key = tuple[str, str]


@dataclass(frozen=True)
class Synset:
    """Words with one meaning, and how it is related to others."""

    file: int
    words: list[str]
    pointers: list[tuple[str, Key, int, int]]
    """Symbol, the other synset, and the numbers of the words in both; 0 for all."""


def synsets(folder: Path) -> Iterator[tuple[Key, Synset]]:
    """All synsets of the database, by part of speech and offset."""
    for part in ("noun", "verb", "adj", "adv"):
        for line in (folder / f"data.{part}").read_text("latin1").splitlines():
            if line.startswith("  "):
                continue
            fields = line.partition("|")[0].split()
            count = int(fields[3], 16)
            words = [re.sub(r"\(.*\)", "", each) for each in fields[4 : 4 + 2 * count : 2]]
            rest = fields[5 + 2 * count :]
            quads = [rest[at : at + 4] for at in range(0, 4 * int(fields[4 + 2 * count]), 4)]
            pointers = [
                (symbol, (_POS[pos], offset), int(ends[:2], 16), int(ends[2:], 16))
                for symbol, offset, pos, ends in quads
            ]
            yield (part, fields[0]), Synset(int(fields[1]), words, pointers)


def is_instance(synset: Synset) -> bool:
    """Whether it is one thing with a name: a country, and not a coast."""
    return any(symbol == INSTANCE for symbol, *_ in synset.pointers)


def roots(known: dict[Key, Synset], used: set[str]) -> dict[str, set[str]]:
    """Words, each with the verbs and adjectives that it is derived from, but for people. One word of a family is used
    or short."""
    found: dict[str, set[str]] = defaultdict(set)
    for (part, _), synset in known.items():
        for symbol, other, own, theirs in synset.pointers if part in ("verb", "adj") else ():
            to = known[other]
            is_form = symbol == DERIVED or (symbol == PERTAINS and not is_instance(to))
            if not is_form or not own or (other[0] == "noun" and to.file in (PERSON, GROUP)):
                continue
            root, word = synset.words[own - 1], to.words[theirs - 1]
            is_usual = {root, word} & used or len(root) <= MAX_COMMON_LETTERS
            if _WORD.match(root) and _WORD.match(word) and word != root and is_usual:
                found[word].add(root)
                found[root].add(root)
    for word in OTHER_THINGS:
        found.pop(word, None)
    for word, root in MISSING.items():
        found[word].add(root)
        found[root].add(root)
    return found


def places(known: dict[Key, Synset]) -> dict[str, str]:
    """Adjectives of places with their names; words of one are joined by `_`."""
    found: dict[str, str] = {}
    for (part, _), synset in known.items():
        for symbol, other, own, theirs in synset.pointers if part == "adj" else ():
            to = known[other]
            if symbol != PERTAINS or other[0] != "noun" or to.file not in (LOCATION, OBJECT) or not own:
                continue
            adjective = synset.words[own - 1].lower()
            if is_instance(to) and "-" not in adjective:
                found.setdefault(adjective, to.words[theirs - 1])
    return {word: name for word, name in {**found, **CORRECTED}.items() if word not in OF_SEVERAL}


def beginnings(known: dict[Key, Synset], used: set[str]) -> set[str]:
    """Words with which other ones begin."""
    words = {word for synset in known.values() for word in synset.words if _WORD.match(word)}
    begun = {
        word[:at]
        for word in words
        for at in range(MIN_LETTERS, min(MAX_LETTERS, len(word) - MIN_CUT_LETTERS) + 1)
    }
    return {word for word in words & begun if word in used or len(word) >= MIN_SURE_LETTERS}


def main(folder: Path) -> None:
    """Write the extract."""
    known = dict(synsets(folder))
    irregular = {line.split()[0]: line.split()[1] for line in (folder / "verb.exc").read_text().splitlines()}
    irregular |= {"sown": "sow"}  # which it lacks
    used = {line.split("%")[0] for line in (folder / "cntlist.rev").read_text("latin1").splitlines()}
    derived = roots(known, used)
    licence = [line.strip() for line in (folder / "data.adv").read_text("latin1").splitlines()[:29]]
    lines = [
        "# Made by tools/word_forms.py from WordNet 3.0, whose licence follows.",
        *(f"# {line.partition(' ')[2]}".rstrip() for line in licence),
        "= roots: a word, and the verbs and adjectives that it is derived from",
        *(" ".join((word, *sorted(derived[word]))) for word in sorted(derived)),
        "= irregular: forms of verbs",
        *(
            f"{form} {verb}"
            for form, verb in sorted(irregular.items())
            if verb in derived and "_" not in form
        ),
        "= places: their adjectives",
        *(f"{adjective} {name}" for adjective, name in sorted(places(known).items())),
        "= beginnings: words with which other words begin",
        *sorted(beginnings(known, used)),
    ]
    OUTPUT.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
