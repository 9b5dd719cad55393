"""The private PostgreSQL for real: made, shared, stopped, and killed in every way that a machine knows."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import asyncpg
import psutil
import pytest

from server.postgres import DatabaseProblem, ensure, packages, say
from server.postgres.cluster import PROJECT, PrivateCluster
from server.postgres.files import ClusterFailed
from server.postgres.homes import homes
from server.settings import Settings
from tests.support.children import kill, kill_all_in, leash, processes_in
from tests.support.looking import PATIENCE, until
from tests.support.postgis import temporary_home


@pytest.fixture(scope="module")
def made() -> Iterator[Path]:
    """A cluster that is made and stopped; tests copy it, which is faster than initdb."""
    packages.require(homes(None).unpacked, say)
    with temporary_home() as home:
        cluster = PrivateCluster(home)
        cluster.acquire()
        cluster.release()
        yield home


@pytest.fixture
def home(made: Path) -> Iterator[Path]:
    with temporary_home() as folder:
        copy(made, folder)
        yield folder


def copy(made: Path, home: Path) -> None:
    subprocess.run(["cp", "-a", str(made), str(home)], check=True)


async def ask(url: str, question: str = "SELECT 1") -> object:
    connection = await asyncpg.connect(url, timeout=PATIENCE)
    try:
        return await connection.fetchval(question)
    finally:
        await connection.close()


def head(home: Path) -> psutil.Process:
    return psutil.Process(int((home / "data/postmaster.pid").read_text().split()[0]))


def supervisor(home: Path) -> psutil.Process:
    parent = head(home).parent()
    assert parent is not None
    return parent


class User:
    """Another process that uses the cluster."""

    def __init__(self, home: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.cluster_user", str(home)],
            cwd=PROJECT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            preexec_fn=leash(),
        )

    def said(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def leave(self) -> int:
        self.process.communicate(timeout=PATIENCE)
        return self.process.returncode


async def gone(home: Path) -> bool:
    await until(lambda: not processes_in(home))
    return True


async def test_a_server_that_ends_while_others_run_does_not_wait(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every command beside a running server would take as much longer."""

    def sleep(seconds: float) -> None:
        raise AssertionError(f"it waits {seconds} s")

    staying, leaving = PrivateCluster(home), PrivateCluster(home)
    staying.acquire()
    url = leaving.acquire("postgres")
    with monkeypatch.context() as patched:
        patched.setattr(
            "server.postgres.cluster.time", SimpleNamespace(monotonic=time.monotonic, sleep=sleep)
        )
        leaving.release()
    assert await ask(url) == 1
    staying.release()
    assert await gone(home)


def test_it_runs_unprivileged_on_loopback_and_a_private_socket(home: Path) -> None:
    cluster = PrivateCluster(home)
    cluster.acquire()
    postgres = head(home)
    assert postgres.uids().effective != 0
    assert {connection.laddr.ip for connection in postgres.net_connections("tcp")} == {"127.0.0.1"}
    for private in ("data", "run"):
        assert (home / private).stat().st_mode & 0o777 == 0o700
        assert (home / private).stat().st_uid == postgres.uids().effective
    for secret in ("password", "cluster.json", "postgres.log", "users", "keeper"):
        assert (home / secret).stat().st_mode & 0o077 == 0
    assert postgres.environ().get("DATABASE_URL") is None
    cluster.release()


async def test_connections_without_the_password_are_refused_on_socket_and_port(home: Path) -> None:
    cluster = PrivateCluster(home)
    url = cluster.acquire("postgres")
    assert await ask(url, "SHOW password_encryption") == "scram-sha-256"
    port = int((home / "port").read_text())
    for host in (str(home / "run"), "127.0.0.1"):
        with pytest.raises(asyncpg.InvalidPasswordError):
            await asyncpg.connect(
                host=host, port=port, user="postgres", password="guess", database="postgres"
            )
    password = (home / "password").read_text()
    assert await ask(f"postgresql://postgres:{password}@127.0.0.1:{port}/postgres") == 1
    cluster.release()


async def test_it_stops_with_its_only_user_and_keeps_the_data(home: Path) -> None:
    cluster = PrivateCluster(home)
    first = cluster.acquire("postgres")
    await ask(first, "CREATE TABLE kept AS SELECT 1")
    cluster.release()
    assert not (home / "data/postmaster.pid").exists()
    assert await gone(home)
    assert cluster.acquire("postgres") == first, (
        "the port is kept, so that a person's own psql still finds it"
    )
    assert await ask(first, "SELECT count(*) FROM kept") == 1
    cluster.release()


async def test_ten_starts_at_once_share_one_postgresql(home: Path) -> None:
    clusters = [PrivateCluster(home) for _ in range(10)]
    with ThreadPoolExecutor(10) as threads:
        urls = set(threads.map(lambda cluster: cluster.acquire("postgres"), clusters))
    assert len(urls) == 1
    postgres = head(home)
    for cluster in clusters[:-1]:
        cluster.release()
    assert await ask(urls.pop()) == 1
    assert postgres.is_running()
    clusters[-1].release()
    assert await gone(home)


async def test_two_servers_make_a_cluster_together_and_the_last_stops_it() -> None:
    with temporary_home() as home:
        first, second = User(home), User(home)
        urls = {first.said(), second.said()}
        assert len(urls) == 1
        assert first.leave() == 0
        assert await ask(urls.pop()) == 1
        assert second.leave() == 0
        assert await gone(home / "postgres")


async def test_a_killed_server_takes_the_cluster_with_it_unless_another_uses_it(home: Path) -> None:
    shutil.move(home, home.parent / "postgres")
    first, second = User(home.parent), User(home.parent)
    url = first.said()
    assert second.said() == url
    first.process.kill()
    first.process.wait(30)
    await asyncio.sleep(0.5)
    assert await ask(url) == 1
    second.process.kill()
    second.process.wait(30)
    assert await gone(home.parent / "postgres")


async def test_ctrl_c_in_the_terminal_reaches_the_server_first(home: Path) -> None:
    cluster = PrivateCluster(home)
    url = cluster.acquire("postgres")
    assert os.getsid(head(home).pid) != os.getsid(0)
    supervisor(home).send_signal(signal.SIGHUP)
    await asyncio.sleep(0.2)
    assert await ask(url) == 1
    cluster.release()


async def answered(url: str, query: str) -> object:
    """The answer to a query, once PostgreSQL can be reached."""
    while True:
        try:
            return await ask(url, query)
        except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
            await asyncio.sleep(0.05)


async def test_a_killed_postgresql_comes_back_with_what_was_committed(home: Path) -> None:
    cluster = PrivateCluster(home)
    url = cluster.acquire("postgres")
    await ask(url, "CREATE TABLE committed AS SELECT 42 AS answer")
    busy = await asyncpg.connect(url)
    sleeping = asyncio.create_task(busy.execute("SELECT pg_sleep(60)"))
    await until(lambda: ask(url, "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'"))
    killed = head(home)
    kill(killed)
    assert await asyncio.wait_for(answered(url, "SELECT answer FROM committed"), PATIENCE) == 42
    assert head(home).pid != killed.pid
    with pytest.raises((OSError, asyncpg.PostgresError, asyncpg.InterfaceError)):
        await sleeping
    cluster.release()
    assert await gone(home)


async def test_a_killed_supervisor_is_replaced(home: Path) -> None:
    cluster = PrivateCluster(home)
    url = cluster.acquire("postgres")
    kill(supervisor(home))
    await until(cluster.revive)
    assert await ask(url) == 1
    assert cluster.revive() is False
    cluster.release()
    assert await gone(home)


async def test_a_running_server_replaces_a_killed_supervisor_by_itself(home: Path) -> None:
    shutil.move(home, home.parent / "postgres")
    home = home.parent / "postgres"
    user = User(home.parent)
    url = user.said()
    kill(supervisor(home), head(home))
    assert await asyncio.wait_for(answered(url, "SELECT 1"), PATIENCE) == 1
    assert user.leave() == 0
    assert await gone(home)


@pytest.mark.parametrize("stranger", ["living", "dead"])
async def test_a_pid_file_left_by_a_power_cut_does_not_matter(home: Path, stranger: str) -> None:
    cluster = PrivateCluster(home)
    url = cluster.acquire("postgres")
    left = (home / "data/postmaster.pid").read_text()
    victims = [supervisor(home), *processes_in(home)]
    kill(*victims)
    cluster.release()
    assert await gone(home)
    pid = os.getpid() if stranger == "living" else victims[0].pid
    (home / "data/postmaster.pid").write_text(left.replace(left.split("\n")[0], str(pid), 1))
    lock = home / "run" / f".s.PGSQL.{(home / 'port').read_text()}.lock"
    lock.write_text(f"{pid}\n")
    again = PrivateCluster(home)
    assert again.acquire("postgres") == url
    assert await ask(url) == 1
    again.release()


async def test_a_postgresql_without_supervisor_and_servers_is_stopped_and_restarted(home: Path) -> None:
    cluster = PrivateCluster(home)
    url = cluster.acquire("postgres")
    orphan = head(home)
    kill(supervisor(home))
    cluster.release()
    again = PrivateCluster(home)
    assert again.acquire("postgres") == url
    assert not orphan.is_running() or orphan.status() == psutil.STATUS_ZOMBIE
    assert await ask(url) == 1
    again.release()


async def test_a_start_killed_in_the_middle_of_making_the_cluster_is_made_good_by_the_next() -> None:
    with temporary_home() as home:
        user = User(home)
        await until(lambda: any((home / "postgres").glob("initdb-*/data/global")))
        kill_all_in(home / "postgres")
        user.process.kill()
        user.process.wait(30)
        assert not (home / "postgres/data").exists()
        next_user = User(home)
        assert await ask(next_user.said()) == 1
        assert not list((home / "postgres").glob("initdb-*"))
        assert next_user.leave() == 0


async def test_a_data_folder_without_a_cluster_in_it_is_set_aside_not_deleted() -> None:
    with temporary_home() as home:
        (home / "data").mkdir(parents=True)
        (home / "data/precious").write_text("?")
        cluster = PrivateCluster(home)
        assert await ask(cluster.acquire("postgres")) == 1
        cluster.release()
        assert [path.read_text() for path in home.glob("data-incomplete-*/precious")] == ["?"]


async def test_another_port_is_taken_where_the_last_one_is_in_use(home: Path) -> None:
    with socket.socket() as stranger:
        stranger.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        stranger.bind(("127.0.0.1", int((home / "port").read_text())))
        stranger.listen()
        cluster = PrivateCluster(home)
        url = cluster.acquire("postgres")
        assert f"port={stranger.getsockname()[1]}" not in url
        assert await ask(url) == 1
        cluster.release()


def test_data_of_another_major_version_stops_the_start_with_advice(home: Path) -> None:
    (home / "data/PG_VERSION").write_text("9\n")
    with pytest.raises(ClusterFailed, match=r"made by PostgreSQL 9, .*pg_upgrade"):
        PrivateCluster(home).acquire()


def test_a_start_that_fails_says_what_postgresql_said(home: Path) -> None:
    cluster = PrivateCluster(home, configuration={"shared_buffers": "plenty"})
    with pytest.raises(ClusterFailed, match='invalid value for parameter "shared_buffers"'):
        cluster.acquire()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root starts PostgreSQL as somebody else")
def test_a_home_that_postgresqls_user_cannot_enter_is_named(tmp_path: Path) -> None:
    with pytest.raises(ClusterFailed, match=r"cannot enter .*GEOAGENT_HOME"):
        PrivateCluster(tmp_path / "closed").acquire()


async def test_a_home_that_cannot_be_made_is_named() -> None:
    with pytest.raises(DatabaseProblem, match=r"/proc/nowhere.* GEOAGENT_HOME"):
        async with ensure(Settings(home=Path("/proc/nowhere"))):
            pass


async def test_a_home_with_a_very_long_path_gets_its_socket_elsewhere(made: Path) -> None:
    with temporary_home() as folder:
        home = folder / ("long" * 30) / "home"
        home.parent.mkdir(parents=True)
        await asyncio.to_thread(copy, made, home)
        cluster = PrivateCluster(home)
        url = cluster.acquire("postgres")
        assert await ask(url) == 1
        sockets = str(await ask(url, "SHOW unix_socket_directories"))
        assert len(sockets) < 40
        cluster.release()
        assert not os.path.exists(sockets)  # noqa: ASYNC240 - a look at a local folder
