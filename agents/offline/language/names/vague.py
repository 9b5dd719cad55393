"""Words that others explain: adjectives such as `big` that name no value (`the big ones, over 500k`), and names with
the kind of place behind them (`Georgia, the US state`)."""

from __future__ import annotations

import re

from agents.offline.language.lexicon import ABOVE, AFTERWARDS, COMPARATIVES, NUMBER_WORDS, WAYS
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import name_words

_OF_ADJECTIVES = {
    **WAYS,
    **{word: op for word, (op, measure) in COMPARATIVES.items() if measure not in ("", "time")},
}
_OF_WORDS = {word: op[0] for word, op in ABOVE.items() if op[0] in "<>" and op != "<>"}
_OF_PHRASES = {"at least": ">", "at most": "<", "up to": "<"}
_AGED = frozenset(("old", "older", "new", "newer", "young", "younger"))
_OF_DATES = frozenset(("before", "until", "till", "after", "since"))
_ALL_OPS = {**_OF_WORDS, **_OF_PHRASES, **{f"{word} than": op for word, (op, _) in COMPARATIVES.items()}}


def _one_of(words: dict[str, str]) -> str:
    ends = {each: r"\b" if each[-1].isalpha() else "" for each in words}
    return "|".join(re.escape(each) + ends[each] for each in sorted(words, key=len, reverse=True))


_AMOUNT = rf"(?:\d[\d.,]*|(?:half|an?|{'|'.join(NUMBER_WORDS)})\b)[^(),]*?"
_EXPLAINED = re.compile(
    r"(?P<verb>\b(?:without|exclud(?:e|ing)|leav(?:e|ing) out|ignor(?:e|ing)|drop|skip|omit|remove) )?"
    rf"(?P<the>(?:(?:the|any|all) )*)\b(?P<adjective>{_one_of(_OF_ADJECTIVES)}) (?P<noun>[^\W\d]+)"
    r"(?P<more>(?: (?:in|of|from|on|at)(?: [^\W\d]+){1,3}?)?)(?P<open>,? \(|,? ?[-–:;] |, | )"
    r"(?P<with>(?:with|having|so|i\.e\.|meaning|say|those|that is|that are) )*"
    r"(?P<quantity>(?P<column>(?:(?!(?:not|no|and|or|but|than)\b)[^\W\d]+ ){0,2}?)"
    rf"(?P<than>{_one_of(_ALL_OPS)}) ?\d[^()]*|{_AMOUNT} (?:and|or) (?P<after>{_one_of(AFTERWARDS)}))(?P<close>\))?",
    re.IGNORECASE,
)


_KIND_BEHIND = re.compile(
    r"(?<=\b(?:in|of|to) )(?P<name>[^\W\d]+(?: (?!(?:in|of|to)\b)[^\W\d]+){0,2}?)"
    r"(?:,?(?: (?:and|but))? I mean|,| \((?:I mean)?) ?the (?P<kind>(?:[^\W\d]+ )?(?:state|province|country))"
    r"(?:,? (?:and )?not (?:the|in) [^\W\d]+(?: [^\W\d]+)?)?\)?"
    r"(?=\W*$|,)",
    re.IGNORECASE,
)
_HIGH_UP = re.compile(r"\bhow high up\b", re.IGNORECASE)
_COUNTRY_OF = re.compile(r"\bthe country of (?=[A-Z])")
_ONE_BY_ONE = re.compile(
    r",? \b(?!(?:side|step|one|two|bit)\b)(?P<noun>[a-z]{3,}) by (?=(?P=noun)\b)", re.IGNORECASE
)
"""`continent by continent` is by continent."""


def without_vague(text: str, vocabulary: Vocabulary) -> str:
    """The request without an adjective that the following quantity explains: `only those over 500k`. Where the quantity
    says what stays of rows that are left out (`without the tiny ones, at least 1000 km2`), `only` these. Unchanged
    where the adjective is a value, and where both contradict each other. A kind of place behind a name is put before
    it: `in the US state of Georgia`."""
    text = _HIGH_UP.sub("how high", _ONE_BY_ONE.sub(" by ", text))
    text = _COUNTRY_OF.sub("the country ", _KIND_BEHIND.sub(r"the \g<kind> of \g<name>", text))
    found = _EXPLAINED.search(text)
    if found is None or ("(" in found["open"]) != bool(found["close"]) or not _is_vague(found, vocabulary):
        return text
    noun, adjective, than = found["noun"], found["adjective"].lower(), (found["than"] or "").lower()
    agrees = _OF_ADJECTIVES[adjective] == (_ALL_OPS[than] if than else AFTERWARDS[found["after"].lower()][0])
    agrees = agrees != (adjective in _AGED and than in _OF_DATES)  # what is old was built before
    if not agrees and not found["verb"]:
        return text
    verb = (found["verb"] or "") if agrees else "only "
    rows = "those" if noun.lower() == "ones" else f"{found['the']}{noun}"
    begin, end = text[: found.start()], text[found.end() :]
    return f"{begin}{verb}{rows}{found['more']} {found['with'] or ''}{found['quantity'].rstrip()}{end}"


_OF_KINDS = frozenset(("high", "higher", "low", "lower"))
"""Adjectives that also name kinds: `high schools`."""


def _is_vague(found: re.Match[str], vocabulary: Vocabulary) -> bool:
    """Whether the adjective says nothing but what the quantity says of the same rows."""
    noun, match = name_words(found["noun"]), vocabulary.match_table
    rows, other = match(noun), match(name_words(found["column"])) if (found["column"] or "").strip() else None
    if other is not None and not other.guessed:
        return False  # `big cities, with airports above 500 m`
    if noun == ("one",):
        own = vocabulary.few_tables
    elif rows is None or rows.guessed or found["open"] == " " or found["adjective"].lower() in _OF_KINDS:
        return False
    else:
        own = rows.found
    kinds = (name_words(found["adjective"]), name_words(f"{found['adjective']} {found['noun']}"))
    return not any(table in own for kind in kinds for table, _, _ in vocabulary.values_called(kind))
