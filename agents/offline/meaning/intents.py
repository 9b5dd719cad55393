"""What a request means, before it is matched with values in the data: conditions, looks and commands.

Frozen values that the parser makes and the planner carries out. A mention keeps the words it was made from and
every table, layer or column that they could mean; more than one means that the planner has to ask.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from agents.domain import Blend, Bounds, CellStatistic, ClassMethod, StyleKind
from agents.offline.meaning.conditions import ColumnMention, Condition, Mention, Spot, Top
from agents.units import Unit

# --- looks ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Look:
    """A wish for a style; what is None stays as it is. `unlabel` takes the labels away."""

    color: str | None = None
    opacity: float | None = None
    unfilled: bool = False
    """Only the outline is drawn."""
    by: ColumnMention | None = None
    unit: Unit | None = None
    """The unit of `by`, where the request names one."""
    outline: str | None = None
    """Colour of the outline of points and areas."""
    outline_width: float | None = None
    height: ColumnMention | None = None
    """By which areas rise in 3D."""
    symbol: str = ""
    """What was wished for in place of circles."""
    values: tuple[tuple[str, str], ...] = ()
    """Values as they were written, and their colours."""
    kind: StyleKind | None = None
    statistic: CellStatistic | None = None
    """Of `by` in each cell of a binned kind."""
    ramp: str | None = None
    reversed: bool = False
    """The colours of the present ramp in the opposite order."""
    classes: int | None = None
    method: ClassMethod | None = None
    size: float | None = None
    grow: float | None = None
    """Times the present size."""
    label: tuple[ColumnMention, ...] = ()
    label_text: str = ""
    """As it is written in quotes: a column, or a text with columns in braces."""
    labelled: bool = False
    unlabel: bool = False
    time: ColumnMention | None = None
    blend: Blend | None = None
    timed: bool = False
    """People shall slide through its time, by that column or by the one there is."""

    @property
    def empty(self) -> bool:
        return self == Look()

    @property
    def thematic(self) -> bool:
        """Whether it says what the colours or sizes show, in place of what they show by themselves."""
        return bool(self.by or self.color or self.kind or self.values or self.unfilled)


# --- commands -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Show:
    """Show a table or a part of it as a layer."""

    subject: Mention
    look: Look = field(default_factory=Look)
    where: Condition | None = None
    top: Top | None = None
    all: bool = False
    condition_text: str = ""
    """The conditions as they were written; a layer may be named after them."""
    zoom: bool = False
    """Go there, too."""


@dataclass(frozen=True, slots=True)
class Restyle:
    """Change how a layer is drawn."""

    subject: Mention | None
    look: Look
    where: Condition | None = None


@dataclass(frozen=True, slots=True)
class Refine:
    """`only the ones …`; `mode` tells how the condition joins the layer's present filter."""

    subject: Mention | None
    where: Condition | None = None
    top: Top | None = None
    mode: Literal["and", "or", "replace"] = "and"
    verb: Literal["", "exclude", "hide", "remove"] = ""
    """How rows are left out, which is what is done to a layer that shows no others: it is hidden or removed."""


@dataclass(frozen=True, slots=True)
class ClearFilter:
    """Remove the filter of a layer."""

    subject: Mention | None


@dataclass(frozen=True, slots=True)
class SetVisible:
    """Show or hide layers; `others`: all but these."""

    subjects: tuple[Mention, ...]
    visible: bool
    others: bool = False


@dataclass(frozen=True, slots=True)
class Remove:
    """Remove layers; `others`: all but these."""

    subjects: tuple[Mention, ...]
    others: bool = False


@dataclass(frozen=True, slots=True)
class Reset:
    """Remove everything from the map."""


@dataclass(frozen=True, slots=True)
class Change:
    """Give a layer another name or opacity: an argument of `update_map_layer` and its value."""

    subject: Mention | None
    argument: Literal["name", "opacity"]
    value: str | float


@dataclass(frozen=True, slots=True)
class SetGroup:
    """Put layers into the group of this name; an empty name takes them out of theirs."""

    subjects: tuple[Mention, ...]
    name: str


@dataclass(frozen=True, slots=True)
class Reorder:
    """Move a layer in the order of drawing."""

    subject: Mention
    to: Literal["top", "bottom", "up", "down", "above", "below"]
    other: Mention | None = None


@dataclass(frozen=True, slots=True)
class Zoom:
    """To a layer or table, a place by name (in `table` if one is named), coordinates, a box, or by steps (2 is once
    in)."""

    subject: Mention | None = None
    place: str | None = None
    table: str | None = None
    spot: Spot | None = None
    bounds: Bounds | None = None
    factor: float | None = None


@dataclass(frozen=True, slots=True)
class Retrace:
    """Undo the newest changes, or redo what was undone last."""

    tool: Literal["undo", "redo"]
    times: int = 1


@dataclass(frozen=True, slots=True)
class ListLayers:
    """Name the layers of the map."""


@dataclass(frozen=True, slots=True)
class Describe:
    """Describe a table and its columns."""

    subject: Mention


@dataclass(frozen=True, slots=True)
class Count:
    """`share`: also in percent of all that are meant, or of those `among` them. `versus`: compared with the count of
    those; `claim`, whether it was asked if it is the greater or the smaller one."""

    subject: Mention
    where: Condition | None = None
    share: bool = False
    among: Condition | None = None
    versus: Condition | None = None
    claim: Literal[">", "<", ""] = ""
    other: Mention | None = None
    """What `versus` is a condition on, where it is another table; all of its rows without one."""


@dataclass(frozen=True, slots=True)
class Statistic:
    """`what`: mean, median, sum, minimum, maximum, values, rate (rows in a `unit` of time) or all."""

    what: str
    column: ColumnMention
    subject: Mention
    where: Condition | None = None
    unit: Unit | None = None
    """The unit of the answer, where the request names one."""
    share: bool = False
    """In percent of that of all rows."""
    versus: Condition | None = None
    """Of the rows whose figure is given besides, to be compared."""


@dataclass(frozen=True, slots=True)
class Chart:
    """`kind` is empty if none is named. Of two columns the first is shown along the second; `how` sums it up."""

    kind: str
    subject: Mention
    columns: tuple[ColumnMention, ...]
    how: str = ""
    color: ColumnMention | None = None
    where: Condition | None = None
    top: Top | None = None
    """Only these rows, each with a bar of its own."""
    period: str = ""
    """A bar for each `year` or `month` of the one date that the rows have."""
    bins: int | None = None
    """So many bars of a histogram."""


@dataclass(frozen=True, slots=True)
class RemoveChart:
    """The newest one."""


@dataclass(frozen=True, slots=True)
class Rows:
    """List rows of a table; `columns` are shown in any case, those of its dimension in `unit`."""

    subject: Mention
    where: Condition | None = None
    top: Top | None = None
    limit: int = 10
    columns: tuple[str, ...] = ()
    unit: Unit | None = None
    wording: tuple[str, ...] = ()
    """The columns as they were written."""


@dataclass(frozen=True, slots=True)
class Lookup:
    """One fact about a named thing: `the population of Germany`; with `others`, to compare them or, as a `total`, to
    add them up."""

    words: str
    of: str
    others: tuple[str, ...] = ()
    total: bool = False
    claim: Literal[">", "<", "times", ""] = ""
    """Whether it was asked if the value of `of` is the greater or the smaller one, or how many times one is the
    other."""
    unit: Unit | None = None
    """The unit of the answer, where the request names one."""
    instead: str = ""
    """The words of the fact that is meant where none of the rows has the first."""
    share: bool = False
    """In percent of the sum of all rows, or of those in the place `among`."""
    among: str = ""
    also: tuple[str, ...] = ()
    """The words of further facts."""
    rows: Mention | None = None
    """Rows that a share is made of: the people of Japan that live in `cities above 500,000`."""
    where: Condition | None = None
    """A condition on these rows."""


@dataclass(frozen=True, slots=True)
class Analyse:
    """`is_read`: as these steps; else it only has words of an analysis, and the analyst says what it could read."""

    goal: str
    is_read: bool = False
    look: Look = field(default_factory=Look)
    """Of the result, where it keeps the style that shows what was found."""
    steps: tuple[Any, ...] = ()
    """As which it is read."""
    chart: str = ""
    """The kind of chart that is drawn of the groups that were found."""


@dataclass(frozen=True, slots=True)
class UseTool:
    """A call whose arguments are all in the request."""

    tool: str
    arguments: tuple[tuple[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Export:
    """A file of a layer or a table; of none that is named, what was spoken of last. `is_result`: of an analysis."""

    subject: Mention | None
    format: str
    where: Condition | None = None
    top: Top | None = None
    is_result: bool = False
    others: tuple[Mention, ...] = ()
    """Further tables or layers of the same file."""
    columns: tuple[str, ...] = ()
    file_name: str | None = None
    group_by: str | None = None
    """Words of the column by which records of JSON are grouped."""
    options: tuple[tuple[str, Any], ...] = ()
    """Options of the tool `export`."""
    layer_name: str | None = None
    renames: tuple[tuple[str, str], ...] = ()
    """Words of columns, and their names in the file."""


@dataclass(frozen=True, slots=True)
class RunSql:
    """A SELECT in the user's own words: `sql: SELECT …`, or `/sql SELECT …`."""

    statement: str


@dataclass(frozen=True, slots=True)
class Help:
    """Say what can be asked."""


@dataclass(frozen=True, slots=True)
class Greeting:
    """Answer a greeting or thanks."""

    thanks: bool = False


@dataclass(frozen=True, slots=True)
class Unsupported:
    """What is known not to be done here: why, and the nearest thing that is."""

    reason: str
    alternative: str


@dataclass(frozen=True, slots=True)
class TooMuch:
    """Longer or more involved than is read."""

    reason: str


@dataclass(frozen=True, slots=True)
class SeveralMeanings:
    """The words mean each of these as likely."""

    meanings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NotUnderstood:
    """`understood` and `rest` are pieces of the request as it was written."""

    understood: str
    rest: str


Intent = (
    Show | Restyle | Refine | ClearFilter | SetVisible | Remove | Reset | Change | SetGroup | Reorder | Zoom
    | Retrace | ListLayers | Describe | Count | Statistic | Chart | RemoveChart | Rows
    | Lookup | Analyse | UseTool | Export | RunSql | Help | Greeting | Unsupported | NotUnderstood | TooMuch
    | SeveralMeanings
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Command:
    """An intent and the piece of the request, `text[start:end]`, that it came from."""

    intent: Intent
    start: int
    end: int
    text: str
