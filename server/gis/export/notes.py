"""Notes on an exported file: values that its format cannot store or stores in another form."""

from __future__ import annotations

from dataclasses import replace

from agents.exports import ExportFormat, Outside
from server.gis.errors import listed
from server.gis.export.files import DRIVERS, file_names
from server.gis.export.kept_values import lost_values
from server.gis.export.source import Source, Summary
from server.gis.expressions.area_of_use import found_outside

MOST_NOTED = 20
_WHY_RENAMED = {
    "shp": "a name has at most 10 bytes in a Shapefile",
    "kml": "KML has elements of these names, or no place for these signs, or names differ by case only",
}
CHOICE_OUTSIDE = (
    "Their coordinates mean little there: export without those outside (outside: drop), with their rows but without "
    "shapes outside (outside: null), or in another reference system."
)


async def notes_of(name: str, kind: ExportFormat, source: Source, found: Summary) -> list[str]:
    """All but those of shapes far outside of a system, which are counted before."""
    notes = [*_renamed(name, kind, source), *await lost_values(name, kind, source)]
    if lost := _lost_dimensions(kind, source, found):
        notes.append(f"{lost} of {name} are left out, which {kind} has no place for here.")
    if kind == "fgb" and 1 < found.rows == found.placed:
        notes.append(
            f"Rows of {name} are in the order of the spatial index that FlatGeobuf has, not in that of the table."
        )
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
        return f". {CHOICE_OUTSIDE}"
    return "; they are left out." if outside == "drop" else "; their rows have no shape."


def _lost_dimensions(kind: ExportFormat, source: Source, found: Summary) -> str:
    """A note on Z and M coordinates that are not in the file."""
    if source.placing not in ("shape", "xy"):
        return ""
    no_heights = kind == "fgb" and source.ogr_type() == "Unknown"
    no_measures = source.placing == "xy" or kind not in ("gpkg", "parquet")
    lost = [
        *(["Heights (Z)"] if found.has_heights and no_heights else []),
        *(["Measures (M)"] if found.has_measures and no_measures else []),
    ]
    return " and ".join(lost)


def _renamed(name: str, kind: ExportFormat, source: Source) -> list[str]:
    """Columns that the format takes under other names or as other types."""
    labels = [each.label for each in source.fields]
    notes = []
    if kind in DRIVERS:
        written = file_names(labels, kind)
        changed = [f"{label} as {own}" for label, own in zip(labels, written, strict=True) if label != own]
        if changed:
            notes.append(
                f"Columns of {name} that are renamed, because {_WHY_RENAMED.get(kind, 'names differ by case only')}: "
                f"{listed(changed, MOST_NOTED)}."
            )
    if kind == "shp":
        times = [each.label for each in source.fields if each.column.kind == "timestamp"]
        if times:
            notes.append(f"Times of {name} are texts, which a Shapefile has no type for: {listed(times)}.")
    return notes
