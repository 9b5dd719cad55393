"""The database schema that this version works with, read from the headers of `migrations/versions` without Alembic,
whose import would delay every start.

A migration with `additive = True` leaves servers of the revision before it working. After migrating, a server records
the oldest revision that can use the schema; servers from that one on stay ready while a newer version is rolled out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import migrations

_REVISION = re.compile(r'^revision = "(\w+)"$', re.MULTILINE)
_PREVIOUS = re.compile(r'^down_revision = "(\w+)"$', re.MULTILINE)
_ADDITIVE = re.compile(r"^additive = True$", re.MULTILINE)


@dataclass(frozen=True)
class Schema:
    """A database's schema: its revision, and the oldest one whose servers can use it; None where not recorded."""

    revision: str | None
    oldest: str | None = None


@dataclass(frozen=True)
class Migration:
    """A migration file: its revision, the one before it, and whether older servers can use the schema."""

    revision: str
    previous: str | None
    additive: bool


@cache
def known_migrations() -> dict[str, Migration]:
    """The migrations of this version, by revision."""
    files = (Path(migrations.__file__).parent / "versions").glob("[0-9]*.py")
    found = [_migration(file.read_text(encoding="utf-8")) for file in files]
    return {migration.revision: migration for migration in found}


@cache
def newest_revision() -> str:
    """The revision that no other one builds on."""
    known = known_migrations()
    (newest,) = known.keys() - {migration.previous for migration in known.values()}
    return newest


@cache
def oldest_compatible_revision() -> str:
    """The oldest revision whose servers can work on the newest schema."""
    known = known_migrations()
    revision = newest_revision()
    while known[revision].additive and (previous := known[revision].previous) is not None:
        revision = previous
    return revision


def works_with(schema: Schema) -> bool:
    """Whether this version can serve on the schema: its own, or a newer one that is compatible."""
    if schema.revision in known_migrations():
        return schema.revision == newest_revision()
    return schema.oldest in known_migrations()


def _migration(source: str) -> Migration:
    revision, previous = _REVISION.search(source), _PREVIOUS.search(source)
    assert revision is not None, "a migration without a revision"  # noqa: S101
    return Migration(revision[1], previous[1] if previous else None, _ADDITIVE.search(source) is not None)
