"""`geoagent tools`: the catalogue of the agent's tools."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import typer


def write_tools(format: str, out: Path | None) -> None:
    """Print or write the catalogue of tools in one of the formats."""
    text = tools_document(format)
    if out is None:
        print(text, end="")
    else:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(text)


def tools_document(format: str) -> str:
    """The tools as declared, without the values that depend on tables and map. Raises typer.BadParameter for an
    unknown format.
    """
    from agents.geo_agent import GeoAgent
    from agents.models import build
    from agents.models.tool_formats import FORMATS

    if format not in FORMATS:
        raise typer.BadParameter(f"one of {', '.join(FORMATS)}", param_hint="--format")
    nobody: Any = object()
    parts = dict.fromkeys(("registry", "map", "data", "analyst", "sql", "exporter", "lake"), nobody)
    agent = GeoAgent(build("offline"), **parts)
    made = FORMATS[format](agent.toolbox.static().specs)
    text = made if isinstance(made, str) else json.dumps(made, indent=2, ensure_ascii=False, default=dict)
    return text.rstrip("\n") + "\n"
