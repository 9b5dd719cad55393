"""The database says which older servers can go on using it while a newer version is rolled out."""

from __future__ import annotations

from alembic import op

revision = "0012"
down_revision = "0011"
additive = True


def upgrade() -> None:
    op.execute("""
        CREATE TABLE geoagent.schema_compatibility (
            only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
            oldest_revision text NOT NULL
        )
    """)
    op.execute(
        "COMMENT ON TABLE geoagent.schema_compatibility IS"
        " 'The oldest revision whose servers can use this schema; written by every server that migrates.'"
    )


def downgrade() -> None:
    op.execute("DROP TABLE geoagent.schema_compatibility")
