"""Writes what the references give into the cases: `python -m tests.evals.fill`, after a case or the data changed.

Before each `reference` stand the lines that it makes true (`count`, `ids`, `values`, or `answer.numbers` and
`answer.words`); they are replaced, and nothing else is touched. `tolerance` and what has no reference stay."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from numbers import Number
from pathlib import Path
from typing import Any

import pandas as pd

from server.evaluation.cases import CASES
from tests.evals.reference import evaluate

LISTED_VALUES = 5
_MADE = re.compile(r"(count|ids|values|answer\.numbers|answer\.words) = ")
_REFERENCE = re.compile(r'(answer\.)?reference = "(.*)"$')


def expected_rows(found: Any) -> dict[str, Any]:
    """What a layer must show: the count, the sum of ids, and some of the values, if the reference computes one."""
    if isinstance(found, Number):
        return {"count": int(found)}  # type: ignore[call-overload]
    facts: dict[str, Any] = {"count": len(found)}
    if "id" in found:
        facts["ids"] = int(found.id.sum())
    if "value" in found:
        known = found.dropna(subset="value").drop_duplicates("name", keep=False)
        some = known.iloc[:: max(1, len(known) // LISTED_VALUES)].head(LISTED_VALUES)
        facts["values"] = {row["name"]: rounded(row["value"]) for _, row in some.iterrows()}
    return facts


def expected_words(found: Any) -> dict[str, Any]:
    """What an answer must say: numbers, or words; of counts by word both."""
    if isinstance(found, Number):
        return {"numbers": [rounded(found)]}
    if isinstance(found, str):
        return {"words": [found]}
    values = list(found)
    if isinstance(found, pd.Series) and isinstance(found.index[0], str):
        return {"numbers": [rounded(each) for each in values], "words": list(found.index)}
    return (
        {"words": values} if isinstance(values[0], str) else {"numbers": [rounded(each) for each in values]}
    )


def rounded(value: Any) -> float:
    """Whole numbers as they are, others to six figures."""
    number = float(value)
    return int(number) if number.is_integer() else float(f"{number:.6g}")


def filled(text: str) -> str:
    lines: list[str] = []
    for line in text.splitlines():
        reference = _REFERENCE.match(line)
        if reference is not None:
            while lines and _MADE.match(lines[-1]):
                lines.pop()
            found = evaluate(json.loads(f'"{reference[2]}"'))
            facts = expected_words(found) if reference[1] else expected_rows(found)
            lines += [f"{reference[1] or ''}{name} = {_toml(value)}" for name, value in facts.items()]
        lines.append(line)
    return "\n".join(lines) + "\n"


def _toml(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{json.dumps(k, ensure_ascii=False)} = {v}" for k, v in value.items()) + " }"
    return json.dumps(value, ensure_ascii=False)


def main(folder: Path = CASES) -> None:
    for file in sorted(folder.glob("*.toml")):
        before = file.read_text("utf-8")
        after = filled(before)
        if after != before:
            file.write_text(after, "utf-8")
            print(f"{file.name} was renewed")


if __name__ == "__main__":
    main()
