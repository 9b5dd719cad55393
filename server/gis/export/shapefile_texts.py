"""Texts in the table of a Shapefile: in its encoding, and of at most 254 bytes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from agents.worded import Template
from server.gis.errors import listed
from server.gis.export.source import no_character

COUNT_OF = Template("export_count_of", "{n} of {column}")
TEXTS_CUT = Template(
    "export_texts_cut", "Texts of {layer} that are cut, because a Shapefile holds {most} bytes: {names}."
)

MAX_BYTES = 254


class ShapefileTexts:
    """Checks texts before they are written. Without a message, GDAL would write `?` for characters that the encoding
    lacks, and cut texts that are too long."""

    def __init__(self, layer: str, columns: Sequence[str], encoding: str) -> None:
        self._layer = layer
        self._columns = columns
        self._encoding = encoding
        self._cut: Counter[str] = Counter()

    def check(self, rows: Sequence[Sequence[Any]]) -> None:
        """Count texts that will be cut. Raises CannotExport for a character that the encoding lacks."""
        for row in rows:
            for name, value in zip(self._columns, row, strict=False):
                if isinstance(value, str) and len(self._encoded(value)) > MAX_BYTES:
                    self._cut[name] += 1

    @property
    def notes(self) -> tuple[str, ...]:
        """A note for people if texts were cut; else empty."""
        if not self._cut:
            return ()
        cut = [COUNT_OF(n=count, column=name) for name, count in self._cut.items()]
        return (TEXTS_CUT(layer=self._layer, most=str(MAX_BYTES), names=listed(cut)),)

    def _encoded(self, text: str) -> bytes:
        try:
            return text.encode(self._encoding)
        except UnicodeEncodeError as error:
            raise no_character(self._encoding, error) from None
