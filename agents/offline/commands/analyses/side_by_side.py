"""Numbers side by side: a figure of some values (`median width of painted vs protected lanes`), the change between two
columns (`population change from 2010 to 2020 by county`, `which tract grew most in percent?`) and their difference.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agents.domain import Table
from agents.offline.answers.wording import FIGURE_NAMES
from agents.offline.commands.analyses.groups import group_columns
from agents.offline.commands.analyses.rules import Context, Steps, rule
from agents.offline.language.column_names import columns_called
from agents.offline.language.figures import Listed
from agents.offline.language.words import name_words, singular, word_set
from agents.offline.meaning.columns import is_number
from agents.offline.meaning.conditions import ColumnMention, OneOf, all_of
from agents.offline.meaning.features import RESULT, Features
from agents.offline.meaning.steps import AddedColumn, ColumnWords, Grouped, quoted, step, top_step

PERCENT, CHANGE, DIFFERENCE = "change_in_percent", "change", "difference"
"""The columns that are added."""
_LESS = word_set("lost shrank declined decreased fell smallest lowest lose shrink decline decrease fall drop")


def _of_years(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """The change between two columns that are called alike but for the year, in each row or group; in percent, too."""
    years = [f"{bindings[name].value:.0f}" for name in ("first", "second")]
    rows: Features | None = bindings.get("source")
    known = context.vocabulary.few_tables if rows is None else context.tables_of(rows.mention)
    what = bindings["what"].text if "what" in bindings else ""
    pairs = [(table, pair) for table in known for pair in _pairs(table, years, what)]
    if len(pairs) != 1 or (rows is not None and not rows.named):
        return None
    ((table, (before, after)),) = pairs
    if table.column(CHANGE) is not None and "how" in bindings:
        return None  # the added one gets another name
    rows = rows or Features.of_table(table)
    name = what or before.replace(years[0], "").strip("_").replace("_", " ")
    title = f"Change of {name} from {years[0]} to {years[1]}"
    steps: Steps = ()
    if "by" in bindings:
        names = group_columns(table, bindings["by"], context)
        if len(names) != 1:
            return None
        totals = [{"function": "sum", "column": ColumnWords(each)} for each in (before, after)]
        count = {"function": "count", "name": "count"}
        by = [ColumnWords(names[0])]
        steps = (step("dissolve", rows, title=f"Totals of {rows.noun}", by=by, aggregates=[*totals, count]),)
        before, after, rows = f"sum_{before}", f"sum_{after}", RESULT
        title = f"{title} by {bindings['by'].text}"
    before, after = quoted(before), quoted(after)
    changes = [(CHANGE, title, f"{after} - {before}")]
    changes.append((PERCENT, f"{title}, in percent", f"100.0 * ({after} - {before}) / {before}"))
    in_percent = "percent" in bindings or "rate" in bindings
    first, last = changes if in_percent else reversed(changes)  # the answer gives the last one
    steps = (
        *steps,
        step("calculate", rows, name=first[0], title=first[1], expression=first[2]),
        step("calculate", RESULT, name=last[0], title=last[1], expression=last[2]),
    )
    if "how" not in bindings:
        return steps
    least = bindings["how"] in _LESS
    told = f"{last[1][:1].lower()}{last[1][1:]}"
    noun = bindings["by"].text if "by" in bindings else singular(bindings["source"].noun)
    ranked = f"The {noun} with the {'smallest' if least else 'greatest'} {told}"
    limit = bindings.get("n") or 1
    # None has lost anything where each has gained.
    fits = {"op": "<" if least else ">", "args": [{"property": CHANGE}, 0]}
    kept = step("filter", RESULT, title=f"Those that {bindings['how']}", filter=fits)
    return (
        *steps,
        kept,
        top_step(RESULT, AddedColumn(last[0]), limit, smallest=least, title=ranked, ties=True),
    )


def _pairs(table: Table, years: Sequence[str], what: str) -> list[tuple[str, str]]:
    """The columns of numbers that are called alike but for these years."""
    numbers = [each.name for each in table.columns if is_number(each)]
    found = []
    for before in numbers:
        after = before.replace(years[0], years[1])
        if years[0] not in before or after not in numbers:
            continue
        called = not what or before in columns_called((table,), name_words(f"{what} {years[0]}"))
        found += [(before, after)] if called else []
    return found


def _gap(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """The greatest difference between two columns, whichever is the greater one."""
    rows: Features = bindings["source"]
    table = context.table(rows)
    columns = [_one_of_both(table, bindings, name) for name in ("one", "two")] if table is not None else []
    if not rows.named or len(set(columns)) != 2 or "" in columns:
        return None
    one, two = columns
    title = f"Difference between {one} and {two} of {rows.noun}"
    gap = step(
        "calculate", rows, title=title, name=DIFFERENCE, expression=f"abs({quoted(one)} - {quoted(two)})"
    )
    if "how" not in bindings:
        return (gap,)
    ranked = f"The {singular(rows.noun)} with the {bindings['how']} difference between {one} and {two}"
    smallest = bindings["how"] in _LESS
    return (gap, top_step(RESULT, AddedColumn(DIFFERENCE), 1, smallest=smallest, title=ranked, ties=True))


def _one_of_both(table: Table, bindings: Mapping[str, Any], name: str) -> str:
    """The column that is meant; of `planned and built dwellings` the last word is that of both."""
    words = bindings[name].text
    both = f"{words} {bindings['two'].text.split()[-1]}" if name == "one" else words
    for each in (words, both):
        found = columns_called((table,), name_words(each))
        numbers = [column.name for column in table.columns if column.name in found and is_number(column)]
        if len(found) == len(numbers) == 1:
            return numbers[0]
    return ""


def _side_by_side(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """A figure of the rows of each value, or their number; without `compare` only of values that are set against each
    other."""
    listed: Listed = bindings["listed"]
    rows: Features = bindings.get("source") or Features.of_table(listed.table)
    figure = bindings.get("figure") or {"function": "count"}
    known = context.tables_of(rows.mention)
    column = figure.get("column")
    has_it = column is None or columns_called((listed.table,), name_words(column.text))
    if (
        listed.table not in known
        or rows.guessed
        or not has_it
        or not ("compare" in bindings or listed.is_compared)
    ):
        return None
    where = OneOf(
        " or ".join(f'"{each}"' for each in listed.values),
        ColumnMention(listed.column, (listed.column,)),
        "is",
    )
    table = Features.of_table(listed.table)
    rows = Features(table.mention, all_of(rows.where, where), text=table.text)
    what = "Number" if column is None else f"{FIGURE_NAMES[figure['function']]} {column.text}"
    title = f"{what} of {rows.text} by {listed.column}"
    return (Grouped(rows, listed.column, figure, title=title),)


_COMPARE = "(compare=(compare)|<what>)"
_OF_THEM = "(in|on|of|for|at|from|with|by|owned by|made of)"
_NUMBER = "(number|numbers|count|counts) of"
_VALUES = (
    rule(f"{_COMPARE} {{figure:figure}} (of|for|in|on) {{listed:listed}}", _side_by_side, -1.0),
    rule(
        f"{_COMPARE} {{figure:figure}} (of|for) {{source:bare}} {_OF_THEM} {{listed:listed}}",
        _side_by_side,
        -1.0,
    ),
    rule(f"{_COMPARE} {_NUMBER} {{listed:listed}}", _side_by_side, -1.0),
    rule(f"{_COMPARE} {_NUMBER} {{source:bare}} {_OF_THEM} {{listed:listed}}", _side_by_side, -1.0),
    rule("how many {listed:listed} are there", _side_by_side, -1.0),
    rule(f"how many {{source:bare}} are there {_OF_THEM} {{listed:listed}}", _side_by_side, -1.0),
)

_YEARS = "[(from|between|since)] {first:number} (to|and|until|-|–) {second:number}"
_PERCENT = (
    "percent=([,] [absolute and|absolutely and] [in|by] (percent|per cent|%|percentage|relative terms))"
)
_CHANGE = "(change|growth|development|increase|decrease|decline|gain|loss|difference)"
_GREW = "how=(grew|gained|increased|rose|lost|shrank|declined|decreased|fell)"
_GROW = "how=(grow|gain|increase|rise|lose|shrink|decline|decrease|fall|drop)"
_BY = "(by|per|for each|for every|in each|of each) {by:column}"
_OF = "[(of|in|for) {source:rows}]"
_MOST = f"(which|what) [{{n:count}}] {{source:bare}} {_GREW} [the] (most|rate=(fastest|strongest))"
_GAP = "(gap|difference) between [the] {one:column} and [the] {two:column}"
RULES = (
    *_VALUES,
    *(
        rule(text, _of_years, -2.0)
        for group in ("", f" {_BY}")
        for text in (
            f"<what> {{what:column}} {_CHANGE} {_OF} {_YEARS} [{_PERCENT}]{group}",
            f"<what> {{what:column}} {_CHANGE} {_OF} {_YEARS}{group} [{_PERCENT}]",
            f"<what> {{what:column}} {_CHANGE} {_YEARS}{group} {_OF} [{_PERCENT}]",
            f"<what> {_CHANGE} (of|in) {{what:column}} {_OF} {_YEARS}{group} [{_PERCENT}]",
        )
    ),
    rule(f"{_MOST} [{{what:column}}] {_YEARS} [{_PERCENT}]", _of_years, -2.0),
    rule(f"{_MOST} [{_PERCENT}] {_YEARS}", _of_years, -2.0),
    rule(
        f"(in which|which) {{by:column}} did [the] {{what:column}} {_GROW} [the] most {_YEARS} [{_PERCENT}]",
        _of_years,
        -2.0,
    ),
    rule(
        "(which|what) {source:bare} (has|have) [the]"
        f" how=(biggest|largest|greatest|highest|widest|smallest|lowest) {_GAP}",
        _gap,
        -2.0,
    ),
    rule(f"<what> {_GAP} (of|for|in) {{source:bare}}", _gap, -2.0),
)
