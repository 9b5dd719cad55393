"""`geoagent analysis`: analyses that ran, from the command line."""

from __future__ import annotations

import asyncio
import json
import sys
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from server.database.engines import Database
    from server.gis.analysis.receipt import Receipt
    from server.maps.analyses.rerun import Repeated

RERUN_PROBE_TIMEOUT_S = 60.0
"""Time that a rerun waits for tables to be probed, because its steps may need what is found."""

app = typer.Typer(help="Analyses that ran on maps (docs/analysis.md).")


@app.callback()
def _group() -> None:
    """Keeps `rerun` a subcommand though it is the only one."""


@app.command()
def rerun(
    receipt: Annotated[
        str, typer.Argument(help="A file that was saved as receipt.json, or the id of an analysis.")
    ],
) -> None:
    """Run the steps of a receipt again, on the engines that computed them, and compare the results.

    Tables are read as they are now. What is made is compared with the numbers of the receipt and, where they are still
    there, with the rows of the result, and is then dropped. Fails where anything differs.
    Example: geoagent analysis rerun analysis_x7Kd2mQpL0aZ
    """
    sys.exit(0 if asyncio.run(_rerun(receipt)) else 1)


async def _rerun(name: str) -> bool:
    """Whether all steps agree."""
    from server.assembly.analyses import engines_of
    from server.cli.data import open_database, read_tables
    from server.lake import lake_storage
    from server.maps.analyses.rerun import Rerun
    from server.settings import Settings
    from server.spark.engine import lake_results, spark_client

    settings = Settings()
    async with open_database() as database:
        receipt = await _receipt(name, database)
        registry = await read_tables(database, timeout_s=RERUN_PROBE_TIMEOUT_S)
        engines, _ = engines_of(settings, database, registry, lake_storage(settings), spark_client(settings))
        again = Rerun(engines, registry, database.writer, lake_results(settings))
        agree = True
        async with aclosing(again.steps(receipt)) as steps:
            async for step in steps:
                agree = agree and step.agrees
                print("\n".join(_lines(step)), flush=True)
    return agree


async def _receipt(name: str, database: Database) -> Receipt:
    from server.gis.errors import InvalidQuestion
    from server.maps.analyses.store import AnalysisStore

    found = _saved(Path(name)) or await AnalysisStore(database.owner).receipt(name)
    if found is None:
        raise InvalidQuestion(f"There is no file and no analysis {name!r}.")
    return found


def _saved(file: Path) -> Receipt | None:
    from server.gis.analysis.receipt import Receipt
    from server.gis.errors import InvalidQuestion

    if not file.is_file():
        return None
    try:
        document = json.loads(file.read_text("utf-8"))
        return Receipt.model_validate({name: document[name] for name in Receipt.model_fields})
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidQuestion(f"{file} is not a receipt in JSON.") from error


def _lines(step: Repeated) -> list[str]:
    now, before = step.now, step.before
    comparison = "as before" if now.rows == before.rows else f"where there were {before.rows:,}"
    lines = [
        f"{now.step} {now.title}: {now.rows:,} rows by {now.engine} in {now.duration_ms / 1000:.1f} s, {comparison}"
    ]
    if now.engine != before.engine:
        lines.append(f"  The receipt is of {before.engine}.")
    lines += [f"  {each}" for each in step.changed_inputs()]
    lines += [f"  {each}" for each in now.notes if each.startswith("Computed by")]
    if step.comparison is not None:
        lines.append(f"  {_compared(step)}")
    return lines


def _compared(step: Repeated) -> str:
    found, table = step.comparison, step.before.table
    if found is None or found.rows != found.other_rows:
        return f"{table} has other rows."
    if found.counted_only:
        return f"The rows of {table} are too many to be compared one by one."
    if found.different:
        return f"{found.different:,} of {found.rows:,} rows of {table} differ. {found.example}".rstrip()
    return f"All rows are those of {table} ({found.tolerance})."
