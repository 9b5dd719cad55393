"""Follow-ups: messages that replace a piece of the previous request.

`which of these are above 1000 m?` after a list, `and in Spain?`, `now in Spain instead`, `and the median?`, `and by
owner?`, `and the shortest?`, `in feet?`: the previous request is changed, and read as if it had been typed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from agents.core.messages import Message, UserMessage
from agents.domain import Table
from agents.geo.place_names import other_names
from agents.offline.conversation.changed_parts import changed_parts, of_column, piece_and_form, rows_of_kind
from agents.offline.conversation.charts_again import (
    CHARTED,
    chart_again,
    coloured_by_figure,
)
from agents.offline.conversation.facts_asked import kinds_counted, of_thing_made
from agents.offline.conversation.memory import Memory, recall
from agents.offline.conversation.narrower import (
    THOSE,
    is_only_a_value,
    narrower,
    of_fewer_groups,
    part_of_sum,
)
from agents.offline.conversation.other_rows import (
    BY_FLAG_OR_PLACE,
    figure_of_other_rows,
    in_other_place,
    inside_of_it,
    number_of_others,
    same_of_others,
    share_among_others,
    with_other_value,
)
from agents.offline.conversation.other_times import other_time_drawn, with_time
from agents.offline.conversation.past_calls import with_name_for_pronoun
from agents.offline.conversation.pieces import (
    AFTER_GROUP,
    AND,
    FIGURE_WORDS,
    FIRST_OF_THEM,
    GROUP,
    LENGTHS,
    also_in,
    broken_down,
    counted_by,
    list_sorted,
    message,
    one_of,
    spelt_out,
    with_piece,
)
from agents.offline.conversation.ranked_again import most_inside, ranked_first, rows_of_first
from agents.offline.conversation.ranked_of_fewer import ranked_of_fewer
from agents.offline.conversation.spoken import PRONOUNS, Again, Spoken
from agents.offline.conversation.there import living_in_them, with_place
from agents.offline.coverage import language_words
from agents.offline.language.lexicon import COLOURS, ORDINALS, RAMPS, STARTS, SUPERLATIVES
from agents.offline.language.nouns import are_counts
from agents.offline.language.tokens import takes_back
from agents.offline.language.vocabulary import Value, Vocabulary
from agents.offline.language.words import fold, name_words, word_set
from agents.offline.offers.readable import is_readable
from agents.result_rows import rows_of

_THESE = re.compile(
    r"which (?:of (?:these|those|them)|ones) (?P<verb>are|have|lie) (?P<what>[^?]+?)\s*\?*", re.IGNORECASE
)
_AGAIN = re.compile(
    r"(?P<opener>(?:and )?(?:(?:what|how) about|(?:can you )?compare (?:(?:it|that|this) )?(?:with|to)"
    r"|(?:now )?(?:do )?(?:the )?same(?: thing| again)?(?:,? (?:but|just))*"
    r"|now) |and )?"
    r"(?P<in>(?:in|on|at|of|for|from|around|with) )?"
    r"(?P<what>[^\d\s][^?]*?)(?: ones?)?(?P<instead> instead)?\s*\?*",
    re.IGNORECASE,
)
_FIGURE_OF_GROUPS = re.compile(
    rf"(?:(?:how many|number of|count of) |(?:the )?(?:{FIGURE_WORDS}) (?P<column>.+?) of )?(?P<rows>.+?)"
    r"(?: (?:are|is|were|was) there| there are| (?:lie|are))? "
    rf"(?P<asked>{GROUP})(?P<rest>.*)",
    re.IGNORECASE,
)
_FIGURE = re.compile(rf"{AND}(?P<figure>{FIGURE_WORDS}) (?P<what>[^?,]+?)\s*\?*", re.IGNORECASE)
_COLUMN = re.compile(r"(?:and|now) (?:the |their |by )?(?P<what>(?:\w+ ){0,3}\w+)\s*\?*", re.IGNORECASE)
_FIGURES_BY = re.compile(
    rf"{AND}(?P<figure>{FIGURE_WORDS}) (?P<what>(?:(?!of\b)\w+ ){{0,2}}\w+) (?P<asked>{GROUP})\s*\?*",
    re.IGNORECASE,
)
_HOW_MANY_OF = re.compile(
    r"(?:and )?how many (?P<what>[^\W\d]\w*(?: \w+)?)(?: are there)?(?: in total| altogether)?\s*\?*",
    re.IGNORECASE,
)
_HOW_MANY_THEY_ARE = re.compile(
    r"(?:and )?how many (?:are|is) (?:that|these|those|they|it)\W*", re.IGNORECASE
)
_THEIR_NUMBER = "how many are there"
_HOW_MANY_THAT_IS = re.compile(
    r"(?:and )?how many (?!of\b|km\b|kilomet|miles\b)(?P<what>[a-z]+(?: [a-z]+)?) (?:is|are) (?:that|this|those|these)"
    r"(?: in total| altogether)?\W*",
    re.IGNORECASE,
)
_NTH_OF_THEM = (
    r"(?:and |(?:which|what|who)(?: one)? (?:is|was) )?(?:the )?"
    rf"(?P<nth>(?:{one_of([*ORDINALS])})[ -](?:{one_of([*SUPERLATIVES])}))"
    r"(?: one| of (?:them|these|those))?",
    r"which one is the \g<nth>",
)
_MOST_OF_THEM = (
    rf"(?:and )?which (?:is|was|are|were) the (?P<most>{one_of([*SUPERLATIVES])})",
    r"which one is the \g<most>",
)
_ONE_OF_THEM = (rf"(?:and )?the (?P<most>{one_of([*SUPERLATIVES])})(?: one)?", _MOST_OF_THEM[1])
"""`the biggest one`, `and the lowest?` after a question about rows."""
_NEAR_WHAT = (
    r"(?:and |now )*(?:which (?:of (?:them|these|those) |ones |one )?(?:are |lie |is )|(?:those|the ones) )?"
    r"(?P<near>(?:within|closer than|less than|more than|farther than|further than|at least|at most) \d[\d.,]* ?"
    rf"(?:{LENGTHS})(?: away)? (?:of|from|to) [^?]+?)",
    r"only those \g<near>",
)
"""`within 300 m of a school`, `which are closer than 1 km to a river?` after rows were drawn: only those."""
_ONLY_FOR = (r"(?:and |but )?(?:only|just) for (?P<what>.*\w)", r"only \g<what>")
_AS_TABLE = (
    r"(?:(?:and|now|please|can|could|you|i|we|have|get|give|show|see|put|me|us|them|it|that|those|as|in|into) )*"
    r"(?:an? |the )?(?:table|list)(?: of (?:them|those|these|it))?(?: please)?",
    "show them as a table",
)
_ON_MAP = (r"(?:and |now |please )*(?:show|draw|display|plot) on (?:the |a |my )?map", "show them on the map")
_IT_ON_MAP = (_ON_MAP[0], "show it on the map")
_WHICH_ONES = re.compile(r"(?:and )?which ones (?P<what>[^?]+?)\s*\?*", re.IGNORECASE)
_WHICH_MOST = re.compile(
    rf"which (?P<rows>[^?]+?) (?:the )?(?:{one_of([*SUPERLATIVES, 'most', 'fewest', 'least'])})\b",
    re.IGNORECASE,
)
_BEFORE_NOUN = re.compile(
    r"(?<!\bin )(?<!\bof )(?<!\bat )(?<!\bfor )(?<!\bfrom )(?<!\bnear )(?<!\bthe )(?<!\bdoes )(?<!\bdid )(?<!\bis )"
    r"\{\} \w"
)
"""A value used as an adjective: `total length of {} trails`."""
_BEFORE_VALUE = word_set("by with have has had having are is were was")
"""Words before a value that is not a place: `won by {}`."""
_LEFT_OUT = re.compile(r"(?:\bnot|n't|\bno|\bwithout|\bexcept|\bbut) \{\}")  # excludes any value


def request_meant(messages: Sequence[Message], text: str, vocabulary: Vocabulary) -> Again | None:
    """The request that the text of the last message stands for; None if it is a request of its own."""
    spoken = Spoken.of(messages[:-1], vocabulary)
    found = requests_again(messages[:-1], spoken, text.strip())
    if not found and any(takes_back(each.text) for each in messages[-1:] if isinstance(each, UserMessage)):
        other = text.strip().removesuffix("'s")  # `no, Winter's`
        is_own = not other.lower().startswith("in ") and is_readable(text, vocabulary, spoken.default)
        found = [] if is_own else requests_again(messages[:-1], spoken, f"what about {other}")
    readable = next((each for each in found if is_readable(each.text, vocabulary, spoken.default)), None)
    may_be_own = readable is None and not any(each.only for each in found)
    if found and may_be_own and is_readable(text, vocabulary, spoken.default):
        return None
    return readable or next(iter(found), None)


def requests_again(messages: Sequence[Message], spoken: Spoken, asked_now: str) -> list[Again]:
    """Requests that the message may stand for, the likeliest first."""
    found = _again(messages, spoken, asked_now)
    piece, forms = piece_and_form(asked_now)
    if forms and (spoken.memory.question_text or spoken.memory.layers):
        again = _again(messages, spoken, piece)
        found += [replace(each, text=form.format(each.text)) for each in again for form in forms]
    return found


def _again(messages: Sequence[Message], spoken: Spoken, asked_now: str) -> list[Again]:
    rules = _BEFORE_OTHERS if spoken.memory.outcome == "done" else ()
    found = [each for rule in rules for each in rule(spoken, asked_now) or ()]
    if any(each.only for each in found):
        return found
    for said in dict.fromkeys((_SAME_FOR.sub("and ", asked_now), asked_now)):
        if (again := asked_again(messages, said, spoken.vocabulary)) is not None:
            found.append(in_other_place(spoken.repeated(again), spoken, said))
    found += changed_parts(spoken, asked_now)
    return [each for again in found for each in spoken.in_other_words(again)]


_BEFORE_OTHERS = (
    rows_of_kind, of_fewer_groups, ranked_of_fewer, of_column, most_inside, rows_of_first, ranked_first, kinds_counted,
    *BY_FLAG_OR_PLACE, *CHARTED, of_thing_made,
)  # fmt: skip
_SAME_FOR = re.compile(
    r"^(?:and |now )?(?:do )?(?:the )?same(?: thing| again)? (?:for|in|with) (?=(?:19|20)\d\d\b|in\b)",
    re.IGNORECASE,
)
"""`same for 2025` is `and 2025?`."""


def asked_again(messages: Sequence[Message], text: str, vocabulary: Vocabulary) -> str | None:
    """The previous request with one piece replaced by this message; None if the message is not such a piece."""
    spoken, (memory, end) = Spoken.of(messages, vocabulary), recall(messages)
    asked_now = text.strip()
    if _HOW_MANY_THEY_ARE.fullmatch(asked_now):
        return _THEIR_NUMBER
    if (held := _HOW_MANY_THAT_IS.fullmatch(asked_now)) is not None:
        found = vocabulary.match_table(name_words(held["what"]))
        if found is None or spoken.table_shown in found.found:
            return f"how many {held['what']} do they have" if found is None else _THEIR_NUMBER
    if (nth := spelt_out(asked_now, _NTH_OF_THEM)) is not None:
        return nth
    these = _THESE.fullmatch(asked_now)
    if end != len(messages):
        return None
    if memory.question_text == _THEIR_NUMBER and memory.layers:
        # `and in Peru?` is about what was drawn before
        last = max(index for index, each in enumerate(messages) if isinstance(each, UserMessage))
        return asked_again(messages[:last], text, vocabulary)
    if memory.listed and these is not None:
        return f"{memory.listed} that {these['verb']} {these['what']}"
    before = memory.question_text
    return (
        chart_again(spoken, asked_now)
        or with_place(spoken, asked_now)
        or with_name_for_pronoun(memory, asked_now, vocabulary)
        or (broken_down(before, asked_now) if memory.layers else None)
        or with_time(before, asked_now)
        or with_piece(before, asked_now)
        or (spelt_out(asked_now, _NEAR_WHAT) if memory.layers else None)
        or list_sorted(before, asked_now, is_sorted=memory.rows is not None and bool(memory.rows.sort))
        or (spelt_out(asked_now, *FIRST_OF_THEM) if before or memory.layers else None)
        or (counted_by(asked_now) if memory.layers and not before else None)
        or (other_time_drawn(messages, asked_now) if memory.layers and not before else None)
        or _figure_of_groups(before, asked_now)
        or _other_column(before, asked_now, vocabulary)
        or (narrower(memory, asked_now, vocabulary) if is_only_a_value(asked_now, vocabulary) else None)
        or number_of_others(before, asked_now, vocabulary)
        or same_of_others(spoken, asked_now)
        or figure_of_other_rows(spoken, asked_now)
        or share_among_others(spoken, asked_now)
        or (_elsewhere(memory, asked_now, vocabulary) if memory.asked_of else None)
        or with_other_value(before, memory.rows_text or _shown_before(messages), asked_now, vocabulary)
        or also_in(before, asked_now)
        or _which_of_all(before, asked_now, vocabulary)
        or _most_of_groups(spoken, asked_now)
        or spelt_out(asked_now, _MOST_OF_THEM, *((_ONE_OF_THEM,) if memory.rows else ()))
        or coloured_by_figure(spoken, asked_now)
        or _figures_of_them(spoken, asked_now)
        or living_in_them(spoken, asked_now)
        or part_of_sum(spoken, asked_now)
        or inside_of_it(spoken, asked_now)
        or narrower(memory, asked_now, vocabulary)
        or (spelt_out(asked_now, _IT_ON_MAP) if memory.rows is not None and memory.rows.single else None)
        or spelt_out(asked_now, _ONLY_FOR, _ON_MAP, *((_AS_TABLE,) if memory.layers else ()))
    )


def _shown_before(messages: Sequence[Message]) -> str:
    """The words for the rows that the message before the last one showed."""
    asked = [each.text for each in messages if isinstance(each, UserMessage)]
    return (
        re.sub(r"(?i)^(?:show|list|map|display)(?: me)?(?: all)?(?: the)? ", "", asked[-2])
        if asked[1:]
        else ""
    )


def _which_of_all(before: str, asked_now: str, vocabulary: Vocabulary) -> str | None:
    """`and which ones lost population?` after `which district grew the most`: a question about all districts."""
    asked, ranked = _WHICH_ONES.fullmatch(asked_now), _WHICH_MOST.match(before)
    words = name_words(ranked["rows"]) if ranked is not None else ()
    found = vocabulary.match_table(words) if words else None
    if asked is None or ranked is None or found is None or found.guessed:
        return None
    rows = " ".join(ranked["rows"].split()[: found.length])
    return f"which {rows} {asked['what']}"


@message(
    r"(?:and )?(?:which(?: (?P<n>\d+))?(?: (?:ones?|of them|(?P<noun>(?!is|are|has|have)[a-z]+)))?"
    r" (?:ha(?:s|ve)(?: the)?"
    r" (?P<most>most|fewest|least|none(?: at all)?|lowest|highest)|(?:is|are)(?: the)?"
    r" (?P<is>lowest|highest|first|last))|(?:show (?:me )?|list )?the (?P<first>\d+) (?P<are>lowest|highest)(?: ones)?)"
)
def _most_of_groups(spoken: Spoken, asked: re.Match[str]) -> str | None:
    """`which zone has the most?` after figures of zones: by the column that colours the result."""
    layer = spoken.layer_of_figures
    if layer is None or not {*name_words(asked["noun"] or "")} <= {*name_words(layer.name)}:
        return None
    if (asked["most"] or "").startswith("none"):
        return "which of them have count = 0" if layer.style.column == "count" else None
    how, number = asked["most"] or asked["is"] or asked["are"], asked["n"] or asked["first"]
    most = "lowest" if how.lower() in ("fewest", "least", "lowest", "last") else "highest"
    which = f"which {number} of them have" if number else "which of them has"
    return f'{which} the {most} "{layer.style.column}"'


def _figures_of_them(spoken: Spoken, asked_now: str) -> str | None:
    """`total capacity by fuel`, `how many households?` about rows of an analysis with such columns."""
    by, total = _FIGURES_BY.fullmatch(asked_now), _HOW_MANY_OF.fullmatch(asked_now)
    table, vocabulary = spoken.table_shown, spoken.vocabulary
    if table is None or not (table.is_result and rows_of(table)):
        return None
    if by is not None and all(vocabulary.columns_called((table,), by[each]) for each in ("what", "by")):
        return f"{by['figure']} {by['what']} of them {by['asked']}"
    if total is not None and _counts(table, total["what"], vocabulary):
        return f"how many {total['what']} do they have"
    return None


def _counts(table: Table, what: str, vocabulary: Vocabulary) -> bool:
    """Whether the words name a count, and no table."""
    names = vocabulary.columns_called((table,), what)
    return bool(names) and are_counts((table,), names) and vocabulary.match_table(name_words(what)) is None


def _figure_of_groups(before: str, asked_now: str) -> str | None:
    """`and the average cost?`, `and how many?` after figures of groups: another figure of the same groups."""
    groups, figure = _FIGURE_OF_GROUPS.fullmatch(before), _FIGURE.fullmatch(asked_now)
    is_count = re.fullmatch(r"(?:and )?how many\s*\?*", asked_now, re.IGNORECASE) is not None
    if groups is None or not (figure or is_count) or not AFTER_GROUP.fullmatch(groups["rest"]):
        return None
    if figure is not None and re.search(rf"{GROUP}|(?<!number) of ", figure["what"], re.IGNORECASE):
        return None
    wanted = f"{figure['figure']} {figure['what']}" if figure is not None else "number"
    if re.match(rf"(?:the )?(?:{FIGURE_WORDS})\b", groups["rows"], re.IGNORECASE):  # it names no rows
        return f"{wanted} {groups['asked']}{groups['rest']}" if figure is not None else None
    return f"{wanted} of {groups['rows']} {groups['asked']}{groups['rest']}"


def _other_column(before: str, asked_now: str, vocabulary: Vocabulary) -> str | None:
    """`and the estimated cost?` after `total length of schemes by kind`: the same figure of another column. `and the
    beds?` after `huts by operator`: their total."""
    groups, asked = _FIGURE_OF_GROUPS.fullmatch(before), _COLUMN.fullmatch(asked_now)
    found = vocabulary.match_table(name_words(groups["rows"])) if groups is not None else None
    if groups is None or asked is None or found is None:
        return None
    if not (names := vocabulary.columns_called(found.found, asked["what"])):
        return None
    if not groups["column"]:
        total = f"total {asked['what']} of {groups['rows']} {groups['asked']}{groups['rest']}"
        return total if are_counts(found.found, names) else None
    begin, end = groups.span("column")
    return f"{before[:begin]}{asked['what']}{before[end:]}"


def _elsewhere(memory: Memory, asked_now: str, vocabulary: Vocabulary) -> str | None:
    """`and in Spain?`, `now in Spain instead`, `what about gravel?`, after a question `Spain?`: the request for another
    place or value. A request for rows near a place is not repeated for rows in another one."""
    before, other = memory.asked_of, _AGAIN.fullmatch(asked_now)
    if other is None:
        return None
    opener, what = (other["opener"] or "").lower(), other["what"].removeprefix("the ")
    capitals = all(word[:1].isupper() for word in what.split()) and what.split()[0].lower() not in STARTS
    named = capitals or bool(other["in"] and (other["instead"] or opener not in ("", "now ")))
    called = (what, *other_names(what))
    values = [value for name in called for value in vocabulary.values_called(name_words(name))]
    named = named or bool(values) or (opener not in ("", "now ") and _may_be_name(what, vocabulary))
    last = before.partition("{}")[0].removesuffix("the ").split()[-1:]
    moved = (other["in"] or "").lower() == "in " and last in (["of"], ["from"], ["around"], ["to"])
    looks = what.lower().replace(" ", "") in (*COLOURS, *RAMPS)
    is_answer = bool(memory.question_text and values)
    if not (opener or other["instead"] or is_answer) or not named or moved or looks:
        return None
    is_kind = _BEFORE_NOUN.search(before) is not None
    is_value = is_kind or bool(_BEFORE_VALUE & {*last})
    if (is_kind and other["in"]) or (is_value and not values) or _LEFT_OUT.search(before):
        return None
    sure = bool(other["in"] or capitals or opener not in ("", "now ")) and not is_kind
    if values and not _is_of_same_column(values, memory, vocabulary, sure=sure):
        return None
    return before.replace("{}", other["what"], 1)


def _may_be_name(text: str, vocabulary: Vocabulary) -> bool:
    """Whether words in small letters may be a name, `argentina`: a word of them is unknown otherwise."""
    tables, words = vocabulary.few_tables, text.split()
    if THOSE.match(text) or any(char.isdigit() for char in text) or PRONOUNS & set(words):
        return False  # `those above 1000 m` are a condition
    if vocabulary.match_table(name_words(text)) or any(
        vocabulary.columns_called(tables, each) for each in words
    ):
        return False
    return bool({fold(word) for word in words} - language_words())


def _is_of_same_column(
    values: Sequence[Value], memory: Memory, vocabulary: Vocabulary, *, sure: bool
) -> bool:
    """Whether the replaced value belongs to the same column. `sure`: the result if it is not a known value."""
    was, found = name_words(memory.asked_about), {(table.id, column) for table, column, _ in values}
    known = {(table.id, column) for table, column, _ in vocabulary.values_called(was)}
    if not known:
        known = memory.columns_of(was)
        found = {each for each in found if each[0] in {table for table, _ in known}}
    return bool(known & found) if known and found else sure
