"""The jars that Spark needs besides those of the `pyspark` package: which, in which version, with which contents.

They are fetched by Maven into a folder of GeoAgent's own and used only if their SHA-256 is the one written here."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from server.gis.spark.names import SEDONA
from server.spark.problem import SparkProblem

FETCH_SECONDS = 240.0
"""Time for Maven to fetch one jar."""


@dataclass(frozen=True)
class Jar:
    """One artifact of Maven Central. `sha256` is of the jar file."""

    group: str
    artifact: str
    version: str
    sha256: str

    @property
    def coordinates(self) -> str:
        """As Maven and `spark.jars.packages` write it: `group:artifact:version`."""
        return f"{self.group}:{self.artifact}:{self.version}"

    @property
    def file_name(self) -> str:
        return f"{self.artifact}-{self.version}.jar"

    @property
    def place(self) -> Path:
        """Where Maven puts it, below its local repository."""
        return Path(*self.group.split("."), self.artifact, self.version, self.file_name)


JARS: Sequence[Jar] = (
    Jar(
        "org.apache.sedona",
        "sedona-spark-shaded-3.5_2.12",
        SEDONA,
        "2d0949883caff802818060ebab455698161a46b9f94fea4c8cfc898be5284894",
    ),
    Jar(
        "org.datasyslab",
        "geotools-wrapper",
        "1.7.1-28.5",
        "953ec6175e4d619ec714d3422732f9b887eddd532476405065f8a7470fb6b4cd",
    ),
    Jar(
        "org.apache.spark",
        "spark-connect_2.12",
        "3.5.5",
        "ad64f1d0ab7ca629ff47e208cb122a3cea8a24d96c85e0873c355112315f6668",
    ),
)


def default_folder() -> Path:
    """`GEOAGENT_HOME/spark` where that is set, else a folder of the user's cache."""
    if home := os.environ.get("GEOAGENT_HOME"):
        return Path(home).expanduser().absolute() / "spark"
    cache = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(cache) if cache.startswith("/") else Path.home() / ".cache") / "geoagent" / "spark"


def installed(folder: Path) -> list[Path]:
    """The jars in the folder. Raises SparkProblem where one is missing or is not what it should be."""
    found = []
    for jar in JARS:
        file = folder / jar.file_name
        if not file.is_file():
            raise SparkProblem(f"{file} is missing. Fetch it with: geoagent spark install --jars {folder}")
        if _sha256(file) != jar.sha256:
            raise SparkProblem(f"{file} is not {jar.coordinates}: its SHA-256 is another one. Remove it.")
        found.append(file)
    return found


def install(folder: Path, report: Callable[[str], None]) -> list[Path]:
    """Fetch what is missing, check all of it, and return the jars. Raises SparkProblem."""
    folder.mkdir(parents=True, exist_ok=True)
    for jar in JARS:
        file = folder / jar.file_name
        if file.is_file() and _sha256(file) == jar.sha256:
            continue
        report(f"Fetching {jar.coordinates} ...")
        _fetch(jar, folder, file)
    return installed(folder)


def _fetch(jar: Jar, folder: Path, file: Path) -> None:
    maven = shutil.which("mvn")
    if maven is None:
        raise SparkProblem(
            "Maven is needed to fetch Sedona (Debian and Ubuntu: apt install maven). Or put these jars of Maven "
            f"Central into {folder} yourself: {', '.join(each.coordinates for each in JARS)}."
        )
    repository = folder / "maven"
    command = [maven, "-q", "-B", f"-Dmaven.repo.local={repository}", "dependency:get", "-Dtransitive=false"]
    try:
        ran = subprocess.run(  # noqa: S603 - coordinates are written above
            [*command, f"-Dartifact={jar.coordinates}"],
            capture_output=True,
            text=True,
            check=False,
            timeout=FETCH_SECONDS,
        )
    except subprocess.TimeoutExpired:
        raise SparkProblem(f"Maven took longer than {FETCH_SECONDS:.0f} s for {jar.coordinates}.") from None
    fetched = repository / jar.place
    if ran.returncode or not fetched.is_file():
        output = (ran.stdout + ran.stderr).strip().splitlines()
        raise SparkProblem(
            f"Maven could not fetch {jar.coordinates}: {output[0][:300] if output else 'no reason'}"
        )
    if (is_now := _sha256(fetched)) != jar.sha256:
        fetched.unlink()
        raise SparkProblem(
            f"{jar.coordinates} arrived with SHA-256 {is_now}, expected {jar.sha256}; it was removed."
        )
    fetched.replace(file)


def _sha256(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
