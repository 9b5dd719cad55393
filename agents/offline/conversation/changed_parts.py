"""Short messages that change one part of the previous answer, its rows, column, order or form, or that ask a fact of
it: complete requests that they stand for, of which the first one that can be read is meant."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from agents.offline.conversation import facts_asked
from agents.offline.conversation.charts_again import CHART, CHART_OF_THEM
from agents.offline.conversation.compared_again import also_compared, beside_another
from agents.offline.conversation.nearest_again import nearest_again
from agents.offline.conversation.pieces import FIGURE_WORDS, GROUP, message, spelt_out
from agents.offline.conversation.ranked_again import ranked
from agents.offline.conversation.spoken import Again, Spoken
from agents.offline.conversation.there import in_rows_shown
from agents.offline.language.words import name_words
from agents.offline.meaning.cql2 import conjuncts


def changed_parts(spoken: Spoken, asked_now: str) -> Iterator[Again]:
    """Complete requests for the previous answer with the part changed that the text names."""
    if spoken.memory.outcome == "done":
        for rule in _RULES:
            yield from rule(spoken, asked_now) or ()


_AS_FORM = re.compile(rf"(?P<piece>.+?),? (?P<form>(?:as|in) (?:an? )?{CHART})(?: please)?\W*", re.IGNORECASE)
_NOW_ONLY = r"(?:and |now )?(?:only|just) "
_PLEASE = r"(?:and |now |please )*"
_OF_LAYER = (
    # `only 2022 to 2024`
    (
        rf"{_NOW_ONLY}(?:(?:those |the ones )?from )?(?P<first>(?:19|20)\d\d)"
        r" ?(?:to|until|till|through|-|–) ?(?P<last>(?:19|20)\d\d)",
        r"only those from \g<first> to \g<last>",
    ),
    (r"(?:and |no,? )?the ones? (?P<where>(?:in|from) [^?]+?)", r"only those \g<where>"),
    (rf"(?:ok |okay )?{_PLEASE}(?:show|bring back|unhide|display) (?:again|back)", "show them again"),
    (rf"{_PLEASE}(?:(?:go|change|switch) )?back to (?P<form>points|dots|circles)", r"show them as \g<form>"),
    # `only this year`
    (
        rf"{_NOW_ONLY}(?:those |the ones )?(?:from |in |of )?(?P<when>(?:this|last) (?:year|month|week)|today)",
        r"only those \g<when>",
    ),
)
_OF_ROWS = (
    (
        r"(?:and )?(?:do|does|are|is|have|has|did|were|was) any of (?:them|these|those) (?P<what>[^?]+?)",
        r"how many of them \g<what>",
    ),
    (r"(?:and )?any of (?:them|these|those) (?P<done>[a-z]+ed\b[^?]*?)", r"how many of them are \g<done>"),
    (
        r"(?:and )?any of (?:them|these|those) (?P<what>[^?]+?)",
        r"how many of them \g<what>",
    ),
    (rf"{_PLEASE}(?:list|show)(?: me)? (?P<with>with [^?,]+?)", r"list them \g<with>"),
    (
        rf"{_PLEASE}(?:list|show|count|group) (?:them|these|those|it) (?P<by>(?:by|per) [^?,]+?)"
        r",? (?:with|and) (?:the(?:ir)? |an? )?(?:counts?|numbers?|totals?)(?: (?:of (?:them|rows)|each|for each))?",
        r"number of them \g<by>",
    ),
    (rf"{_PLEASE}list (?:them|these|those|it) by (?P<by>[^?]+?)", r"list them sorted by \g<by>"),
    (
        r"(?:and )?how many (?P<when>(?:in|since|before|after|from|until|during|between) [^?]+?)",
        r"how many of them \g<when>",
    ),
    (
        r"(?:and )?how many (?P<what>[a-z]+(?: [a-z]+)?) do (?:they|these|those) (?:all )?"
        r"(?:serve|supply|feed|cover|hold|carry|contain|employ|support|provide)(?: in total| altogether)?",
        r"how many \g<what> do they have",
    ),
    (
        r"(?:and |so )?how many (?P<unit>km|kilomet(?:er|re)s|miles|m|met(?:er|re)s)"
        r"(?: (?:is|are) (?:that|this|it|they|those|these))?(?: in total| altogether)?",
        r"total length of them in \g<unit>",
    ),
    (rf"{_PLEASE}(?:map|plot) (?P<them>them|it|those|these)", r"show \g<them> on the map"),
)
_OF_THESE_ROWS = re.compile(
    rf"(?:and )?(?!.*\b(?:{FIGURE_WORDS})\b)(?P<what>[a-z][^?]*?) of (?:these|those) (?P<noun>[a-z]+(?: [a-z]+)?)\W*",
    re.IGNORECASE,
)
"""`names and condition of these monuments` after monuments were shown."""
_SHARE = re.compile(
    r"(?:and |so )?what (?:percentage|percent|share|proportion|fraction|%) (?:is|are|was|were) (?:that|this|those)\W*",
    re.IGNORECASE,
)
_PART = re.compile(
    r"how many (?:of (?:them|those|these) )?(?P<part>(?:are|is|were|was|have|had|lie) .+)", re.IGNORECASE
)


def _spelt_out(spoken: Spoken, asked_now: str) -> Iterator[Again]:
    """Short forms, such as `map them`; `what percentage is that?` after `how many of them were approved`, or of all."""
    memory = spoken.memory
    request = spelt_out(asked_now, *(_OF_LAYER if memory.layers else ()), *_OF_ROWS)
    if request is not None:
        yield Again(request, memory.rows)
    asked, table = _OF_THESE_ROWS.fullmatch(asked_now), spoken.table
    rows = spoken.vocabulary.match_table(name_words(asked["noun"])) if asked is not None else None
    if asked is not None and rows is not None and table is not None and table in rows.found:
        parts = re.split(r",? and |, ", asked["what"])
        if all(spoken.vocabulary.columns_called((table,), part) for part in parts):
            yield Again(f"list them with {asked['what']}", memory.rows)
    if _SHARE.fullmatch(asked_now) is None:
        return
    if (part := _PART.fullmatch(memory.question_text)) is not None:
        yield Again(f"what percentage of them {part['part']}", memory.of_rows)
    elif memory.of_rows is None and table is not None:
        yield Again(f"what share of {table.name.replace('_', ' ')} is that", memory.rows)


_GROUPS = re.compile(
    rf"(?P<begin>(?:(?:how many|number of|count of) |(?:the )?(?:{FIGURE_WORDS}) .+? of )?)"
    rf"(?P<rows>the layer `[^`]+`|[^\W\d]+(?: [^\W\d]+){{0,2}}?)(?P<end> (?:(?:are|is) there )?{GROUP}.*)",
    re.IGNORECASE,
)


@message(r"(?:and |now )?(?:only|just) (?:for |of |the )*(?P<kind>[^\W\d][^?,]*?)(?: ones)?")
def rows_of_kind(spoken: Spoken, asked: re.Match[str]) -> Iterator[Again]:
    """`only mammals` after `sightings per reserve`: the figures of these rows, which the result does not have."""
    if (groups := _GROUPS.fullmatch(spoken.memory.question_text)) is None:
        return
    layer = spoken.vocabulary.layer(groups["rows"].removeprefix("the layer ").strip("`"))
    nouns, match = name_words(groups["rows"]), spoken.vocabulary.match_table
    found = match(nouns) or match(nouns[-1:]) if layer is None else None
    tables = found.found if found is not None and not found.guessed else ()
    if layer is not None and (own := spoken.vocabulary.table(layer.table)) is not None:
        tables = (own,)
    begin, rows, kind = groups["begin"], groups["rows"], asked["kind"]
    noun = {*name_words(layer.name if layer is not None else rows)}
    if " " in kind and name_words(kind)[-1] in noun:
        kind = kind.rpartition(" ")[0]  # `only tram stops`
    words, called = name_words(kind), spoken.vocabulary.columns_called
    known = {table.id for table, _, _ in spoken.vocabulary.values_called(words)}
    shown = spoken.table
    known |= {each.id for each in (*tables, *([shown] if shown else [])) if called((each,), kind)}
    if not known & {each.id for each in tables} or (shown is not None and shown.id in known):
        return
    # Worded unlike the title of the result, which would be read as that.
    end = re.sub(r"\bper\b", "in each", groups["end"], count=1, flags=re.IGNORECASE)
    which = (f"{rows} that are {kind}", f"{rows} of {kind}")
    for each in (f"{' '.join(words)} {rows}", *which) if layer is None else which:
        yield Again(f"{begin or 'number of '}{each}{end}")


_OF_COLUMN = re.compile(
    rf"(?:\b(?:{FIGURE_WORDS}) (?:number of )?|\bby )(?P<column>(?:(?!of\b|by\b|per\b)[\w\"]+ ?)+?)"
    r"(?=,| (?:of|for|in|by|per|at|with|where|that|from)\b|$)",
    re.IGNORECASE,
)


@message(
    r"(?:and |now )?(?:do )?(?:(?:the )?same (?:thing )?(?:for|with|of|by)|(?:what|how) about|and) "
    r"(?:the |their )?(?P<what>[^\W\d][^?,]*?)"
)
def of_column(spoken: Spoken, asked: re.Match[str]) -> Iterator[Again]:
    """`same for waitlist` after a figure or ranking of another column of the same table."""
    before = spoken.memory.question_text
    called, words = spoken.vocabulary.columns_called, name_words(asked["what"])
    if spoken.vocabulary.values_called(words) or spoken.vocabulary.match_table(words):
        return
    for found in _OF_COLUMN.finditer(before):
        own = [
            table
            for table in spoken.vocabulary.few_tables
            if called((table,), found["column"].strip('" ')) and not table.is_result
        ]
        if len(own) == 1 and called(own, asked["what"]):
            begin, end = found.span("column")
            yield spoken.repeated(f"{before[:begin]}{asked['what']}{before[end:]}")
            return


@message(r"(?P<near>.*\b(?:within|near|around|closer than|next to)\b.* )?(?:of |to )?it")
def _near_the_row(spoken: Spoken, asked: re.Match[str]) -> Iterator[Again]:
    """`any school within 1 km of it?` after a question about a single row: by its name, if no layer shows it."""
    rows = spoken.memory.rows
    if not asked["near"] or rows is None or not rows.single:
        return
    (_, name), *_ = [each["args"] for each in conjuncts(rows.filter)]
    layer = spoken.layer
    drawn = layer is not None and (layer.table, layer.filter) == (rows.table, rows.filter)
    if not drawn and isinstance(name, str):  # not a key
        yield Again(re.sub(r"\bit\b(?=\W*$)", lambda _: name, asked[0]))


_RULES: tuple[Callable[[Spoken, str], Iterator[Again] | None], ...] = (
    ranked, *facts_asked.RULES, _near_the_row, in_rows_shown, nearest_again, also_compared, beside_another, _spelt_out,
)  # fmt: skip


def piece_and_form(asked_now: str) -> tuple[str, tuple[str, ...]]:
    """`per year as a bar chart`, `bar chart of that for all years`: the piece, and ways to ask for that form."""
    asked, begun = _AS_FORM.fullmatch(asked_now), CHART_OF_THEM.fullmatch(asked_now)
    if begun is not None:
        return begun["piece"], (f"{begun['form']} of {{}}", f"{{}} as a {begun['form']}")
    return (asked["piece"], (f"{{}} {asked['form']}",)) if asked is not None else (asked_now, ())
