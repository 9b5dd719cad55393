"""Why an analysis is refused."""

from agents.worded import Template

ENDED = Template(
    "analysis_ended", "The analysis has ended, and its summary is shown. Say in a sentence that it is done."
)
NO_ROOM = Template(
    "analysis_no_room",
    "The results on this map take {used}, and {allowed} are allowed. Drop results that are not needed "
    "any more, or start a new map.",
)
