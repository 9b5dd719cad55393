"""Vectors that an embedding model gave to descriptions of tables."""

from __future__ import annotations

from alembic import op

revision = "0020"
down_revision = "0019"
additive = True


def upgrade() -> None:
    op.execute("""
        CREATE TABLE geoagent.text_vector (
            model text NOT NULL,
            digest text NOT NULL,
            vector bytea NOT NULL,
            used_on date NOT NULL DEFAULT current_date,
            PRIMARY KEY (model, digest)
        )
    """)
    op.execute(
        "COMMENT ON TABLE geoagent.text_vector IS 'Vectors of texts by an embedding model, as 32-bit floats; "
        "digest is the SHA-256 of the text.'"
    )


def downgrade() -> None:
    op.execute("DROP TABLE geoagent.text_vector")
