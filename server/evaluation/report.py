"""The result of an evaluation as a Markdown table and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, get_args

from server.evaluation.judge import Verdict
from server.evaluation.run import Attempt

HEADER = (
    "| category | cases | right | asked | declined | wrong | unbacked | tokens in | tokens out | cost | seconds |\n"
    "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
)


def passes(tried: Attempt, model: str) -> bool:
    """Whether a case is right, or asked back or declined by the offline model where that is allowed."""
    verdict = tried.judgement.verdict
    beyond = model == "offline" and tried.case.offline == "declines"
    return verdict == "right" or (beyond and verdict in ("asked", "declined"))


def markdown(results: Sequence[Attempt], model: str) -> str:
    """One row per category, then the cases that did not pass."""
    categories = dict.fromkeys(tried.case.category for tried in results)
    lines = [f"Model: `{model}`", "", HEADER]
    for category in categories:
        lines.append(_row(category, [tried for tried in results if tried.case.category == category]))
    lines.append(_row("**all**", results))
    faulty = [tried for tried in results if not passes(tried, model)]
    if faulty:
        lines += ["", "Not passed:", ""]
        lines += [
            f"- **{tried.case.name}** ({tried.judgement.verdict}): {_line('; '.join(tried.judgement.faults))}"
            for tried in faulty
        ]
    return "\n".join(lines)


def as_json(results: Sequence[Attempt], model: str) -> dict[str, Any]:
    """All numbers, and every case with its answer and faults."""
    return {
        "model": model,
        "cases": len(results),
        "passed": sum(passes(tried, model) for tried in results),
        **_counts(results),
        **_sums(results),
        "results": [
            {
                "name": tried.case.name,
                "category": tried.case.category,
                "say": list(tried.case.say),
                "verdict": tried.judgement.verdict,
                "passed": passes(tried, model),
                "faults": list(tried.judgement.faults),
                "answer": tried.outcome.answer,
                **_sums([tried]),
            }
            for tried in results
        ],
    }


def _row(title: str, results: Sequence[Attempt]) -> str:
    counts, sums = _counts(results), _sums(results)
    right = f"{counts['right']} ({counts['right'] / len(results):.0%})"
    cost = "–" if sums["cost"] is None else f"${sums['cost']:.4f}"
    cells = [
        title,
        len(results),
        right,
        counts["asked"],
        counts["declined"],
        counts["wrong"],
        sums["unbacked"],
    ]
    cells += [f"{sums['tokens_in']:,}", f"{sums['tokens_out']:,}", cost, f"{sums['seconds']:.1f}"]
    return f"| {' | '.join(map(str, cells))} |"


def _counts(results: Sequence[Attempt]) -> dict[str, int]:
    counts: Counter[Verdict] = Counter(tried.judgement.verdict for tried in results)
    return {verdict: counts[verdict] for verdict in get_args(Verdict)}


def _sums(results: Sequence[Attempt]) -> dict[str, Any]:
    costs = [tried.outcome.cost for tried in results if tried.outcome.cost is not None]
    return {
        "unbacked": sum(len(tried.outcome.unbacked) for tried in results),
        "tokens_in": sum(tried.outcome.tokens_in for tried in results),
        "tokens_out": sum(tried.outcome.tokens_out for tried in results),
        # a partial cost would look like the total
        "cost": round(sum(costs), 6) if costs and len(costs) == len(results) else None,
        "seconds": round(sum(tried.outcome.seconds for tried in results), 2),
    }


def _line(text: str) -> str:
    return " ".join(text.split())
