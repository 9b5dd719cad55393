"""Questions with a single figure as the answer: whether there are any, how many, how much, on average."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agents.domain import Table
from agents.offline.commands.requests import Commands, Means, command, tables_of
from agents.offline.language.lexicon import STATISTICS
from agents.offline.language.names.comments import comment_head
from agents.offline.language.nouns import are_counts
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import are_forms, doers_of, name_words
from agents.offline.meaning.conditions import ColumnMention, Mention, OneOf, Top, all_of, lies_in_place
from agents.offline.meaning.individuals import have_areas_of_people
from agents.offline.meaning.intents import Count, Intent, Look, Lookup, Rows, Show, Statistic

MAX_ORDERED = 20
"""Maximum number of rows in a sorted list."""
_PRONOUNS = ("we", "you", "i", "they", "it")
_PEOPLE = frozenset(("people", "inhabitant", "resident", "person", "citizen"))
_NOUNS = {
    "wide": "width", "deep": "depth", "high": "height",
    "tall": "height", "long": "length", "old": "age",
}  # fmt: skip
COMMANDS = Commands()
on = COMMANDS.on


def table_called(words: str, vocabulary: Vocabulary) -> Table | None:
    """The only table that all the words mean."""
    found = vocabulary.tables_called(words)
    return found[0] if len(found) == 1 else None


@on("(is|are) there [any|some] {rows:selection}")
@on("(does|do) {whose:words} have (a|an|any|some) {rows:selection}", cost=1.0)
def _existing(bound: Mapping[str, Any], _: Vocabulary) -> Intent | None:
    """`are there airports above 4500 m?`, `does Monaco have an airport?`"""
    subject, whose = bound["rows"], bound.get("whose", "")
    if not subject.mention.tables or subject.mention.guessed or subject.top is not None:
        return None
    if whose.lower() in _PRONOUNS:
        return None
    return Count(subject.mention, all_of(subject.where, OneOf(whose) if whose else None))


@on("how (many|much) {what:words} (does|do) {whose:words} have [total=(in total|altogether)]")
def _amount(bound: Mapping[str, Any], vocabulary: Vocabulary) -> Intent | None:
    """`how many beds does City Hospital have` (a column); `how many airports does Germany have` (a count)."""
    what, whose = bound["what"], bound["whose"]
    if whose.lower() in _PRONOUNS:
        return None
    if set(name_words(what)) & _PEOPLE:
        return Lookup("population", whose)
    rows = table_called(what, vocabulary)
    if rows is not None:
        return Count(Mention(what, (rows.id,)), OneOf(whose))
    table = table_called(whose, vocabulary)
    if table is not None:
        columns = vocabulary.columns_called((table,), what)
        return (
            Statistic("sum", ColumnMention(what, columns), Mention(whose, (table.id,))) if columns else None
        )
    known = any(vocabulary.columns_called((table,), what) for table in vocabulary.few_tables)
    return Lookup(what, whose, total="total" in bound) if known else None


def _columns_of_doer(verb: str, tables: Sequence[Table]) -> list[str]:
    """The text columns for the agent of a verb: `owner` for `owns`."""
    doers = doers_of(verb.lower().removesuffix("s"))
    texts = [each.name for table in tables for each in table.columns if each.kind == "text"]
    return [name for name in dict.fromkeys(texts) if doers & set(name_words(name))]


@on("who {does:words} {whose:value}", cost=1.0)
def _owner(bound: Mapping[str, Any], vocabulary: Vocabulary) -> Intent | None:
    """`who owns parcel P-010`: the value of a column `owner` in that row."""
    if " " in bound["does"] or bound["whose"].lower() in ("it", "them", "this", "that"):
        return None
    names = _columns_of_doer(bound["does"], vocabulary.few_tables)
    return Lookup(names[0], bound["whose"]) if len(names) == 1 else None


@on("(which|list|show [me]|count=(how many)) of (these|those|them) [are|is|lie] {where:where}")
def _of_these(bound: Mapping[str, Any], _: Vocabulary) -> Intent:
    """`which of these are above 1000 m?`, about the layer mentioned last."""
    them = Mention("these", pronoun=True)
    return Count(them, bound["where"]) if "count" in bound else Rows(them, bound["where"])


@on("find [me] {rows:selection}", cost=2.0)
def _found(bound: Mapping[str, Any], _: Vocabulary) -> Intent | None:
    """`find airports called Heathrow`."""
    subject = bound["rows"]
    if not subject.mention.tables or subject.where is None:
        return None
    return Show(subject.mention, Look(), subject.where, subject.top, subject.all, subject.condition_text)


def figure_of(what: str, *, counts: bool = False, some: bool = False) -> Means:
    """A figure of a column: `how many pupils go to primary schools?`. `counts`: only for counts; `some`: only with a
    condition."""

    def means(bound: Mapping[str, Any], vocabulary: Vocabulary) -> Intent | None:
        subject = bound["rows"]
        tables = tables_of(subject.mention, vocabulary)
        columns = vocabulary.columns_called(tables, bound["what"])
        usable = columns and (are_counts(tables, columns) or not counts)
        if not usable or subject.top is not None or (some and subject.where is None):
            return None
        return Statistic(what, ColumnMention(bound["what"], columns), subject.mention, subject.where)

    return means


@on("(add up|sum up|total up) [the] {counted:counted}", cost=4.0)
@on("how many {counted:counted} [(are|were) there] [in total]", cost=3.0)
def of_counted(bound: Mapping[str, Any], vocabulary: Vocabulary) -> Intent | None:
    """`how many dwellings were approved?`, `how many casualties in 2021?`: in the only table with such a count."""
    rows, figure = bound["counted"]
    if len(rows.mention.tables) != 1:
        return None
    words = figure["column"].text
    if vocabulary.names_rows_by_value(name_words(words)):
        return None  # rows: `how many hydrants are there`, even of a “hydrant flow”
    place = rows.where.text if isinstance(rows.where, OneOf) and rows.where.how == "in" else ""
    if place and set(name_words(words)) <= _PEOPLE and have_areas_of_people(vocabulary.few_tables):
        return Lookup("population", place)
    columns = vocabulary.columns_called(vocabulary.tables(rows.mention.tables), words)
    mention = Mention(words, rows.mention.tables)
    return Statistic(_STATISTIC[figure["function"]], ColumnMention(words, columns), mention, rows.where)


_STATISTIC = {"min": "minimum", "max": "maximum", "mean": "mean", "median": "median", "sum": "sum"}


def _held(bound: Mapping[str, Any], vocabulary: Vocabulary) -> Intent | None:
    """`how many people can sleep in the huts?`: the only count named after the verb, such as “Sleeping places”; of
    one row if it is named."""
    verb, rows = bound["does"].lower(), bound.get("rows")
    tables = vocabulary.few_tables if rows is None else tables_of(rows.mention, vocabulary)
    found = [
        (table, each.name)
        for table in tables
        for each in table.columns
        if are_counts((table,), (each.name,))
        and any(are_forms(verb, word) for word in (*name_words(each.name), *comment_head(each.comment)))
    ]
    if len(found) != 1 or (rows is not None and rows.top is not None):
        return None
    ((table, name),) = found
    column = ColumnMention(verb, (name,))
    if rows is not None:
        return Statistic("sum", column, rows.mention, rows.where)
    return Statistic("sum", column, Mention(table.name, (table.id,)), OneOf(bound["whose"], how="named"))


@on(
    "[and] (what|how much) (do|does|did|would|will|could) (they|these|those) [all] {what:words}"
    " [together|in total|altogether|combined]",
    cost=-1.0,
)
@on(
    "[and] ((how many|how much) {what:words} (do|does|did) (they|these|those)"
    "|<what> [the] (total|sum of) {what:words} they) {does:words} [together|in total|altogether]"
)
@on("[and] how many {what:words} do (they|these|those) have [together|in total|altogether]", cost=-3.0)
def _of_them(bound: Mapping[str, Any], _: Vocabulary) -> Intent:
    """`what would they cost in total?`, `how many customers do they supply?`, about rows mentioned before."""
    words = " ".join(bound[part] for part in ("what", "does") if part in bound)
    return Statistic("sum", ColumnMention(words), Mention("they", pronoun=True))


@on(
    "[and] how many {unit:unit} (are|is) (those|these|they|it|that) [together|in total|altogether]", cost=-3.0
)
def _in_unit_of_them(bound: Mapping[str, Any], _: Vocabulary) -> Intent | None:
    """`how many hectares are those?`"""
    measure = {"length": "length", "area": "area"}.get(bound["unit"].dimension)
    them = Mention("those", pronoun=True)
    return Statistic("sum", ColumnMention(measure), them, unit=bound["unit"]) if measure else None


_THEIR_FIGURE = (
    "[and] <what> (how=(average|mean|median|total|sum) of (their|its)"
    "|(their|its) how=(average|mean|median|total|combined|maximum|minimum)) {what:words}"
)


@on(_THEIR_FIGURE, cost=-1.0)
@on(f"{_THEIR_FIGURE} [,] in {{unit:unit}}", cost=-2.0)
def _their_figure(bound: Mapping[str, Any], vocabulary: Vocabulary) -> Intent:
    """`what is their total area in km²?`, `… in cusecs`, of a column that is called so."""
    what, _, unit = bound["what"].partition(" in ")
    named = {name for each in vocabulary.few_tables for name in vocabulary.columns_called((each,), what)}
    own = tuple(sorted(name for name in named if name_words(unit) == name_words(name)[-1:])) if unit else ()
    column = ColumnMention(bound["what"], own)
    them = Mention("they", pronoun=True)
    return Statistic(STATISTICS[bound["how"].lower()], column, them, unit=bound.get("unit"))


@on(
    "how much (area|land|space|ground) (do|does|is|are) [all] [the] {rows:selection}"
    " (cover|take up|occupy|have|covered by) [together|in total|altogether]",
    cost=-1.0,
)
def _area_covered(bound: Mapping[str, Any], vocabulary: Vocabulary) -> Intent | None:
    """`how much area do orchards cover?`"""
    return _in_total({**bound, "how": "large"}, vocabulary)


@on(
    "how many {unit:unit} (do|does) [all] [the] {rows:selection} (cover|take up|occupy|have|measure|span)"
    " [together|in total|altogether|combined]",
    cost=-1.0,
)
def _covered(bound: Mapping[str, Any], vocabulary: Vocabulary) -> Intent | None:
    """`how many square kilometres do the fens cover?`"""
    return _measured_in(bound, vocabulary) if bound["unit"].dimension == "area" else None


@on("find {rows:selection} [,] (and then|then|and) (show|display|draw) (them|it) {look:look}")
def _found_and_shown(bound: Mapping[str, Any], _: Vocabulary) -> Intent | None:
    """`find airports in Germany and show them as big blue circles`."""
    subject, look = bound["rows"], bound["look"]
    if not subject.mention.known or subject.mention.pronoun:
        return None
    return Show(subject.mention, look, subject.where, subject.top, subject.all, subject.condition_text)


@on("how how=(long|big|large) (are|is) {rows:selection} (in total|together|altogether)", cost=-1.0)
def _in_total(bound: Mapping[str, Any], _: Vocabulary) -> Intent | None:
    """`how long are the gravel roads in total?`: the sum of a length or area column."""
    subject = bound["rows"]
    if subject.top is not None or not subject.mention.known:
        return None
    measured = ColumnMention("length" if bound["how"] == "long" else "area")
    return Statistic("sum", measured, subject.mention, subject.where)


@on(
    "(which|what) {rows:selection} (was|were|is) {what:words} how=(first|last|earliest|latest|most recently)",
    cost=-2.0,
)
def _done_first(bound: Mapping[str, Any], vocabulary: Vocabulary) -> Intent | None:
    """`which stop was opened first?`: by its date or year."""
    subject = bound["rows"]
    tables = vocabulary.tables(subject.mention.tables)
    columns = vocabulary.columns_called(tables, bound["what"])
    kinds = {each.kind for table in tables for each in table.columns if each.name in columns}
    if subject.top is not None or not columns or not kinds <= {"date", "timestamp", "integer"}:
        return None
    latest = bound["how"] in ("last", "latest", "most recently")
    top = Top(1, latest, ColumnMention(bound["what"], columns), word="latest" if latest else "earliest")
    return Rows(subject.mention, subject.where, top, 1)


@on("how how=(deep|high|tall|long|wide|old|strong|thick) (is|was|are|were) {rows:selection}")
def _measured_first(bound: Mapping[str, Any], vocabulary: Vocabulary) -> Intent | None:
    """`how deep was the deepest earthquake?`: the first row with the ranking column."""
    subject = bound["rows"]
    if subject.top is None or subject.top.column is not None or subject.top.measure != bound["how"]:
        return None
    return Rows(subject.mention, subject.where, subject.top, subject.top.limit)


@on(
    f"how how=({'|'.join(_NOUNS)}) (is|are) [[the] {{what:words}} of] {{rows:selection}} on average"
    " [[,] in {unit:unit}]",
    cost=-1.0,
)
def _on_average(bound: Mapping[str, Any], vocabulary: Vocabulary) -> Intent | None:
    """`how wide is the deck of a motorway bridge on average?`: the mean of a column `deck_width`."""
    subject, words = bound["rows"], f"{bound.get('what', '')} {_NOUNS[bound['how'].lower()]}".strip()
    columns = vocabulary.columns_called(tables_of(subject.mention, vocabulary), words)
    if subject.top is not None or not columns:
        return None
    return Statistic("mean", ColumnMention(words, columns), subject.mention, subject.where, bound.get("unit"))


@on(f"[and] how how=({'|'.join(_NOUNS)}) (are|were) (they|these|those) on average", cost=-1.0)
def _they_on_average(bound: Mapping[str, Any], _: Vocabulary) -> Intent:
    """`how deep were they on average?`"""
    return Statistic("mean", ColumnMention(_NOUNS[bound["how"].lower()]), Mention("they", pronoun=True))


@on(
    "(how many {unit:unit} of [the] {rows:stuff} [do (we|you) have|are there|is there]"
    "|how much {rows:stuff} (is|are) there in {unit:unit})",
    cost=-1.0,
)
def _measured_in(bound: Mapping[str, Any], vocabulary: Vocabulary) -> Intent | None:
    """`how many hectares of vacant land`: the sum of a column in such units. Not for rows in a place, whose shapes
    may extend beyond it."""
    subject, unit = bound["rows"], bound["unit"]
    measure = {"length": "length", "area": "area"}.get(unit.dimension)
    if (
        measure is None
        or subject.top is not None
        or not subject.mention.tables
        or lies_in_place(subject.where)
    ):
        return None
    return Statistic("sum", ColumnMention(measure), subject.mention, subject.where, unit)


@on("[<what>|list] [the] {what:words} of [all] {rows:selection} in (descending=(descending)|ascending) order")
def _in_order(bound: Mapping[str, Any], vocabulary: Vocabulary) -> Intent | None:
    """`residents of the districts in descending order`."""
    subject = bound["rows"]
    tables = vocabulary.tables(subject.mention.tables)
    columns = vocabulary.columns_called(tables, bound["what"])
    if subject.top is not None or not columns:
        return None
    top = Top(MAX_ORDERED, "descending" in bound, ColumnMention(bound["what"], columns))
    return Rows(subject.mention, subject.where, top, MAX_ORDERED)


@on("(which|what) {what:words} (is|are) used in {one:words} [,] and [in] {other:words}", cost=-3.0)
@on("(which|what) {what:words} (is|are) used in {one:words}")
def _used(bound: Mapping[str, Any], vocabulary: Vocabulary) -> Intent | None:
    """`what currency is used in Vietnam and in Laos?`"""
    if not any(vocabulary.columns_called((table,), bound["what"]) for table in vocabulary.few_tables):
        return None
    return Lookup(bound["what"], bound["one"], (bound["other"],) if "other" in bound else ())


@on("how many {rows:selection} (does|do) {whose:words} {does:words}", cost=1.0)
def _owned(bound: Mapping[str, Any], vocabulary: Vocabulary) -> Intent | None:
    """`how many vacant parcels does the City own?`: by a column `owner`."""
    subject = bound["rows"]
    tables = vocabulary.tables(subject.mention.tables)
    names = _columns_of_doer(bound["does"], tables)
    if subject.top is not None or len(tables) != 1 or len(names) != 1:
        return None
    own = OneOf(bound["whose"].removeprefix("the "), ColumnMention(names[0], tuple(names)), "is")
    return Count(subject.mention, all_of(subject.where, own))


COMMANDS += (
    command(
        "how many {what:words} (do|does) {rows:selection} have [together|in total|altogether|combined]",
        figure_of("sum", counts=True, some=True),
    ),
    command(
        "(how many (different|distinct) {what:words} ((does|do) {rows:selection} have|are there in {rows:selection})"
        "|<what> [the] (most common|most frequent|commonest) {what:words} (of|among|in) {rows:selection})",
        figure_of("values"),
        -1.0,
    ),
    command(
        "how many {what:words} (were|are) [there] (in|on|at|among) {rows:selection}",
        figure_of("sum", counts=True, some=True),
        -0.5,
    ),
    command(
        "how many {what:words} of [all] [the] {rows:selection} [(are|were) there|do we have|in total|all up]",
        figure_of("sum", counts=True, some=True),
        -0.5,
    ),
    command(
        "how many ({what:words} (go to|attend|work at|work in|use) [all] [the] {rows:selection}"
        "|(people|persons) (were|are) {what:words} (in|by|during) {rows:selection})",
        figure_of("sum", counts=True),
    ),
    *(
        command(f"how many (people|persons|guests|visitors) can {{does:words}} (in|at) {whose}", _held, cost)
        for whose, cost in (("[all] [the] {rows:selection}", -0.5), ("{whose:words}", 1.0))
    ),
    command(
        "how many {what:words} per {rows:selection} [are there] on average",
        figure_of("mean", counts=True),
        -1.0,
    ),
)
