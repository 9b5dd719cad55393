"""${message}"""

from __future__ import annotations

from alembic import op

revision = ${repr(up_revision)}
down_revision = ${repr(down_revision)}
additive = False  # True if servers of the revision before can work on this schema (docs/deployment.md)


def upgrade() -> None:
    ${upgrades if upgrades else "op.execute('')"}


def downgrade() -> None:
    ${downgrades if downgrades else "op.execute('')"}
