"""Names as quoted SQL identifiers and texts as literals, for statements that are written as text."""

from __future__ import annotations

from sqlalchemy.engine import make_url

_preparer = make_url("postgresql+asyncpg://").get_dialect()().identifier_preparer


def quoted(*names: str) -> str:
    """A name as an SQL identifier; several names, from the schema down, as a qualified one."""
    return ".".join(map(_preparer.quote_identifier, names))


def quoted_text(text: str) -> str:
    """A text as an SQL literal, where PostgreSQL takes no parameters. `E''` reads backslashes the same whatever the
    settings."""
    doubled = text.replace("\\", "\\\\").replace("'", "''")
    return f"E'{doubled}'"
