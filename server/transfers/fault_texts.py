"""Why an upload was ended or refused."""

from __future__ import annotations

from agents.worded import Template

ABANDONED = Template(
    "upload_abandoned", "The database could not be reached for too long, so the upload was ended. Try again."
)
QUOTA = Template(
    "upload_quota",
    "Uploads from this address take {used} MB of the {most} MB allowed, and this file has {size} MB. "
    "Ask who runs the server to remove tables or to raise GEOAGENT_UPLOAD_QUOTA.",
)
SPACE = Template(
    "upload_space",
    "All uploads together take {used} MB of the {most} MB allowed on this server. Ask who runs it to "
    "remove tables or to raise GEOAGENT_UPLOAD_SPACE.",
)
