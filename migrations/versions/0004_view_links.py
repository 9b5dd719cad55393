"""Links that show a map without changing it. What is kept is a hash; the link itself derives from a secret.

Runs fourth; its revision stays the one that databases hold.
"""

from __future__ import annotations

from alembic import op

revision = "0007"
down_revision = "0003"


def upgrade() -> None:
    op.execute(
        "ALTER TABLE geoagent.map ADD COLUMN view_round integer NOT NULL DEFAULT 0,"
        " ADD COLUMN view_hash bytea UNIQUE"
    )
    op.execute("COMMENT ON COLUMN geoagent.map.view_round IS 'How many view links were withdrawn.'")
    op.execute("COMMENT ON COLUMN geoagent.map.view_hash IS 'SHA-256 of the view link, while there is one.'")
    op.execute(
        "INSERT INTO geoagent.secret VALUES"
        " ('view_links', replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''))"
    )


def downgrade() -> None:
    op.execute("DELETE FROM geoagent.secret WHERE name = 'view_links'")
    op.execute("ALTER TABLE geoagent.map DROP COLUMN view_round, DROP COLUMN view_hash")
