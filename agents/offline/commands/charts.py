"""Rules for charts: `chart population by continent`, `histogram of elevation of airports in Germany`."""

from __future__ import annotations

from agents.domain import Table
from agents.offline.language.lexicon import REMOVE, STATISTICS
from agents.offline.language.nouns import take_column
from agents.offline.language.subjects import Grammar, Subject
from agents.offline.language.words import Phrases
from agents.offline.meaning.intents import Chart, ColumnMention, Intent, Mention, RemoveChart

_VERBS = Phrases("""
    draw me | show me | make me | give me | draw | make | create | show | plot | give | i want | i would like | add
""")
_KINDS = (
    ("histogram", Phrases("histogram | histograms | frequency chart")),
    (
        "scatter",
        Phrases("scatter plot | scatterplot | scatter chart | scatter graph | scatter diagram | scatter"),
    ),
    ("box", Phrases("box plot | boxplot | box plots | boxplots | box chart | box and whisker plot | boxes")),
    ("bar", Phrases("bar chart | bar graph | bar plot | bars | barchart | column chart")),
    ("line", Phrases("line chart | line graph | line plot | linechart | line")),
    ("", Phrases("chart | graph | diagram | plot")),
)
_OF = Phrases("of the | of | for the | for | showing the | showing | that shows | with the | with")
_NUMBER_OF = Phrases("the number of | number of | count of | how many")
_AGAINST = Phrases("against the | against | versus the | versus | vs | and the | and")
_BY = Phrases(
    "for each | for every | in each | grouped by | over the | over | across the | across | by the | by | per"
)
_SPLIT = Phrases(
    "coloured by | colored by | colour by | color by | split by | with colours by | with colors by"
)
_THE_CHART = Phrases(
    "the chart | the last chart | that chart | this chart | chart | the histogram | the scatter plot"
)
_SUBJECT_AFTER = ("of", "for", "in", "among", "from")


class ChartCommands(Grammar):
    def chart(self) -> Intent | None:
        cursor = self.cursor
        start = cursor.at
        cursor.take(_VERBS)
        asked = cursor.at > start
        while cursor.word() in ("a", "an", "the"):
            cursor.at += 1
        kind = next((kind for kind, phrases in _KINDS if cursor.take(phrases)), None)
        if kind is None and asked and cursor.take("distribution"):
            kind = "histogram"
        if kind is None or (asked and not kind and cursor.word(-1) == "plot"):
            return None
        cursor.take(_OF)
        begin = cursor.at
        for reading in (self._chart_counted, self._chart_of_subject, self._chart_of_columns):
            cursor.at = begin
            found = reading(kind)
            if found is not None:
                return found
        return None

    def remove_chart(self) -> Intent | None:
        cursor = self.cursor
        if cursor.take_any(REMOVE) and cursor.take(_THE_CHART):
            cursor.take("away")
            return RemoveChart()
        return None

    def _chart_counted(self, kind: str) -> Chart | None:
        """`the number of airports by country`, `airports by country`."""
        self.cursor.take(_NUMBER_OF)
        subject = self.subject()
        if subject is None or not subject.mention.known:
            return None
        full = self.tail(subject, looks=False)
        if not self.cursor.take(_BY):
            return None
        column = self.column(full.mention)
        return None if column is None else self._chart_with(kind, full, (column,), "")

    def _chart_of_subject(self, kind: str) -> Chart | None:
        """`elevation of the airports by country`, `population by continent of countries in Europe`."""
        cursor, start = self.cursor, self.cursor.at
        for ahead in range(1, 12):
            if cursor.token(ahead) is None or cursor.word(ahead) not in _SUBJECT_AFTER:
                continue
            cursor.at = start + ahead + 1
            subject = self.subject()
            after = cursor.at
            if subject is None or not subject.mention.known:
                cursor.at = start
                continue
            cursor.at = start
            said = self._chart_columns(self.tables_of(subject.mention))
            if said is not None and cursor.at == start + ahead:
                cursor.at = after
                full = self.tail(subject, looks=False)
                columns, how = said
                if len(columns) == 1 and cursor.take(_BY, _AGAINST):
                    second = self.column(full.mention)
                    if second is None:
                        return None
                    columns = (*columns, second)
                return self._chart_with(kind, self.tail(full, looks=False), columns, how)
            cursor.at = start
        return None

    def _chart_of_columns(self, kind: str) -> Chart | None:
        """`population by continent`: of the layers whose table has these columns, else of any such table."""
        start = self.cursor.at
        for tables in (self.tables_of(None), self.vocabulary.few_tables):
            self.cursor.at = start
            said = self._chart_columns(tables)
            if said is None:
                continue
            columns, how = said
            having = [table for table in tables if all(_has(table, column) for column in columns)]
            if having:
                return self._chart_with(kind, Subject(self._charted(having)), columns, how)
        return None

    def _charted(self, tables: list[Table]) -> Mention:
        ids = tuple(table.id for table in tables)
        layers = tuple(layer.id for layer in self.vocabulary.layers if layer.table in ids)
        return Mention("it", tables=ids, layers=layers)

    def _chart_columns(self, tables: tuple[Table, ...]) -> tuple[tuple[ColumnMention, ...], str] | None:
        """One or two columns, and how the first is summed up."""
        cursor = self.cursor
        how = STATISTICS.get(cursor.word(), "")
        if how in ("mean", "median", "sum", "minimum", "maximum"):
            cursor.at += 1
            cursor.take("of the", "of", "the")
        else:
            how = ""
        first = take_column(cursor, self.vocabulary, tables)
        if first is None:
            return None
        start = cursor.at
        if cursor.take(_AGAINST) or cursor.take(_BY):
            second = take_column(cursor, self.vocabulary, tables)
            if second is not None:
                return (first, second), how
        cursor.at = start
        return (first,), how

    def _chart_with(self, kind: str, subject: Subject, columns: tuple[ColumnMention, ...], how: str) -> Chart:
        color = None
        start = self.cursor.at
        if self.cursor.take(_SPLIT):
            color = self.column(subject.mention)
            if color is None:
                self.cursor.at = start
        return Chart(kind, subject.mention, columns, how, color, subject.where)


def _has(table: Table, mention: ColumnMention) -> bool:
    return any(table.column(name) is not None for name in mention.columns)
