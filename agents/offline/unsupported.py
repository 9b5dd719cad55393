"""What no command does, known by its words, so that it is refused for its true reason and not misread as another."""

from __future__ import annotations

import re

from agents.offline.answers import refusals
from agents.offline.meaning.intents import Unsupported

_DATA = Unsupported(
    "the data itself cannot be changed from here: GeoAgent only reads your tables",
    "Change it in the database or upload a file; what the map shows follows at once.",
)
_FILES = Unsupported(
    "files are saved by hand",
    "Open the menu of the layer and choose its format there, or share the whole map from the top of the page.",
)
_EXPORT = Unsupported(
    "it is not said what to export and as which kind of file",
    "Say for example “export airports as GeoPackage in EPSG:3857”, or open the menu of the layer.",
)
_LAKE = Unsupported(
    "no folder of this server may be read for lake tables (GEOAGENT_LAKE_PATHS), or no path was given",
    "Say for example “add the dataset /srv/lake/pings as pings”, or upload a file.",
)
_PRINT = Unsupported("printing is for your browser", "Use its print command, or share the map.")
_PLAY = Unsupported(
    "time is not played by words",
    "Say “time slider for …” and move the slider, or show a part: “only the ones in 2021”.",
)
_TEXT_LENGTH = Unsupported(
    "texts are ranked by the alphabet here, not by how long they are",
    "Say for example “whose name contains international”.",
)
_NEAR = Unsupported(refusals.NO_DISTANCE(), refusals.SAY_EXAMPLE(example="airports within 50 km of Berlin"))
_ROUTES = Unsupported(
    "no route, way or travel time (drive, walk or minutes on the road) is calculated here",
    "Distances are straight lines: say for example “distance from Berlin to Ulm”, or “within 2 km of …”.",
)
_TWO_COLUMNS = Unsupported(
    "a layer is coloured or sized by one column, not by two at once",
    "Say it by one of them, or show the table twice.",
)
_PIE = Unsupported("there are no pie charts", "Say for example “bar chart of countries by continent”.")

_KNOWN: tuple[tuple[str, Unsupported], ...] = (
    (r"(?:delete|drop|remove|erase)\b.*\b(?:from|in|out of) (?:the|my|our) (?:database|data|table|source)", _DATA),
    (r"(?:delete|drop|truncate) (?:the )?(?:table|schema|database|records?)\b", _DATA),
    (r"(?:delete|drop|truncate) (?:the )?rows?\b(?! (?:without|with|where|whose|that)\b)", _DATA),
    (r"(?:update|correct|edit|set|change) (?:the )?(?:population|elevation|area|value|name|height)\w* of\b", _DATA),
    (r"(?:add|insert|create) (?:an? )?(?:new )?(?:row|record|feature|point|entry)\b(?! numbers?\b)", _DATA),
    (r"(?:add|insert|create) an? new (?!map\b|layer\b)\w+", _DATA),
    (r"(?:insert|alter)\b", _DATA),
    (r"(?:add|register) (?:the |a )?(?:dataset|data set|lake table|parquet|geoparquet)\b", _LAKE),
    (r"(?:export|download)\b", _EXPORT),
    (r"save (?:the|this|my) (?:map|layer|data|picture)\b(?! as (?:a )?recipe)", _FILES),
    (r"print\b", _PRINT),
    (r"(?:play|animate)\b", _PLAY),
    (r".*\b(?:longest|shortest) names?\b", _TEXT_LENGTH),
    (r".*\bpie charts?\b", _PIE),
    (r".*\bsized by (?:(?!then\b).)+\band colou?red by\b", _TWO_COLUMNS),
    (r".*\bcolou?red by (?:(?!then\b).)+\band sized by\b", _TWO_COLUMNS),
    (r".*\b(?:cheapest|shortest|fastest|quickest|best) (?:route|way|path)\b", _ROUTES),
    (r".*\b(?:drive|driving|walk|walking|travel)[- ]times?\b", _ROUTES),
    (r"(?:(?:show|find|list|me|the|all) )*\w+ (?:that are )?(?:near|close to|nearby) \D+$", _NEAR),
)  # fmt: skip
_RULES = tuple(
    (re.compile(rf"(?:please |can you |could you )*{pattern}", re.IGNORECASE), refusal)
    for pattern, refusal in _KNOWN
)


def unsupported(text: str) -> Unsupported | None:
    """Why what the text asks for is not done here, if that is known."""
    return next((refusal for pattern, refusal in _RULES if pattern.match(text.strip())), None)
