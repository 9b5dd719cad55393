"""The engine that the settings name, for `server.app`."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from server.database.engines import Database
from server.gis.analysis.budget import Budget
from server.gis.analysis.runner import StepRunner
from server.gis.catalog.registry import Registry
from server.gis.lake.results import LakeResults
from server.gis.lake.storage import LakeStorage
from server.gis.overviews.files import CellsOfFiles
from server.settings import Settings
from server.spark.jars import default_folder
from server.spark.problem import SparkProblem

if TYPE_CHECKING:
    from server.gis.spark.client import SparkClient


def lake_results(settings: Settings) -> LakeResults | None:
    """The store of large results; None without GEOAGENT_LAKE_RESULTS."""
    if settings.lake_results is None:
        return None
    return LakeResults(settings.lake_results.expanduser().absolute(), int(settings.lake_space * 1e6))


def spark_client(settings: Settings) -> SparkClient | None:
    """The client of Spark; None without GEOAGENT_SPARK, and Spark is not imported then. Raises SparkProblem."""
    if settings.spark is None:
        return None
    if find_spec("pyspark") is None:
        raise SparkProblem('GEOAGENT_SPARK is set, and pyspark is missing: pip install "geoagent[spark]"')
    from server.gis.spark.client import SparkClient  # pyspark is large, and few servers use it

    return SparkClient(settings.spark)


def spark_runner(
    settings: Settings,
    database: Database,
    registry: Registry,
    budget: Budget,
    lake: LakeStorage,
    client: SparkClient | None,
) -> StepRunner | None:
    """The engine that runs steps on Spark; None without a client."""
    if settings.spark is None or client is None:
        return None
    from server.gis.spark.runner import SparkOptions, SparkRunner  # as above

    kept = lake_results(settings)
    options = SparkOptions(settings.spark, _folder(settings), settings.spark_timeout, lake, kept)
    return SparkRunner(database.writer, registry, budget, options, database.owner, client)


def lake_cells(
    settings: Settings, database: Database, lake: LakeStorage, client: SparkClient | None
) -> CellsOfFiles | None:
    """The part that computes overviews of lake tables; None without a client."""
    if client is None:
        return None
    from server.gis.spark.cells import CellsOnSpark  # as above

    return CellsOnSpark(database.owner, client, _folder(settings), settings.spark_timeout, lake)


def _folder(settings: Settings) -> Path:
    return (settings.spark_folder or default_folder() / "rows").expanduser().absolute()
