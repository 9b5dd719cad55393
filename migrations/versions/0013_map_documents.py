"""A map has a name, a base map, a projection and bookmarks."""

from __future__ import annotations

from alembic import op

revision = "0013"
down_revision = "0012"
additive = True


def upgrade() -> None:
    op.execute("ALTER TABLE geoagent.map ADD COLUMN document jsonb NOT NULL DEFAULT '{}'")


def downgrade() -> None:
    op.execute("ALTER TABLE geoagent.map DROP COLUMN document")
    # Earlier versions do not know these events. Their numbers stay, as changes that change nothing.
    op.execute(
        """
        UPDATE geoagent.event SET type = 'layers_reordered', payload = '{"order": [], "undo_of": null, "redo": false}'
        WHERE type IN ('map_described', 'bookmark_saved', 'bookmark_removed')
        """
    )
