"""What a round of chaos plays in: a PostgreSQL of its own, servers that may be killed, and a spool for uploads, on
small disks of their own where this system lets us mount them."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from pathlib import Path

import aiohttp
import asyncpg
import psutil
import socketio

from tests.support.children import temporary_folder
from tests.support.ports import reserved_port
from tests.support.postgis import Postgis
from tests.support.postmaster import Postmaster
from tests.support.server import Child

ATTACKER, STRANGER, REGULAR = "127.0.0.66", "127.0.0.9", "127.0.0.10"
CUT_OFF = (TimeoutError, OSError, aiohttp.ClientError, socketio.exceptions.SocketIOError)
"""What the network does to people whose server goes away or lets them go."""
EXPECTED = (AssertionError, *CUT_OFF)
"""What people live with who are refused, put off or cut off."""
DATABASE_DISK_MB = 700
ROW_BYTES = 500
"""Of the large table with its indexes, the log and a sort, amply."""
SPOOL_DISK_MB = 256
ZIGZAG_VERTICES = 120_000

TABLES = """
    CREATE TABLE data.many AS
    SELECT n::integer AS id, (n % 9973)::integer AS v, 'row ' || n AS name,
        ST_SetSRID(ST_MakePoint((n * 37 % 12000) / 100.0 - 60, (n * 53 % 12000) / 100.0 - 60), 4326)
            ::geometry(Point, 4326) AS geom
    FROM generate_series(1, {rows}) AS n;
    ALTER TABLE data.many ADD PRIMARY KEY (id);
    CREATE INDEX ON data.many USING gist (geom);
    CREATE TABLE data.zigzag AS
    SELECT 1 AS id, ST_SetSRID(ST_MakePolygon(ST_MakeLine(corner ORDER BY n)), 4326)::geometry(Polygon, 4326) AS geom
    FROM (
        SELECT n, CASE
            WHEN n >= {vertices} THEN ST_MakePoint(-10, 40)
            ELSE ST_MakePoint(-10 + 20.0 * n / {vertices}, 40 + (n % 2) * 10 + n * 0.00001) END AS corner
        FROM generate_series(0, {vertices}) AS n
    ) AS corners;
    ALTER TABLE data.zigzag ADD PRIMARY KEY (id);
    ANALYZE;
"""


class World:
    """Two servers on one database. `spool` is where they keep files that pass through."""

    def __init__(self, home: Path, rows: int, is_mounted: bool, ports: Sequence[int]) -> None:
        self.is_mounted = is_mounted
        self.spool = home / "spool"
        self.disk = home / "disk"
        self.servers: list[Child] = []
        self.postmaster = Postmaster(self.disk, ports[0], max_wal_size="128MB")
        self.url = ""
        self._rows = rows
        self._ports = ports[1:]

    async def start(self) -> None:
        await asyncio.to_thread(self.postmaster.start)
        postgis = Postgis(self.postmaster)
        self.url = postgis.url(await asyncio.to_thread(postgis.create))
        await self.start_server(0)
        async with self.looking() as database:
            await database.execute(TABLES.format(rows=self._rows, vertices=ZIGZAG_VERTICES))
        await self.start_server(1)

    async def stop(self) -> None:
        for server in self.servers:
            with suppress(ProcessLookupError):
                server.process.send_signal(signal.SIGCONT)
            await server.kill()
        await asyncio.to_thread(self.postmaster.stop)

    async def start_server(self, place: int) -> None:
        """Start the first (0) or second (1) server, at the same port as before."""
        environment = {"GEOAGENT_RATE": "1", "GEOAGENT_SAMPLES": "true", "TMPDIR": str(self.spool)}
        server = await Child.start(self.url, environment, self._ports[place])
        self.servers[place : place + 1] = [server]

    @asynccontextmanager
    async def looking(self) -> AsyncIterator[asyncpg.Connection]:
        """A connection that looks at what the servers do."""
        connection = await asyncpg.connect(self.url, server_settings={"application_name": "chaos"})
        try:
            yield connection
        finally:
            await connection.close()

    def processes(self) -> list[psutil.Process]:
        """Of PostgreSQL, its main process last."""
        main = psutil.Process(self.postmaster.pid)
        return [*main.children(recursive=True), main]

    def memory(self) -> int:
        """Bytes that the servers and all that they started hold."""
        found = 0
        for server in self.servers:
            with suppress(psutil.Error):
                main = psutil.Process(server.process.pid)
                found += sum(each.memory_info().rss for each in (main, *main.children(recursive=True)))
        return found

    @contextmanager
    def full(self, disk: Path) -> Iterator[Callable[[], None]]:
        """No byte more fits onto this disk; what is yielded fills what others have freed."""
        ballast = disk / "ballast"

        def fill() -> None:
            with suppress(OSError), ballast.open("ab", buffering=0) as file:
                while True:
                    file.write(b"\0" * 4096)

        fill()
        try:
            yield fill
        finally:
            ballast.unlink()


@asynccontextmanager
async def a_world(rows: int) -> AsyncIterator[World]:
    """It is stopped, and its disks are gone, afterwards."""
    unmount_left()
    with (
        temporary_folder("chaos") as home,
        disks(home, rows * ROW_BYTES // 2**20) as is_mounted,
        ExitStack() as reserved,
    ):
        ports = [reserved.enter_context(reserved_port()) for _ in range(3)]
        world = World(home, rows, is_mounted, ports)
        try:
            await world.start()
            yield world
        finally:
            await world.stop()


@contextmanager
def disks(home: Path, data_mb: int) -> Iterator[bool]:
    """`home/disk` and `home/spool`, each a small disk of its own where we may mount; whether we may."""
    sizes = {home / "disk": DATABASE_DISK_MB + data_mb, home / "spool": SPOOL_DISK_MB}
    for folder in sizes:
        folder.mkdir()
    mounted = [folder for folder, size in sizes.items() if mount(folder, size)]
    for folder in sizes:
        folder.chmod(0o755)
    try:
        yield len(mounted) == len(sizes)
    finally:
        for folder in mounted:
            subprocess.run(["umount", "--lazy", str(folder)], check=False)


def unmount_left() -> None:
    """The disks of a run that was killed: a folder with a mounted disk cannot be removed."""
    with suppress(FileNotFoundError):
        for mounted in Path("/proc/mounts").read_text().splitlines():
            folder = Path(mounted.split()[1])
            maker = re.fullmatch(r"geoagent-chaos-(\d+)-\w+", folder.parent.name)
            if maker is not None and not psutil.pid_exists(int(maker[1])):
                subprocess.run(["umount", "--lazy", str(folder)], check=False)


def mount(folder: Path, size_mb: int) -> bool:
    if os.geteuid() != 0:
        return False
    command = ["mount", "-t", "tmpfs", "-o", f"size={size_mb}m", "tmpfs", str(folder)]
    return subprocess.run(command, check=False, capture_output=True).returncode == 0
