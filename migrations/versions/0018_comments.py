"""Comments of people, in threads that are pinned to a place of the map or to a feature."""

from __future__ import annotations

from alembic import op

revision = "0018"
down_revision = "0017"
additive = True


def upgrade() -> None:
    op.execute("""
        CREATE TABLE geoagent.comment_thread (
            map_id text NOT NULL REFERENCES geoagent.map (id) ON DELETE CASCADE,
            thread_id text NOT NULL,
            started bigint NOT NULL,
            document jsonb NOT NULL,
            PRIMARY KEY (map_id, thread_id)
        )
    """)
    op.execute(
        "COMMENT ON TABLE geoagent.comment_thread IS 'The comments on a map as they are now, by thread.'"
    )


def downgrade() -> None:
    op.execute("DROP TABLE geoagent.comment_thread")
    # Earlier versions do not know these events. Their numbers stay, as changes that change nothing.
    op.execute(
        """
        UPDATE geoagent.event SET type = 'layers_reordered', payload = '{"order": [], "undo_of": null, "redo": false}'
        WHERE type IN ('thread_started', 'comment_added', 'comment_removed', 'thread_resolved', 'thread_removed')
        """
    )
