"""`geoagent eval`: the cases put to a model on the configured database, and the table of what came of them."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

from agents.models import build
from server import logs
from server.app import model_settings, running
from server.evaluation import report
from server.evaluation.cases import CASES, Case, load
from server.evaluation.run import Attempt, Evaluation, Metered
from server.settings import Settings


def evaluate(
    model: str | None, only: list[str], cases: Path | None, at_once: int, seconds: float, as_json: bool
) -> None:
    """Exits with 1 when a case did not pass."""
    chosen = load(cases or CASES, only)
    settings = Settings()
    logs.set_up(settings.log_level)
    name = model or settings.chosen_model
    results = asyncio.run(_results(settings, name, chosen, at_once, seconds))
    if as_json:
        print(json.dumps(report.as_json(results, name), ensure_ascii=False, indent=1))
    else:
        print(report.markdown(results, name))
    sys.exit(0 if all(report.passes(tried, name) for tried in results) else 1)


async def _results(
    settings: Settings, name: str, cases: list[Case], at_once: int, seconds: float
) -> list[Attempt]:
    metered = Metered(build(name, model_settings(settings)))
    async with running(
        settings.model_copy(update={"turns": max(at_once, 1), "metrics": ""}), metered
    ) as server:
        return await Evaluation(server, metered, seconds).run(cases, at_once, _tell)


def _tell(tried: Attempt) -> None:
    """Progress on standard error; the table is for standard output."""
    sign = {"right": "✓", "declined": "–", "wrong": "✗"}[tried.judgement.verdict]
    print(f"  {sign} {tried.case.name} ({tried.outcome.seconds:.1f} s)", file=sys.stderr, flush=True)
