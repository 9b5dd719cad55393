"""Spark is asked for in words, set in one variable, and not imported otherwise."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import ValidationError

from agents.engine_words import asked_engine
from server.settings import Settings
from server.spark import jars
from server.spark.problem import SparkProblem


@pytest.mark.parametrize("ending", ["on Spark", " on spark.", ", on Apache Spark!", "(on Spark)"])
def test_on_spark_at_the_end_asks_for_spark(ending: str) -> None:
    assert asked_engine(f"count airports by country {ending}") == ("count airports by country", "spark")


@pytest.mark.parametrize(
    "ending", ["on both engines", ", verified", "and verify it on Spark.", ", verify", "by both engines"]
)
def test_verify_at_the_end_asks_for_both(ending: str) -> None:
    assert asked_engine(f"count airports by country {ending}") == ("count airports by country", "verify")


@pytest.mark.parametrize(
    "goal",
    [
        "fires near spark plug factories",
        "on spark",
        "who wrote on Sparkling water",
        "share of sightings that are verified",
        "show the verified",
    ],
)
def test_other_words_do_not(goal: str) -> None:
    assert asked_engine(goal) == (goal, None)


def test_the_address_is_that_of_spark_connect(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Settings(GEOAGENT_SPARK="sc://127.0.0.1:15002").spark == "sc://127.0.0.1:15002"  # type: ignore[call-arg]
    for wrong in ("spark://host:7077", "sc://host", "sc://host:1/;token=secret"):
        with pytest.raises(ValidationError, match="sc://"):
            Settings(GEOAGENT_SPARK=wrong)  # type: ignore[call-arg]


def test_the_server_imports_nothing_of_spark() -> None:
    code = "import server.app, sys; sys.exit(any(name.split('.')[0] in ('pyspark', 'grpc') for name in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_jar_that_is_not_what_it_should_be_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(SparkProblem, match="geoagent spark install"):
        jars.installed(tmp_path)
    good = jars.Jar("org.example", "thing", "1.0", hashlib.sha256(b"jar").hexdigest())
    monkeypatch.setattr(jars, "JARS", [good])
    (tmp_path / good.file_name).write_bytes(b"jar")
    assert jars.installed(tmp_path) == [tmp_path / "thing-1.0.jar"]
    (tmp_path / good.file_name).write_bytes(b"other")
    with pytest.raises(SparkProblem, match="SHA-256"):
        jars.installed(tmp_path)
