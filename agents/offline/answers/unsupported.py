"""Requests that no command supports, recognised by their words, to refuse them for the right reason."""

from __future__ import annotations

import re
from itertools import pairwise

from agents.offline.answers import unsupported_texts as texts
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import name_words, word_set
from agents.offline.meaning.intents import Unsupported

_DATA = Unsupported(texts.UNSUPPORTED_DATA(), texts.UNSUPPORTED_DATA_DO())
_FILES = Unsupported(texts.UNSUPPORTED_FILES(), texts.UNSUPPORTED_FILES_DO())
_EXPORT = Unsupported(texts.UNSUPPORTED_EXPORT(), texts.UNSUPPORTED_EXPORT_DO())
_LAKE = Unsupported(texts.UNSUPPORTED_LAKE(), texts.UNSUPPORTED_LAKE_DO())
_SQL = Unsupported(texts.UNSUPPORTED_SQL(), texts.UNSUPPORTED_SQL_DO())
_PRINT = Unsupported(texts.UNSUPPORTED_PRINT(), texts.UNSUPPORTED_PRINT_DO())
_PLAY = Unsupported(texts.UNSUPPORTED_PLAY(), texts.UNSUPPORTED_PLAY_DO())
_TEXT_LENGTH = Unsupported(texts.UNSUPPORTED_TEXT_LENGTH(), texts.UNSUPPORTED_TEXT_LENGTH_DO())
_ROUTES = Unsupported(texts.UNSUPPORTED_ROUTES(), texts.UNSUPPORTED_ROUTES_DO())
_TWO_COLUMNS = Unsupported(texts.UNSUPPORTED_TWO_COLUMNS(), texts.UNSUPPORTED_TWO_COLUMNS_DO())

_KNOWN: tuple[tuple[str, Unsupported], ...] = (
    (r"(?:delete|drop|remove|erase)\b.*\b(?:from|in|out of) (?:the|my|our) (?:database|data|table|source)", _DATA),
    (r"(?:delete|drop|truncate) (?:the )?(?:table|schema|database|records?)\b", _DATA),
    (r"(?:delete|drop|truncate) (?:the )?rows?\b(?! (?:without|with|where|whose|that)\b)", _DATA),
    (r"(?:update|correct|edit|set|change) (?:the )?(?:population|elevation|area|value|name|height)\w* of\b", _DATA),
    (r"(?:add|insert|create) (?:an? )?(?:new )?(?:row|record|feature|point|entry)\b(?! numbers?\b)", _DATA),
    (r"(?:add|insert|create) an? new (?!map\b|layer\b)\w+", _DATA),
    (r"(?:insert|alter)\b", _DATA),
    (r"(?:add|register) (?:the |a )?(?:dataset|data set|lake table|parquet|geoparquet)\b", _LAKE),
    (r"select\s(?:.*[*(,].*|distinct\s.+)\sfrom\s+\w+\b", _SQL),
    (r"select\s.+\sfrom\s+[\w.]+\s+(?:where|group by|order by|limit|join)\b", _SQL),
    (r"with\s+\w+\s+as\s*\(", _SQL),
    (r"(?:export|download)\b", _EXPORT),
    (r"save (?:the|this|my) (?:map|layer|data|picture)\b(?! as (?:a )?recipe)", _FILES),
    (r"print\b", _PRINT),
    (r"(?:play|animate)\b", _PLAY),
    (r".*\b(?:longest|shortest) names?\b", _TEXT_LENGTH),
    (r".*\bsized by (?:(?!then\b).)+\band colou?red by\b", _TWO_COLUMNS),
    (r".*\bcolou?red by (?:(?!then\b).)+\band sized by\b", _TWO_COLUMNS),
    (r".*\b(?:cheapest|shortest|fastest|quickest|best) (?:route|way|path)\b", _ROUTES),
    (r".*\b(?:drive|driving|walk|walking|travel)[- ]times? (?:from|between)\b", _ROUTES),
    (r".*\b(?P<column>(?:drive|driving|walk|walking|travel)[- ]times?)\b", _ROUTES),
)  # fmt: skip
_RULES = tuple(
    (re.compile(rf"(?:please |can you |could you )*{pattern}", re.IGNORECASE), refusal)
    for pattern, refusal in _KNOWN
)


def unsupported(text: str, vocabulary: Vocabulary) -> Unsupported | None:
    """The reason why a request is not supported, if it is known to be; else None. `travel time` may be a column."""
    if _is_about_base_map(text, vocabulary):
        return Unsupported(texts.UNSUPPORTED_BASE_MAP(), texts.UNSUPPORTED_BASE_MAP_DO())
    for pattern, refusal in _RULES:
        if (found := pattern.match(text.strip())) is not None:
            column = found.groupdict().get("column", "")
            is_own = column and vocabulary.columns_called(vocabulary.few_tables, column)
            return None if is_own else refusal
    return None


_BASE_MAP = word_set("basemap satellite aerial imagery background orthophoto openstreetmap osm")
_OF_BASE_MAP = word_set("""
    base map view mode image picture photo layer tile street terrain topographic hybrid dark light a an the it as in
    into on to of with my this there any other different another instead default which what is are do can could you i
    we us me want need like have get give show use switch change set put turn add choose display please pls possible
    available style type google hide remove off
""")
"""Words beside those of base maps that make no other request."""


def _is_about_base_map(text: str, vocabulary: Vocabulary) -> bool:
    """Whether all words are about the base map, and the data have none of the decisive ones: `satellite background
    please`."""
    words = name_words(text)
    decisive = [each for each in words if each in _BASE_MAP]
    if not decisive:
        return ("base", "map") in pairwise(words) and {*words} <= _OF_BASE_MAP
    return {*words} <= _BASE_MAP | _OF_BASE_MAP and not any(
        vocabulary.match_table((each,))
        or vocabulary.values_called((each,))
        or vocabulary.columns_called(vocabulary.few_tables, each)
        for each in decisive
    )
