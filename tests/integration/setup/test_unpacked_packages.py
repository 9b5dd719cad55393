"""PostGIS without root, for real: an ordinary user unpacks the distribution's packages and runs a cluster of them."""

from __future__ import annotations

import fcntl
import os
import pwd
import shutil
import signal
import subprocess
import time
import traceback
from collections.abc import Callable
from pathlib import Path

import asyncpg
import pytest

from server.postgres import installation, packages
from server.postgres.cluster import PrivateCluster
from server.postgres.files import open_lock
from server.postgres.supervisor import Supervisor
from tests.support.postgis import run_apart, temporary_home

pytestmark = pytest.mark.skipif(
    not shutil.which("apt-get") or not shutil.which("dpkg-deb"), reason="not Debian or Ubuntu"
)
OFFLINE = 77
MAX_SECONDS = 300


def as_ordinary_user(work: Callable[[], None], log: Path) -> int:
    """Start `work` in a process of its own that is not root and finds no PostgreSQL of the system; its pid."""
    pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        os.setsid()
        if os.geteuid() == 0:
            nobody = pwd.getpwnam("nobody")
            os.setgroups([])
            os.setgid(nobody.pw_gid)
            os.setuid(nobody.pw_uid)
        installation.PLACES = ()
        os.environ["PATH"] = "/usr/bin:/bin"
        os.chdir("/")
        work()
        status = 0
    except subprocess.CalledProcessError as error:
        log.write_text(str(error.stdout))
        status = OFFLINE if "apt-get" in error.cmd[0] and "fetch" in str(error.stdout) else 1
    except BaseException:
        log.write_text(traceback.format_exc())
    finally:
        os._exit(status)


def test_an_ordinary_user_unpacks_and_runs_postgis() -> None:
    with temporary_home() as home:
        home.mkdir()
        home.chmod(0o777)
        target, log, cluster_home = home / "packages", home / "log", home / "postgres"
        status = ended(as_ordinary_user(lambda: packages.unpack(target), log))
        if status == OFFLINE:
            pytest.skip("the packages cannot be fetched here")
        assert status == 0, log.read_text()
        assert list(home.glob(".packages-*")) == [], "nothing half-made is left"

        pid = as_ordinary_user(lambda: keep(cluster_home, target), log)
        deadline = time.monotonic() + 60
        while not (cluster_home / "cluster.json").exists():
            assert not log.exists(), log.read_text()
            assert time.monotonic() < deadline
            time.sleep(0.05)
        run_apart(check(PrivateCluster(cluster_home).url("postgres"), target))
        os.kill(pid, signal.SIGTERM)
        assert ended(pid) == 0


def keep(home: Path, unpacked: Path) -> None:
    """A supervisor that stays although no server uses it."""
    home.mkdir()
    with open_lock(home / "users") as users:
        fcntl.flock(users, fcntl.LOCK_SH)
        Supervisor(home, unpacked, {}).run()


async def check(url: str, unpacked: Path) -> None:
    connection = await asyncpg.connect(url)
    for extension in ("postgis", "pg_trgm", "unaccent"):
        await connection.execute(f"CREATE EXTENSION {extension}")
    assert "LIBPROTOBUF" in await connection.fetchval("SELECT postgis_full_version()")
    metres = "SELECT ST_X(ST_Transform(ST_SetSRID(ST_MakePoint(500000, 0), 32633), 3857))"
    assert await connection.fetchval(metres) == pytest.approx(15 * 111319.49, abs=1), (
        "PROJ finds its database"
    )
    backend = await connection.fetchval("SELECT pg_backend_pid()")
    assert os.readlink(f"/proc/{backend}/exe").startswith(f"{unpacked}/")
    await connection.close()


def ended(pid: int) -> int:
    """The exit status of the process, which is killed if it runs for minutes."""
    deadline = time.monotonic() + MAX_SECONDS
    while not (found := os.waitpid(pid, os.WNOHANG))[0]:
        if time.monotonic() > deadline:
            os.killpg(pid, signal.SIGKILL)
            return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        time.sleep(0.05)
    return os.waitstatus_to_exitcode(found[1])


def test_a_machine_without_apt_is_told_what_to_do_on_every_system(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(installation, "PLACES", ())
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(packages.PackagesMissing) as refused:
        packages.require(tmp_path / "packages", lambda _: None)
    advice = str(refused.value)
    for word in ("docker compose up", "dnf", "brew", "Windows", "pacman", "conda-forge", "DATABASE_URL="):
        assert word in advice


def test_of_alternatives_and_virtual_packages_the_first_is_taken_and_libc_never() -> None:
    listing = """\
postgresql-15
 |Depends: liba
  Depends: liba-all
  PreDepends: libc6
  Depends: <virtual>
    first-provider
    second-provider
  Depends: libb
    libb-alternative
  Depends: libllvm14
"""
    assert list(packages._first_choices(listing)) == ["liba", "first-provider", "libb"]
