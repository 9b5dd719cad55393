"""Colours of a ramp over classes of a number."""

from __future__ import annotations

from agents.domain import USUAL_CLASSES, StyleSpec
from server.gis.styles import colors, notes
from server.gis.styles.classes import class_breaks
from server.gis.styles.kinds.base import Drawn, Request, by_classes, if_present
from server.gis.styles.legend import Counted, legend_of
from server.gis.styles.statistics import SAMPLE_STEPS


async def draw(request: Request) -> Drawn:
    """The features by classes of a number; the breaks are those of the request, else computed by its method."""
    spec, column = request.spec, request.theme_column(numeric=True)
    statistics = request.statistics_of(column)
    found = await statistics.distribution()
    integers = column.kind == "integer"
    integers = integers and all(each.is_integer() for each in spec.breaks)
    breaks = list(spec.breaks) or class_breaks(
        found.sample, spec.classes or USUAL_CLASSES, spec.method, integers
    )
    counts = await statistics.class_counts(breaks) if found.values else []
    spread = (
        colors.without_pale_ends if request.table.geometry_family in ("point", "line") else colors.sequence
    )
    shades = spread(request.ramp(), len(breaks) + 1)
    steps = by_classes(column.name, breaks, shades)
    layers = request.shapes(if_present(column, steps), themed=True)
    counted = Counted(counts, 0, found.nulls, found.minimum, found.maximum, integers)
    note = None if spec.breaks else _class_note(spec, found.values, len(set(found.sample)), len(breaks) + 1)
    return layers, legend_of(layers, column.name, "graduated", counted, note)


def _class_note(spec: StyleSpec, values: int, distinct: int, classes: int) -> str | None:
    if values == 0:
        return notes.ALL_MISSING()
    if distinct == 1:
        return notes.ALL_SAME()
    found_notes = []
    asked = spec.classes or USUAL_CLASSES
    if classes < asked:
        few = values == distinct < asked
        found_notes.append(
            notes.FEWER_VALUES(n=classes, asked=asked, values=distinct)
            if few
            else notes.FEWER_CLASSES(n=classes, asked=asked)
        )
    if spec.method == "jenks" and values > SAMPLE_STEPS:
        found_notes.append(
            notes.NATURAL_BREAKS(n=notes.short_number(SAMPLE_STEPS + 1), total=notes.short_number(values))
        )
    return notes.joined_notes(*found_notes)
