"""The operations of an analysis as tools: checked by their whole schemas, shown to the model by compact ones.

A dozen that most plans need are shown from the beginning; `find_operation` shows the others that a plan asks for.
What they have in common (how tables, lengths, titles and aggregates are written) is described once, in the analyst's
rules."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from agents.core import BaseTool, Result, ToolRetry
from agents.core.nearest import nearest
from agents.core.tools.blueprint import Blueprint, from_schema
from agents.domain import Table
from agents.geo.tools import GeoTools
from agents.geo.wording.phrases import count_of
from agents.geo.wording.texts import TITLED
from agents.ports import AnalysisSession, OperationInfo, StepOutcome

FIRST_OPERATIONS = (
    "filter", "select_by_location", "spatial_join", "nearest", "buffer", "clip", "intersection", "dissolve",
    "summarise", "join_by_attribute", "calculate", "measure", "top",
)  # fmt: skip
"""Shown in every request; most plans need no others."""
MAX_FOUND = 4
"""Operations that one search shows."""
MAX_SHOWN_COLUMNS = 40
"""Columns of a result that a model gets; of a wider table the first and the last ones."""
MAX_DECLARED = 512
"""Operations whose schemas and checks are kept."""
_ANY_TABLE = "x-refers-to"
_KEPT_KEYWORDS = ("enum", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "maxItems")
_WORD = re.compile(r"[a-z0-9]{3,}")


class StepRunner(GeoTools):
    """What operations need of the analyst that runs them."""

    session: AnalysisSession

    def resolve_source(self, argument: str, reference: str) -> str:
        """The id of the step or table that an argument refers to. Raises ToolRetry with the nearest names."""
        steps = [outcome.step for outcome in self.session.outcomes()]
        if reference in steps:
            return reference
        own = {outcome.table.id: outcome.step for outcome in self.session.outcomes()}
        if reference in own:
            return own[reference]
        tables = self.catalogue().by_id
        if reference in tables:
            return reference
        named = [table.id for table in tables.values() if table.name == reference]
        if len(named) == 1:
            return named[0]
        close = nearest(reference, [*steps, *tables])
        hint = f" Nearest: {', '.join(close)}." if close else ""
        made = f" Steps so far: {', '.join(steps)}." if steps else " No step has run yet."
        raise ToolRetry(f"{argument}: there is no table or step {reference[:80]!r}.{hint}{made}")


class OperationTool(BaseTool):
    """An operation as a tool. References to tables and steps are resolved when it runs, after earlier steps."""

    sequential = True
    timeout = None

    def __init__(self, info: OperationInfo, analyst: StepRunner) -> None:
        self.name = info.name
        self.description = info.summary
        self._analyst = analyst
        self.blueprint, self._tables = _declared(info)

    async def execute(self, args: Any) -> Result:
        """Run the step and describe its result."""
        arguments = dict(args)
        title = str(arguments.pop("title", "") or self.name.replace("_", " "))
        for name in self._tables:
            if isinstance(given := arguments.get(name), str):
                arguments[name] = self._analyst.resolve_source(name, given)
            elif isinstance(given, list):
                arguments[name] = [self._analyst.resolve_source(name, each) for each in given]
        outcome = await self._analyst.session.run_step(self.name, arguments, title)
        rows = count_of(outcome.rows, "row")
        return Result(outcome_facts(outcome), summary=TITLED(title=title, count=rows))


@lru_cache(maxsize=MAX_DECLARED)
def _declared(info: OperationInfo) -> tuple[Blueprint, tuple[str, ...]]:
    """The schemas and checks of an operation, the same in every analysis, and its arguments that name tables."""
    whole = _inlined(info.schema, info.schema.get("$defs", {}))
    fragments = whole.get("properties", {})
    title = {"type": "string", "description": "What this step does, in a few plain words."}
    properties = {name: _known(part) for name, part in fragments.items()}
    if "parts" in properties:
        # Left out of most calls; a default would be in every plan and receipt.
        properties["parts"] = {"enum": properties["parts"]["enum"]}
    rest = {key: value for key, value in whole.items() if key not in ("$defs", "title")}
    schema = {**rest, "properties": {**properties, "title": title}}
    tables = tuple(name for name, part in fragments.items() if part.get(_ANY_TABLE) == "table")
    return from_schema(info.summary, schema, shown_schema=shown_schema(whole)), tables


def outcome_facts(outcome: StepOutcome) -> dict[str, Any]:
    """What the analyst's model gets about a finished step."""
    facts: dict[str, Any] = {"step": outcome.step, **output_facts(outcome), "notes": list(outcome.notes)}
    if outcome.breakdown:
        facts["breakdown"] = dict(outcome.breakdown)
    if outcome.rows == 0:
        facts["empty"] = "No row is left. Loosen this step, or say that nothing meets the condition."
    return facts


def output_facts(outcome: StepOutcome) -> dict[str, Any]:
    """The table that a step created, for further steps, styles and questions."""
    table = outcome.table
    crs = {"crs": f"EPSG:{table.srid}"} if table.geometry_column is not None and table.srid else {}
    return {
        "table": table.id,
        "rows": outcome.rows,
        "geometry": table.geometry_type,
        **crs,
        "columns": _columns(table),
    }


def found_operations(operations: Sequence[OperationInfo], text: str) -> list[OperationInfo]:
    """The operations that match a few words, best first. The fewer operations contain a word, the more it counts."""
    texts = {
        info.name: _WORD.findall(f"{info.name.replace('_', ' ')} {info.summary.lower()}")
        for info in operations
    }
    scores = dict.fromkeys(texts, 0.0)
    for word in set(_WORD.findall(text.lower())):
        having = [name for name, text in texts.items() if _among(word, text)]
        for name in having:
            in_name = 2.0 if _among(word, _WORD.findall(name.replace("_", " "))) else 1.0
            scores[name] += in_name / len(having)
    best = sorted((name for name, score in scores.items() if score > 0), key=lambda name: -scores[name])
    chosen = best[:MAX_FOUND] or nearest(text, texts, limit=MAX_FOUND)
    by_name = {info.name: info for info in operations}
    return [by_name[name] for name in chosen]


def _among(word: str, others: Sequence[str]) -> bool:
    """Whether the word occurs, possibly with another ending."""
    stem = word[: max(4, len(word) - 3)]
    return any(other == word or (len(stem) >= 4 and other.startswith(stem)) for other in others)


def shown_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """An operation's schema as shown to a model, without what the analyst's rules state already."""
    properties = {name: _shown(name, part) for name, part in schema.get("properties", {}).items()}
    if "parts" in properties:
        properties["parts"] = {"enum": ["single", "multi"]}
    properties["title"] = {"type": "string"}
    return {"type": "object", "properties": properties, "required": list(schema.get("required", ()))}


def _shown(name: str, part: Mapping[str, Any]) -> dict[str, Any]:
    branches = [each for each in part.get("anyOf", ()) if each.get("type") != "null"]
    inner = {**part, **branches[0]} if branches else dict(part)
    kinds = list(dict.fromkeys(str(each["type"]) for each in branches if "type" in each)) or inner.get("type")
    shown: dict[str, Any] = {"type": kinds[0] if isinstance(kinds, list) and len(kinds) == 1 else kinds}
    shown |= {key: inner[key] for key in _KEPT_KEYWORDS if key in inner}
    if inner.get("type") == "array":
        shown["items"] = {"type": inner.get("items", {}).get("type", "string")}
    elif part.get("default") is not None and part["default"] is not False:
        shown["default"] = part["default"]
    if "description" in part and name != "source":
        shown["description"] = part["description"]
    return {key: value for key, value in shown.items() if value is not None}


def _known(part: Mapping[str, Any]) -> dict[str, Any]:
    """A property without GeoAgent's own keywords."""
    return {key: value for key, value in part.items() if key != "title" and not key.startswith("x-")}


def _inlined(node: Any, definitions: Mapping[str, Any]) -> Any:
    """A schema with its definitions inlined; no operation's definition contains itself."""
    if isinstance(node, Mapping):
        name = str(node.get("$ref", "")).rpartition("/")[2]
        if name in definitions:
            rest = {key: value for key, value in node.items() if key != "$ref"}
            return {**_inlined(definitions[name], definitions), **rest}
        return {key: _inlined(value, definitions) for key, value in node.items() if key != "$defs"}
    return [_inlined(item, definitions) for item in node] if isinstance(node, list) else node


def _columns(table: Table) -> list[str]:
    """The first and the last columns of a wide table: operations append theirs at the end."""
    named = [f"{column.name} ({column.kind})" for column in table.columns if column.kind != "geometry"]
    if len(named) <= MAX_SHOWN_COLUMNS:
        return named
    half = MAX_SHOWN_COLUMNS // 2
    return [
        *named[:half],
        f"... {len(named) - 2 * half} more, which describe_table names ...",
        *named[-half:],
    ]
