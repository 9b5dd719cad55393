"""The engine that the settings name, for `server.app`."""

from __future__ import annotations

from importlib.util import find_spec

from server.database.engines import Database
from server.gis.analysis.budget import Budget
from server.gis.analysis.engines import SecondEngine
from server.gis.catalog.registry import Registry
from server.settings import Settings
from server.spark.jars import default_folder
from server.spark.problem import SparkProblem


def spark_runner(
    settings: Settings, database: Database, registry: Registry, budget: Budget
) -> SecondEngine | None:
    """None without GEOAGENT_SPARK; then nothing of Spark is imported. Raises SparkProblem."""
    if settings.spark is None:
        return None
    if find_spec("pyspark") is None:
        raise SparkProblem('GEOAGENT_SPARK is set, and pyspark is missing: pip install "geoagent[spark]"')
    from server.gis.spark.runner import SparkOptions, SparkRunner  # pyspark is large, and few servers use it

    folder = settings.spark_folder or default_folder() / "rows"
    options = SparkOptions(settings.spark, folder.expanduser().absolute(), settings.spark_timeout)
    return SparkRunner(database.writer, registry, budget, options, database.owner)
