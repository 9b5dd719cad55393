"""What keeps Spark from being installed or started, in words for the person at the terminal."""

from __future__ import annotations


class SparkProblem(Exception):
    """Its text says what is wrong and what to do."""
