"""Templates and the chart: what a template reads, what it costs, and that no text takes more than its bound."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.domain import LayerDraft
from agents.offline.answers.step_titles import titled
from agents.offline.commands.analyses.analysis import AnalysisReader, read_analysis
from agents.offline.language.chart import MAX_EDGES, Chart, Edge, Span
from agents.offline.language.cursor import cursor_of
from agents.offline.language.grammar import BadTemplate, Slot, compiled, parts
from agents.offline.language.reading import Ambiguous, Unreadable
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.meaning.features import Features
from agents.offline.meaning.steps import AnalysisStep, ColumnWords
from server.gis.operations import OPERATIONS
from server.maps.analyses.offered import OFFERED
from tests.support.work import calls
from tests.unit.geo_agent.world import World
from tests.unit.offline.test_fuzz import SENTENCES

PARTS = parts(open="[show me|draw]")
_world = World()
asyncio.run(_world.map.add_layer(LayerDraft(table="data.airports")))
MAX_CALLS = 300_000
"""Of functions, to read a request for an analysis."""
VOCABULARY = Vocabulary(_world.registry, _world.map.layers(), OFFERED)


def chart_of(text: str) -> Chart:
    """Slots take one word, which costs nothing if it is `known`."""
    words = text.split()

    def spans(slot: Slot, at: int) -> list[Span]:
        del slot
        return [Span(at + 1, words[at], 0.0 if words[at] == "known" else 1.0)] if at < len(words) else []

    return Chart(words, spans, PARTS, lambda start, end: " ".join(words[start:end]))


def read(template: str, text: str) -> list[Edge]:
    """The readings of the whole text."""
    found = chart_of(text).read(compiled(template).node, 0)
    return [edge for edge in found if edge.end == len(text.split())]


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("[convex] hull[s] (of|around) {source}", "hulls of x"),
        ("[convex] hull[s] (of|around) {source}", "the convex hull around x"),
        ("<open> hull[s] {source}", "show me hulls x"),
        ("(a b|c) d", "c d"),
        ("what (is|'s) [there]", "what 's"),
        ("{x} (=|,) {y}", "one = two"),
    ],
)
def test_a_template_reads_its_words_with_their_choices(template: str, text: str) -> None:
    assert len(read(template, text)) >= 1


@pytest.mark.parametrize(
    "text", ["hull", "hull of", "convex convex hull of x", "hull of x y", "hull quickly of x", ""]
)
def test_a_template_reads_no_text_with_a_word_that_it_does_not_have(text: str) -> None:
    assert read("[convex] hull[s] of {source}", text) == []


def test_slots_and_kept_words_are_bound_and_the_cheapest_reading_comes_first() -> None:
    first, *_ = read("how=(near|far) {x} [from] {y}", "far known other")
    assert dict(first.bindings) == {"how": "far", "x": "known", "y": "other"}
    cheap = read("({x} of|of {y}) {z}", "of known")
    assert [edge.cost for edge in cheap] == sorted(edge.cost for edge in cheap)


def test_two_operations_that_read_the_same_words_are_chosen_between_by_the_person() -> None:
    """Neither is run before the request says which."""
    buffer = next(each for each in OFFERED if each.name == "buffer")
    other = replace(buffer, name="halo")
    text = "buffer airports by 5 km"
    assert read_analysis(text, VOCABULARY, [buffer]) is not None
    with pytest.raises(Ambiguous) as several:
        AnalysisReader(cursor_of(text), VOCABULARY, None, [buffer, other]).chain()
    assert len(several.value.meanings) == 2
    assert read_analysis(text, VOCABULARY, [buffer, other]) is None
    for meaning, name in zip(several.value.meanings, ("buffer", "halo"), strict=True):
        chain = read_analysis(f"{text} (meaning {meaning})", VOCABULARY, [buffer, other])
        assert chain is not None
        assert [part.operation for part in chain.parts if isinstance(part, AnalysisStep)] == [name]


def test_constants_and_title_stand_behind_their_signs() -> None:
    template = compiled("hull of {source} -> concave=0.3, k=8, method=kmeans, dissolve :: Hull of {source}")
    assert template.constants == (("concave", 0.3), ("k", 8), ("method", "kmeans"), ("dissolve", True))
    assert template.title == "Hull of {source}"


@pytest.mark.parametrize(
    ("columns", "title"),
    [
        (("origin_lon", "destination_lon"), "Arcs of flights from origin to destination"),
        (("Home Longitude", "work longitude"), "Arcs of flights from home to work"),
        (("lon", "to_lon"), "Arcs of flights"),
        (("start", "end"), "Arcs of flights from start to end"),
    ],
)
def test_arcs_are_named_after_their_ends_where_the_columns_tell_them(
    columns: tuple[str, str], title: str
) -> None:
    start, end = map(ColumnWords, columns)
    (phrase,) = OPERATIONS["lines_from_columns"].phrases
    bindings = {"source": Features(text="flights"), "from_x": start, "to_x": end}
    assert titled(compiled(phrase), bindings, ()) == title


@pytest.mark.parametrize("template", ["(a|b", "a]", "hull {source", "[a", "a -> 1=2"])
def test_a_template_that_cannot_be_compiled_is_quoted(template: str) -> None:
    with pytest.raises(BadTemplate, match="template"):
        compiled(template)


def test_every_operation_but_those_of_other_words_has_phrases() -> None:
    """`filter` and `top` are said in conditions and superlatives, `columns` by the commands of tabular.py, and
    `select_by_attribute` by those of by_key."""
    without = {name for name, each in OPERATIONS.items() if not each.phrases}
    assert without == {"filter", "top", "columns", "select_by_attribute"}


def test_the_slots_of_a_phrase_are_arguments_of_its_operation() -> None:
    for name, operation in OPERATIONS.items():
        known = {*operation.arguments.model_fields, "also", "unit", "_"}
        for phrase in operation.phrases:
            slots = {slot if slot in known else slot.rpartition("_")[0] for slot in compiled(phrase).slots}
            assert slots <= known, (name, phrase)


@given(st.lists(st.sampled_from(["a", "b", "x"]), max_size=120).map(" ".join))
@settings(max_examples=60, deadline=None)
def test_no_text_makes_more_edges_than_the_bound(text: str) -> None:
    chart = chart_of(text)
    try:
        for at in range(len(text.split())):
            chart.read(compiled("[a] [b] {x} [a|b] [{y}] [a] [{z}] (a|b|x) {w}").node, at)
    except Unreadable:
        return
    assert chart.size <= MAX_EDGES


@given(SENTENCES)
@settings(max_examples=150, deadline=None)
def test_an_analysis_is_read_with_little_work_or_declined(text: str) -> None:
    assert calls(lambda: read_analysis(text, VOCABULARY, OFFERED)) < MAX_CALLS, text
