"""Files to download: `export the result as GeoPackage in EPSG:2154`, `save airports as csv`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agents.offline.commands.requests import command
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.meaning.intents import Export, Intent
from agents.offline.meaning.scene import Calls, Scene

_FORMATS = {
    "geopackage": "gpkg", "gpkg": "gpkg", "geojson": "geojson", "json": "json", "shapefile": "shp",
    "shape": "shp", "shp": "shp", "flatgeobuf": "fgb", "fgb": "fgb", "geoparquet": "parquet", "parquet": "parquet",
    "kml": "kml", "csv": "csv", "excel": "xlsx", "xlsx": "xlsx", "spreadsheet": "xlsx",
}  # fmt: skip
_FORMAT = f"[a|an|one] format=({'|'.join(_FORMATS)}) [file|files|workbook|text sequence]"
_WHAT = "([all] result=(the result|the results|result|results)|it|this|{subject:mention})"
_CRS = "[(in|into|to|with) [the] [projection|crs|coordinate system] epsg [:] {srid:count}]"


def _exported(bound: Mapping[str, Any], _: Vocabulary) -> Intent:
    srid = bound.get("srid")
    # An article may stand before the format.
    words = str(bound["format"]).lower().split()
    return Export(
        bound.get("subject"),
        next(_FORMATS[word] for word in words if word in _FORMATS),
        int(srid) if srid is not None else None,
        is_result="result" in bound,
    )


COMMANDS = (
    command(f"(export|download|save|write|deliver) {_WHAT} (as|to|into|in) {_FORMAT} {_CRS}", _exported),
    command(f"(export|download|save|write|deliver) [{_WHAT}] {_CRS} (as|to|into|in) {_FORMAT}", _exported),
)


async def export(scene: Scene, intent: Export) -> Calls:
    """A layer brings its filter; a table that no layer shows, such as a result without geometry, goes whole."""
    options = {} if intent.srid is None else {"options": {"crs": f"EPSG:{intent.srid}"}}
    return [("export", {"items": [_source(scene, intent)], "format": intent.format, **options})]


def _source(scene: Scene, intent: Export) -> str:
    mention = intent.subject
    if mention is None and scene.result is not None and (intent.is_result or not scene.recent):
        drawn = [layer.id for layer in scene.layers if layer.table == scene.result]
        return drawn[-1] if drawn else scene.result
    if mention is None or mention.pronoun or mention.layers:
        return scene.layer_of(mention).id
    return scene.table_of(mention).id


PLANS = {"Export": export}
