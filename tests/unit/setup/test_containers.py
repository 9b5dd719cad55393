"""The container files without a container engine: complete, pinned, unprivileged, and true to each other."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from server.settings import Settings
from server.spark.cluster import SEDONA_SETTINGS
from server.spark.jars import JARS

ROOT = Path(__file__).resolve().parents[3]
DOCKERFILE = (ROOT / "Dockerfile").read_text()


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    return loaded


def has_compose() -> bool:
    docker = shutil.which("docker")
    return (
        docker is not None
        and not subprocess.run([docker, "compose", "version"], capture_output=True).returncode
    )


@pytest.mark.skipif(not has_compose(), reason="there is no docker compose here")
def test_docker_compose_accepts_the_file() -> None:
    command = ["docker", "compose", "-f", str(ROOT / "docker-compose.yml"), "config", "--quiet"]
    assert subprocess.run(command, capture_output=True, text=True).stderr == ""


def test_the_database_is_a_pinned_postgis_that_keeps_its_data_and_tells_when_it_is_ready(
    compose: dict[str, Any],
) -> None:
    database = compose["services"]["database"]
    assert re.fullmatch(r"postgis/postgis:\d+-\d+\.\d+", database["image"])
    volume, path = database["volumes"][0].split(":")
    assert volume in compose["volumes"]
    assert path == "/var/lib/postgresql/data"
    assert database["healthcheck"]["test"][1] == "pg_isready"
    assert "ports" not in database, "only the server reaches it"
    assert compose["services"]["server"]["depends_on"]["database"] == {"condition": "service_healthy"}


def test_the_server_is_reached_from_this_machine_only_and_has_no_rights(compose: dict[str, Any]) -> None:
    server = compose["services"]["server"]
    assert server["ports"] == ["${HOST:-127.0.0.1}:${PORT:-8080}:8080"]
    assert server["read_only"]
    assert server["cap_drop"] == ["ALL"]
    user = re.search(r"^USER (\d+)$", DOCKERFILE, re.MULTILINE)
    assert user is not None
    assert int(user[1]) > 0


def test_compose_hands_over_settings_and_the_keys_and_addresses_of_all_providers(
    compose: dict[str, Any],
) -> None:
    names = {
        choice
        for field in Settings.model_fields.values()
        for choice in getattr(field.validation_alias, "choices", [field.validation_alias])
    }
    handed = set(compose["services"]["server"]["environment"])
    providers = json.loads((ROOT / "agents/models/providers.json").read_text())["providers"].values()
    of_providers = {each[name] for each in providers for name in ("key_env", "base_url_env") if name in each}
    assert handed - names == of_providers - names, "docs/extending.md#add-a-model-provider"
    assert set(re.findall(r"^\s+HOST=(\S+)", DOCKERFILE, re.MULTILINE)) == {"0.0.0.0"}


def test_every_base_image_has_a_version() -> None:
    images = re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE)
    stages = {"base"}
    assert len(images) == 4
    assert all(re.search(r":\d+(\.\d+)*-", image) for image in images if image not in stages)


def test_spark_has_a_master_two_workers_and_a_connect_server_that_only_containers_reach(
    compose: dict[str, Any],
) -> None:
    services = {name: each for name, each in compose["services"].items() if name.startswith("spark")}
    assert set(services) == {"spark-master", "spark-worker", "spark"}
    for each in services.values():
        assert each["profiles"] == ["spark"]
        assert each["build"]["target"] == "spark"
        assert "ports" not in each, "Spark Connect asks for no password"
        assert (each["cap_drop"], each["read_only"]) == (["ALL"], True)
        assert each["volumes"] == compose["services"]["server"]["volumes"], "the same paths everywhere"
    assert services["spark-worker"]["deploy"]["replicas"] == 2
    command = services["spark"]["command"]
    listed = command[command.index("--jars") + 1]
    assert [Path(each).name for each in listed.split(",")] == [jar.file_name for jar in JARS]
    given = dict(each.partition("=")[::2] for each in command if each.startswith("spark."))
    assert given.items() >= SEDONA_SETTINGS.items()
    assert {"spark.driver.host", "spark.ui.port"} <= given.keys(), "from which progress is read"


def test_the_default_image_is_that_of_the_server_alone(compose: dict[str, Any]) -> None:
    assert re.findall(r"^FROM \S+ AS (\w+)$", DOCKERFILE, re.MULTILINE)[-1] == "server"
    assert compose["services"]["server"]["build"]["target"] == "${GEOAGENT_IMAGE:-server}"


def test_the_server_starts_from_the_files_that_the_image_holds_and_no_others(tmp_path: Path) -> None:
    copied = re.findall(r"^COPY (\w+/) (\w+/)$", DOCKERFILE, re.MULTILINE)
    assert [source for source, _ in copied] == ["agents/", "migrations/", "server/"]
    allowed = (ROOT / ".dockerignore").read_text().splitlines()
    for source, target in copied:
        assert f"!{source}" in allowed
        shutil.copytree(ROOT / source, tmp_path / target, ignore=shutil.ignore_patterns("__pycache__"))
    command = re.search(r'^CMD \["python", (.+)\]$', DOCKERFILE, re.MULTILINE)
    assert command is not None
    arguments = [word.strip('" ') for word in command[1].split(",")]
    ran = subprocess.run(
        [sys.executable, "-B", *arguments, "--help"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    everything = "import server.app, server.samples.sources, migrations.versions; print(server.app.__file__)"
    ran = subprocess.run(
        [sys.executable, "-B", "-c", everything], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert ran.stdout.startswith(str(tmp_path)), ran.stderr


def test_the_health_check_is_python_that_compiles() -> None:
    check = re.search(r'CMD \["python", "-c", "(.+)"\]$', DOCKERFILE, re.MULTILINE)
    assert check is not None
    source = check[1].replace('\\"', '"')
    assert "/readyz" in source
    compile(source, "healthcheck", "exec")
