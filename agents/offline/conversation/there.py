"""Replaces `there` by the place that it means: `zoom to Japan and show the airports there`; `show the airports there`
after `how many cities are there in Peru?`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agents.offline.conversation.spoken import Again, Spoken
from agents.offline.language.names.columns import measure_columns
from agents.offline.language.words import name_words

_THERE = re.compile(
    r"(?<!\bare )(?<!\bis )(?<!\bwere )(?<!\bwas )(?<!\bgo )(?<!\bzoom )(?<!\bin )\bthere\b"
    r"(?! (?:is|are|was|were|has|have|exists?)\b)",
    re.IGNORECASE,
)
_EXISTS = re.compile(r"there (?:is|are|was|were)\b", re.IGNORECASE)
_IN_IT = re.compile(r"\b(?:with)?in(?:side)? it\b", re.IGNORECASE)
_OF_IT = re.compile(r"\b(of|from|around|near|to) it\b(?=\W*$)", re.IGNORECASE)
_FIGURE_THERE = re.compile(
    r"(?:and |(?:what is|what's) )?(?:the )?(?P<figure>(?:average|avg|mean|median|total|highest|lowest) [^?,]+?)"
    r" there\W*",
    re.IGNORECASE,
)
_LIVES = re.compile(r"\b(?:live|lives|living) there\b", re.IGNORECASE)
_GO = re.compile(
    r"(?P<go>(?:please )?(?:(?:zoom(?: in)?|go|fly|pan|jump|move)(?: the map)? (?:to|on|into)|take me to"
    r"|cent(?:er|re) on) (?P<place>[^,;.]+?))"
    r"(?:,? and(?: then)?|,? then|[,;.])? (?P<rest>(?:show|list|how many|count|draw|add|which|what)\b.+)",
    re.IGNORECASE,
)

_LIVE_THERE = re.compile(
    r"(?P<asked>(?:and )?how many (?:people|inhabitants|residents|persons) (?:live|are living)) there"
    r"(?P<rest>\b[^?]*)\?*",
    re.IGNORECASE,
)
_DRAWING = ("add_map_layer", "update_map_layer", "run_analysis")


def with_place(spoken: Spoken, asked_now: str) -> str | None:
    """The text with the place instead of `there`; None if it has no such `there`, or no place is known."""
    if _EXISTS.match(asked_now) or _LIVES.search(asked_now):
        return None
    both = _GO.fullmatch(asked_now)
    if both is not None and (rest := _IN_IT.sub("there", both["rest"])) and _THERE.search(rest):
        return f"{both['go']} and {_put(rest, both['place'])}"
    if spoken.place_found and len(spoken.last_calls) == 1 and _OF_IT.search(asked_now):
        return _OF_IT.sub(lambda of: f"{of[1]} {spoken.place_found}", asked_now, count=1)
    place = (spoken.place_found or spoken.memory.named) if _THERE.search(asked_now) else ""
    if not place and spoken.memory.layers and (figure := _FIGURE_THERE.fullmatch(asked_now)) is not None:
        return f"{figure['figure']} of them"
    return _put(asked_now, place) if place else None


def in_rows_shown(spoken: Spoken, asked_now: str) -> Iterator[Again]:
    """`show the tubewells there` after villages were shown: the rows of another table in them."""
    shown, words = spoken.table, name_words(asked_now)
    found = (spoken.vocabulary.match_table(words[at:]) for at in range(len(words)))
    names_others = any(each is not None and not each.guessed and shown not in each.found for each in found)
    if shown is not None and _THERE.search(asked_now) and not _EXISTS.match(asked_now) and names_others:
        yield Again(f"{' '.join(_THERE.sub('', asked_now, count=1).split()).rstrip(' ?!.')} in them")


def _put(text: str, place: str) -> str:
    return _THERE.sub(lambda _: f"in {place}", text, count=1)


def living_in_them(spoken: Spoken, asked_now: str) -> str | None:
    """`how many people live there?` if the previous turn only zoomed to a place, drew or changed one layer, or listed
    rows that have a number of people."""
    asked, memory, calls = _LIVE_THERE.fullmatch(asked_now), spoken.memory, spoken.last_calls
    if asked is None or len(calls) != 1 or not calls[0].result.ok or memory.outcome != "done":
        return None
    rest = re.sub(r" (?:in total|altogether)\b", "", asked["rest"])
    if spoken.place_found:
        return f"{asked['asked']} in {spoken.place_found}{rest}"
    if calls[0].call.name in _DRAWING:
        return f"{asked['asked']} in them{rest}"
    # Of a single row another fact was asked, such as its capital.
    rows = memory.rows if calls[0].call.name == "query_features" else None
    is_list = rows is not None and not rows.single and rows.number != 1
    people = measure_columns(spoken.table, "people") if is_list and spoken.table and not rest.strip() else []
    return f'total "{people[0]}" of them' if len(people) == 1 else None
