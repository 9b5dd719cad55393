"""Charts: `chart population by continent`, `histogram of elevation of airports in Germany`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from agents.domain import Table
from agents.offline.commands.analyses.periods import columns_of_period
from agents.offline.commands.requests import command, mentions_having, tables_of
from agents.offline.language.figures import adds_up
from agents.offline.language.lexicon import STATISTICS
from agents.offline.language.names.dates import times_of
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import is_plural, name_words
from agents.offline.meaning import intents as i
from agents.offline.meaning.conditions import ColumnMention, Condition, Mention, OneOf, Top, all_of, at_date
from agents.offline.meaning.row_names import name_column
from agents.offline.meaning.steps import ANY_TIME, ColumnWords

Bound = Mapping[str, Any]

_VERB = "(draw [me]|show [me]|make [me]|give [me]|plot|create|i want|i would like|add)"
_KINDS_NAMED = (
    "histogram[s]|frequency chart|scatter [plot|chart|graph|diagram]|scatterplot|box (plot[s]|chart)|boxplot[s]"
    "|box and whisker plot|boxes|[stacked|grouped|clustered|horizontal] bar (chart|graph|plot)|bars|barchart"
    "|column chart|line [chart|graph|plot]|linechart|(pie|donut|doughnut|ring) [chart|graph|diagram]|chart|graph"
    "|diagram"
)
_KIND = f"({_VERB} kind=(distribution)|[{_VERB}] [a|an] kind=({_KINDS_NAMED}))"
_PIE = "(pie|donut|doughnut) chart"
_BARS = f"([horizontal] bar (chart|graph|plot)|bars|barchart|column chart|chart|graph|diagram|{_PIE})"
_AS = f"[,] (as|in|on) [a|an] kind=({_KINDS_NAMED})"
_KINDS = {
    "pie": "pie", "donut": "pie", "doughnut": "pie", "ring": "pie",
    "distribution": "histogram", "frequency": "histogram", "column": "bar", "histogram": "histogram",
    "scatter": "scatter", "relation": "scatter", "correlat": "scatter", "depend": "scatter", "box": "box", "bar": "bar",
    "line": "line",
}  # fmt: skip
_GIVE_ME = "give me|i want|i would like|can i have|put"
_OF = "[of|for|showing|that shows|with|:]"
_COUNT = "number of|count of|how many|[a|the] breakdown of|[a|the] split of|[a|the] distribution of"
_HOW = "[how=(average|mean|avg|median|total|sum|minimum|min|maximum|max) [of]]"
_BY = "(for each|for every|in each|grouped by|over|across|by|per)"
_ALONG = f"(against|versus|vs|and|{_BY[1:-1]})"
_SPLIT = (
    "[(coloured by|colored by|colour by|color by|split by|with colours by|with colors by) {color:column}]"
)
_READINGS = (
    f"[{_COUNT}] {{rows:selection}} [are there|there are] {_BY} {{first:column}}",
    f"[{_COUNT}] {{rows:selection}} [are there|there are] {_BY} {{first:column}} and [by] {{color:column}}",
    f"{_HOW} {{first:column}} [{_ALONG} {{second:column}}] (of|for|in|among|from) {{rows:selection}}",
    f"{_HOW} {{first:column}} (of|for|in|among|from) {{rows:selection}} {_ALONG} {{second:column}}",
    f"{_HOW} {{first:column}} {_ALONG} {{second:column}} (by|for each|for every|per|of each) {{rows:selection}}",
    f"{_HOW} {{first:column}} [{_ALONG} {{second:column}}]",
)
"""In order of precedence if several match."""


def kind_named(words: str) -> str:
    """The kind of a chart; empty for any kind."""
    return next((meant for word, meant in _KINDS.items() if word in words.lower()), "")


def _charted(bound: Bound, vocabulary: Vocabulary) -> i.Intent | None:
    columns = [bound[name].text for name in ("first", "second", "color") if name in bound]
    rows = bound.get("rows")
    if rows is None:
        return _of_what_has_them(bound, vocabulary)
    tables = tables_of(rows.mention, vocabulary)
    if (
        not rows.mention.known
        or (rows.top is not None and (rows.mention.pronoun or len(columns) != 1))
        or not all(vocabulary.columns_called(tables, each) for each in columns)
    ):
        return None
    top = rows.top
    if (
        top is not None and top.column is None and not top.measure
    ):  # `the top 10 countries`, ranked by the charted column
        top = replace(top, column=ColumnMention(columns[0], vocabulary.columns_called(tables, columns[0])))
    return _chart(bound, rows.mention, tables, vocabulary, all_of(rows.where, bound.get("more")), top)


def _shared(bound: Bound, vocabulary: Vocabulary) -> i.Intent | None:
    """`pie chart of the share of each continent in the population`: slices are shares, bars are not."""
    return _charted(bound, vocabulary) if kind_named(bound["kind"]) == "pie" else None


def _by_period(bound: Bound, vocabulary: Vocabulary) -> i.Intent | None:
    """`bar chart of permits per year and status`: by the named or the only date."""
    rows = bound["rows"]
    tables = tables_of(rows.mention, vocabulary)
    if rows.top is not None or not rows.mention.known or len(tables) != 1:
        return None
    period = bound["period"].lower().removesuffix("s")
    named = vocabulary.columns_called(tables, bound["when"].text) if "when" in bound else None
    where = all_of(rows.where, bound.get("more"))
    dates, are_years = columns_of_period(tables[0], period, named, where) or ((), False)
    split = vocabulary.columns_called(tables, bound["color"].text) if "color" in bound else ()
    if not dates or (named is not None and len(dates) > 1) or ("color" in bound and not split):
        return None
    color = ColumnMention(bound["color"].text, split) if split else None
    when = ColumnMention(bound["when"].text if "when" in bound else ANY_TIME, tuple(dates))
    kind = "line" if "line" in bound["kind"].lower() else "histogram"
    if are_years:
        return i.Chart("bar" if kind == "histogram" else kind, rows.mention, (when,), "", color, where)
    where = at_date(where, when) if where is not None else None
    return i.Chart(kind, rows.mention, (when,), "", color, where, period=period)


def _figure_by_period(bound: Bound, vocabulary: Vocabulary) -> i.Intent | None:
    """`line chart of total cost per month`: a figure along the rows' only date."""
    found = _over_time(bound, vocabulary) if kind_named(bound["kind"]) == "line" else None
    if not isinstance(found, i.Chart):
        return None
    figure, period = found.columns[0], bound["period"].lower().removesuffix("s")
    table = tables_of(found.subject, vocabulary)[0]
    how = found.how or ("sum" if adds_up(table, figure.columns, figure.text) else "")
    return replace(found, how=how, period=period) if how else None


def _over_time(bound: Bound, vocabulary: Vocabulary) -> i.Intent | None:
    """`plot the water temperature at Long Beach over time`: along the rows' only date."""
    rows, words = bound.get("rows"), bound["first"].text
    if rows is None:
        mention, tables = next(iter(mentions_having([words], vocabulary)), (None, []))
    else:
        known = tables_of(rows.mention, vocabulary)
        mention = rows.mention
        tables = [table for table in known if vocabulary.columns_called((table,), words)]
    times = times_of(tables[0]) if len(tables) == 1 else []
    if (
        mention is None
        or len(times) != 1
        or (rows is not None and rows.top is not None)
        or kind_named(bound["kind"]) not in ("", "line")
    ):
        return None
    along = {**bound, "kind": "line", "second": ColumnWords(times[0].name)}
    whose = OneOf(bound["whose"], how="of") if "whose" in bound else None
    where = all_of(rows.where if rows is not None else whose, bound.get("more"))
    return _chart(along, mention, tables, vocabulary, where)


def _of_each_row(bound: Bound, vocabulary: Vocabulary) -> i.Intent | None:
    """`PM10 by air quality station`: one bar per row, by name."""
    mention = bound["layer"]
    tables = tables_of(mention, vocabulary)
    columns = vocabulary.columns_called(tables, bound["first"].text)
    if len(tables) != 1 or not columns or (named := name_column(tables[0])) is None:
        return None
    first, second = ColumnMention(bound["first"].text, columns), ColumnMention(named.name, (named.name,))
    if "sorted" in bound and not _are_in_order("bar", tables, second):
        return None
    kind = kind_named(bound["kind"])
    return i.Chart(
        kind if kind in ("pie", "line") else "bar", mention, (first, second), where=bound.get("more")
    )


def _of_the_result(bound: Bound, vocabulary: Vocabulary) -> i.Intent | None:
    """`as a bar chart`: of the previous answer."""
    kind = kind_named(bound["kind"]) or "bar"
    return i.Chart(kind, Mention("it", pronoun=True), ()) if kind in ("bar", "pie", "line") else None


def _changed(bound: Bound, vocabulary: Vocabulary) -> i.Intent:
    """`split the chart by severity`: the last one, with a series for each value; `the same chart of discharge`."""
    words = next(bound[name].text for name in ("color", "first") if name in bound)
    columns = {name for each in vocabulary.few_tables for name in vocabulary.columns_called((each,), words)}
    named = ColumnMention(words, tuple(sorted(columns)))
    last = Mention("the chart", pronoun=True)
    return i.Chart("", last, (named,)) if "first" in bound else i.Chart("", last, (), color=named)


def _first_charted(bound: Bound, vocabulary: Vocabulary) -> i.Intent | None:
    """`top 10 countries by population as a bar chart`: by the ranking column."""
    rows = bound["rows"]
    if rows.top is None or rows.mention.pronoun or not rows.mention.known:
        return None
    columns = () if rows.top.column is None else (rows.top.column,)
    kind = "pie" if "pie" in bound.get("kind", "").lower() else "bar"
    return i.Chart(kind, rows.mention, columns, where=rows.where, top=rows.top)


def _of_what_has_them(bound: Bound, vocabulary: Vocabulary) -> i.Intent | None:
    """`population by continent`: of layers with these columns, else of any such table."""
    words = [bound[name].text for name in ("first", "second") if name in bound]
    rows = vocabulary.match_table(name_words(words[0])) if len(words) == 2 and is_plural(words[0]) else None
    if rows is not None and rows.length == len(name_words(words[0])):
        return None  # `cities per continent` are counted, and not the column `city` of airports
    for mention, having in mentions_having(words, vocabulary):
        if "more" not in bound or len(having) == 1:
            return _chart(bound, mention, having, vocabulary, bound.get("more"))
    return None


def _chart(
    bound: Bound, mention: Mention, tables: Sequence[Table], vocabulary: Vocabulary,
    where: Condition | None = None, top: Top | None = None,
) -> i.Intent | None:  # fmt: skip
    def column(words: ColumnWords) -> ColumnMention:
        return ColumnMention(words.text, vocabulary.columns_called(tables, words.text))

    columns = tuple(column(bound[name]) for name in ("first", "second") if name in bound)
    if len(columns) == 2 and columns[0].columns == columns[1].columns:
        columns = columns[1:]  # `trees planted per year`, with a column of years
    kind = kind_named(bound.get("kind", ""))
    if kind in ("bar", "pie") and [_kinds(tables, each) <= {"text"} for each in columns] == [True, False]:
        columns = columns[::-1]  # `habitat types by area`
    if "sorted" in bound and not _are_in_order(kind, tables, columns[-1]):
        return None
    how = next((STATISTICS[word] for word in bound.get("how", "").lower().split() if word in STATISTICS), "")
    if kind == "scatter" and how:  # each row is a point, so `median household income` must be a column
        return None
    color = column(bound["color"]) if "color" in bound else None
    period = _period_in(tables, columns[-1])
    if period:
        if kind in ("", "bar") and len(columns) == 1:
            kind = "histogram"
        if kind not in (("line", "") if len(columns) > 1 else ("histogram", "line")):
            return None
    bins, most = bound.get("bins"), bound.get("most")
    if bins is not None and kind not in ("", "histogram"):
        return None
    if most is not None and (kind not in ("", "bar", "pie") or not _kinds(tables, columns[-1]) <= {"text"}):
        return None
    kind = kind if bins is None else "histogram"
    return i.Chart(kind, mention, columns, how, color, where, top, period, bins or most)


def _period_in(tables: Sequence[Table], mention: ColumnMention) -> str:
    """The period in the words for a date column: `year` in `by application year`."""
    own = [each for table in tables for name in mention.columns if (each := table.column(name)) is not None]
    are_dates = bool(own) and all(each.kind in ("date", "timestamp") for each in own)
    return next((each for each in name_words(mention.text) if are_dates and each in ("year", "month")), "")


def _are_in_order(kind: str, tables: Sequence[Table], groups: ColumnMention) -> bool:
    """Whether the chart shows the groups with the greatest figures first by itself."""
    return kind in ("", "bar", "pie") and _kinds(tables, groups) <= {"text"}


def _kinds(tables: Sequence[Table], mention: ColumnMention) -> set[str]:
    found = (table.column(name) for table in tables for name in mention.columns)
    return {each.kind for each in found if each is not None}


_SORTED = (
    "[sorted=([,] (sorted|ordered) [from high to low|from highest to lowest|by value|descending|in descending order]"
    "|[,] (highest|greatest|largest|most|biggest) first)]"
)
"""Bars of texts have that order anyway; those of numbers, flags and times keep their own."""
_IN_BINS = "[[,] (with|in|using) {bins:count} (bins|bars|buckets|classes|intervals)]"
_REST = (
    "[[,] [and|with] [everything|all|the rest|all others] (after|below|beyond|outside) [the] top {most:count}"
    " [(as|in|into|grouped as|called) (other|others|rest|{label:quoted})]]"
)
_READ = tuple(
    f"[the] {words} [{{more:condition}}] {_SPLIT} {_SORTED} {_IN_BINS} {_REST}" for words in _READINGS
)
_SHARES = (
    "[a|the] (share|percentage|part|proportion) of (each|every) {second:column}"
    " (in|of) [(world's|world|total|whole)] {first:column}"
)
_X, _Y, _IS = "[the] x [axis]", "[the] y [axis]", "(=|is|:|shows|showing)"
_AXES = (
    f"{{second:column}} on {_X} [,] [and] {{first:column}} on {_Y}",
    f"{{first:column}} on {_Y} [,] [and] {{second:column}} on {_X}",
    f"{_X} {_IS} {{second:column}} [,] [and] {_Y} {_IS} {{first:column}}",
    f"{_Y} {_IS} {{first:column}} [,] [and] {_X} {_IS} {{second:column}}",
)
_EACH_ROW = "[,] [with] [a|one] (dot|point|circle|marker|mark) (per|for each|for every|each) {rows:selection}"
_BY_PERIOD = (
    "[the] [number of|count of|how many] {rows:selection} [{when:column} [for]] (per|by|for each|each|over|every)"
    " [the] period=(year|month|years|months) [(and [by]|by|,) {color:column}] [{more:condition}]"
)
_OF_ROWS = "[(of|for|in|among|from) {rows:selection}]"
_IN_TIME = "(over time|over the years|through time|through the years|by date)"
_FIGURE_BY_PERIOD = (
    f"[the] {_HOW} {{first:column}} {_OF_ROWS} (per|by|for each|each|over|every) [the]"
    " period=(year|month|years|months) [{more:condition}]"
)
_RELATED = (
    "[(is|are) there|show [me]|what is] [a|an|any|some|the] kind=(relation|relationship|correlation) between"
    " {first:column} and {second:column}",
    "(does|do) {first:column} kind=(depend on|correlate with) {second:column}",
)
_SCATTERED = "(scatter plot|scatterplot|scatter (chart|diagram|graph))"
_AND_SCATTERED = f"[(,|?|.|;|:|-) [show [me]|draw [me]|make [me]|give me|as] [a] {_SCATTERED}]"
_SHOWN = f"[{_VERB}|list|chart|show [me]]"
COMMANDS = (
    *(command(f"{_KIND} {_OF} {words}", _charted, 0.1 * place) for place, words in enumerate(_READ)),
    command(f"{_KIND} {_OF} {_SHARES} [{_OF_ROWS}]", _shared),
    *(command(f"{_KIND} [with|of|:|,] {axes} [{rows}]", _charted) for axes in _AXES for rows in (_OF_ROWS, _EACH_ROW)),
    *(command(f"{_KIND} {_OF} {{rows:selection}} [,|:] [with] {axes}", _charted) for axes in _AXES),
    command(f"[{_VERB}] [a|an|the] {{first:column}} kind=(histogram|distribution) (of|for) {{rows:selection}}",
            _charted),
    command(f"{_SHOWN} {_READ[-1]} {_AS}", _charted, 0.5),
    command(
        f"kind=(plot) {{first:column}} (against|versus|vs) {{second:column}} {_OF_ROWS} {_SPLIT}",
        _charted,
    ),
    *(command(f"{words} {_OF_ROWS} {_AND_SCATTERED}", _charted) for words in _RELATED),
    command(f"{_KIND} {_OF} {_BY_PERIOD}", _by_period, -1.0),
    command(f"{_KIND} {_OF} {_FIGURE_BY_PERIOD}", _figure_by_period, -1.0),
    command(f"{_SHOWN} {_FIGURE_BY_PERIOD} {_AS}", _figure_by_period, -1.0),
    *(command(f"({_KIND}|kind=(plot|chart|show [me])) {_OF} [the] {_HOW} {{first:column}} {words}", _over_time)
      for words in (f"{_OF_ROWS} [{{more:condition}}] {_IN_TIME}", f"{_IN_TIME} {_OF_ROWS} [{{more:condition}}]",
                    f"(for|of|at) {{whose:value}} {_IN_TIME}", f"{_IN_TIME} (for|of|at) {{whose:value}}")),
    command(f"{_SHOWN} {{rows:selection}} {_AS}", _first_charted, -1.0),
    command(f"{_KIND} {_OF} [the] {{first:column}} {_BY} {{layer:mention}} [{{more:condition}}] {_SORTED}",
            _of_each_row, 0.7),
    command(f"[and|now] [show [me]|make|draw|plot|{_GIVE_ME}] [it|them|that|this|these|those|the result] {_AS}",
            _of_the_result, 1.0),
    command(f"(make|turn) (it|them|that|this|the result) [into] (a|an) kind=({_KINDS_NAMED})", _of_the_result, 1.0),
    command(f"[{_VERB}] [a|an] kind=({_KINDS_NAMED}) [of (it|them|that|this|the result)]", _of_the_result, 1.0),
    command("split (the|that|this) chart by {color:column}", _changed),
    command("the same chart of {first:column}", _changed),
    command("kind=(chart|plot|graph) (it|them|that|this|these|those|the result)", _of_the_result, 1.0),
    command(f"plot [the] (number|count) of {{rows:selection}} {_BY} {{first:column}}", _charted),
    command(f"[{_VERB}] [a|an] {_BARS} {_OF} [the] {{rows:selection}}", _first_charted, 0.5),
    command(
        "(remove|delete|drop|erase|kill|clear|discard|take) [last|that|this] (chart|histogram|scatter plot) [away]",
        lambda bound, _: i.RemoveChart(),
        -1.0,
    ),
)  # fmt: skip
