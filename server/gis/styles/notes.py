"""Notes below legends, as templates."""

from __future__ import annotations

import re

from agents.domain import Legend
from agents.worded import Template, Worded, joined, numeral, wording_of
from server.gis.styles.numbers import THIN, format_number

ALL_MISSING = Template("legend_all_missing", "All values are missing.")
ALL_SAME = Template("legend_all_same", "All values are the same.")
FEWER_CLASSES = Template(
    "legend_fewer_classes",
    "{n|one=# class|other=# classes} instead of {asked}, because many rows share a value.",
)
FEWER_VALUES = Template(
    "legend_fewer_values",
    "{n|one=# class|other=# classes} instead of {asked}, because there are only {values} values.",
)
NATURAL_BREAKS = Template("legend_natural_breaks", "Natural breaks of {n} quantiles of {total} values.")
NO_VALUES = Template("legend_no_values", "There are no values to show.")
MOST_FREQUENT = Template("legend_most_frequent", "The {n} most frequent of {total} values.")
WEIGHTED = Template("legend_weighted", "Weighted by {column}; {top} and more weigh the most.")
BELOW_ZERO = Template("legend_below_zero", "Values below zero have their own colour.")
NOT_DRAWN = Template(
    "legend_not_drawn", "{n|one=# feature without a value is|other=# features without a value are} not drawn."
)
DROPPED_COLUMN = Template("legend_dropped_column", "{table} no longer has {column}, which is not shown.")
DROPPED_COLUMNS = Template("legend_dropped_columns", "{table} no longer has {columns}, which are not shown.")
SAMPLED_CELLS = Template(
    "legend_sampled_cells",
    "Zoomed out, values of cells are computed from a sample of the rows, so extremes may be missed.",
)
NOT_FOLLOWED = Template(
    "legend_not_followed",
    "PostgreSQL does not report when {table} changes, so this legend and the count stay as they are.",
)
SAMPLED = Template("legend_sampled", "Drawn from {sample}; close up, from the files.")
SAMPLED_CLASSES = Template(
    "legend_sampled_classes",
    "Drawn from {sample}; close up, from the files. Counts of classes are of the sample.",
)
CLASSES_OF_SAMPLE = Template("legend_classes_of_sample", "Classes and their counts come from {sample}.")


def short_number(value: float, digits: int = 6) -> Worded:
    """A number as legends write it, with the thousands separators of a sentence."""
    return numeral(value, re.sub(rf"(?<=\d){THIN}(?=\d)", ",", format_number(value, digits)))


def with_note(legend: Legend, note: str | None) -> Legend:
    """The legend with its note replaced by this one."""
    return legend.model_copy(update={"note": str(note) if note else None, "wording": wording_of(note)})


def note_of(legend: Legend) -> Worded | None:
    """The note of a legend with its parts; None without a note."""
    return Worded(legend.note, legend.wording) if legend.note else None


def joined_notes(*notes: str | None) -> Worded | None:
    """The notes as one text; None without any."""
    return joined(" ", filter(None, notes)) or None
