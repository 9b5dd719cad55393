"""The tool that exports tables and layers as files, in the format that the user asked for."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, get_args

from agents.core import Message, Result, ToolFailed, ToolMessage, UserMessage, tool
from agents.exports import ExportFormat, ExportReport
from agents.geo.tools import GeoTools
from agents.geo.wording.phrases import count_of
from agents.geo.wording.texts import TITLED
from agents.ports import Exporter
from agents.worded import Template

NO_FILES = Template("tool_no_files", "Files cannot be written here.")

_PARAMS: dict[str, Any] = {
    "items": {
        "type": "array",
        "items": {"type": ["string", "object"]},
        "minItems": 1,
        "description": "Ids of tables or layers, or {source, name, columns, filter, format}; columns in their order, "
        '["name", "pop AS people"], "*" for all others.',
    },
    "format": {
        "type": "string",
        "enum": list(get_args(ExportFormat)),
        "description": "geojsonl is a GeoJSON text sequence; shp comes as a zip, and several items unless in gpkg, "
        "kml, xlsx or json.",
    },
    "file_name": {"type": "string"},
    "options": {
        "type": "object",
        "description": 'crs "EPSG:2154", outside drop|null (shapes far from its area), geometry shape|wkt|xy|none, '
        "kind single|multi, precision (decimals), encoding, members (top-level ones of json and geojson; "
        '"{count}" is the row count), group_by (json), zipped.',
    },
}


class ExportTools(GeoTools):
    """The tool that exports data as files; a mixin of GeoAgent."""

    exporter: Exporter | None

    @tool(params=_PARAMS, required=["items", "format"], timeout=None, sequential=True)
    async def export(
        self,
        items: list[Any],
        format: str,
        file_name: str | None = None,
        options: dict[str, Any] | None = None,
    ) -> Result:
        """Write tables, layers or results into a file to download. Put its link into the answer."""
        if self.exporter is None:
            raise ToolFailed(NO_FILES())
        listed = [{"source": each} if isinstance(each, str) else each for each in items]
        request = {**(options or {}), "items": listed, "format": format, "file_name": file_name}
        report = await self.exporter.export(request, self.map)
        rows = count_of(sum(layer.rows for layer in report.layers), "row")
        facts = report.model_dump(mode="json", exclude={"link", "wording"}, exclude_defaults=True)
        return Result({**facts, "link": link_to(report)}, summary=TITLED(title=report.file_name, count=rows))


def with_links(text: str, history: Sequence[Message]) -> str:
    """The answer with links to all files of its turn, including those that the model did not mention."""
    since = itertools.takewhile(lambda item: not isinstance(item, UserMessage), reversed(history))
    results = [result for item in since if isinstance(item, ToolMessage) for result in item.results]
    links = [
        str(result.data["link"])
        for result in reversed(results)
        if result.name == "export" and isinstance(result.data, dict) and "link" in result.data
    ]
    missing = [link for link in links if link.partition("](")[2].rstrip(")") not in text]
    return "\n\n".join([text, *missing]) if missing else text


def link_to(report: ExportReport) -> str:
    """Markdown."""
    shown = report.file_name.replace("[", "(").replace("]", ")")
    return f"[{shown}]({report.link})"
