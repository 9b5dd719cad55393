"""Notes on an exported file: values that its format cannot store or stores in another form."""

from __future__ import annotations

from dataclasses import replace

from agents.exports import ExportFormat, Outside
from agents.geo.wording.phrases import listed as in_words
from agents.worded import Template
from server.gis.errors import listed
from server.gis.export.files import DRIVERS, file_names
from server.gis.export.kept_values import lost_values
from server.gis.export.source import Source, Summary
from server.gis.expressions.area_of_use import found_outside

MAX_NOTED = 20
_WHY_RENAMED = {
    "shp": Template("export_short_names", "a name has at most 10 bytes in a Shapefile"),
    "kml": Template(
        "export_kml_names",
        "KML has elements of these names, or no place for these signs, or names differ by case only",
    ),
}
_BY_CASE = Template("export_names_by_case", "names differ by case only")
_RENAMED = Template("export_renamed", "Columns of {layer} that are renamed, because {why}: {names}.")
_RENAMED_ONE = Template("export_renamed_one", "{name} as {own}")
_TIMES = Template("export_times", "Times of {layer} are texts, which a Shapefile has no type for: {names}.")
_LOST = Template(
    "export_lost_dimensions", "{what} of {layer} are left out, which {kind} has no place for here."
)
_HEIGHTS = Template("export_heights", "Heights (Z)")
_MEASURES = Template("export_measures", "Measures (M)")
_ORDER = Template(
    "export_order",
    "Rows of {layer} are in the order of the spatial index that FlatGeobuf has, not in that of the table.",
)
_CHOICE = Template(
    "export_outside_choice",
    "Their coordinates mean little there: export without those outside (outside: drop), with their rows but without "
    "shapes outside (outside: null), or in another reference system.",
)
CHOICE_OUTSIDE = _CHOICE()
_DROPPED = Template("export_outside_dropped", "; they are left out.")
_SHAPELESS = Template("export_outside_null", "; their rows have no shape.")


async def notes_of(name: str, kind: ExportFormat, source: Source, found: Summary) -> list[str]:
    """All but those of shapes far outside of a system, which are counted before."""
    notes = [*_renamed(name, kind, source), *await lost_values(name, kind, source)]
    if lost := _lost_dimensions(kind, source, found):
        notes.append(_LOST(what=lost, layer=name, kind=kind))
    if kind == "fgb" and 1 < found.rows == found.placed:
        notes.append(_ORDER(layer=name))
    return notes


async def far_outside(name: str, source: Source) -> str:
    """A note on shapes far outside of the area of use of the file's system; none if there are no such shapes."""
    far = await source.far_outside()
    if not far or source.area is None:
        return ""
    _rows, placed_rows = await replace(source, outside=None).count()
    return found_outside(far, placed_rows, name, source.crs.name, source.area)


def outside_outcome(outside: Outside | None) -> str:
    """What was done with these shapes, to be put behind `far_outside`."""
    if outside is None:
        return ". " + CHOICE_OUTSIDE
    return _DROPPED() if outside == "drop" else _SHAPELESS()


def _lost_dimensions(kind: ExportFormat, source: Source, found: Summary) -> str:
    """A note on Z and M coordinates that are not in the file."""
    if source.placing not in ("shape", "xy"):
        return ""
    no_heights = kind == "fgb" and source.ogr_type() == "Unknown"
    no_measures = source.placing == "xy" or kind not in ("gpkg", "parquet")
    lost = [
        *([_HEIGHTS()] if found.has_heights and no_heights else []),
        *([_MEASURES()] if found.has_measures and no_measures else []),
    ]
    return in_words(lost)


def _renamed(name: str, kind: ExportFormat, source: Source) -> list[str]:
    """Columns that the format takes under other names or as other types."""
    labels = [each.label for each in source.fields]
    notes: list[str] = []
    if kind in DRIVERS:
        written = file_names(labels, kind)
        changed = [
            _RENAMED_ONE(name=label, own=own)
            for label, own in zip(labels, written, strict=True)
            if label != own
        ]
        if changed:
            why = _WHY_RENAMED.get(kind, _BY_CASE)()
            notes.append(_RENAMED(layer=name, why=why, names=listed(changed, MAX_NOTED)))
    if kind == "shp":
        times = [each.label for each in source.fields if each.column.kind == "timestamp"]
        if times:
            notes.append(_TIMES(layer=name, names=listed(times)))
    return notes
