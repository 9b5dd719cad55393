"""How a request says that things are to look: opacity, outlines, symbols, sizes by a column, colours of values."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.chatting import Chat, where

CRASHES = make_table(
    "data.crashes", "POINT", None,
    [("name", "text", ""), ("severity", "text", ""), ("weather", "text", ""), ("dark", "boolean", ""),
     ("injured", "integer", "")],
    [
        ("a", "fatal", "fog", True, 2, (1.0, 1.0)), ("b", "serious", "rain", False, 1, (2.0, 2.0)),
        ("c", "slight", "clear", False, 0, (3.0, 3.0)),
    ],
)  # fmt: skip
LANES = make_table(
    "data.lanes", "LINESTRING", None,
    [("name", "text", ""), ("daily_riders", "integer", ""), ("state", "text", "")],
    [("a", 900, "in force", (1.0, 1.0)), ("b", 100, "draft", (2.0, 2.0))],
)  # fmt: skip
PLANS = make_table(
    "data.plans", "POLYGON", "Land-use plans",
    [("name", "text", ""), ("lu_name", "text", "Kind of land use"), ("dwell", "integer", "Planned dwellings"),
     ("timezone", "text", ""), ("status", "text", "")],
    [("a", "housing", 10, "Asia/Tokyo", "in force", (1.0, 1.0)), ("b", "meadow", 0, "Asia/Dubai", "draft", (2.0, 2.0))],
)  # fmt: skip
FATAL = [("fatal", "red"), ("serious", "orange"), ("slight", "yellow")]


def colours(pairs: list[tuple[str, str]]) -> dict[str, Any]:
    values = [{"value": value, "color": color} for value, color in pairs]
    return {"kind": "categorical", "column": "severity", "values": values}


async def made(*sentences: str) -> list[tuple[str, dict[str, Any]]]:
    chat = Chat(World(CRASHES, LANES, PLANS))
    for sentence in sentences:
        await chat(sentence)
    assert chat.failed == []
    return chat.calls


@pytest.mark.parametrize(
    ("sentence", "opacity"),
    [
        ("show plans at 50% opacity", 0.5),
        ("show plans with an opacity of 0.4", 0.4),
        ("show plans 30 % transparent", 0.7),
        ("show plans with 30 percent transparency", 0.7),
        ("show plans half transparent", 0.5),
        ("show plans, semi-transparent", 0.5),
        ("show plans, fully opaque", 1.0),
        ("show the plans on the map, opacity 60 %", 0.6),
    ],
)
async def test_a_layer_is_added_as_opaque_as_it_is_said(sentence: str, opacity: float) -> None:
    assert await made(sentence) == [("add_map_layer", {"table": "data.plans", "opacity": opacity})]


@pytest.mark.parametrize(
    ("words", "look"),
    [
        ("in orange at 50% opacity", {"color": "orange", "opacity": 0.5}),
        ("by planned dwellings, proportional circles", {"style": {"kind": "proportional", "column": "dwell"}}),
        ("with proportional symbols by planned dwellings", {"style": {"kind": "proportional", "column": "dwell"}}),
        (", names as labels", {"style": {"label": "name"}}),
        ("with the names as labels", {"style": {"label": "name"}}),
        ("at 50% opacity in orange", {"color": "orange", "opacity": 0.5}),
        ("in orange 4 px wide", {"color": "orange", "style": {"size": 4.0}}),
        ("from light to dark green by planned dwellings",
         {"style": {"kind": "graduated", "column": "dwell", "ramp": "Greens"}}),
        ("by planned dwellings from dark to light blue",
         {"style": {"kind": "graduated", "column": "dwell", "ramp": "Blues_r"}}),
    ],
)  # fmt: skip
async def test_conditions_and_looks_follow_each_other(words: str, look: dict[str, Any]) -> None:
    filters = where("dwell", ">", 5)
    added = ("add_map_layer", {"table": "data.plans", "filters": filters, **look})
    assert await made(f"show plans with more than 5 planned dwellings {words}") == [added]


async def test_a_label_follows_a_look() -> None:
    assert await made(
        "show plans with more than 5 planned dwellings in blue and label each with the number of dwellings"
    ) == [
        ("add_map_layer", {"table": "data.plans", "filters": where("dwell", ">", 5), "color": "blue"}),
        ("update_map_layer", {"layer_id": "plans", "style": {"label": "dwell"}}),
    ]


async def test_two_layers_of_one_request_have_their_own_looks() -> None:
    calls = await made("show the crashes in green and the lanes in red")
    assert [(name, each["table"], each["color"]) for name, each in calls] == [
        ("add_map_layer", "data.crashes", "green"),
        ("add_map_layer", "data.lanes", "red"),
    ]


@pytest.mark.parametrize(
    ("sentence", "look"),
    [
        ("show plans in red without a fill", {"color": "#ffffff00", "style": {"stroke_color": "red"}}),
        ("show plans, no fill, black outline", {"color": "#ffffff00", "style": {"stroke_color": "black"}}),
        ("show plans, orange fill, black outline", {"color": "orange", "style": {"stroke_color": "black"}}),
        ("show plans with a thin white outline", {"style": {"stroke_color": "white", "stroke": 0.5}}),
        ("show plans filled purple with a 2 px white border",
         {"color": "purple", "style": {"stroke_color": "white", "stroke": 2}}),
        ("show plans in 3d by planned dwellings", {"style": {"extrude": "dwell"}}),
        ("show plans coloured by land use", {"style": {"kind": "categorical", "column": "lu_name"}}),
        ("show plans with a different colour for each status", {"style": {"kind": "categorical", "column": "status"}}),
        ("plans with a colour per status", {"style": {"kind": "categorical", "column": "status"}}),
        ("choropleth of planned dwellings, 5 classes, yellow to dark blue",
         {"style": {"kind": "graduated", "column": "dwell", "ramp": "YlGnBu", "classes": 5}}),
        ("map of planned dwellings in reds", {"style": {"kind": "graduated", "column": "dwell", "ramp": "Reds"}}),
        ("show plans by planned dwellings from white to green",
         {"style": {"kind": "graduated", "column": "dwell", "ramp": "Greens"}}),
    ],
)  # fmt: skip
async def test_areas(sentence: str, look: dict[str, Any]) -> None:
    assert await made(sentence) == [("add_map_layer", {"table": "data.plans", **look})]


@pytest.mark.parametrize(
    ("sentence", "look"),
    [
        ("outline the lanes in blue", {"color": "blue"}),
        ("show lanes in red without a fill", {"color": "red"}),
        ("show lanes without a fill", {}),
    ],
)
async def test_lines_keep_their_colour_where_nothing_is_to_be_filled(
    sentence: str, look: dict[str, Any]
) -> None:
    assert await made(sentence) == [("add_map_layer", {"table": "data.lanes", **look})]
    assert all(arguments.get("color") != "#ffffff00" for _, arguments in await made("show lanes", sentence))


@pytest.mark.parametrize(
    ("sentence", "kind"),
    [
        ("make the size of the points depend on injured", "proportional"),
        ("let the dot size follow injured", "proportional"),
        ("let the colour depend on injured", "graduated"),
    ],
)
async def test_a_look_that_depends_on_a_column(sentence: str, kind: str) -> None:
    ((_, arguments),) = await made("show crashes", sentence)
    assert (arguments["style"]["kind"], arguments["style"]["column"]) == (kind, "injured")


@pytest.mark.parametrize(
    ("sentence", "look"),
    [
        ("show crashes as big yellow dots", {"color": "yellow", "style": {"kind": "single", "size": 7.5}}),
        ("show crashes, small black dots", {"color": "black", "style": {"size": 3.3}}),
        ("crashes on the map please, green squares", {"color": "green"}),
        ("show crashes, bigger dots the more injured", {"style": {"kind": "proportional", "column": "injured"}}),
        ("show crashes, the more injured the bigger the dots",
         {"style": {"kind": "proportional", "column": "injured"}}),
        ("show crashes with circle size proportional to injured",
         {"style": {"kind": "proportional", "column": "injured"}}),
        ("crashes labelled with the severity and the weather", {"style": {"label": "{severity} ({weather})"}}),
        ("show crashes with the severity as labels", {"style": {"label": "severity"}}),
    ],
)  # fmt: skip
async def test_points(sentence: str, look: dict[str, Any]) -> None:
    assert await made(sentence) == [("add_map_layer", {"table": "data.crashes", **look})]


@pytest.mark.parametrize(
    "sentence",
    [
        "map the crashes by severity: fatal in red, serious in orange, slight in yellow",
        "show crashes, fatal in red, serious in orange and slight in yellow",
        "show crashes coloured by severity (red for fatal, orange for serious, yellow for slight)",
        "show crashes with red for fatal, orange for serious and yellow for slight, and the rest in grey",
        "colour the crashes by severity: fatal red, serious orange, slight yellow",
        "show crashes by severity: the fatal ones in red, the serious ones in orange, the slight ones in yellow",
    ],
)
async def test_values_have_the_colours_that_are_said(sentence: str) -> None:
    assert await made(sentence) == [("add_map_layer", {"table": "data.crashes", "style": colours(FATAL)})]


async def test_a_value_that_no_row_has_is_refused() -> None:
    chat = Chat(World(CRASHES))
    answer = await chat("show crashes by severity: fatal in red, deadly in orange")
    assert [name for name, _ in chat.calls] == ["cannot_do"]
    assert "deadly" in answer


@pytest.mark.parametrize(
    "sentence",
    [
        "show crashes, biggest circles for the lowest injured",
        "show plans with more transparency",
        "show plans, more opaque",
    ],
)
async def test_what_does_not_tell_how_far_or_turns_the_sizes_round_is_not_read(sentence: str) -> None:
    assert await made(sentence) == []


@pytest.mark.parametrize(
    ("sentence", "opacity"),
    [
        ("make it more transparent", 0.6),
        ("more transparent", 0.6),
        ("less opaque", 0.6),
        ("less transparent", 1.0),
    ],
)
async def test_a_layer_is_faded_from_what_it_is(sentence: str, opacity: float) -> None:
    calls = await made("show plans", "100% opaque", sentence)
    assert calls[-1] == ("update_map_layer", {"layer_id": "plans", "opacity": opacity})


async def test_a_colour_of_the_others_alone_is_refused() -> None:
    answer = await Chat(World(CRASHES))("show crashes, the rest in grey, others in gray")
    assert "values without a colour of their own are always drawn in grey" in answer


async def test_what_cannot_be_drawn_is_told() -> None:
    chat = Chat(World(CRASHES, LANES))
    assert "not as triangles" in await chat("show crashes as brown triangles")
    assert "Line width cannot show a value" in await chat("show lanes, thickest for the busiest")
    assert chat.calls[0][1]["style"] == {"kind": "proportional", "column": "daily_riders"}
    assert "these are bars" in await chat("pie chart of crashes by severity")


async def test_the_look_of_what_is_on_the_map() -> None:
    assert await made("show plans", "half transparent") == [
        ("update_map_layer", {"layer_id": "plans", "opacity": 0.5})
    ]
    assert await made("show plans in red", "no fill") == [
        (
            "update_map_layer",
            {"layer_id": "plans", "color": "#ffffff00", "style": {"stroke_color": "#ff0000"}},
        )
    ]


@pytest.mark.parametrize(
    ("sentence", "condition"),
    [
        ("plans in force", where("status", "=", "in force")),
        ("plans in the time zone Asia/Tokyo", where("timezone", "=", "Asia/Tokyo")),
        ("plans with more than 5 planned dwellings", where("dwell", ">", 5)),
    ],
)
async def test_rows_by_words_of_comments_and_names_written_together(
    sentence: str, condition: dict[str, Any]
) -> None:
    assert await made(sentence) == [("add_map_layer", {"table": "data.plans", "filters": condition})]


async def test_a_dash_may_stand_between_two_commands() -> None:
    calls = await made("plans with more than 5 planned dwellings - show them in orange")
    assert calls[-1][1]["color"] == "orange"


@pytest.mark.parametrize(
    ("sentences", "change"),
    [
        (("show plans", "bigger outlines please"), None),
        (("show crashes", "twice as big"), {"style": {"size": 10.0}}),
        (("show crashes", "a bit smaller please"), {"style": {"size": 3.3}}),
        (("show plans", "no outlines"), {"style": {"stroke": 0.0}}),
        (("show plans", "fade the plans to 30%"), {"opacity": 0.3}),
        (
            ("show plans", "hide the drafts"),
            {"filters": {"op": "not", "args": [where("status", "=", "draft")]}},
        ),
        (("colour plans by planned dwellings", "in shades of green"), {"style": {"ramp": "Greens"}}),
    ],
)
async def test_looks_without_a_verb(sentences: tuple[str, ...], change: dict[str, Any] | None) -> None:
    calls = await made(*sentences)
    assert [arguments for name, arguments in calls if name == "update_map_layer"] == (
        [{"layer_id": sentences[0].split()[1], **change}] if change else []
    )


async def test_a_place_is_shown_as_the_row_of_that_name() -> None:
    chat = Chat()
    await chat("highlight Switzerland in green")
    await chat("outline Germany in red")
    ((_, outlined),) = chat.calls
    assert [layer.name for layer in chat.layers.values()] == ["Switzerland", "Germany"]
    assert outlined["filters"] == where("name", "=", "Germany")
    assert (outlined["color"], outlined["style"]) == ("#ffffff00", {"stroke_color": "red"})


async def test_a_part_of_a_layer_that_was_asked_about_is_drawn_as_a_layer_of_its_own() -> None:
    chat = Chat()
    for sentence in (
        "show airports in Germany",
        "which of them have an iata code?",
        "colour them by elevation",
    ):
        await chat(sentence)
    ((name, arguments),) = chat.calls
    assert (name, arguments["style"]["column"]) == ("add_map_layer", "elevation_m")
    assert arguments["filters"]["args"][0] == where("country", "=", "Germany")


async def test_their_means_nothing_where_nothing_was_spoken_of() -> None:
    chat = Chat()
    await chat("what is the total of their population?")
    assert [name for name, _ in chat.calls if name != "cannot_do"] == []


async def test_the_same_for_another_place() -> None:
    chat = Chat()
    await chat("airports in Germany, big yellow dots with names")
    await chat("now the same for Bolivia")
    assert chat.calls == [
        ("update_map_layer", {"layer_id": "airports", "filters": where("country", "=", "Bolivia")})
    ]


@pytest.mark.parametrize(
    ("sentence", "opacity"),
    [("show plans a bit see-through", 0.7), ("show plans, slightly transparent", 0.7)],
)
async def test_a_bit_transparent_is_still_well_seen(sentence: str, opacity: float) -> None:
    assert await made(sentence) == [("add_map_layer", {"table": "data.plans", "opacity": opacity})]


@pytest.mark.parametrize(
    ("sentence", "look"),
    [
        (
            "show cities, bigger dots for bigger cities",
            {"style": {"kind": "proportional", "column": "population"}},
        ),
        ("put the cities on top as black dots", {"style": {"kind": "single"}, "color": "black"}),
        ("draw cities on top of them in red", {"color": "red"}),
    ],
)
async def test_points_are_put_on_top_and_sized_by_what_their_size_is(
    sentence: str, look: dict[str, Any]
) -> None:
    chat = Chat()
    await chat(sentence)
    assert chat.calls == [("add_map_layer", {"table": "data.cities", **look})]


@pytest.mark.parametrize(
    ("sentence", "names"),
    [
        ("show Germany, France and Peru in light green, 40 % opacity", ["Germany", "France", "Peru"]),
        ("show Germany and Peru in light green, 40 % opacity", ["Germany", "Peru"]),
        ("show Trinidad and Tobago in light green, 40 % opacity", ["Trinidad and Tobago"]),
    ],
)
async def test_several_places_are_one_layer(sentence: str, names: list[str]) -> None:
    chat = Chat()
    await chat(sentence)
    ((name, arguments),) = chat.calls
    assert (name, arguments["color"], arguments["opacity"]) == ("add_map_layer", "lightgreen", 0.4)
    assert arguments["filters"]["args"][1] == (names if len(names) > 1 else names[0])


@pytest.mark.parametrize(
    ("sentence", "table", "column"),
    [
        ("colour by injured", "data.crashes", "injured"),
        ("color by daily riders", "data.lanes", "daily_riders"),
        ("shade by planned dwellings", "data.plans", "dwell"),
    ],
)
async def test_on_an_empty_map_the_only_table_with_the_column_is_coloured(
    sentence: str, table: str, column: str
) -> None:
    ((_, added),) = await made(sentence)
    assert (added["table"], added["style"]["column"]) == (table, column)
