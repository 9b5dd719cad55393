"""Gets PostgreSQL with PostGIS onto a machine that lacks it, from the system's own packages.

As root on Debian and Ubuntu apt installs it. Without root the packages are downloaded by apt into a folder of the
user and unpacked there. Everywhere else the error message says what to install."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from server.postgres.installation import Installation, find, server_majors, unpacked_environment
from server.postgres.problem import DatabaseProblem

Report = Callable[[str], None]

HOW_TO_GET_POSTGIS = """\
GeoAgent needs PostgreSQL with PostGIS and could not get it here{why}.
Do one of these, then start it again:
  Docker          docker compose up               (starts GeoAgent, too)
  Debian, Ubuntu  sudo apt-get install postgresql postgresql-postgis
  Fedora, RHEL    sudo dnf install postgresql-server postgresql-contrib postgis
  Arch            sudo pacman -S postgresql postgis
  openSUSE        sudo zypper install postgresql-server postgresql-contrib postgresql-postgis
  macOS           brew install postgresql postgis
  Windows         use WSL (wsl --install) or Docker
  conda           conda install -c conda-forge postgresql postgis
  your own        DATABASE_URL=postgresql://user:password@host/database, with the extension postgis"""

CLUSTER_SETTINGS = Path("/etc/postgresql-common/createcluster.conf")

NOT_UNPACKED = re.compile(
    r"(libc6|libc-bin|libcrypt1|gcc-.*|libgdal.*|libllvm.*|libsfcgal.*|perl.*|libperl.*|.*debconf.*|adduser|passwd"
    r"|postgresql-common.*|postgresql-client-common|ssl-cert|locales.*|tzdata.*|ucf|lsb-.*|dpkg|netbase|systemd.*"
    r"|init-system-helpers|sensible-utils|libpam-.*|krb5-locales|libsasl2-modules.*|logsave|media-types)"
)
"""Too deep in the system (libc), for programs that are not run here, or for the parts of PostGIS that are not used."""

NOT_KEPT = ("usr/share/doc", "usr/share/man", "usr/share/locale", "usr/lib/postgresql/*/lib/bitcode")


class PackagesMissing(DatabaseProblem):
    """There is no PostGIS and none could be installed; the message says what to do."""


def require(unpacked: Path, report: Report) -> Installation:
    """A PostgreSQL with PostGIS: the one that is there, else a new one. `unpacked` is where to unpack without root."""
    installation = find(unpacked)
    if installation is not None:
        return installation
    if not shutil.which("apt-get") or not shutil.which("dpkg-deb"):
        raise PackagesMissing(HOW_TO_GET_POSTGIS.format(why=""))
    try:
        if os.geteuid() == 0:
            report("Installing PostGIS by apt (only now; this can take a minute) ...")
            install()
        else:
            report(f"Unpacking PostGIS into {unpacked} (only now; this can take a minute) ...")
            unpack(unpacked)
    except (subprocess.CalledProcessError, OSError) as error:
        raise PackagesMissing(HOW_TO_GET_POSTGIS.format(why=f" ({_reason(error)})")) from error
    installation = find(unpacked)
    if installation is None:
        raise PackagesMissing(HOW_TO_GET_POSTGIS.format(why=" (the packages hold no PostGIS)"))
    return installation


def install() -> None:
    """Install by apt, as root. Where the configuration of clusters is not installed yet, the system's own cluster
    is not created, and the configuration is restored afterwards."""
    packages = [f"postgresql-{major}-postgis-3" for major in server_majors()[-1:]]
    if not packages or not _known(packages):
        _apt("update")
    if not packages or not _known(packages):
        packages = ["postgresql", "postgresql-postgis"]
    if CLUSTER_SETTINGS.exists():
        _apt("install", *packages)
        return
    _apt("install", "postgresql-common")
    before = CLUSTER_SETTINGS.read_text()
    CLUSTER_SETTINGS.write_text(before + "\ncreate_main_cluster = false\n")
    try:
        _apt("install", *packages)
    finally:
        CLUSTER_SETTINGS.write_text(before)


def unpack(target: Path) -> None:
    """Unpack the packages into a folder, without root. The folder is complete or does not exist."""
    target.parent.mkdir(parents=True, exist_ok=True)
    for left in target.parent.glob(f".{target.name}-*"):
        shutil.rmtree(left, ignore_errors=True)
    workshop = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    try:
        lists = _PrivateLists(workshop / "apt")
        lists.update()
        lists.download(lists.needed(), workshop / "archives")
        root = workshop / "root"
        for archive in sorted((workshop / "archives").glob("*.deb")):
            _run(["dpkg-deb", "-x", str(archive), str(root)])
        for unused in NOT_KEPT:
            for folder in root.glob(unused):
                shutil.rmtree(folder)
        _link_controls(root)
        _check_libraries(root)
        shutil.rmtree(target, ignore_errors=True)
        root.rename(target)
    finally:
        shutil.rmtree(workshop, ignore_errors=True)


class _PrivateLists:
    """apt with private lists and cache, so that it needs no root rights."""

    def __init__(self, folder: Path) -> None:
        (folder / "lists/partial").mkdir(parents=True)
        (folder / "cache/archives/partial").mkdir(parents=True)
        settings = {
            "Dir::State::lists": folder / "lists",
            "Dir::Cache": folder / "cache",
            "Debug::NoLocking": 1,
        }
        self._options = [part for name, value in settings.items() for part in ("-o", f"{name}={value}")]

    def update(self) -> None:
        _run(["apt-get", "-q", *self._options, "update"])

    def needed(self) -> list[str]:
        """PostgreSQL, PostGIS and the libraries of both, followed package by package."""
        server = re.search(r"Depends: postgresql-(\d+)\n", self._depends(["postgresql"]))
        if server is None:
            raise OSError("apt knows no package postgresql")
        wanted = {f"postgresql-{server[1]}", f"postgresql-{server[1]}-postgis-3"}
        found: set[str] = set()
        while wanted:
            found |= wanted
            wanted = set(_first_choices(self._depends(sorted(wanted)))) - found
        return sorted(found)

    def download(self, packages: Iterable[str], folder: Path) -> None:
        folder.mkdir()
        _run(["apt-get", "-q", *self._options, "download", *packages], cwd=folder)

    def _depends(self, packages: Iterable[str]) -> str:
        left_out = [f"--no-{kind}" for kind in _OTHER_RELATIONS]
        return _run(["apt-cache", *self._options, "depends", *left_out, *packages])


_OTHER_RELATIONS = ("recommends", "suggests", "conflicts", "breaks", "replaces", "enhances")


def _first_choices(listing: str) -> Iterable[str]:
    """The packages to take by the output of `apt-cache depends`: the first alternative or provider of each."""
    is_alternative = False
    virtual = False
    for line in listing.splitlines():
        entry = re.match(r"^ (\||\s)(?:Pre)?Depends: (<?)([^\s<>:]+)", line)
        if entry:
            takes_it = not is_alternative
            is_alternative = entry[1] == "|"
            virtual = takes_it and entry[2] == "<"
            name = entry[3] if takes_it and not virtual else None
        elif virtual and line.startswith("    "):
            name, virtual = line.strip(), False
        else:
            name = None
        if name and not NOT_UNPACKED.fullmatch(name):
            yield name


def _link_controls(root: Path) -> None:
    """What the packages' scripts would do: `postgis-3.control` is found as `postgis.control`."""
    for control in root.glob("usr/share/postgresql/*/extension/*-3.control"):
        link = control.with_name(control.name.replace("-3.control", ".control"))
        if not link.exists():
            link.symlink_to(control.name)


def _check_libraries(root: Path) -> None:
    programs = [
        *root.glob("usr/lib/postgresql/*/bin/postgres"),
        *root.glob("usr/lib/postgresql/*/lib/postgis-3.so"),
    ]
    if len(programs) < 2:
        raise OSError("the packages hold no PostGIS")
    for program in programs:
        libraries = _run(["ldd", str(program)], environment=unpacked_environment(root))
        missing = re.findall(r"(\S+) => not found", libraries)
        if missing:
            raise OSError(f"{program.name} lacks {', '.join(missing)}")


def _known(packages: Iterable[str]) -> bool:
    """Whether apt's lists have them, and the packages that the lists name are likely to be there still."""
    try:
        _run(["apt-cache", "show", "--no-all-versions", *packages])
    except subprocess.CalledProcessError:
        return False
    return True


def _apt(action: str, *packages: str) -> None:
    options = ["-y", "-q", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=300"]
    command = ["apt-get", *options, action, *packages]
    environment = {"DEBIAN_FRONTEND": "noninteractive"}
    try:
        _run(command, environment=environment)
    except subprocess.CalledProcessError:
        if action == "update":
            raise
        # Old lists name packages that no longer exist.
        _run(["apt-get", *options, "update"], environment=environment)
        _run(command, environment=environment)


def _run(command: list[str], cwd: Path | None = None, environment: Mapping[str, str] | None = None) -> str:
    done = subprocess.run(  # noqa: S603 - our own arguments
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=True,
        cwd=cwd,
        env={**os.environ, "LC_ALL": "C", **(environment or {})},
    )
    return done.stdout


def _reason(error: Exception) -> str:
    if isinstance(error, subprocess.CalledProcessError):
        lines = [line for line in str(error.stdout or "").splitlines() if line.startswith(("E:", "Err"))]
        return f"{' '.join(error.cmd[:2])}: {lines[-1] if lines else f'exit status {error.returncode}'}"
    return str(error)
