"""What a request means, before its values are looked up in the data: styles and commands.

Frozen values that the parser makes and the planner carries out. If a mention is ambiguous, the planner asks.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from agents.domain import Blend, Bounds, CellStatistic, ClassMethod, StyleKind
from agents.offline.meaning.conditions import ColumnMention, Condition, Mention, Spot, Top
from agents.units import Unit


@dataclass(frozen=True, slots=True)
class Look:
    """Requested changes of style; None leaves a property unchanged. `unlabel` removes the labels."""

    color: str | None = None
    opacity: float | None = None
    fade: float | None = None
    """Factor on the current opacity."""
    unfilled: bool = False
    """Only the outline is drawn."""
    by: ColumnMention | None = None
    apart: bool = False  # each value that the condition names has a colour of its own
    unit: Unit | None = None  # of `by`, if the request names one
    outline: str | None = None
    """Colour of the outline of points and areas."""
    outline_width: float | None = None
    height: ColumnMention | None = None
    """Extrusion height of areas in 3D."""
    symbol: str = ""
    """A requested symbol other than circles."""
    values: tuple[tuple[str, str], ...] = ()
    """Values as written, and their colours."""
    kind: StyleKind | None = None
    statistic: CellStatistic | None = None
    """The statistic of `by` in each cell of a binned style."""
    ramp: str | None = None
    reversed: bool = False
    """Reverse the current colour ramp."""
    classes: int | None = None
    method: ClassMethod | None = None
    size: float | None = None
    grow: float | None = None
    """Factor on the current size."""
    label: tuple[ColumnMention, ...] = ()
    label_text: str = ""
    """A quoted label: a column, or a text with columns in braces."""
    labelled: bool = False
    unlabel: bool = False
    time: ColumnMention | None = None
    blend: Blend | None = None
    timed: bool = False
    """Add a time slider, for `time` or the layer's only time column."""

    @property
    def empty(self) -> bool:
        """Whether no change is requested."""
        return self == Look()

    @property
    def thematic(self) -> bool:
        """Whether the request sets what colours or sizes represent."""
        return bool(self.by or self.apart or self.color or self.kind or self.values or self.unfilled)


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
    """The conditions as written, used to name the layer."""
    zoom: bool = False
    """Also zoom to the layer."""


@dataclass(frozen=True, slots=True)
class Restyle:
    """Change how a layer is drawn."""

    subject: Mention | None
    look: Look
    where: Condition | None = None


@dataclass(frozen=True, slots=True)
class Refine:
    """Change a layer's filter (`only the ones …`); `mode`: how the condition joins the current filter."""

    subject: Mention | None
    where: Condition | None = None
    top: Top | None = None
    mode: Literal["and", "or", "replace", "instead"] = "and"
    verb: Literal["", "exclude", "hide", "remove"] = ""
    """How rows are left out; a layer that would show nothing else is hidden or removed accordingly."""


@dataclass(frozen=True, slots=True)
class ClearFilter:
    """Remove the filter of a layer."""

    subject: Mention | None


@dataclass(frozen=True, slots=True)
class SetVisible:
    """Show or hide layers; with `others`, all except these."""

    subjects: tuple[Mention, ...]
    visible: bool
    others: bool = False


@dataclass(frozen=True, slots=True)
class Remove:
    """Remove layers; with `others`, all except these."""

    subjects: tuple[Mention, ...]
    others: bool = False


@dataclass(frozen=True, slots=True)
class Reset:
    """Remove everything from the map."""


@dataclass(frozen=True, slots=True)
class Change:
    """Set a layer's name or opacity: an argument of `update_map_layer` and its value."""

    subject: Mention | None
    argument: Literal["name", "opacity"]
    value: str | float


@dataclass(frozen=True, slots=True)
class SetGroup:
    """Put layers into a named group; an empty name takes them out."""

    subjects: tuple[Mention, ...]
    name: str


@dataclass(frozen=True, slots=True)
class Reorder:
    """Move a layer in the drawing order."""

    subject: Mention
    to: Literal["top", "bottom", "up", "down", "above", "below"]
    other: Mention | None = None


@dataclass(frozen=True, slots=True)
class Zoom:
    """Zoom to a layer (its first row), table, place (in `table`), coordinates or box, or by a factor (2: in)."""

    subject: Mention | None = None
    top: Top | None = None
    place: str | None = None
    table: str | None = None
    spot: Spot | None = None
    bounds: Bounds | None = None
    factor: float | None = None


@dataclass(frozen=True, slots=True)
class Retrace:
    """Undo the latest changes, or redo those undone last."""

    tool: Literal["undo", "redo"]
    times: int = 1


@dataclass(frozen=True, slots=True)
class ListLayers:
    """List the layers of the map."""


@dataclass(frozen=True, slots=True)
class Describe:
    """Describe a table and its columns."""

    subject: Mention


@dataclass(frozen=True, slots=True)
class Count:
    """Count rows; `share`: also as a percentage of all, or of those in `among`. `versus`: compare with the
    count of these; `claim`: which count is asked to be greater."""

    subject: Mention
    where: Condition | None = None
    share: bool = False
    among: Condition | None = None
    versus: Condition | None = None
    claim: Literal[">", "<", ""] = ""
    other: Mention | None = None
    """The table that `versus` applies to, if it is another one; without `versus`, all of its rows."""


@dataclass(frozen=True, slots=True)
class Statistic:
    """A figure: mean, median, sum, minimum, maximum, values, rate (rows per `unit` of time) or all."""

    what: str
    column: ColumnMention
    subject: Mention
    where: Condition | None = None
    unit: Unit | None = None
    """The unit of the answer, if the request names one."""
    share: bool = False
    """As a percentage of the figure of all rows."""
    versus: Condition | Literal["rest"] | None = None
    """Rows whose figure is given for comparison; `rest`: all others."""


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart; `kind` may be empty. The first of two columns is drawn along the second, using `how`."""

    kind: str
    subject: Mention
    columns: tuple[ColumnMention, ...]
    how: str = ""
    color: ColumnMention | None = None
    where: Condition | None = None
    top: Top | None = None  # draw only these rows, one bar each
    period: str = ""  # one bar per `year` or `month` of the only date column
    bins: int | None = None  # number of bars of a histogram
    title: str = ""
    unmet: tuple[str, ...] = ()  # wishes for what charts do not have


@dataclass(frozen=True, slots=True)
class RemoveChart:
    """Remove the newest chart."""


@dataclass(frozen=True, slots=True)
class Rows:
    """List rows of a table; `columns` are always shown, and `unit` converts those of its dimension."""

    subject: Mention
    where: Condition | None = None
    top: Top | None = None
    limit: int = 10
    columns: tuple[str, ...] = ()
    unit: Unit | None = None
    wording: tuple[str, ...] = ()
    """The columns as written."""


@dataclass(frozen=True, slots=True)
class Lookup:
    """A fact about a named thing (`the population of Germany`); `others` are compared, or added as a `total`."""

    words: str
    of: str
    others: tuple[str, ...] = ()
    total: bool = False
    claim: Literal[">", "<", "times", ""] = ""
    """Whether the value of `of` is asked to be greater or smaller, or the ratio of the two."""
    value: str = ""
    """The value that the question names: `is Ascó active?`"""
    unit: Unit | None = None
    """The unit of the answer, if the request names one."""
    instead: str = ""
    """The fact to use if no row has the first one."""
    share: bool = False
    """As a percentage of the sum of all rows, or of those in the place `among`."""
    among: str = ""
    also: tuple[str, ...] = ()
    """Further facts."""
    rows: Mention | None = None
    """The rows that form the share: people of Japan who live in `cities above 500,000`."""
    where: Condition | None = None
    """A condition on `rows`."""


@dataclass(frozen=True, slots=True)
class Analyse:
    """An analysis with these `steps` if `is_read`; otherwise the analyst reports what it could read."""

    goal: str
    is_read: bool = False
    look: Look = field(default_factory=Look)
    """Style of the result, on top of the style that shows the finding."""
    steps: tuple[Any, ...] = ()  # the steps that were read
    chart: str = ""  # kind of chart drawn of the resulting groups
    chart_title: str = ""
    unmet: tuple[str, ...] = ()  # wishes for what charts do not have


@dataclass(frozen=True, slots=True)
class UseTool:
    """A tool call whose arguments are all in the request."""

    tool: str
    arguments: tuple[tuple[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Export:
    """Export a layer or table, else the one mentioned last; `is_result`: the result of an analysis."""

    subject: Mention | None
    format: str
    where: Condition | None = None
    top: Top | None = None
    is_result: bool = False
    others: tuple[Mention, ...] = ()
    """Further tables or layers for the same file."""
    columns: tuple[str, ...] = ()
    file_name: str | None = None
    group_by: str | None = None
    """The column by which JSON records are grouped, in words."""
    options: tuple[tuple[str, Any], ...] = ()
    """Further options of the tool `export`."""
    layer_name: str | None = None
    renames: tuple[tuple[str, str], ...] = ()
    """Columns in words, and their names in the file."""


@dataclass(frozen=True, slots=True)
class RunSql:
    """A SELECT written by the user: `sql: SELECT …` or `/sql SELECT …`."""

    statement: str


@dataclass(frozen=True, slots=True)
class Help:
    """List what can be asked."""


@dataclass(frozen=True, slots=True)
class Greeting:
    """Reply to a greeting or thanks."""

    thanks: bool = False


@dataclass(frozen=True, slots=True)
class Unsupported:
    """A request that is known not to be supported: why, and the nearest alternative."""

    reason: str
    alternative: str


@dataclass(frozen=True, slots=True)
class TooMuch:
    """A request that is too long or complex to read."""

    reason: str


@dataclass(frozen=True, slots=True)
class SeveralMeanings:
    """A request with several equally likely meanings."""

    meanings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NotUnderstood:
    """A request that could not be read; `understood` and `rest` are pieces of its text."""

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
