"""Looks up the values of a table's columns, ignoring case and accents."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

from agents.domain import Column, Cql2, Table
from agents.offline.answers import refusals
from agents.offline.language.conditions.explained_numbers import NEGATIONS
from agents.offline.language.conditions.flags import NO, PARTLY, YES
from agents.offline.language.conditions.times.states import is_normal_state
from agents.offline.language.conditions.verbs import records
from agents.offline.language.lexicon import spelt_out, synonyms_of
from agents.offline.language.names.comments import (
    codes_explained,
    comment_head,
    common_words,
    without_origin,
)
from agents.offline.language.names.costs import word_cost
from agents.offline.language.names.keys import is_key_name
from agents.offline.language.names.rows import columns_alike
from agents.offline.language.words import are_forms, doers_of, fold, is_plural, name_words, singular
from agents.offline.meaning.conditions import Compare
from agents.offline.meaning.cql2 import (
    columns_in,
    contains,
    disjunction,
    equals,
    is_null,
    negated,
    property_of,
)
from agents.offline.meaning.row_names import PEOPLE, name_column, text_columns
from agents.offline.meaning.scene import Scene, unless_failed
from agents.offline.meaning.spellings import adjective_forms, place_forms, spellings


async def stored_values(
    scene: Scene, table: Table, columns: Sequence[Column], forms: Sequence[str], *, folded: bool = False
) -> dict[str, list[Any]]:
    """Stored values, by column, that equal one of `forms` apart from case, accents and hyphens.

    Also matches a code's explanation in the column's comment (“VCP = vitrified clay”). The first matching
    column wins. If no usual spelling matches, or with `folded`, one slower query folds every row.
    """
    if not columns or not forms:
        return {}
    wanted = set(map(plain, forms))
    for column in () if folded else columns:
        explained = codes_explained(column.comment)
        codes = [code for form in forms for code in explained.get(name_words(form), ())]
        usual: Cql2 = {"op": "in", "args": [property_of(column.name), spellings([*forms, *codes])]}
        found = await rows_with(scene, table, [column], [usual], wanted | set(map(plain, codes)))
        if found:
            return found
    thorough = [
        {"op": "=", "args": [_folded(property_of(column.name)), _folded(form)]}
        for column in columns
        for form in forms
    ]
    return await rows_with(scene, table, columns, thorough, wanted)


async def with_shared_name(scene: Scene, table: Table, text: str) -> Cql2 | None:
    """The rows named after their place (`samples from Terrace`), if several share that name."""
    column = name_column(table)
    stored = await stored_values(scene, table, [column], place_forms(text)) if column is not None else {}
    named = equals(*next(iter(stored.items()))) if stored else None
    return named if named is not None and await scene.data.count(table.id, named) > 1 else None


async def before_noun(scene: Scene, table: Table, text: str) -> Cql2 | None:
    """The rows of a value followed by a noun for the column's or table's subject: `single family homes`."""
    value, _, last = text.rpartition(" ")
    nouns = synonyms_of(singular(fold(last)))
    of_rows = nouns & {*name_words(table.name), *common_words(table.comment)}
    columns = [
        each
        for each in text_columns(table)
        if of_rows or nouns & {*name_words(each.name), *common_words(each.comment)}
    ]
    stored = await stored_values(scene, table, columns, adjective_forms(value)) if value else {}
    return equals(*next(iter(stored.items()))) if len(stored) == 1 else None


async def rows_with(
    scene: Scene, table: Table, columns: Sequence[Column], tests: list[Cql2], wanted: Set[str]
) -> dict[str, list[Any]]:
    """The `wanted` values of rows that pass one of the tests, by column."""
    condition: Cql2 = disjunction(tests)
    names = [column.name for column in columns]
    answer = await unless_failed(scene.data.query(table.id, names, condition, limit=200)) or {}
    return wanted_values(answer.get("rows", ()), columns, wanted)


def wanted_values(
    rows: Iterable[Mapping[str, Any]],
    columns: Sequence[Column],
    wanted: Set[str],
    last_words: Set[str] = frozenset(),
) -> dict[str, list[Any]]:
    """Values by column that are in `wanted` when normalised by `plain`, or that end with one of `last_words`."""
    found: dict[str, list[Any]] = {}
    for row in rows:
        for column in columns:
            item = row.get(column.name)
            if not isinstance(item, str) or item in found.get(column.name, ()):
                continue
            before, _, last = item.casefold().rpartition(" ")
            if plain(item) in wanted or (before and last in last_words):
                found.setdefault(column.name, []).append(item)
    return found


def plain(value: str) -> str:
    """A value in lower case without accents, its words separated by spaces: `semi detached`."""
    return _JOINERS.sub(" ", fold(value))


_JOINERS = re.compile(r"[\s_-]+")


def in_another_form(columns: Sequence[Column], text: str) -> Cql2 | None:
    """The only value that an adjective derives from: `industrial` -> `Industry`, `sandy` -> `sand`."""
    word = fold(text)
    forms = {
        (column.name, value)
        for column in columns
        for value in column.samples
        if _derives_from(word, fold(value))
    }
    return equals(*next((name, [value]) for name, value in forms)) if len(forms) == 1 else None


def ending_with(scene: Scene, table: Table, name: str) -> Cql2 | None:
    """Rows whose value ends with a name or noun: `R. Tierney`; bur oaks and red oaks for `oak trees`; lowland and
    upland blanket bog for `blanket bog`."""
    noun = singular(fold(name))
    group = scene.vocabulary.match_group(noun.rpartition(" ")[2])
    column = table.column(group[1]) if group is not None and group[0].id == table.id else None
    ends_so = column is not None and any(fold(each).endswith(f" {noun}") for each in column.samples)
    if group is not None and column is not None and (ends_so or " " not in noun):
        return contains(group[1], f" {noun}", after="")
    people = [
        each
        for each in table.columns
        if each.kind == "text"
        and name[:1].isupper()
        and " " not in name
        and PEOPLE & {*name_words(each.name), *name_words(each.comment or "")}
        and any(re.fullmatch(rf"\S+ {re.escape(name)}", value) for value in each.samples)
    ]
    return contains(people[0].name, f" {name}", after="") if len(people) == 1 else None


def _derives_from(word: str, noun: str) -> bool:
    """Whether the adjective or participle `word` derives from `noun`."""
    if word.endswith("y"):
        return noun in (word[:-1], word[:-2], f"{word[:-1]}e")
    if word.endswith("ed") and len(noun) >= _MIN_VERB_LENGTH:
        return bool(
            {noun, singular(noun)} & {word[:-2], word[:-1]}
        )  # `failed inspections`, with a value `Fail`
    of_noun = (
        word.endswith(_ADJECTIVE_ENDINGS) and not noun.endswith(_ADJECTIVE_ENDINGS) and word[:4] == noun[:4]
    )
    return of_noun and are_forms(word, noun)


_MIN_VERB_LENGTH = 4
"""Minimum length of a value that is a verb."""
_ADJECTIVE_ENDINGS = ("al", "ic", "ary", "ous")
"""Endings of adjectives that derive from nouns."""


async def column_of_kind(
    scene: Scene, table: Table, text: str, best: str, values: list[Any]
) -> tuple[str, dict[str, list[Any]]]:
    """The column whose value is meant, and its values. Raises Ask if another column has more rows with it
    (`oaks` as species and genus), unless that column holds the normal state."""
    wanted, named = {fold(str(each)) for each in values}, name_column(table)
    known = {
        each.name: own
        for each in table.columns
        if each.kind != "boolean"
        and (own := [v for v in each.samples if fold(v) in wanted])
        and (each.name == best or not is_normal_state(each))
    }
    alike = {each.name for each in columns_alike(table, best)}
    for other, found in known.items() if best in known else ():
        more: Cql2 = {"op": "and", "args": [equals(other, found), negated(equals(best, values))]}
        is_other = other != best and (named is None or other != named.name) and other not in alike
        if is_other and await scene.data.count(table.id, more):
            options = [f"{best} {values[0]}", f"{other} {found[0]}"]
            question = refusals.VALUE_WHICH(text=text, first=options[0], second=options[1])
            best, values = (best, values) if scene.choose(options, question) == options[0] else (other, found)
            break
    else:
        return await _kind_or_named_row(scene, table, text, best, values)
    return best, {best: values}


async def _kind_or_named_row(
    scene: Scene, table: Table, text: str, best: str, values: list[Any]
) -> tuple[str, dict[str, list[Any]]]:
    """Rows of a kind, or the row of that name. Raises Ask: `Antarctica` is a continent and a country."""
    named = name_column(table)
    if named is None or named.name == best or text.islower():
        return best, {best: values}
    own = (await stored_values(scene, table, [named], [text])).get(named.name, [])
    others: Cql2 = {"op": "and", "args": [equals(best, values), negated(equals(named.name, own))]}
    if not own or not await scene.data.count(table.id, others):
        return best, {best: values}
    options = [f"{best} {values[0]}", f"{named.name} {own[0]}"]
    question = refusals.VALUE_WHICH(text=text, first=options[0], second=options[1])
    if scene.choose(options, question) == options[0]:
        return (best, {best: values})
    return (named.name, {named.name: own})


def _folded(operand: Any) -> Cql2:
    return {"op": "casei", "args": [{"op": "accenti", "args": [operand]}]}


async def without_value(scene: Scene, table: Table, column: Column) -> Cql2:
    """Rows without a value (`with no dwellings`); for counts, rows with 0; else also `none`, `never`, `no`."""
    own = property_of(column.name)
    if await _counts_from_zero(scene, table, column):
        return {"op": "=", "args": [own, 0]}
    unknown: Cql2 = {"op": "isNull", "args": [own]}
    says_no = {"none", "never"} | (NO if _is_graded(column) else set())
    none = next((each for each in column.samples if each.casefold() in says_no), None)
    if column.kind != "text" or none is None:
        return unknown
    is_none = equals(column.name, [none])
    has_nulls = (await scene.data.stats(table.id, column.name)).get("nulls")
    return {"op": "or", "args": [is_none, unknown]} if has_nulls else is_none


async def or_unknown(scene: Scene, table: Table, left: Cql2) -> Cql2:
    """A negated filter that also keeps rows with unknown values: `exclude the closed ones`."""
    if left.get("op") != "not" or left["args"][0].get("op") == "isNull":
        return left  # `hide those below 1000 m` keeps rows of at least 1000 m; `hide those without a name` is of nulls
    unknown: list[Cql2] = [is_null(name) for name in columns_in(left)]
    stored = [each for each in unknown if await scene.data.count(table.id, each)]
    return {"op": "or", "args": [left, *stored]} if stored else left


def _is_graded(column: Column) -> bool:
    """Whether `no` is an answer in this column (beside `yes` or `partly`), not a country code."""
    return not _ANSWERS.isdisjoint(each.casefold() for each in column.samples)


_ANSWERS = YES | PARTLY


async def with_value(scene: Scene, table: Table, column: Column) -> Cql2:
    """`with dwellings`: rows with a value; for counts, rows with more than 0."""
    if await _counts_from_zero(scene, table, column):
        return {"op": ">", "args": [property_of(column.name), 0]}
    return negated(await without_value(scene, table, column))


async def _counts_from_zero(scene: Scene, table: Table, column: Column) -> bool:
    """Whether 0 means none: for counts that every row has, or whose minimum is 0."""
    if not _counts_things(column):
        return False
    found = await scene.data.stats(table.id, column.name)
    return not found.get("nulls") or found.get("minimum") == 0


def columns_with_several(filter: Any) -> set[str]:
    """The columns for which a conjunctive filter lists several values."""
    if not isinstance(filter, Mapping):
        return set()
    if filter.get("op") == "in":
        return {str(filter["args"][0]["property"])}
    parts = filter.get("args", ()) if filter.get("op") == "and" else ()
    return {name for part in parts for name in columns_with_several(part)}


_OF_THINGS = (["with"], ["on"], ["in"], ["at"], ["without"], ["per"])


def _counts_things(column: Column) -> bool:
    """Whether 0 of a column may be none: `pupils`, `swings_ct`, “Number of swings”, “Children on the waiting list”."""
    things = re.sub(r"_(ct|cnt|count|no|nr|num|tot|total)$", "", column.name)
    comment = without_origin(column.comment) or ""
    first, *after = fold(comment).split() or [""]
    is_number_of = [first, *after[:1]] == ["number", "of"] or (after[:1] in _OF_THINGS and is_plural(first))
    if _ZERO_EXPLAINED.search(comment):
        return column.kind in ("integer", "number")
    return column.kind == "integer" and (is_number_of or is_plural(things))


_ZERO_EXPLAINED = re.compile(r"\b0\s*(?:=|:|means\b)")  # `CFU per 100 ml (0 = safe)`


def with_change(compared: Cql2, condition: Compare) -> Cql2:
    """A comparison with a multiple of another column, or with a constant added: 0.85 times the number of 2018."""
    column, value = compared["args"]
    if condition.times != 1:
        value = {"op": "*", "args": [value, condition.times]}
    if condition.plus:
        value = {"op": "+" if condition.plus > 0 else "-", "args": [value, abs(condition.plus)]}
    return {**compared, "args": [column, value]}


async def done_by(scene: Scene, table: Table, text: str) -> Cql2 | None:
    """Rows by the agent or manner of an action: `church-owned`, `strictly protected`; `protected`: any value."""
    who, _, verb = text.replace("-", " ").rpartition(" ")
    columns = [each for each in columns_of_doing(table, verb) if not is_of_another(table, each, (verb,))]
    if not columns or (not who and (len(columns) > 1 or has_date_of(table, verb) is not None)):
        return None
    if not who:
        is_value = await stored_values(scene, table, text_columns(table), [verb])  # `confirmed / discarded`
        return None if is_value else negated(await without_value(scene, table, columns[0]))
    forms = [
        *place_forms(who),
        *adjective_forms(who),
        *(who.removesuffix(each) for each in ("ly", "ally", "y")),
    ]
    stored = await stored_values(scene, table, columns, list(dict.fromkeys(forms)))
    return equals(*next(iter(stored.items()))) if len(stored) == 1 else None


def has_date_of(table: Table, verb: str) -> Cql2 | None:
    """`repaired`: rows with a date in the only column that records when that was done; `unrepaired`: those without."""
    for done in dict.fromkeys((verb, verb.removeprefix("un"))):
        dated = [each for each in table.columns if each.kind in ("date", "timestamp") and records(each, done)]
        if len(dated) == 1 and verb.endswith(_PARTICIPLES):
            empty = is_null(dated[0].name)
            return {"op": "not", "args": [empty]} if done == verb else empty
    return None


def columns_of_doing(table: Table, verb: str) -> list[Column]:
    """The text columns that record by whom, how or when something was done: `owner`, `protection`, `mowing`."""
    doers = doers_of(verb.removesuffix("ed")) | doers_of(verb.removesuffix("d"))
    return [
        each
        for each in text_columns(table)
        if verb.endswith(_PARTICIPLES)
        and not is_key_name(each.name)
        and any(
            own in doers or word_cost(own, verb) is not None
            for own in (*name_words(each.name), *comment_head(each.comment))
        )
    ]


_PARTICIPLES = ("ed", "wn")
"""Endings of participles."""
_STATES = frozenset(("open", "closed", "shut", "active", "inactive"))
"""States that often belong to another thing than the row itself."""
_OF_FLAGS = frozenset(("is", "yn", "flag"))
_EMPTY_MEANS = re.compile(
    r"\b(?:empty|null|blank)\s*(?:[:=]|if|when|where|while|means)\s*([^;,.()]+)", re.IGNORECASE
)


def is_of_another(table: Table, flag: Column, words: Sequence[str]) -> bool:
    """Whether a flag column describes the state of another thing: `rd_closed` is about a road, not the burst."""
    own = {*words, *_OF_FLAGS, *name_words(table.name)}
    others = [each for each in name_words(flag.name) if own.isdisjoint(spelt_out(each))]
    return bool(_STATES.intersection(words) and others)


def empty_where(table: Table, words: Sequence[str]) -> Cql2 | None:
    """Rows with an empty column whose comment explains it so: `open` of “Date repaired (empty: still open)”."""
    for column in table.columns:
        explained = _EMPTY_MEANS.search(column.comment or "")
        explanation = set(name_words(explained[1])) if explained is not None else set()
        if words and set(words) <= explanation and not (NEGATIONS & explanation) - set(words):
            return is_null(column.name)
    return None
