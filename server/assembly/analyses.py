"""Analyses within the budget of the settings, their results and their recipes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from server.assembly.data import DataParts
from server.database.engines import Database
from server.database.lanes import Lane
from server.gis.analysis.budget import Budget
from server.gis.analysis.engines import Engines
from server.gis.analysis.runner import StepRunner
from server.gis.catalog.registry import Registry
from server.gis.lake.storage import LakeStorage
from server.maps.analyses.recipes import Recipes
from server.maps.analyses.results import Results
from server.maps.analyses.session import AnalysisService
from server.maps.analyses.store import AnalysisStore
from server.maps.log.event_log import EventLog
from server.maps.rates import WrittenBytes
from server.settings import Settings
from server.spark.engine import lake_results, spark_runner

if TYPE_CHECKING:
    from server.gis.spark.client import SparkClient


@dataclass(frozen=True)
class AnalysisParts:
    """The log of all maps, and what computes and keeps analyses."""

    log: EventLog
    service: AnalysisService
    results: Results
    recipes: Recipes


@asynccontextmanager
async def opened_analyses(settings: Settings, data: DataParts) -> AsyncIterator[AnalysisParts]:
    """The parts of analyses. Tables of analyses whose map was deleted are dropped first."""
    log = EventLog(data.database.owner, data.large.known_tag, WrittenBytes(settings.rate))
    results = Results(data.database.owner, data.database.writer, data.registry, log, lake_results(settings))
    await results.start()
    try:
        service = _service(settings, data)
        yield AnalysisParts(log, service, results, Recipes(log, service.store))
    finally:
        await results.stop()


def engines_of(
    settings: Settings, database: Database, registry: Registry, lake: LakeStorage, spark: SparkClient | None
) -> tuple[Engines, Budget]:
    """The engines that run steps, and their limits by the settings. `spark` is the client of GEOAGENT_SPARK."""
    budget = Budget(
        cost=settings.analysis_cost,
        rows=settings.result_rows,
        pairs=settings.analysis_pairs,
        seconds=settings.analysis_timeout,
        bytes=int(settings.result_space * 1e6),
    )
    runner = StepRunner(database.writer, registry, budget, database.owner)
    return Engines(runner, spark_runner(settings, database, registry, budget, lake, spark)), budget


def _service(settings: Settings, data: DataParts) -> AnalysisService:
    database = data.database
    engines, budget = engines_of(settings, database, data.registry, data.large.lake_storage, data.spark)
    # One connection is for the progress of the others.
    places = min(settings.analyses, database.lanes["analyses"].size - 1)
    # One slot always stays free for other addresses.
    at_once = Lane("steps", places, max(1, places - 1), wait=settings.analysis_timeout)
    return AnalysisService(engines, AnalysisStore(database.owner), budget, at_once)
