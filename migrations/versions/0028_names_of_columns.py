"""Names that columns had when layers were drawn: layers follow a column that was renamed while no server ran."""

from __future__ import annotations

from alembic import op

revision = "0028"
down_revision = "0027"
additive = True


def upgrade() -> None:
    op.execute("""
        CREATE TABLE geoagent.column_name (
            relid oid,
            name text,
            number smallint NOT NULL,
            PRIMARY KEY (relid, name)
        )
    """)
    op.execute(
        "COMMENT ON TABLE geoagent.column_name IS"
        " 'Names that columns of tables on maps have or had; a column that is renamed keeps its number.'"
    )


def downgrade() -> None:
    op.execute("DROP TABLE geoagent.column_name")
