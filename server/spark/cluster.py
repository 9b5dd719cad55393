"""A Spark on the loopback of this machine: a master, workers, and a Spark Connect server as child processes.

For one machine and for tests. `LocalCluster` owns its processes: each is the head of a process group (a worker's
executors are in its group), and leaving the block ends all of them. Where the parent is killed, Linux ends them."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from server.spark.jars import default_folder, installed
from server.spark.problem import SparkProblem

HOST = "127.0.0.1"
START_SECONDS = 90.0
END_SECONDS = 5.0
DRIVER = str(Path(__file__).with_name("driver.py"))
PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None
"""Loaded before any fork: a forked child of a process with threads must not load libraries."""
_ATTEMPTS = 3
"""Attempts to start the Connect server, because another process may take its free port in between."""
_SMALL_JVM = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""Options of the master and the workers, which compute nothing themselves: they start sooner and take less memory."""


SEDONA_SETTINGS: Mapping[str, str] = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.extensions": "org.apache.sedona.sql.SedonaSqlExtensions",
    "spark.serializer": "org.apache.spark.serializer.KryoSerializer",
    "spark.kryo.registrator": "org.apache.sedona.core.serde.SedonaKryoRegistrator",
}
"""What GeoAgent needs of a Spark Connect server; docker-compose.yml names them, too."""


@dataclass(frozen=True)
class ClusterSize:
    """Megabytes are heap sizes; a JVM needs about 300 MB in addition to its heap."""

    workers: int = 2
    cores: int = 1
    """Processor cores of each worker."""
    worker_megabytes: int = 768
    driver_megabytes: int = 768


class LocalCluster:
    """`with LocalCluster(...) as cluster`: then `cluster.url` is what GEOAGENT_SPARK takes. Raises SparkProblem."""

    def __init__(
        self,
        size: ClusterSize | None = None,
        jars: Path | None = None,
        port: int = 0,
        settings: Mapping[str, str] | None = None,
    ) -> None:
        """`port` is of the Connect server, 0 for a free one. `settings` are further ones of Spark."""
        self._size = size or ClusterSize()
        self._jars = jars or default_folder()
        self._port = port
        self._settings = dict(settings or {})
        self._home = _spark_home()
        self._folder = Path()
        self.processes: list[subprocess.Popen[bytes]] = []
        """The master, the workers, and the Connect server last."""
        self.url = ""

    def __enter__(self) -> Self:
        if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
            raise SparkProblem(
                "Spark needs Java 17 (Debian and Ubuntu: apt install openjdk-17-jre-headless)."
            )
        jars = installed(self._jars)
        self._folder = Path(tempfile.mkdtemp(prefix=f"geoagent-spark-{os.getpid()}-"))
        try:
            self._start(jars)
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """End all processes, the last one first; kill those that do not end in time."""
        _end(self.processes)
        self.processes.clear()
        shutil.rmtree(self._folder, ignore_errors=True)

    def wait(self) -> None:
        """Wait until one of the processes ends. Raises SparkProblem, because none should."""
        while all(process.poll() is None for process in self.processes):
            time.sleep(0.5)
        raise SparkProblem("A process of Spark has ended.")

    def _start(self, jars: list[Path]) -> None:
        daemon = {
            "SPARK_DAEMON_MEMORY": "256m",
            "SPARK_DAEMON_JAVA_OPTS": _SMALL_JVM,
            "SPARK_LOCAL_IP": HOST,
            "SPARK_WORKER_DIR": str(self._folder / "work"),
        }
        master_log = self._launch(
            "master",
            [
                self._spark_class,
                "org.apache.spark.deploy.master.Master",
                "--host",
                HOST,
                "--port",
                "0",
                "--webui-port",
                "0",
            ],
            daemon,
        )
        master = self._awaited(master_log, r"Starting Spark master at (spark://\S+)")
        logs = [
            self._launch(f"worker{number}", self._worker(master), daemon)
            for number in range(self._size.workers)
        ]
        for log in logs:
            self._awaited(log, r"(Successfully registered with master)")
        for attempt in range(_ATTEMPTS):
            port = self._port or _free_port()
            driver = {**daemon, "PYSPARK_SUBMIT_ARGS": shlex.join(self._submitted(master, jars))}
            python = [sys.executable, "-P", DRIVER, HOST, str(port)]
            log = self._launch(f"connect{attempt}", python, driver)
            try:
                self._answering(log, port)
            except SparkProblem:
                taken = "BindException" in log.read_text(errors="replace")
                if self._port or not taken or attempt + 1 == _ATTEMPTS:
                    raise
                _end([self.processes.pop()])
                continue
            self.url = f"sc://{HOST}:{port}"
            return

    @property
    def _spark_class(self) -> str:
        return str(self._home / "bin" / "spark-class")

    def _worker(self, master: str) -> list[str]:
        # What a worker offers must hold its executor's heap and what Spark adds to it.
        offered = self._size.worker_megabytes + 512
        command = [
            self._spark_class,
            "org.apache.spark.deploy.worker.Worker",
            "--host",
            HOST,
            "--port",
            "0",
            "--webui-port",
            "0",
        ]
        return [*command, "--cores", str(self._size.cores), "--memory", f"{offered}m", master]

    def _submitted(self, master: str, jars: list[Path]) -> list[str]:
        listed = ",".join(map(str, jars))
        path = os.pathsep.join(map(str, jars))
        settings = {
            "spark.driver.host": HOST,
            "spark.driver.bindAddress": HOST,
            "spark.driver.extraClassPath": path,
            "spark.executor.extraClassPath": path,
            "spark.executor.memory": f"{self._size.worker_megabytes}m",
            "spark.executor.cores": str(self._size.cores),
            "spark.cores.max": str(self._size.cores * self._size.workers),
            "spark.ui.port": str(_free_port()),
            "spark.ui.showConsoleProgress": "false",
            "spark.local.dir": str(self._folder),
            "spark.sql.warehouse.dir": str(self._folder / "warehouse"),
            **SEDONA_SETTINGS,
            "spark.sql.shuffle.partitions": str(4 * self._size.cores * self._size.workers),
            **self._settings,
        }
        given = ["--master", master, "--driver-memory", f"{self._size.driver_megabytes}m", "--jars", listed]
        for name, value in settings.items():
            given += ["--conf", f"{name}={value}"]
        return [*given, "pyspark-shell"]

    def _launch(self, name: str, command: list[str], environment: Mapping[str, str]) -> Path:
        log = self._folder / f"{name}.log"
        with log.open("wb") as output:
            process = subprocess.Popen(  # noqa: S603 - our own arguments
                command,
                env={**os.environ, "SPARK_HOME": str(self._home), **environment},
                cwd=self._folder,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=_end_with_parent,
            )
        self.processes.append(process)
        return log

    def _answering(self, log: Path, port: int) -> None:
        """Return once the port accepts connections: this process has no logger. Raises SparkProblem."""
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and self.processes[-1].poll() is None:
            if "Exception in thread" in log.read_text(errors="replace"):
                break
            with suppress(OSError), socket.create_connection((HOST, port), timeout=1.0):
                return
            time.sleep(0.1)
        raise _not_started(log)

    def _awaited(self, log: Path, pattern: str) -> str:
        """What the pattern finds in the log, once it is there. Raises SparkProblem with the log's last errors."""
        deadline = time.monotonic() + START_SECONDS
        process = self.processes[-1]
        while time.monotonic() < deadline:
            text = log.read_text(errors="replace")
            if found := re.search(pattern, text):
                return found[1]
            if process.poll() is not None:
                break
            time.sleep(0.1)
        raise _not_started(log)


def _not_started(log: Path) -> SparkProblem:
    lines = log.read_text(errors="replace").splitlines()
    errors = [line for line in lines if "ERROR" in line or "Exception" in line] or lines[-1:]
    return SparkProblem(
        f"Spark did not start ({log.stem}): {' '.join(errors[:2])[:600] or 'its log is empty'}"
    )


def _spark_home() -> Path:
    found = importlib.util.find_spec("pyspark")
    if found is None or found.origin is None:
        raise SparkProblem('Spark is not installed. Install it with: pip install "geoagent[spark]"')
    return Path(found.origin).parent


def _free_port() -> int:
    with socket.socket() as free:
        free.bind((HOST, 0))
        return int(free.getsockname()[1])


def _end_with_parent() -> None:
    if _LIBC is not None:
        _LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def _signal_group(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    """Send a signal to the process and those that it started, also where it has ended itself."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


def _end(processes: Sequence[subprocess.Popen[bytes]]) -> None:
    for process in reversed(processes):
        _signal_group(process, signal.SIGTERM)
    deadline = time.monotonic() + END_SECONDS
    for process in processes:
        with suppress(subprocess.TimeoutExpired):
            process.wait(max(0.0, deadline - time.monotonic()))
        _signal_group(process, signal.SIGKILL)
        process.wait()
