"""The engine that the settings name, for `server.app`."""

from __future__ import annotations

from importlib.util import find_spec

from server.database.engines import Database
from server.gis.analysis.budget import Budget
from server.gis.analysis.engines import SecondEngine
from server.gis.catalog.registry import Registry
from server.gis.lake.results import LakeResults
from server.gis.lake.storage import LakeStorage
from server.settings import Settings
from server.spark.jars import default_folder
from server.spark.problem import SparkProblem


def lake_results(settings: Settings) -> LakeResults | None:
    """Where large results are kept; None without GEOAGENT_LAKE_RESULTS."""
    if settings.lake_results is None:
        return None
    return LakeResults(settings.lake_results.expanduser().absolute(), int(settings.lake_space * 1e6))


def spark_runner(
    settings: Settings, database: Database, registry: Registry, budget: Budget, lake: LakeStorage
) -> SecondEngine | None:
    """None without GEOAGENT_SPARK; Spark is not imported then. Raises SparkProblem."""
    if settings.spark is None:
        return None
    if find_spec("pyspark") is None:
        raise SparkProblem('GEOAGENT_SPARK is set, and pyspark is missing: pip install "geoagent[spark]"')
    from server.gis.spark.runner import SparkOptions, SparkRunner  # pyspark is large, and few servers use it

    folder = settings.spark_folder or default_folder() / "rows"
    kept = lake_results(settings)
    options = SparkOptions(settings.spark, folder.expanduser().absolute(), settings.spark_timeout, lake, kept)
    return SparkRunner(database.writer, registry, budget, options, database.owner)
