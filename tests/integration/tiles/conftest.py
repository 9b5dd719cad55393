from __future__ import annotations

import pytest

from server.database.engines import Database
from tests.integration.tiles.drawing import Atlas


@pytest.fixture
def atlas(database: Database) -> Atlas:
    return Atlas(database)
