"""The files of migrations are named in the order in which they run."""

from __future__ import annotations

from pathlib import Path

from server.database.schema_version import known_migrations

VERSIONS = Path(__file__).resolve().parents[3] / "migrations" / "versions"


def test_the_files_sort_in_the_order_of_their_revisions() -> None:
    following = {migration.previous: migration.revision for migration in known_migrations().values()}
    order, revision = [], following.get(None)
    while revision is not None:
        order.append(revision)
        revision = following.get(revision)
    files = sorted(VERSIONS.glob("[0-9]*.py"))
    assert [
        line for file in files for line in file.read_text().splitlines() if line.startswith("revision = ")
    ] == [f'revision = "{revision}"' for revision in order], (
        "name the file by its number in the order (docs/extending.md#add-a-migration-or-a-tool-of-the-map)"
    )
