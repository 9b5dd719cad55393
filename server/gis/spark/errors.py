"""Faults of Spark, worded for the user or the model."""

from __future__ import annotations

from server.gis.errors import GisError, InvalidQuestion
from server.gis.spark.fault_texts import NOT_THERE


class SparkUnavailable(GisError):
    """Spark cannot be reached, or its driver went away. Nothing of the step is left."""

    code = "unavailable"


class SparkNeeded(SparkUnavailable):
    """Work in the background made way for a step that someone waits for."""


class SparkFailed(GisError):
    """Spark could not compute a step."""

    code = "internal"


class NotOnSpark(InvalidQuestion):
    """An operation, or a form of it, that only PostGIS can do."""

    def __init__(self, what: str, why: str) -> None:
        super().__init__(NOT_THERE(what=what, why=why))
