"""The style and the filter of a layer after columns of its table were renamed or dropped."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agents.domain import BINNED, StyleSpec, Table
from agents.worded import Worded
from server.gis.errors import listed
from server.gis.styles import notes
from server.gis.styles.labels import label_columns, renamed_label

_OPTIONAL = ("extrude", "time")


class Renames:
    """Gives columns that a table no longer has the names that they have now. A name that another column has by now
    stays: a person who replaces one column by another wants to see that."""

    def __init__(self, table: Table, names: Mapping[str, str]) -> None:
        self._names = {
            old: new
            for old, new in names.items()
            if table.column(old) is None and table.column(new) is not None
        }

    def style(self, style: StyleSpec) -> StyleSpec:
        """The style with the new names of its columns, in labels and tooltips, too."""
        names: dict[str, Any] = {field: getattr(style, field) for field in ("column", *_OPTIONAL)}
        changes: dict[str, Any] = {
            field: self._names[name] for field, name in names.items() if name in self._names
        }
        label = None if style.label is None else renamed_label(style.label, self._names)
        if label != style.label:
            changes["label"] = label
        tooltip = tuple(self._names.get(name, name) for name in style.tooltip)
        if tooltip != style.tooltip:
            changes["tooltip"] = tooltip
        return style.model_copy(update=changes) if changes else style

    def filter(self, filter: Any) -> Any:
        """The filter, in CQL2 JSON, with the new names; CQL2 text stays as it is."""
        if isinstance(filter, Mapping):
            changed = {name: self.filter(value) for name, value in filter.items()}
            name = changed.get("property")
            return (
                changed if not isinstance(name, str) else {**changed, "property": self._names.get(name, name)}
            )
        if isinstance(filter, list | tuple):
            return [self.filter(each) for each in filter]
        return filter


def without_dropped_columns(
    table: Table, asked: StyleSpec, current: StyleSpec
) -> tuple[StyleSpec, str | None]:
    """`asked` without the columns that the `current` style of the layer has and its table no longer has, and a note
    that names these. Cells then count rows, and other styles have one colour."""

    def is_dropped(name: str | None) -> bool:
        return name is not None and table.column(name) is None

    changes: dict[str, Any] = {}
    dropped = []
    for field in _OPTIONAL:
        name = getattr(current, field)
        if getattr(asked, field) == name and is_dropped(name):
            changes[field] = None
            dropped.append(name)
    unwritten = [name for name in label_columns(table, current.label) if is_dropped(name)]
    if asked.label == current.label and unwritten:
        changes["label"] = None
        dropped += unwritten
    hidden = [name for name in current.tooltip if name in asked.tooltip and is_dropped(name)]
    if hidden:
        changes["tooltip"] = tuple(name for name in asked.tooltip if name not in hidden)
    if asked.column == current.column and is_dropped(current.column):
        changes |= {"column": None, "statistic": None, "breaks": (), "values": (), "hidden": ()}
        if asked.kind not in (*BINNED, "heatmap"):
            changes |= {"kind": "single", "ramp": None, "classes": None, "size": None}
        dropped.append(current.column)
    names = list(dict.fromkeys([*dropped, *hidden]))
    if not names:
        return asked, None
    note = (
        notes.DROPPED_COLUMN(table=table.id, column=names[0])
        if len(names) == 1
        else notes.DROPPED_COLUMNS(table=table.id, columns=listed(names))
    )
    return asked.model_copy(update=changes), note


def earlier_note(table: Table, note: Worded | None) -> str | None:
    """The earlier note of a legend about a dropped column; None once the table has it again."""
    for piece in () if note is None else note.pieces():
        for part in piece.wording:
            if part.code in (notes.DROPPED_COLUMN.code, notes.DROPPED_COLUMNS.code):
                named = part.values.get("column")
                is_back = named is not None and table.column(piece[named.start : named.end]) is not None
                return None if is_back else piece
    return None
