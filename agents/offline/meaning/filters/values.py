"""Finds the values and columns that `in Germany`, `large` or `named Ulm` mean, in the data itself.

A value counts only if a row has it. A name that the table lacks may be found through another small table that
has it and shares codes (`airports in Europe` by the countries' continent).
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Any

from agents.domain import Column, Cql2, Table
from agents.offline.answers import refusals
from agents.offline.language.conditions.explained_numbers import (
    codes_with,
    explains_number,
    may_have,
    numbers_explained,
)
from agents.offline.language.conditions.flags import (
    answers,
    flag_values,
    is_flag_named,
    without_negation,
)
from agents.offline.language.conditions.times.states import is_normal_state
from agents.offline.language.lexicon import same_state, spelt_out
from agents.offline.language.names.columns import columns_called
from agents.offline.language.names.comments import comment_words, without_origin
from agents.offline.language.words import fold, name_words, place_of, singular, word_set
from agents.offline.meaning.alike_places import PLACES, place_within
from agents.offline.meaning.cql2 import columns_in, contains, disjunction, equals
from agents.offline.meaning.filters.alike_columns import both_or_either, in_any_alike, numbers_with
from agents.offline.meaning.filters.flags_in_words import flag_in_words
from agents.offline.meaning.filters.listed import joint_values, with_item
from agents.offline.meaning.filters.named_in_part import (
    beginning_with,
    named_in_part,
    on_street,
    value_in_part,
)
from agents.offline.meaning.filters.not_found import no_value, nowhere
from agents.offline.meaning.filters.other_tables import inside_of, through_another
from agents.offline.meaning.filters.other_words import in_other_words, state_alike
from agents.offline.meaning.places import MAX_CANDIDATES, one_place
from agents.offline.meaning.row_names import has_row_names, name_column, text_columns
from agents.offline.meaning.scene import Refuse, Scene, unless_failed, unless_refused
from agents.offline.meaning.spellings import (
    adjective_forms,
    place_forms,
    split_values,
    unquoted,
    without_codes,
    without_country_codes,
    without_noun,
)
from agents.offline.meaning.stored_values import (
    before_noun,
    column_of_kind,
    done_by,
    empty_where,
    ending_with,
    has_date_of,
    in_another_form,
    is_of_another,
    stored_values,
    with_shared_name,
)

_MOST_LOOKUPS = 12
MAX_FOLDED = 200_000
"""Maximum number of rows of a table that is searched for every spelling of a name."""
_MOST_WORDS = 4  # of two values before a noun
_KINDS = (word_set("type kind class category status size use usage surface group level grade rank fclass"),)
_STATES = word_set("condition state status shape")
"""Words that mean the same after a value: `in poor condition`, of a “maintenance state”."""
_REGIONS = word_set("country nation state region province territory")


async def in_column(scene: Scene, table: Table, column: Column, text: str) -> Cql2:
    """The filter for `country is Germany or France`. Raises Refuse if no row has a value."""
    if (held := await with_item(scene, table, column, text)) is not None:
        return held
    found, scale = list[Any](), numbers_explained(column.comment)
    for part in await _parts(scene, table, [column], text):
        if (number := scale.get(name_words(part.removeprefix("the ")))) is not None:
            found.append(number)
            continue
        bare = part.removeprefix("the ")  # `the European continent`
        others = adjective_forms(bare) if part.islower() or place_of(fold(bare)) else []  # `with cyclists`
        forms = [*place_forms(part), f"in {part}", *others]  # `the permits in force`
        values = (await stored_values(scene, table, [column], forms)).get(column.name)
        if not values:
            known = [codes_with([column], each) for each in (part, *sorted(same_state(part)))]
            values = next((each[1] for each in known if each is not None), [])
        if not (values := values or await value_in_part(scene, table, column, part)):
            raise await no_value(scene, table, column, part)
        found.extend(value for value in values if value not in found)
    return equals(column.name, found)


async def in_place(scene: Scene, table: Table, text: str) -> Cql2:
    """The filter for `in Germany`: by own columns, else through another table; `in operation`: by a flag."""
    words = name_words(f"in {text.removeprefix('the ').removeprefix('a ').removeprefix('an ')}")
    named_alike = (words, ("is", *words[1:]), words[1:])  # `in operation`, `at a junction`, `at night`
    for flag in (c for c in table.columns if c.kind == "boolean" and name_words(c.name) in named_alike):
        return equals(flag.name, [True])
    if (named := await _beside_column_name(scene, table, text)) is not None:
        return named
    own = _in_order(table, PLACES, names=False)
    try:
        return await _any_of(scene, table, own, text, elsewhere=True)
    except Refuse:
        shared = await with_shared_name(scene, table, text) or await on_street(scene, table, own, text)
        shared = shared or beginning_with(table, text) or numbers_with(table, text)
        shared = shared or (flag_in_words(table, text) if text.islower() else None)
        shared = shared or await named_in_part(scene, table, own, text)
        if shared is not None:
            return shared
        common, one = [each for each in own if each.samples], adjective_forms(text)
        stored = await stored_values(scene, table, common, one) if len(one) > 1 and text.islower() else {}
        if not any(value in each.samples for each in common for value in stored.get(each.name, ())):
            raise  # the alps are not the village Alp
        return await _any_of(scene, table, own, text, elsewhere=False, adjective=True)


async def in_place_or_named(scene: Scene, table: Table, text: str) -> Cql2:
    """The filter for `segments of the Ring Road`: by place, else by the rows' own name."""
    try:
        return await in_place(scene, table, text)
    except Refuse:
        column = name_column(table)
        found: list[Any] = []
        if (of_things := await before_noun(scene, table, text)) is not None:
            return of_things
        if text.islower() and (kinds := await _each_kind(scene, table, text)) is not None:
            return kinds
        if column is None:
            raise
        for part in split_values(text):
            forms = list(dict.fromkeys([*place_forms(part), *adjective_forms(part)]))
            named = (await stored_values(scene, table, [column], forms)).get(column.name)
            named = named or await value_in_part(scene, table, column, part)
            if not named:
                raise
            found += named
        return equals(column.name, found)


async def of_kind(scene: Scene, table: Table, text: str) -> Cql2:
    """The filter for `large`, `military`, `European`. Raises Ask or Refuse."""
    is_place = place_of(fold(text)) or (not text.islower() and len(place_forms(text)) > 1)
    first = (*_KINDS, *PLACES) if is_place else _KINDS
    own = _in_order(table, first, names=True)
    said = tuple(word for word in name_words(text) if word != "for")  # `planned for renewal`
    for words, wanted in ((said, True), (without_negation(text, table.columns), False)):
        flags = columns_called((table,), words, answers) if words else []
        flag = table.column(flags[0]) if len(flags) == 1 else None
        if flag is None or not is_flag_named(flag, words) or is_of_another(table, flag, words):
            continue
        stored, forms = flag_values(flag, wanted), [*adjective_forms(text), " ".join(words)]
        is_named = set(words) <= set(name_words(flag.name))
        if stored and (is_named or not await stored_values(scene, table, own, forms)):
            return equals(flag.name, stored)
    empty = empty_where(table, name_words(text))
    if empty is not None and await stored_values(scene, table, own, adjective_forms(text)):
        empty = None  # it is a value, too
    named = await _beside_column_name(scene, table, text) or empty or await done_by(scene, table, text)
    if named is not None:
        return named
    try:
        return await _any_of(scene, table, own, text, elsewhere=False, adjective=True)
    except Refuse as refusal:
        found = (
            ending_with(scene, table, text)
            or beginning_with(table, text)
            or await through_another(scene, table, adjective_forms(text))
        )
        found = found or await _with_noun(scene, table, text) or await before_noun(scene, table, text)
        found = found or in_another_form(own, text)
        found = found or (await _each_kind(scene, table, text) if len(split_values(text)) > 1 else None)
        found = found or await _two_kinds(scene, table, text) or has_date_of(table, text)
        if (found := found or await in_other_words(scene, table, text)) is not None:
            return found
        raise refusal from None


async def _with_noun(scene: Scene, table: Table, text: str) -> Cql2 | None:
    """A value that ends with a noun of the table: `litter` bins are `litter bin`."""
    named = [f"{text} {noun}" for noun in name_words(table.name)]
    stored = await stored_values(scene, table, text_columns(table), named)
    return equals(*next(iter(stored.items()))) if len(stored) == 1 else None


async def _each_kind(scene: Scene, table: Table, text: str) -> Cql2 | None:
    """The filter for `bears or cougars`: each is a value, or the last word of some."""
    kinds = []
    for part in split_values(text):
        kind = ending_with(scene, table, part) or await unless_refused(of_kind(scene, table, part))
        if kind is None:
            return None
        kinds.append(kind)
    return await both_or_either(scene, table, text, kinds)


async def _two_kinds(scene: Scene, table: Table, text: str) -> Cql2 | None:
    """The filter for `lit asphalt` paths: adjacent values of two columns."""
    words = text.split()
    at_most = len(words) if len(split_values(text)) == 1 and '"' not in text else 0
    for at in range(1, min(at_most, _MOST_WORDS)):
        await asyncio.sleep(0)  # answers that were cached do not wait, and other turns must go on
        first = await unless_refused(of_kind(scene, table, " ".join(words[:at])))
        second = await unless_refused(of_kind(scene, table, " ".join(words[at:]))) if first else None
        if first and second and not set(columns_in(first)) & set(columns_in(second)):
            return {"op": "and", "args": [first, second]}
    return None


async def _beside_column_name(scene: Scene, table: Table, text: str) -> Cql2 | None:
    """The filter for a value next to its column's name: `felt widely`, `widely felt`, `high flood risk`."""
    words = text.removeprefix("the ").split()
    for at in range(1, len(words)):
        for name, value in ((words[:at], words[at:]), (words[at:], words[:at])):
            value_text = " ".join(value)
            names = columns_called((table,), name_words(" ".join(name)), partial(may_have, text=value_text))
            own = [each for each in table.columns if names == [each.name]]
            if own and explains_number(own[0], value_text):
                return await in_column(scene, table, own[0], value_text)
            if not own or await stored_values(scene, table, own, [text]):
                continue
            if (held := await with_item(scene, table, own[0], value_text)) is not None:
                return held
            forms = [value_text, singular(value_text)]  # `former factories`, of a former use
            stored = (await stored_values(scene, table, own, forms)).get(own[0].name)
            if stored:
                return equals(own[0].name, stored)
    if words[-1].lower() not in _STATES or len(words) < 2:
        return None
    states = [
        each
        for each in text_columns(table)
        if _STATES & (spelt_out(each.name) | comment_words(without_origin(each.comment)))
    ]
    stored_states = await stored_values(scene, table, states, [" ".join(words[:-1])])
    if not stored_states:
        return state_alike(table, " ".join(words[:-1]))  # `bad condition`, of “poor”
    return equals(*next(iter(stored_states.items()))) if len(stored_states) == 1 else None


async def with_name(scene: Scene, table: Table, text: str) -> Cql2:
    """The filter for `named Ulm`: exact, else names that contain it. Raises Refuse if there is none."""
    column = name_column(table)
    if column is None:
        raise Refuse(refusals.VALUE_NO_NAMES(table=table.title))
    wanted = unquoted(text)
    few = table.lake is None and table.row_estimate <= MAX_FOLDED
    each = few and wanted.isascii()  # San Jose and San José
    stored = (await stored_values(scene, table, [column], [wanted], folded=each)).get(column.name)
    for forms in (place_forms(wanted), without_noun(wanted, name_words(table.name))):
        stored = stored or (await stored_values(scene, table, [column], forms)).get(column.name)
    if stored:
        return equals(column.name, stored)
    numbered = wanted.isupper() or any(each.isdigit() for each in wanted)  # `airport FRA`, `stop K1043`
    if numbered and len(codes := await stored_values(scene, table, text_columns(table), [wanted])) == 1:
        return equals(*next(iter(codes.items())))
    like = contains(column.name, wanted)
    if wanted == text and await scene.data.count(table.id, like):
        return like
    raise Refuse(refusals.NO_ROW_CALLED(table=table.title, text=wanted))


async def _any_of(
    scene: Scene,
    table: Table,
    columns: Sequence[Column],
    text: str,
    *,
    elsewhere: bool,
    adjective: bool = False,
) -> Cql2:
    filters: dict[str, list[Any]] = {}
    others: list[Cql2] = []
    within = await place_within(scene, table, columns, unquoted(text)) if elsewhere else None
    if within is not None:
        return within
    parts = await _parts(scene, table, columns, text)
    for part in parts:
        forms = adjective_forms(part) if adjective else place_forms(part)
        stored = await stored_values(scene, table, columns, forms)
        if part.islower():
            stored = (
                without_codes(stored, part, columns, kept=_KINDS[0])
                if adjective
                else without_country_codes(stored, part)
            )
        widest = best = next((column.name for column in columns if column.name in stored), None)
        if best is not None and elsewhere:
            best, stored = await _column_of_place(scene, table, columns, part, best, stored)
        elif best is not None and any(name_words(str(each)) == name_words(part) for each in stored[best]):
            best, stored = await column_of_kind(scene, table, part, best, stored[best])
        if best is not None:
            kept = filters.setdefault(best, [])
            found_values = [*stored[best], *(joint_values(table, best, stored[best]) if adjective else ())]
            kept.extend(value for value in found_values if value not in kept)
            continue
        found = await _beside_column_name(scene, table, part) if len(parts) > 1 else None
        if found is None and elsewhere:
            found = await through_another(scene, table, forms) or await inside_of(scene, table, part)
        if found is None:
            raise await nowhere(scene, table, columns, part)
        others.append(found)
    if elsewhere and len(parts) == len(filters) == 1 and best == widest:
        ((name, values),) = filters.items()
        return await one_place(scene, table, columns, name, values)
    joined = [await in_any_alike(scene, table, name, values) for name, values in filters.items()] + others
    return await both_or_either(scene, table, text, joined) if adjective else disjunction(joined)


async def _column_of_place(
    scene: Scene, table: Table, columns: Sequence[Column], text: str, best: str, stored: dict[str, list[Any]]
) -> tuple[str, dict[str, list[Any]]]:
    """The column whose value is meant. Raises Ask if another kind of region with that name has as many rows:
    `in Georgia` is a country and a state."""
    rank = {column.name: place for place, column in enumerate(columns)}
    regions = [
        c
        for c in columns
        if c.name != best and rank[c.name] > rank[best] and _REGIONS & set(name_words(c.name))
    ]
    if not regions or not _REGIONS & set(name_words(best)):
        return best, stored
    others = await stored_values(scene, table, regions, place_forms(text))
    for other, found in others.items():
        elsewhere = {
            "op": "and",
            "args": [equals(other, found), {"op": "not", "args": [equals(best, stored[best])]}],
        }
        if await scene.data.count(table.id, elsewhere) >= await scene.data.count(
            table.id, equals(best, stored[best])
        ):
            options = [f"{best} {stored[best][0]}", f"{other} {found[0]}"]
            chosen = scene.choose(
                options, refusals.VALUE_WHICH(text=text, first=options[0], second=options[1])
            )
            return (best, stored) if chosen == options[0] else (other, {other: found})
    return best, stored


async def _parts(scene: Scene, table: Table, columns: Sequence[Column], text: str) -> list[str]:
    """The whole text if it is one value (`Trinidad and Tobago`), else its parts (`Germany, France or Peru`)."""
    parts = split_values(text)
    if len(parts) == 1:
        return parts
    whole = unquoted(text)
    if not text.startswith('"') and (
        await stored_values(scene, table, columns, [whole]) or await _known_place(scene, whole)
    ):
        return [whole]
    # Three parts may be two values, one of them with `and` in it; try the longest first.
    merged: list[str] = []
    several = len(parts) > 2
    while parts:
        pair = " and ".join(parts[:2])
        is_one = several and len(parts) > 1 and pair.lower() in text.lower()
        is_one = is_one and bool(await stored_values(scene, table, columns, [pair]))
        merged.append(pair if is_one else parts[0])
        parts = parts[2 if is_one else 1 :]
    return merged


async def _known_place(scene: Scene, text: str) -> bool:
    """Whether the text names one place: `Trinidad and Tobago`; `Paris, France` if Paris is in France."""
    name, _, where = text.partition(",")
    found = await unless_failed(scene.data.find_place(text, limit=MAX_CANDIDATES))
    return found is not None and any(
        fold(place.name) == fold(name) and fold(where.strip()) in fold(place.detail) for place in found.places
    )


def _in_order(table: Table, first: Sequence[frozenset[str]], *, names: bool) -> list[Column]:
    """The text columns, likely ones first.

    `names`: include the column of names. Columns that hold the normal state come last: `closed valves` are
    closed now.
    """
    own = name_column(table) if has_row_names(table) else None
    if own is not None and any(set(name_words(own.name)) & likely for likely in PLACES):
        own = None  # it gives a row's location, not its name
    columns = [c for c in text_columns(table) if names or own is None or c.name != own.name]

    def rank(column: Column) -> tuple[bool, int, bool]:
        words = set(name_words(column.name))
        place = next((place for place, likely in enumerate(first) if words & likely), len(first))
        return is_normal_state(column), place, column is own

    return sorted(columns, key=rank)[:_MOST_LOOKUPS]
