"""Columns by what was done: the date of an action, a number that measures it, and who did it."""

from __future__ import annotations

from functools import lru_cache

from agents.offline.language.lexicon import ABBREVIATIONS, MEASURE_OF_NOUN
from agents.offline.language.names.comments import comment_head
from agents.offline.language.names.costs import NUMBERS, TIMES, are_made
from agents.offline.language.words import Words, are_forms, fold, is_plural, name_words, word_set


def dates_action(kind: str, comment: str | None, done: str) -> bool:
    """Whether a comment states the time of an action: `registered` for “Date of registration”, `beginning`
    for “Planned start”."""
    if kind not in TIMES or not (done.endswith(("ed", "ing")) or are_made("built", done) or done in _BEGAN):
        return False
    comment_words, head = name_words(comment or ""), comment_head(comment)
    of_time = comment_words[:1] in (("date",), ("day",), ("year",), ("time",))
    done = _BEGAN.get(done, done)
    if done in _APPLIED and _APPLICATIONS.intersection(comment_words):
        return of_time or bool({"date", "day"}.intersection(comment_words))
    time_words = comment_words if of_time else head[-2:] if head[-1:] in (("date",), ("year",)) else head[-1:]
    return any(are_forms(done, each) or are_made(each, done) for each in time_words)


_APPLIED, _APPLICATIONS = (
    word_set("filed submitted lodged applied"),
    word_set("application submission filing"),
)
"""Verbs for handing in an application, and nouns for it."""
_BEGAN = {**dict.fromkeys(("began", "begun", "beginning", "commencing", "commenced"), "start"), **dict.fromkeys(
    ("finished", "finishing"), "end"
)}  # fmt: skip
"""Verbs for start and end."""


def measures_action(kind: str, comment: str | None, done: str) -> bool:
    """Whether a number measures an action or a thing: `loaded` for “Peak loading, % of rating”, `groundwater` for
    “Depth to groundwater in metres”, `injuries` for “Number of injured persons”."""
    if kind not in NUMBERS:
        return False
    measure, *of = name_words(comment or "")[:3] or ("",)
    (noun,) = comment_head(comment)[-1:] or ("",)
    is_thing = measure in MEASURE_OF_NOUN and of == ["to", done]
    if kind == "integer" and done.endswith(_NOUN_ENDINGS):
        return any(are_forms(done, each) for each in _counted_as(comment))
    return is_thing or (done.endswith("ed") and noun.endswith("ing") and are_forms(done, noun))


_NOUN_ENDINGS = ("ment", "ion", "y")


@lru_cache(maxsize=4096)
def _counted_as(comment: str | None) -> tuple[str, ...]:
    """The participle of what a comment counts: `injured` of “Number of injured persons”, `enrolled` of “Pupils enrolled
    on 1 October”."""
    words = fold(comment or "").split()
    counted = (
        words[2:4] if words[:2] == ["number", "of"] else words[1:2] if words and is_plural(words[0]) else []
    )
    return tuple(each.strip(",;.") for each in counted if each.strip(",;.").endswith("ed"))


def names_agent(kind: str, own: Words, comment: str | None, word: str) -> bool:
    """Whether a text names an agent: `operator` for “Operating company”, `inspector` for `insp_by`."""
    verb = word[:-2] if kind == "text" and word.endswith(("er", "or")) else ""
    doing = [each for each in (*own, *comment_head(comment)) if each.endswith("ing")]
    done = own[:-1] if own[-1:] == ("by",) else ()
    doing += [each for one in done for each in (one, *ABBREVIATIONS.get(one, ()))]
    return len(verb) > 2 and any(are_forms(each, form) for form in (verb, f"{verb}e") for each in doing)
