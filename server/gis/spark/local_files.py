"""The files of lake tables where Spark finds them: it asks no address, so files there are copied into a folder."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence

import structlog

from agents.domain import Table
from server.gis.lake.dataset import Dataset, LakeFile
from server.gis.lake.errors import FilesChanged, NoLakeTable, Unreachable
from server.gis.lake.storage import HAVE_CHANGED, LakeStorage
from server.gis.spark import fault_texts as texts
from server.gis.spark.errors import SparkFailed

log = structlog.get_logger(__name__)


async def in_folders(
    lake: LakeStorage,
    dataset: Dataset,
    files: Sequence[LakeFile],
    table: Table,
    seconds: float,
    copied: Callable[[float], None] = lambda share: None,
) -> tuple[Dataset, int | None]:
    """The dataset with only these files, all in folders, and how many bytes were copied for it, None where none are at
    addresses. `copied` is called with the share that is done; `seconds` is what copying may take. Raises SparkFailed,
    or NoLakeTable, which does not say where the files are."""
    stopped = threading.Event()
    try:
        async with asyncio.timeout(seconds):
            return await asyncio.to_thread(lake.in_folders, dataset, files, stopped, copied)
    except FilesChanged:
        raise NoLakeTable(HAVE_CHANGED(table=table.id)) from None
    except Unreachable as error:
        log.warning("files of a lake table cannot be copied", table=table.id, error=str(error)[:300])
        raise NoLakeTable(texts.NO_FILES_NOW(table=table.id)) from None
    except TimeoutError:
        raise SparkFailed(texts.SLOW_COPY(table=table.id, seconds=round(seconds))) from None
    finally:
        stopped.set()
