"""Colours as people write them, and ramps."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.geo.styling import ramps
from agents.geo.styling.colours import CSS_NAMES, colour_name, next_colour, shaded
from agents.geo.styling.ramps import FREE_RAMPS, next_ramp
from server.gis.styles import InvalidStyle, parse_color
from server.gis.styles.colors import ramp_name, ramp_named, sequence, tints, without_pale_ends


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("red", "#ff0000"),
        (" Dark Blue ", "#00008b"),
        ("dark-slate_gray", "#2f4f4f"),
        ("RebeccaPurple", "#663399"),
        ("#F00", "#ff0000"),
        ("#0072B2", "#0072b2"),
        ("#0072b280", "#0072b280"),
        ("#0072b2ff", "#0072b2"),
        ("rgb(255, 0, 128)", "#ff0080"),
        ("rgb(100% 0% 50%)", "#ff0080"),
        ("rgba(0,0,0,0.5)", "#00000080"),
    ],
)
def test_colours_are_understood_as_css_does(written: str, meant: str) -> None:
    assert parse_color(written) == meant


@pytest.mark.parametrize("name", CSS_NAMES)
def test_every_css_name_is_a_colour(name: str) -> None:
    assert parse_color(name.upper()) == CSS_NAMES[name]


def test_there_are_all_148_names_of_css() -> None:
    assert len(CSS_NAMES) == 148


@pytest.mark.parametrize(
    "wrong", ["", "reddd", "rgb(300,0,0)", "#12", "#12345", "rgb(1,2)", "url(x)", "rgb(a,b,c)"]
)
def test_what_is_no_colour_is_refused_with_a_colour_that_is(wrong: str) -> None:
    with pytest.raises(InvalidStyle, match="Did you mean"):
        parse_color(wrong)


def test_the_nearest_name_is_offered() -> None:
    with pytest.raises(InvalidStyle, match="orange"):
        parse_color("orrange")


@given(st.text(max_size=30))
def test_any_text_is_a_colour_or_a_fault(text: str) -> None:
    try:
        color = parse_color(text)
    except InvalidStyle:
        return
    assert re.fullmatch("#([0-9a-f]{6}|[0-9a-f]{8})", color)


def test_new_layers_take_the_next_colour_that_is_free() -> None:
    used: list[str] = []
    for _ in range(7):
        used.append(next_colour(used))
    assert used == list(ramps.QUALITATIVE["Okabe-Ito"])
    assert next_colour(used) == used[0]
    assert next_colour([color.upper() for color in used[:2]]) == used[2]


def test_layers_take_the_next_ramp_that_is_free() -> None:
    assert next_ramp([]) == "YlOrRd"
    assert next_ramp(["YlOrRd_r", "Viridis"]) == "YlGnBu"
    assert next_ramp([*FREE_RAMPS, FREE_RAMPS[0]]) == FREE_RAMPS[1]


def test_ramps_are_found_however_they_are_written() -> None:
    assert ramp_named("okabe ito") == ramps.QUALITATIVE["Okabe-Ito"]
    assert ramp_named("VIRIDIS") == ramps.SEQUENTIAL["Viridis"]
    with pytest.raises(InvalidStyle, match="Viridis"):
        ramp_named("virides")


def test_a_ramp_with_r_behind_its_name_is_reversed() -> None:
    assert ramp_named("Viridis_r") == ramps.SEQUENTIAL["Viridis"][::-1]
    assert ramp_name("viridis_R") == "Viridis_r"
    assert not any(name.endswith(ramps.REVERSED) for name in ramps.ALL)


@pytest.mark.parametrize("name", [*ramps.SEQUENTIAL, *ramps.DIVERGING])
def test_a_ramp_cut_to_classes_keeps_its_ends_and_repeats_no_colour(name: str) -> None:
    for count in range(2, 10):
        colors = sequence(ramps.ALL[name], count)
        assert (colors[0], colors[-1]) == (ramps.ALL[name][0], ramps.ALL[name][-1])
        assert len(set(colors)) == count


@pytest.mark.parametrize(
    "name", ["YlOrRd", "YlGnBu", "Blues", "Reds", "Greens", "Viridis", "Cividis", "Magma"]
)
def test_sequential_ramps_change_evenly_from_light_to_dark_or_back(name: str) -> None:
    shades = [luminance(color) for color in ramps.ALL[name]]
    assert shades in (sorted(shades), sorted(shades, reverse=True))


@pytest.mark.parametrize(
    ("ramp", "count", "first", "last"),
    [
        ("YlOrRd", 5, "#fee187", "#800026"),
        ("YlOrRd_r", 5, "#800026", "#fee187"),
        ("YlGnBu", 9, "#d6efb3", "#081d58"),
        ("inferno", 4, "#000004", "#f98e09"),
        ("RdBu", 5, "#b2182b", "#2166ac"),
        ("viridis", 5, "#440154", "#fde725"),
        ("Blues", 1, "#2171b5", "#2171b5"),
    ],
)
def test_points_and_lines_have_no_colour_that_is_nearly_white(
    ramp: str, count: int, first: str, last: str
) -> None:
    shades = without_pale_ends(ramp_named(ramp), count)
    assert (len(shades), shades[0], shades[-1]) == (count, first, last)


@pytest.mark.parametrize("name", ramps.ALL)
def test_no_ramp_ends_in_a_pale_colour_or_repeats_one_for_any_number_of_classes(name: str) -> None:
    for count in range(1, 10):
        shades = without_pale_ends(ramp_named(name), count)
        assert len(set(shades)) == len(shades) == count
        assert max(luminance(shades[0]), luminance(shades[-1])) <= 0.85


def test_tints_of_white_stay_as_they_are() -> None:
    assert without_pale_ends(tints("#ffffff"), 5) == sequence(tints("#ffffff"), 5)


def test_tints_of_a_colour_go_from_light_to_dark_through_it() -> None:
    colors = tints("#0000ff")
    assert "#0000ff" in colors
    assert [luminance(color) for color in colors] == sorted(map(luminance, colors), reverse=True)


def luminance(color: str) -> float:
    """The relative luminance of WCAG 2, of a colour of sRGB."""
    parts = (int(color[index : index + 2], 16) / 255 for index in (1, 3, 5))
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize(("shade", "darker"), [("dark", True), ("light", False)])
def test_a_mixed_colour_is_called_by_words_that_mean_it(shade: str, darker: bool) -> None:
    for name in CSS_NAMES:
        mixed = shaded(name, darker=darker)
        called = colour_name(mixed)
        base = called.removeprefix(f"{shade} ")
        if called != mixed and base != called:
            meant = CSS_NAMES.get(f"{shade}{base}") or shaded(base, darker=darker)
            assert meant == mixed, called


def test_two_colours_are_a_ramp() -> None:
    assert ramp_named("Blue-brown") == ("#0000ff", "#a52a2a")
    assert ramp_named("blue-brown_r") == ("#a52a2a", "#0000ff")
    with pytest.raises(InvalidStyle):
        ramp_named("blue-brwn")
