"""Follow-ups that replace one piece of the previous request: a figure, group, distance or unit."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from typing import TypeVar

from agents.offline.language.lexicon import ORDINALS, STARTS, STATISTICS, SUPERLATIVES
from agents.offline.language.phrasebook import TAIL
from agents.units import UNITS

B = TypeVar("B")
T = TypeVar("T")


def message(form: str) -> Callable[[Callable[[B, re.Match[str]], T]], Callable[[B, str], T | None]]:
    """Makes a rule of a function: what a message of this form, in any case and with any sign behind it, stands for
    after something before it. For other messages the rule returns None."""
    pattern = re.compile(rf"(?:{form})\W*", re.IGNORECASE)

    def made(meant: Callable[[B, re.Match[str]], T]) -> Callable[[B, str], T | None]:
        @wraps(meant)
        def rule(before: B, asked_now: str) -> T | None:
            asked = pattern.fullmatch(asked_now)
            return meant(before, asked) if asked is not None else None

        return rule

    return made


def one_of(words: Sequence[str]) -> str:
    """A pattern that matches any of the words, longest first."""
    return "|".join(re.escape(each) for each in sorted(words, key=len, reverse=True))


AND = r"(?:and |now |(?:and )?(?:what|how) about |and (?:which|what) (?:one )?(?:is|has) )?(?:the |by )??"
FIGURE_WORDS = one_of([each for each, figure in STATISTICS.items() if figure not in ("all", "values")])
_KINDS = tuple(
    rf"\b(?<!at )(?:{words})\b"
    for words in (FIGURE_WORDS, one_of([*SUPERLATIVES, "most", "fewest", "least"]))
)
"""Patterns of interchangeable words: figures, superlatives."""
ENDS = (
    r"(?:in|since|with|without|of|from|to|between|and|or|where|that|which|whose|before|after|until|for|on|at|over"
    r"|under|above|below|by|per|as|is|are|near|within|inside|around|during|than|not|instead|sorted|ordered|ranked)\b"
)
"""Words that end the name of a group."""
GROUP = (
    r"\b(?P<per>(?:by|per|for each|for every|in each|in every) )?"
    rf"(?P<by>(?(per)(?!{ENDS})\w+(?: (?!{ENDS})[^\W\d]\w*){{0,2}}"
    r"|(?!other|like|clock|anticlock|counterclock)[^\W\d]\w*?(?=[ -]?(?-i:wise)\b)))(?(per)|[ -]?wise\b)"
)
"""`per block`, or `block wise`."""
_IS_NO_GROUP = re.compile(
    r"\b(?!grouped |split |divided |counted |summed )\w+(?:ed|en|run|made|built) $", re.IGNORECASE
)
"""Words before a `by` that introduces an agent or an order."""
AFTER_GROUP = re.compile(rf"(?:,| \d| (?!of\b){ENDS}).*|", re.IGNORECASE | re.DOTALL)
_BREAK_DOWN = r"(?:and |now )?(?:(?:break|split) (?:(?:it|that|this|them) )?(?:(?:down|up) )?|broken down )"
_SAME_AGAIN = r"(?:and |now )?(?:do )?(?:the )?same(?: thing| question)?(?: again)?,? (?:but )?"
_OPENER = rf"(?:and |now |(?:and )?(?:what|how) about |{_BREAK_DOWN}|{_SAME_AGAIN})?"
_COUNTS = (  # the beginning of a question about counts per group
    r"(?P<counts>(?:how many|number|count)(?: (?:of )?(?:them|these|those))?"
    r"(?: (?:are|is) there| there are| are they| do we have| are| lie)? )?"
)
_OF_ONE = re.compile(r"^(?:which|what) (?!of\b).*\bis the $", re.IGNORECASE)
LENGTHS = one_of([name for name, unit in UNITS.items() if unit.dimension == "length"])
_LENGTH = re.compile(
    rf"\b(?:\d[\d.,]*(?:/\d)? ?(?:{LENGTHS})|(?:half |a quarter )?(?:of )?(?:an? )?(?:km|kilomet(?:er|re)|mile))\b",
    re.IGNORECASE,
)
_SET_TO = (
    r"(?:(?:and |now |ok |okay )?(?:(?:what|how) about |make (?:it|that|this) |(?:give|show) me "
    r"|(?:change|set|increase|extend|raise|reduce|decrease|lower) (?:it |that |the (?:distance|radius) )?to )?)?"
)
"""Words before an amount that replaces another."""
_OTHER_LENGTH = re.compile(rf"{_SET_TO}(?:within )?(?P<far>{_LENGTH.pattern})(?: instead)?\W*", re.IGNORECASE)
_FIRST = re.compile(r"\b(?P<word>top|bottom|first|last|nearest|closest) \d+\b", re.IGNORECASE)
_OTHER_NUMBER = re.compile(
    rf"{_SET_TO}(?:the )?(?:(?P<word>top|bottom|first|last|nearest|closest) )?(?P<number>\d+)(?: instead)?\W*",
    re.IGNORECASE,
)
_IN_UNIT = rf"in (?:{one_of([*UNITS])}|square \w+)"


def spelt_out(asked_now: str, *forms: tuple[str, str]) -> str | None:
    """The request that a short message stands for; `forms` are patterns of messages, each with its request."""
    for pattern, request in forms:
        found = re.fullmatch(rf"(?:{pattern})\W*", asked_now, re.IGNORECASE)
        if found is not None:
            return found.expand(request)
    return None


def with_piece(before: str, asked_now: str) -> str | None:
    """The question with another figure, superlative, distance, number of rows, group or unit."""
    if not before:
        return None
    return (
        _with_word(before, asked_now)
        or _with_ordinal(before, asked_now)
        or _with_amount(before, asked_now)
        or _as_rate(before, asked_now)
        or _with_group(before, asked_now)
        or _with_unit(before, asked_now)
        or next(_after_question(before, asked_now), None)
        or _most_counted(before, asked_now)
        or _more_groups(before, asked_now)
    )


def _after_question(before: str, asked_now: str) -> Iterator[str]:
    for question, message, request in _AFTER_QUESTION:
        own, asked = question.fullmatch(before), message.fullmatch(asked_now)
        if own is not None and asked is not None:
            yield request.format(**own.groupdict(), **asked.groupdict())


_COUNTED_FOR = r"(?:and )?how many (?P<rest>(?:does|do) .+? have|are (?:there )?in .+?)\W*"
_AFTER_QUESTION = [
    (re.compile(question, re.IGNORECASE), re.compile(message, re.IGNORECASE), request)
    for question, message, request in (
        # `and to Rome?` after `how far is it from Paris to Berlin`
        (
            r"(?P<start>.*\b(?:far|distance)\b.* to )[^?,]+?\W*",
            r"(?:and |now )?(?:how far (?:is it )?)?to (?P<to>[^?,]+?)\W*",
            "{start}{to}",
        ),
        # `how many does Brazil have?` after `which country has the most airports`
        (
            r".*\b(?:has|have) the (?:most|fewest) (?P<what>[^?,]+?)\W*",
            _COUNTED_FOR,
            "how many {what} {rest}",
        ),
        (r"how many (?P<what>[^?,]+?) (?:does|do|are)\b.*", _COUNTED_FOR, "how many {what} {rest}"),
        # `and their populations` after a list
        (
            r"(?P<list>(?:list|top|show|name|give|which|the)\b.*?)[ ?]*",
            r"(?:and |(?:what|how) about |show (?:me )?)?(?:the )?(?P<what>their [\w ]+?)\W*",
            "{list} with {what}",
        ),
        # `which one has the most bear sightings?` after `sightings per zone`
        (
            rf".*? {GROUP}\W*",
            r"(?:and )?which (?:one|of (?:them|these|those)) (?:has|have|had) (?:the )?(?P<most>most|fewest)"
            r" (?P<rows>[^?,]+?)\W*",
            "which {by} has the {most} {rows}",
        ),
        # `what share of them is over 65` after `how many people live in Mitte`
        (
            r"how many (?:people|inhabitants|residents|persons) (?:live|are living|are there)(?P<where> in [^?]+?)\W*",
            r"(?:and )?what (?P<share>share|percentage|percent|proportion) of (?:them|these|those) (?:is|are)"
            r" (?P<age>(?:over|under|above|below|older than|younger than) \d+)\W*",
            "what {share} of residents is {age}{where}",
        ),
        # `and which ones have none at all` after `which district has the most playgrounds`
        (
            r"which (?:\d+ )?(?P<areas>[^\d\W]+(?: [^\W\d]+)??) (?:has|have|had) (?:the )?(?:most|fewest|least)"
            r" (?P<rows>[^?,]+?)\W*",
            r"(?:and |but )?which (?:ones|\w+|of (?:them|these|those)) (?:have|has|had) (?:none|no \w+)(?: at all)?\W*",
            "which {areas} have no {rows}",
        ),
        # `how many homes in them` after `what wards have additional licensing?`
        (
            r"(?:what|which) (?P<areas>\w+(?: \w+)??) (?P<that>(?:have|are|were|had|lie|contain) [^?]+?)\W*",
            r"(?:and )?how many (?P<rows>[^?]+?)(?: are| lie)?(?: there)? in (?:them|those|these)\W*",
            "how many {rows} are in {areas} that {that}",
        ),
    )
]
"""The previous question, a message, and the request that it stands for."""


def _with_word(before: str, asked_now: str) -> str | None:
    for kind in _KINDS:
        other = re.fullmatch(
            rf"{AND}(?P<word>(?:\d+ )?{kind})(?: ones?)?(?: instead)?\s*\?*", asked_now, re.IGNORECASE
        )
        counted = r"\d+ " if other is not None and other["word"][0].isdigit() else ""
        own = re.search(f"{counted}{kind}", before, re.IGNORECASE)
        if own is not None and own[0].lower() in SUPERLATIVES and _OF_ONE.search(before[: own.start()]):
            other = other or re.fullmatch(rf"which is the (?P<word>{kind})\W*", asked_now, re.IGNORECASE)
        if other is not None and own is not None:
            return f"{before[: own.start()]}{other['word']}{before[own.end() :]}"
    return None


_COUNTED_ROWS = re.compile(
    r"how many (?P<rows>.+?)(?: do we have| in total| altogether)*\s*\?*", re.IGNORECASE
)
_EXIST = re.compile(r" (?:are|were|is|was)\b(?: there\b)?", re.IGNORECASE)


@message(
    r"(?:and )?(?:which|what) (?P<areas>[a-z]+(?: [a-z]+)?) (?:has|have|had)(?: the)? (?P<most>most|fewest|least)"
)
def _most_counted(before: str, asked: re.Match[str]) -> str | None:
    """`which zone had the most?` after `how many bears were seen in 2022`: the zone with the most of them."""
    counted = _COUNTED_ROWS.fullmatch(before)
    if counted is None or re.search(GROUP, before, re.IGNORECASE):
        return None
    if _EXIST.match(f" {counted['rows']}"):
        return None  # `how many were serious` names no rows
    return f"which {asked['areas']} has the {asked['most']} {_EXIST.sub('', counted['rows'], count=1)}"


_RANKED_GROUPS = re.compile(r"(?i)which (?P<group>\w+(?: \w+)??) ha[sd] (?:the )?most (?P<rows>[^?,]+?)\W*")


@message(r"(?:and |now |show (?:me )?|list |the )*top (?P<number>\d+)")
def _more_groups(before: str, asked: re.Match[str]) -> str | None:
    """`top 10` after `which country has the most airports`."""
    ranked = _RANKED_GROUPS.fullmatch(before)
    if ranked is None:
        return None
    return f"top {asked['number']} {ranked['group']} by number of {ranked['rows']}"


_AND_IN = re.compile(r"and (?P<place>in (?:the )?\w[^?,]*?)\s*\?", re.IGNORECASE)


def also_in(before: str, asked_now: str) -> str | None:
    """`and in Castle?` after `how many of them are urgent?`, which names no place: adds the place."""
    place = _AND_IN.fullmatch(asked_now)
    asks = re.match(r"how many |which \w+ (?!of\b)|list ", before, re.IGNORECASE)
    names_no_place = asks and not re.search(r"\b(?:in|of the|per|by|each)\b", before)
    is_place = place is not None and place["place"].lower() not in TAIL
    return f"{before} {place['place']}" if place is not None and is_place and names_no_place else None


_SORTED = re.compile(
    r"(?:and |now |then |please )*(?P<verb>(?:sort|order|rank)(?:ed)? (?:(?:it|them|these|those|that|the list) )?)?"
    r"by (?P<by>[^?]+?)\W*",
    re.IGNORECASE,
)
_BY_THEN_FIRST = re.compile(r"(?P<by>.+?),? (?:the )?(?:show )?(?:top|first) (?P<number>\d+)", re.IGNORECASE)
_FIRST_OF_THEM = re.compile(
    r"(?:and |show (?:me )?|only |just )*(?:the )?(?P<first>(?:top|bottom|first) \d+)(?: ones| of them)?\W*",
    re.IGNORECASE,
)


def list_sorted(before: str, asked_now: str, *, is_sorted: bool) -> str | None:
    """`sort by population` after a list or a map: the list in that order; `top 5` after figures of groups.
    `is_sorted`: the list has an order, which the new one replaces."""
    by, first = _SORTED.fullmatch(asked_now), _FIRST_OF_THEM.fullmatch(asked_now)
    if first is not None and re.search(GROUP, before, re.IGNORECASE):
        return f"only the {first['first'].lower().replace('first', 'top')}"
    if by is None:
        return None
    if (of := _BY_THEN_FIRST.fullmatch(by["by"])) is not None:
        return f"which {of['number']} of them have the highest {of['by']}"
    if re.match(r"(?:show |list |the )*(?:top|bottom) \d+ .* by ", before, re.IGNORECASE):
        return f"{before.rpartition(' by ')[0]} by {by['by']}"
    if (asks := re.match(r"list|which|name|give me|(?:a )?table of", before, re.IGNORECASE)) is not None:
        rows = before.rstrip(" ?")
        rows = re.sub(r",? (?:(?:sorted|ordered|ranked) )?by .*", "", rows) if is_sorted else rows
        is_plain = asks[0].lower() == "list" and not re.search(r"\bby\b", rows)
        return f"{rows} {'' if is_plain else 'sorted '}by {by['by']}"
    return f"list them by {by['by']}" if by["verb"] and not before else None


_FIRST_BY = (
    r"(?:and |now |list |show (?:me )?)*(?:the )?(?:top )?(?P<number>\d+) (?:of (?:them|these|those) |ones )?"
)
FIRST_OF_THEM = (
    (rf"{_FIRST_BY}by (?P<what>[^?,\d]+?)", r"which \g<number> of them have the highest \g<what>"),
    (
        rf"{_FIRST_BY}with the (?P<how>most|fewest|highest|lowest|largest|smallest) (?P<what>[^?,\d]+?)",
        r"which \g<number> of them have the \g<how> \g<what>",
    ),
)
"""`top 5 by boardings`, `list the 3 with the most pupils`: a ranking of the rows spoken of."""


@message(
    rf"(?:and |now )?(?:(?:what|how) about |(?:which|what|who) (?:is|was) )?(?:the )?(?P<nth>{one_of([*ORDINALS])})"
    r"(?: (?:one|place))?"
)
def _with_ordinal(before: str, asked: re.Match[str]) -> str | None:
    """`and the second?` after `which country has the most people`: the second most."""
    own = [*re.finditer(rf"(?:\b(?:{one_of([*ORDINALS])}) )?(?P<most>{_KINDS[1]})", before, re.IGNORECASE)]
    if len(own) != 1:
        return None
    place = ORDINALS[asked["nth"].lower()]
    nth = next(word for word, each in ORDINALS.items() if each == place)
    return f"{before[: own[0].start()]}{nth} {before[own[0].start('most') :]}"


_THAN = (
    r"over|above|under|below|(?:more|less|fewer|greater|higher|lower|longer|shorter) than|at least|at most"
)
_LIMIT = re.compile(
    rf"\b(?P<how>{_THAN}) (?P<number>\d[\d.,]*)(?P<unit> ?%| (?!and\b|or\b)[a-z]+)?", re.IGNORECASE
)
_UPPER = re.compile(r"under|below|less|fewer|lower|shorter|at most", re.IGNORECASE)


@message(
    rf"(?:and |now |(?:and )?(?:what|how) about |make (?:it|that) )?(?:(?P<how>{_THAN}) )?"
    r"(?P<number>\d[\d.,]*)(?P<unit> ?%| [a-z]+)?(?: instead)?"
)
def with_limit(before: str, other: re.Match[str]) -> str | None:
    """`what about 30 days` after `clinics with a wait over 20 days`: the request with another limit, if it has a single
    one; `and under 30` is another condition."""
    limits = [*_LIMIT.finditer(before)]
    if len(limits) != 1 or not (other["how"] or other["unit"]):
        return None
    (own,) = limits
    unit = own["unit"] or ""
    is_range = bool(other["how"]) and bool(_UPPER.match(other["how"])) != bool(_UPPER.match(own["how"]))
    is_and = is_range and other[0].lower().startswith("and ")
    if is_and or (other["unit"] and other["unit"].strip() != unit.strip()):
        return None
    return f"{before[: own.start()]}{other['how'] or own['how']} {other['number']}{unit}{before[own.end() :]}"


def _with_amount(before: str, asked_now: str) -> str | None:
    """`make it 800 m`, `make it 800`, `top 20 instead`, if the question has exactly one such amount."""
    far, number = (each.fullmatch(asked_now) for each in (_OTHER_LENGTH, _OTHER_NUMBER))
    lengths, first = _LENGTH.findall(before), [*_FIRST.finditer(before)]
    if far is not None and len(lengths) == 1:
        return _LENGTH.sub(lambda _: far["far"], before)
    length = re.fullmatch(r"[\d.,]+(?P<unit> ?[^\W\d]+)", lengths[0]) if len(lengths) == 1 else None
    is_other = first or _LIMIT.search(before) or asked_now.strip().isdigit()
    if number is not None and not number["word"] and length is not None and not is_other:
        return before.replace(length[0], number["number"] + length["unit"])
    if number is not None and len(first) == 1:
        word = number["word"] or first[0]["word"]
        return f"{before[: first[0].start()]}{word} {number['number']}{before[first[0].end() :]}"
    ranked = [*re.finditer(rf"(?:^|\bthe )(?=(?:{one_of([*SUPERLATIVES])})\b)", before, re.IGNORECASE)]
    if number is not None and number["word"] and len(ranked) == 1:
        return f"{before[: ranked[0].end()]}{number['number']} {before[ranked[0].end() :]}"
    return None


@message(rf"{_OPENER}{_COUNTS}(?P<asked>{GROUP})(?: instead)?")
def _with_group(before: str, group: re.Match[str]) -> str | None:
    if group["by"].split()[0].lower() in STARTS:
        return None
    layer = re.search(r"the layer `[^`]+`", before) if group["counts"] else None
    if not group["counts"] or before.lower().startswith(("how many ", "number of ")):
        return _grouped(before, group["asked"])
    if re.search(GROUP, before, re.IGNORECASE) is not None and layer is None:
        return None  # the rows of these groups are not spoken of
    return f"number of {layer[0] if layer is not None else 'them'} {group['asked']}"


@message(
    rf"{_OPENER}(?P<asked>per (?:\d[\d., ]* )?(?:thousand |million )?"
    r"(?:people|persons?|inhabitants?|residents?|capita|head))"
)
def _as_rate(before: str, rate: re.Match[str]) -> str | None:
    """`per 10,000 inhabitants` after `complaints per district`, worded unlike the title of its result."""
    groups = re.sub(r"\bper (?=[a-z]+$)", "in each ", before.rstrip(" ,"))
    return f"{groups} {rate['asked']}"


def counted_by(asked_now: str) -> str | None:
    """`per country`, `count by country` after rows were drawn: their number in each group. `by country` alone could
    also be a colour."""
    group = re.fullmatch(rf"{_OPENER}{_COUNTS}(?P<asked>{GROUP})\s*\?*", asked_now, re.IGNORECASE)
    if group is None or not (group["counts"] or not group["asked"].lower().startswith("by ")):
        return None
    return f"number of them {group['asked']}"


@message(rf"{_BREAK_DOWN}(?P<asked>{GROUP})")
def broken_down(before: str, asked: re.Match[str]) -> str | None:
    """`break that down by cause` after rows were drawn: their number in each group."""
    is_figure = re.match(rf"(?:what|how|number|count|the|{FIGURE_WORDS})\b", before, re.IGNORECASE)
    return None if is_figure else f"number of them {asked['asked']}"


@message(rf"(?:and |now )?(?P<unit>{_IN_UNIT})(?: instead)?")
def _with_unit(before: str, unit: re.Match[str]) -> str:
    return f"{re.sub(rf'[, ]+{_IN_UNIT}$', '', before, flags=re.IGNORECASE)} {unit['unit']}"


_IN_TOTAL = re.compile(r" (?:in total|altogether|overall|in all)$", re.IGNORECASE)


def _grouped(before: str, asked: str) -> str | None:
    """The question with its last group replaced, or with a group added; None if the extent of the group is unclear."""
    own = [
        each
        for each in re.finditer(GROUP, before, re.IGNORECASE)
        if not _IS_NO_GROUP.search(before[: each.start()])
    ]
    if not own:
        return f"{_IN_TOTAL.sub('', before.rstrip(' ,'))} {asked}"
    start, rest = before[: own[-1].start()].rstrip(" ,"), before[own[-1].end() :]
    if re.fullmatch(rf"(?:(?:,| and)+ (?!{ENDS})[^\W\d]\w*)+", rest, re.IGNORECASE):
        rest = ""  # a group of several columns
    return f"{start} {asked}{rest}".strip() if AFTER_GROUP.fullmatch(rest) else None
