"""Where lake tables may be read, as the settings say."""

from __future__ import annotations

from server.gis.lake.remote.copies import Copies
from server.gis.lake.remote.files import RemoteFiles
from server.gis.lake.storage import LakeStorage
from server.settings import Settings


def lake_storage(settings: Settings) -> LakeStorage:
    """The storage of lake tables; all parts of a server share it, for its caches."""
    folders, remote = list(settings.lake_paths), None
    if settings.lake_results is not None:
        folders.append(settings.lake_results.expanduser().absolute())
    copies = None
    if settings.lake_copies is not None:
        copies = Copies(settings.lake_copies.expanduser().absolute(), int(settings.lake_space * 1e6))
        folders.append(copies.folder)
    if settings.lake_addresses:
        remote = RemoteFiles(settings.lake_addresses, copies)
    return LakeStorage(folders, remote)
