"""`geoagent eval`: runs the cases with a model on the configured database, and writes the table of results."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from agents.models import build
from server import logs
from server.app import running
from server.assembly.models import model_settings
from server.cli.pages import require_part, write_part
from server.evaluation import report
from server.evaluation.cases import CASES, Case, load
from server.evaluation.run import Attempt, Evaluation, Metered
from server.settings import Settings

if TYPE_CHECKING:
    from server.evaluation.analyst.run import AnalystAttempt


def evaluate(
    model: str | None,
    only: list[str],
    cases: Path | None,
    at_once: int,
    seconds: float,
    as_json: bool,
    out: Path | None = None,
) -> None:
    """Print the report, or write it into the part `map` of the page `out`. Exits with 1 when a case did not pass."""
    settings, name = _settings_and_model(model, "map", out)
    chosen = load(cases or CASES, only)
    results = asyncio.run(_results(settings, name, chosen, at_once, seconds))
    report_text = json.dumps(report.as_json(results, name), ensure_ascii=False, indent=1) if as_json else None
    _report(report_text or report.markdown(results, name), "map", out)
    sys.exit(0 if all(report.passes(tried, name) for tried in results) else 1)


def evaluate_analyst(
    model: str | None,
    only: list[str],
    cases: Path | None,
    seconds: float,
    as_json: bool,
    out: Path | None = None,
) -> None:
    """Run the suite of exported files, with the model `scripted` as the cases' own replies. Exits with 1 when a case is
    not right. The report is printed, or written into the part `analyst` of the page `out`.
    """
    from server.evaluation.analyst import cases as analyst_cases
    from server.evaluation.analyst.run import AnalystEvaluation, as_lines, markdown
    from server.evaluation.analyst.script import NAME, CaseScript

    settings, name = _settings_and_model(model, "analyst", out)
    chosen = analyst_cases.load(cases or analyst_cases.CASES, only)

    async def results() -> list[AnalystAttempt]:
        script = CaseScript() if name == NAME else None
        metered = Metered(script or build(name, model_settings(settings)))
        async with running(settings.model_copy(update={"metrics": ""}), metered) as server:
            evaluation = AnalystEvaluation(Evaluation(server, metered, seconds), script)
            return await evaluation.run(chosen, _print_case)

    tried = asyncio.run(results())
    report_text = (
        json.dumps(as_lines(tried), ensure_ascii=False, indent=1) if as_json else markdown(tried, name)
    )
    _report(report_text, "analyst", out)
    sys.exit(0 if all(not each.faults for each in tried) else 1)


def _settings_and_model(model: str | None, part: str, out: Path | None) -> tuple[Settings, str]:
    """The settings and the name of the model, after a check that the page has the part."""
    if out is not None:
        require_part(out, part)
    settings = Settings()
    logs.set_up(settings.log_level)
    return settings, model or settings.chosen_model


def _report(text: str, part: str, out: Path | None) -> None:
    if out is None:
        print(text)
    else:
        write_part(out, part, text)


def _print_case(tried: AnalystAttempt) -> None:
    print(f"  {'✗' if tried.faults else '✓'} {tried.case.name}", file=sys.stderr, flush=True)


async def _results(
    settings: Settings, name: str, cases: list[Case], at_once: int, seconds: float
) -> list[Attempt]:
    metered = Metered(build(name, model_settings(settings)))
    async with running(
        settings.model_copy(update={"turns": max(at_once, 1), "metrics": ""}), metered
    ) as server:
        return await Evaluation(server, metered, seconds).run(cases, at_once, _print_attempt)


def _print_attempt(tried: Attempt) -> None:
    """Progress on standard error; the table is for standard output."""
    sign = {"right": "✓", "asked": "?", "declined": "–", "wrong": "✗"}[tried.judgement.verdict]
    print(f"  {sign} {tried.case.name} ({tried.outcome.seconds:.1f} s)", file=sys.stderr, flush=True)
