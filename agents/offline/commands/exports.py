"""Files to download: `export the result as GeoPackage in EPSG:2154`, `save airports as csv`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agents.domain import Table
from agents.offline.commands.requests import command
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.meaning.columns import column_called
from agents.offline.meaning.intents import Export, Intent, Mention
from agents.offline.meaning.scene import Calls, Scene

_FORMATS = {
    "geopackage": "gpkg", "gpkg": "gpkg", "geojson": "geojson", "json": "json", "shapefile": "shp",
    "shape": "shp", "shp": "shp", "flatgeobuf": "fgb", "fgb": "fgb", "geoparquet": "parquet", "parquet": "parquet",
    "kml": "kml", "csv": "csv", "excel": "xlsx", "xlsx": "xlsx", "spreadsheet": "xlsx",
}  # fmt: skip
_FORMAT = f"[a|an|one] format=({'|'.join(_FORMATS)}) [file|files|workbook|text sequence]"
_WHAT = "([all] result=(the result|the results|result|results)|it|this|{subject:mention})"
_MORE = "[(and|,) {second:mention} [(and|, and|,) {third:mention}]]"
_COLUMNS = "[only] [the] column[s] {columns:columns} (of|from|in)"
_ENCODINGS = ("utf-8", "utf-8-sig", "windows-1252", "iso-8859-1", "iso-8859-15", "latin-1", "utf-16")
_ENCODING = f"[(in|with|encoded as|encoded in) [the] [encoding] encoding=({'|'.join(_ENCODINGS)})]"
_PLACES = {
    "with x and y": "xy",
    "with coordinates": "xy",
    "with wkt": "wkt",
    "without geometry": "none",
    "without geometries": "none",
    "without coordinates": "none",
}
_PLACE = f"[places=({'|'.join(_PLACES)})]"
_CRS = "[(in|into|to|with) [the] [projection|crs|coordinate system] epsg [:] {srid:count}]"
_ENDINGS = f"{_CRS} {_PLACE} {_CRS} {_ENCODING}"


def _exported(bound: Mapping[str, Any], _: Vocabulary) -> Intent:
    srid = bound.get("srid")
    # An article may stand before the format.
    words = str(bound["format"]).lower().split()
    return Export(
        bound.get("subject"),
        next(_FORMATS[word] for word in words if word in _FORMATS),
        int(srid) if srid is not None else None,
        is_result="result" in bound,
        others=tuple(bound[name] for name in ("second", "third") if name in bound),
        columns=tuple(words.text for words in bound.get("columns", ())),
        encoding=str(bound["encoding"]).lower() if "encoding" in bound else None,
        places=_PLACES[str(bound["places"]).lower()] if "places" in bound else None,
    )


COMMANDS = (
    command(
        f"(export|download|save|write|deliver) {_WHAT} {_MORE} (as|to|into|in) {_FORMAT} {_ENDINGS}",
        _exported,
    ),
    command(
        f"(export|download|save|write|deliver) {_COLUMNS} {_WHAT} (as|to|into|in) {_FORMAT} {_ENDINGS}",
        _exported,
    ),
    command(f"(export|download|save|write|deliver) [{_WHAT}] {_CRS} (as|to|into|in) {_FORMAT}", _exported),
)


async def export(scene: Scene, intent: Export) -> Calls:
    """A layer brings its filter; a table that no layer shows, such as a result without geometry, goes whole."""
    wanted = {
        "crs": None if intent.srid is None else f"EPSG:{intent.srid}",
        "geometry": intent.places,
        "encoding": intent.encoding,
    }
    given = {name: value for name, value in wanted.items() if value is not None}
    items: list[Any] = [_source(scene, intent, mention) for mention in (intent.subject, *intent.others)]
    if intent.columns:
        table = _table(scene, items[0])
        columns = [column_called(scene, table, text) for text in intent.columns]
        items = [{"source": items[0], "columns": columns}]
    options = {"options": given} if given else {}
    return [("export", {"items": items, "format": intent.format, **options})]


def _table(scene: Scene, source: str) -> Table:
    """The table of an item that is exported, which may be a layer's."""
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
