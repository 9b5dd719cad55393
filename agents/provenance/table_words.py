"""The words by which an answer may refer to tables, for thousands of tables prepared once."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Set

from agents.provenance.evidence import is_name

_WORD = re.compile(r"\w+")


class TableWords:
    """Of a fixed set of table ids."""

    def __init__(self, ids: Iterable[str] = ()) -> None:
        self._with_digits: dict[str, list[str]] = defaultdict(list)
        """Ids whose digits are not figures, by their last words."""
        stems: set[str] = set()
        for each in ids:
            stems.update(stem(word) for word in name_of(each).split()[-1:])
            if is_name(each):
                self._with_digits[_WORD.findall(each)[-1]].append(each)
        self.stems: Collection[str] = frozenset(stems)
        """Stems of the nouns for rows of the tables: `airports`, `airport`."""

    def ids_with_digits(self, words: Set[str]) -> Iterator[str]:
        """Ids that a text of these words may name."""
        for word in words & self._with_digits.keys():
            yield from self._with_digits[word]


def name_of(table: str) -> str:
    """The words of a table's name without its schema."""
    return table.replace('"', "").rpartition(".")[2].replace("_", " ").lower()


def stem(word: str) -> str:
    """Roughly the common stem of singular and plural: airport, plac, citi; that of a county is not that of a count."""
    for ending, kept in (("ies", "i"), ("y", "i"), ("es", ""), ("e", ""), ("s", "")):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return f"{word[: -len(ending)]}{kept}"
    return word
