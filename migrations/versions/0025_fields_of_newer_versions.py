"""From this version on, servers read stored values that have fields which they do not know. Older ones cannot open a
map with layers of this version, so this migration, which changes nothing, is not additive.
"""

from __future__ import annotations

revision = "0025"
down_revision = "0024"


def upgrade() -> None:
    pass


def downgrade() -> None:
    pass
