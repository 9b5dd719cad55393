"""Requests said in a roundabout way, as the plain request: a label before a colon, a topic and what is asked of it, a
number that one was told, a choice between two values."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from agents.offline.language.reading import MAX_COMMANDS
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import name_words, singular

_LABEL = re.compile(r"(?P<label>[^:.?!]{2,60}): (?P<rest>[^:]+)")
_OUTPUT = re.compile(
    r"(?:(?:make|draw|give|show|create|plot)(?: me)? )?(?:an? |the )?"
    r"(?P<kind>(?:(?:[\w-]+ )?(?:bar|column|line|pie|donut|doughnut|scatter|box)[- ]?(?:chart|graph|plot|diagram)"
    r"|histogram|(?:heat ?|wall )?map|table|list|ranking)s?)",
    re.IGNORECASE,
)
_LISTS = ("table", "list", "ranking")


def labelled(text: str, _: Vocabulary) -> Iterator[str]:
    """`Bar chart: countries with the most cities`, `Greenland: area`, `airports per country: Canada and France`."""
    found = _LABEL.fullmatch(text.strip())
    if found is None:
        return
    label, rest = found["label"].strip(), found["rest"].rstrip(" .")
    if (output := _OUTPUT.fullmatch(label)) is not None:
        kind = output["kind"].lower()
        if kind.rstrip("s") in _LISTS:
            yield from (f"list {rest}", f"{rest} as a table")
        else:
            yield f"{kind} of {rest}"
        if kind == "map":
            yield f"show {rest}"
        return
    for first, second in ((rest, label), (label, rest)):
        for joiner in ("of", "in", "for"):
            yield f"{first.rstrip('?')} {joiner} {second.rstrip('?')}"


_TOPIC = re.compile(
    r"(?:(?:i'm|i am|we're|we are) (?:writing|working|doing (?:a|an) \w+|preparing (?:a|an) \w+|teaching|interested)"
    r"(?: (?:a|an) \w+)?|(?:i|we) (?:need|have|write) (?:a|an|some) \w+) (?:about|on|in) (?P<rows>.+?)"
    r"(?:[.;!]|,(?: and)?) (?P<asked>[^,.;]*?\b(?P<them>them|those|these|they)\b.*)",
    re.IGNORECASE,
)


def of_topic(text: str, _: Vocabulary) -> Iterator[str]:
    """`I'm writing about capitals below 100 m, can you list them`: the request with its rows."""
    found = _TOPIC.fullmatch(text.strip())
    if found is None:
        return
    asked, rows = found["asked"].strip(), found["rows"]
    begin, end = (each - found.start("asked") for each in found.span("them"))
    noun = re.match(r" ([a-z]+)", found["asked"][end:])
    if noun is not None and rows.lower().split()[0] == noun[1].lower():
        end += noun.end()
    if re.match(r"how many (?:of )?(?:are )?$", asked[:begin], re.IGNORECASE):
        yield f"how many {rows}{asked[end:]}"
    yield f"{asked[:begin]}{rows}{asked[end:]}"


_HEARD = (
    r"(?:(?:(?:someone|somebody|they|people|wikipedia|(?:a|an|my|our|the) (?:\w+ )?\w+) (?:just )?(?:told (?:me|us)"
    r"|says?|said|claims?|claimed|thinks?|believes?|insists?)|(?:i|we) (?:have |'ve )?(?:read|heard|thought|think"
    r"|believe|was told|were told|learned|learnt|assume|guess)|(?:it is|it's) said|apparently|supposedly|allegedly"
    r"|is it (?:true|right|correct))(?: somewhere)?(?: that)?,? )"
)
_CHECK = (
    r"(?:[.,;!?]? ?(?:(?:and |but )?what (?:does|do|would) (?:your|the|this|my|our) \w+ (?:say|tell|show)"
    r"|(?:is|was) (?:that|this|it) (?:right|true|correct|so|still true)|(?:right|true|correct|really)"
    r"|(?:does|do) (?:that|this|it|your \w+) (?:agree|match|fit)(?: (?:with )?(?:your|the) \w+)?"
    r"|(?:can|could) you (?:please )?(?:check|confirm|verify)(?: (?:that|this|it))?"
    r"|(?:please )?(?:check|confirm|verify)(?: (?:that|this|it))?)\W*)"
)
_NUMBER = (
    r"(?:(?:about|around|exactly|only|just|some|over|almost|nearly) )*\d[\d.,]*(?: (?:thousand|[mb]illion))?"
)
_STATEMENTS: Sequence[tuple[str, str]] = (
    (rf"there (?:are|were) {_NUMBER} (?P<rows>[^.!?]+? [^.!?]+)", r"how many \g<rows>"),
    (rf"there (?:are|were) {_NUMBER} (?P<rows>[^.!?]+)", r"how many \g<rows> are there"),
    (
        rf"(?P<owner>.+?) (?:has|have|had) {_NUMBER} (?P<rows>[^.!?]+)",
        r"how many \g<rows> does \g<owner> have",
    ),
    (r"(?P<first>.+?) (?P<is>is|has|have|are) (?P<than>[^.,]+ than [^.,]+)", r"\g<is> \g<first> \g<than>"),
    (r"(?P<what>the (?:capital|currency|population|area) of .+?) is (?:[^.,]+)", r"what is \g<what>"),
    (r"(?P<first>.+?) is (?P<in>in [^.,]+)", r"is \g<first> \g<in>"),
)
_ARE_THERE = re.compile(rf"are there (?:really )?{_NUMBER} (?P<rows>[^?]+)\W*", re.IGNORECASE)


def as_heard(text: str, _: Vocabulary) -> Iterator[str]:
    """`Someone told me there are 54 countries in Africa. What does your table say?`: how many there are."""
    if (asked := _ARE_THERE.fullmatch(text)) is not None:
        yield from (f"how many {asked['rows']}", f"how many {asked['rows']} are there")
    for statement, question in _STATEMENTS:
        for frame in (f"{_HEARD}{{}}{_CHECK}", f"{_HEARD}{{}}\\W*", f"{{}}{_CHECK}"):
            found = re.fullmatch(frame.format(statement), text.strip(), re.IGNORECASE)
            if found is not None:
                yield found.expand(question)
                break


_CHOICE = re.compile(
    r"(?:does|do|is|are) (?!there\b)(?P<what>.+?) "
    r"(?:count(?:ed)? (?:as|towards|in)|belong to|listed (?:as|under|in)|in|an?|part of)"
    r" (?P<one>[^?]+?) or (?:(?:as|in|to|part of|an?) )?(?P<other>[^?]+?)(?: here| in (?:your|the|this) \w+)?\W*",
    re.IGNORECASE,
)


def chosen_value(text: str, vocabulary: Vocabulary) -> Iterator[str]:
    """`does Istanbul count as Europe or Asia here`: the value of the only kind of column that has both."""
    found = _CHOICE.fullmatch(text.strip())
    if found is None:
        return
    one, other = (
        {singular(column) for _, column, _ in vocabulary.values_called(name_words(found[each]))}
        for each in ("one", "other")
    )
    for column in sorted(one & other):
        yield f"what is the {column.replace('_', ' ')} of {found['what']}"


_COUNT_ALONE = re.compile(
    r"(?:(?:find|show|list|give|which|what|get)(?: me)? )?(?:all )?(?:the )?(?P<rows>.+?),? (?:but )?(?:just|only) "
    r"(?:the|their|a) (?:count|number)(?: of them)?\W*",
    re.IGNORECASE,
)
_ITS_COUNT = re.compile(
    r"(?P<ranked>.*\bthe (?:most|fewest)\b.*?),? (?:and )?how many (?:\w+ )?(?:are they|are there|are that|is that"
    r"|(?:does|do|has|have) (?:it|they)(?: have)?)\W*",
    re.IGNORECASE,
)
_ONE_OF_KINDS = re.compile(
    r"how many (?:different|distinct|unique) (?P<noun>[a-z]+(?: [a-z]+)??)"
    r"(?P<more>(?: (?:are|do|does|in|there)\b[^,?]*)?)[,?]? (?:and )?which (?:one|of (?:them|these))(?= )",
    re.IGNORECASE,
)
_ON_AVERAGE = re.compile(
    r"(?:on average,? )?how (?P<how>large|big|high|long|old|populous) (?:is|are) (?P<rows>.+?)"
    r"(?P<more>(?:,? on average)?(?:,? (?:by|per|in each|for each) .+)?)[?.]*",
    re.IGNORECASE,
)
_SIZES = {"high": "elevation", "long": "length", "old": "age", "populous": "population"}


def with_figure(text: str, _: Vocabulary) -> Iterator[str]:
    """`find stops without a shelter, just the count`; `on average how large is a city by continent`."""
    if (found := _COUNT_ALONE.fullmatch(text)) is not None:
        yield f"how many {found['rows']}"
    if (found := _ITS_COUNT.fullmatch(text)) is not None:
        yield found["ranked"]
    if (found := _ONE_OF_KINDS.match(text)) is not None:
        kinds, more = found["noun"], found["more"] or " are there"
        *before, last = kinds.split()
        yield f"how many different {kinds}{more}? which {' '.join([*before, singular(last)])}{text[found.end() :]}"
    if (found := _ON_AVERAGE.fullmatch(text)) is not None and "on average" in text.lower():
        more = re.sub(r"(?i),? on average", "", found["more"]).rstrip("?. ")
        yield f"average {_SIZES.get(found['how'].lower(), 'size')} of {found['rows']}{more}"


_PAYING = re.compile(
    r"(?:(?P<asked>which|what|how many) )?(?:who|places|nations|territories) (?:uses?|pays? (?:in|with)) (?:the )?"
    r"(?P<money>.+)",
    re.IGNORECASE,
)
_OF_GROUPS = re.compile(
    r"(?P<figure>.+ of) (?:(?:the|all|whole|entire|each of the) )*(?P<groups>[a-z]+s)[?.]*", re.IGNORECASE
)


def of_other_rows(text: str, vocabulary: Vocabulary) -> Iterator[str]:
    """`who uses the euro`: of the only table with a currency; `population density of continents`: by that column."""
    tables = vocabulary.few_tables
    if (found := _PAYING.fullmatch(text)) is not None:
        paid = [each.name for each in tables if vocabulary.columns_called((each,), "currency")]
        if len(paid) == 1:
            yield f"{found['asked'] or 'which'} {paid[0]} use the {found['money']}"
    if (found := _OF_GROUPS.fullmatch(text)) is not None:
        group = singular(found["groups"].lower())
        if vocabulary.columns_called(tables, group) and vocabulary.match_table((group,)) is None:
            yield f"{found['figure'].removesuffix(' of')} by {group}"


_OF_EACH_TABLE = re.compile(
    r"(?:what is |what's )?(?:the )?(?:how many|number of|count(?: of)?) (?:rows|records|entries|features|things)"
    r"(?: are)?(?: there)? (?:per|by|(?:in|for|of) (?:each|every)(?: of the)?|does each|has each) tables?"
    r"(?: have| contain| hold)?\W*",
    re.IGNORECASE,
)


def of_each_table(text: str, vocabulary: Vocabulary) -> Iterator[str]:
    """`number of records per table`: a question for each table."""
    if _OF_EACH_TABLE.fullmatch(text) and len(tables := vocabulary.few_tables) <= MAX_COMMANDS:
        yield " ".join(f"How many rows does {table.name} have?" for table in tables)


_ALIKE: Sequence[tuple[re.Pattern[str], str]] = tuple(
    (re.compile(pattern, re.IGNORECASE), plain)
    for pattern, plain in (
        (r"[,.?!]? (?:as|in) an? (?:sorted|ranked|ordered) (?:table|list)", ", sorted"),
        (r"(?<=[a-z]) on top(?=\W*$)", " first"),
        (r"(?<=,) (?:the )?(?:first|best) (?=(?:\d+|five|ten|twenty|three)\W*$)", " top "),
        (
            r"(?P<share>\b(?:share|part|proportion|fraction)\b.+?)[,?]? (?:in (?:percent|%)|as a percentage)",
            r"\g<share>",
        ),
        (r",? say,? (?=\d)", " "),
        (
            r",? (?:and |but )?(?:please )?(?:say|tell me|specify|mention|note) which "
            r"(?:one |\w+ )?(?:you|it|that|this) (?:mean|meant|took|take|is|was|used|chose)\b",
            "",
        ),
        (
            r"^(?:the )?(?P<thing>[a-z]+) with the (?P<most>most|fewest) (?=[a-z])",
            r"which \g<thing> has the \g<most> ",
        ),
        (
            r"\b(?:every|each) (?P<thing>[a-z]+) (?:row|record|entry)(?= (?:where|with|whose|that)\b)",
            r"all \g<thing> rows",
        ),
        (
            r"\b(?P<what>which|what) (?:money|currency) (?:do (?:they|people)|does one|is) (?:use|used|pay with) in\b",
            "what is the currency of",
        ),
        (r"\bpays? (?:in|with) (?:the )?(?P<money>[a-z ]+?)s?(?=\W*$)", r"use the \g<money>"),
        (
            r"\b(?:with |and |give |has )*(?:every|each) (?P<group>[a-z]+) (?:in |has |with )?(?:its|a|their) "
            r"(?:own|different) colou?r",
            r"coloured by \g<group>",
        ),
        (r",? (?:exact|exactly|precisely|approximately|roughly)(?=\W*$)", ""),
    )
)
"""Words at the end, and the usual ones for them."""

_WAYS: Sequence[Callable[[str, Vocabulary], Iterator[str]]] = (
    labelled, of_topic, as_heard, chosen_value, with_figure, of_other_rows, of_each_table,
)  # fmt: skip


def reworded(text: str, vocabulary: Vocabulary) -> Iterator[str]:
    """The plain requests that a text may mean, the likeliest first."""
    said = text
    for pattern, plain in _ALIKE:
        said = pattern.sub(plain, said)
    if said != text:
        yield said
    for way in _WAYS:
        yield from way(said, vocabulary)
