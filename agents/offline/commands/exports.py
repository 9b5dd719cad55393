"""Files to download: `export the result as GeoPackage in EPSG:2154`, `save airports above 2000 m as csv`.

Options may precede or follow the format, in any order: `export the columns name and iata of airports as JSON grouped
by country, with a note "draft"`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from agents.domain import Table
from agents.exports import WITH_MEMBERS
from agents.offline.commands.plans.drawing import top_rows
from agents.offline.commands.requests import command
from agents.offline.meaning.columns import column_called
from agents.offline.meaning.conditions import Mention, Quantity
from agents.offline.meaning.cql2 import combined
from agents.offline.meaning.filters.resolver import to_cql2
from agents.offline.meaning.intents import Export, Intent
from agents.offline.meaning.scene import Calls, Scene

MAX_WISHES = 5
_FORMATS = {
    "geopackage": "gpkg", "gpkg": "gpkg", "geojson": "geojson", "json": "json", "shapefile": "shp",
    "shape": "shp", "shp": "shp", "shapefiles": "shp",
    "flatgeobuf": "fgb", "fgb": "fgb", "geoparquet": "parquet", "parquet": "parquet",
    "kml": "kml", "csv": "csv", "excel": "xlsx", "xlsx": "xlsx", "spreadsheet": "xlsx", "geojsonl": "geojsonl",
    "geojson text sequence": "geojsonl",
}  # fmt: skip
_FORMAT = (
    "[a|an|one] [zip=(zipped|zip of|zip archive of)] [a|an] "
    f"format=({'|'.join(_FORMATS)}) [file|files|workbook|records]"
    f" [or [a|an] ({'|'.join(_FORMATS)}) [file|files]]"
)
_WHAT = "([all] result=(the result|the results|result|results)|{subject:mention})"
_MORE = "[(and|,) {second:mention} [(and|, and|,) {third:mention}]]"
_COLUMNS = "[only] [the] column[s] {columns:columns} (of|from|in)"
_ENCODINGS = ("utf-8", "utf-8-sig", "windows-1252", "iso-8859-1", "iso-8859-15", "latin-1", "utf-16")
_PLACES = {
    "with x and y": "xy",
    "with coordinates": "xy",
    "with wkt": "wkt",
    "without geometry": "none",
    "without geometries": "none",
    "without coordinates": "none",
}
_OUTSIDE = {
    "without those outside": "drop",
    "without what is outside": "drop",
    "without shapes outside": "null",
}
_KINDS = {"single": "single", "single-part": "single", "multi": "multi", "multi-part": "multi"}
_WISHES = (
    "(in|into|to|with) [the] [projection|crs|coordinate system] (esri [:] {esri:count}|{srid:system})",
    f"places=({'|'.join(_PLACES)})",
    f"outside=({'|'.join(_OUTSIDE)})",
    f"(in|with|encoded as|encoded in) [the] [encoding] encoding=({'|'.join(_ENCODINGS)})",
    "(in|with) [the] encoding {charset:name}",
    "(with|rounded to|with coordinates of|with coordinates rounded to) {precision:count}"
    " (decimals|decimal|decimal places|decimal digits)",
    "[with] [records|rows] (grouped|nested) (by|under) {group:column}",
    f"(as|with) kind=({'|'.join(_KINDS)}) (part|parts|geometry|geometries|shapes)",
    "[with] note [saying|that says|reading|:] ({note:name}|{note:text})",
    "[with] counted=(count|number of rows|number of features|number of records|row count)",
    "[with] (member|top-level member) {member:name} [=|:|as] ({value:name}|{value:number})",
    "(called|named) {name:name}",
    "[with] [the] [column] {old:column} as {new:name}",
    "(with [only]|only) [the] column[s] {columns:columns}",
    "with [only] {columns:columns} [columns] only",
    "(with|in|as) [the] layer [name|named|called] {layer:name}",
)
_MEMBERS = ("member", "value", "old", "new")


def _wishes(left: int = MAX_WISHES) -> str:
    """A template for up to `left` wishes in any order; slots of members are numbered by the wishes that remain."""
    if not left:
        return ""
    wish = "|".join(_WISHES)
    for name in _MEMBERS:
        wish = wish.replace(f"{{{name}:", f"{{{name}{left}:")
    return f"[[,] [and] ({wish}) {_wishes(left - 1)}]"


_HOW = _wishes()
_EXPORT = "(export|download|save|write|deliver)"
_WISHED = (
    "[give me|get me|send me|have|get|[how] (can|do|could) i (get|have|download|export|save)"
    "|how to (get|download|export)]"
)
COMMANDS = tuple(
    command(f"{verb} {what} {target}", lambda bound, _: _exported(bound), cost)
    for what, cost in (
        (f"{_WHAT} {_MORE} {_HOW}", 0.0),
        (f"{_COLUMNS} {_WHAT} {_HOW}", 0.0),
        (_HOW, 0.0),
        # Words that may be a condition may also be a wish.
        (f"{{rows:selection}} {_HOW}", 0.5),
        (f"{_COLUMNS} {{rows:selection}} {_HOW}", 0.5),
    )
    for verb, target in (
        (_EXPORT, f"(as|to|into|in) {_FORMAT} {_HOW}"),
        (_EXPORT, f"(as|to|into|in) {{file:name}} {_HOW}"),
        (_WISHED, f"as {_FORMAT}"),
    )
)


def _exported(bound: Mapping[str, Any]) -> Intent | None:
    rows, target = bound.get("rows"), PurePath(bound.get("file", ""))
    # An article may precede the format.
    written = (
        str(bound["format"]).lower().removeprefix("the ") if "format" in bound else target.suffix[1:].lower()
    )
    if written not in _FORMATS or (rows is not None and not rows.mention.known):
        return None
    if "columns" in bound and "counted" in bound and _FORMATS[written] not in WITH_MEMBERS:
        return None  # `count` is one of the columns.
    return Export(
        bound.get("subject") if rows is None else rows.mention,
        _FORMATS[written],
        where=None if rows is None else rows.where,
        top=None if rows is None else rows.top,
        is_result="result" in bound,
        others=tuple(bound[name] for name in ("second", "third") if name in bound),
        columns=tuple(words.text for words in bound.get("columns", ())),
        file_name=target.stem or bound.get("name"),
        group_by=bound["group"].text if "group" in bound else None,
        options=tuple(_options(bound).items()),
        layer_name=bound.get("layer"),
        renames=tuple(
            (bound[f"old{left}"].text, bound[f"new{left}"])
            for left in range(MAX_WISHES, 0, -1)
            if f"old{left}" in bound
        ),
    )


def _options(bound: Mapping[str, Any]) -> dict[str, Any]:
    """Options of the tool `export` for the whole file."""
    wanted = {
        "crs": f"ESRI:{bound['esri']}"
        if "esri" in bound
        else f"EPSG:{bound['srid']}"
        if "srid" in bound
        else None,
        "geometry": _PLACES.get(str(bound.get("places")).lower()),
        "outside": _OUTSIDE.get(str(bound.get("outside")).lower()),
        "kind": _KINDS.get(str(bound.get("kind")).lower()),
        "precision": bound.get("precision"),
        "encoding": str(bound.get("encoding", bound.get("charset", ""))).lower() or None,
        "members": _members(bound) or None,
        "zipped": "zip" in bound or None,
    }
    return {name: value for name, value in wanted.items() if value is not None}


def _members(bound: Mapping[str, Any]) -> dict[str, Any]:
    members: dict[str, Any] = {}
    if "note" in bound:
        members["note"] = str(bound["note"]).strip("\"'“”‘’")
    for left in range(MAX_WISHES, 0, -1):
        if f"member{left}" in bound:
            value = bound[f"value{left}"]
            number = value.value if isinstance(value, Quantity) else None
            members[bound[f"member{left}"]] = (
                value if number is None else int(number) if number.is_integer() else number
            )
    if "counted" in bound:
        members["count"] = "{count}"
    return members


async def export(scene: Scene, intent: Export) -> Calls:
    """Call `export`. A layer keeps its filter; a table without a layer, such as a result without geometry, is
    exported whole."""
    asked = scene.undrawn(intent.subject) if intent.subject is not None else None
    sources = [
        asked.table if asked is not None and mention is intent.subject else _source(scene, intent, mention)
        for mention in (intent.subject, *intent.others)
    ]
    items: list[Any] = list(sources)
    options = dict(intent.options)
    if (
        asked
        or intent.columns
        or intent.where
        or intent.top
        or intent.group_by
        or intent.renames
        or intent.layer_name
    ):
        table = _table(scene, sources[0])
        where = asked.filter if asked is not None else None
        if intent.where is not None:
            where = combined("and", where, await to_cql2(scene, table, intent.where))
        if intent.top is not None and intent.top.limit:
            found = await top_rows(scene, table, where, intent.top)
            if isinstance(found, list):
                return found
            where = found
        columns = _labelled(scene, table, intent)
        wanted = {"source": sources[0], "name": intent.layer_name, "columns": columns, "filter": where}
        items[0] = {name: value for name, value in wanted.items() if value}
        if intent.group_by:
            options["group_by"] = column_called(scene, table, intent.group_by)
    named = {"file_name": intent.file_name} if intent.file_name else {}
    given = {"options": options} if options else {}
    return [("export", {"items": items, "format": intent.format, **named, **given})]


def _labelled(scene: Scene, table: Table, intent: Export) -> list[str]:
    """The columns of the file, with `name AS title` for renamed ones; all columns if there are only renames."""
    columns = [column_called(scene, table, text) for text in intent.columns]
    labels = {column_called(scene, table, old): new for old, new in intent.renames}
    if not columns and labels:
        columns = ["*", *labels]
    return [f"{each} AS {labels[each]}" if each in labels else each for each in columns]


def _table(scene: Scene, source: str) -> Table:
    """The table of an exported item, which may be a layer."""
    layer = next((layer for layer in scene.layers if layer.id == source), None)
    return scene.table(source if layer is None else layer.table)


def _source(scene: Scene, intent: Export, mention: Mention | None) -> str:
    if mention is None and scene.result is not None and (intent.is_result or not scene.recent):
        drawn = [layer.id for layer in scene.layers if layer.table == scene.result]
        return drawn[-1] if drawn else scene.result
    if mention is None or mention.pronoun or mention.layers:
        return scene.layer_of(mention).id
    return scene.table_of(mention).id


PLANS = {"Export": export}
