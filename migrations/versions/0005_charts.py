"""What each version of a chart draws. The log says which charts a map has."""

from __future__ import annotations

from alembic import op

revision = "0005"
down_revision = "0007"


def upgrade() -> None:
    op.execute(
        """
        CREATE TABLE geoagent.chart (
            map_id text NOT NULL REFERENCES geoagent.map (id) ON DELETE CASCADE,
            chart_id text NOT NULL,
            version integer NOT NULL,
            document jsonb NOT NULL,
            data jsonb NOT NULL,
            PRIMARY KEY (map_id, chart_id, version)
        )
        """
    )
    op.execute(
        "COMMENT ON TABLE geoagent.chart IS 'Each version of a chart, with what it draws; never changed.'"
    )


def downgrade() -> None:
    op.execute("DROP TABLE geoagent.chart")
    # Earlier versions know no charts. What numbered them stays, as a change that changes nothing.
    op.execute(
        """
        UPDATE geoagent.event SET type = 'layers_reordered', payload = '{"order": [], "undo_of": null, "redo": false}'
        WHERE type IN ('chart_added', 'chart_updated', 'chart_removed')
        """
    )
