"""Faults of Spark, worded for the user or the model."""

from __future__ import annotations

from server.gis.errors import GisError, InvalidQuestion


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
        super().__init__(
            f"{what} does not run on Spark: {why}. Ask for it without “on Spark”: PostGIS can do it."
        )
