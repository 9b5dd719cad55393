"""Styles computed from tables: what is drawn agrees with the legend, and the legend with the rows."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from agents.domain import Column, GeometryFamily, Legend, Style, StyleSpec, Table
from agents.geo.styling.ramps import NO_DATA, OTHER
from server.database.engines import Database
from server.gis.errors import UnknownColumn
from server.gis.styles import InvalidStyle, compute_style, evaluate
from tests.integration.styles.conftest import Studio


async def test_a_single_colour_is_what_was_asked_for(studio: Studio) -> None:
    style, legend = await studio.draw("places", color="Dark Orange", size=7)
    (circles,) = style.layers
    assert circles.paint["circle-color"] == style.color == legend.entries[0].color == "#ff8c00"
    assert circles.paint["circle-radius"] == legend.entries[0].size == 7
    assert (legend.shape, legend.title) == ("circle", "places")


@pytest.mark.parametrize(
    ("table", "shape", "kinds"),
    [("places", "circle", ["circle"]), ("areas", "fill", ["fill", "line"]), ("ways", "line", ["line"])],
)
async def test_each_kind_of_geometry_is_drawn_in_its_way(
    studio: Studio, table: str, shape: str, kinds: list[str]
) -> None:
    for spec in ({}, {"kind": "graduated", "column": "pop"}):
        style, legend = await studio.draw(table, **spec)
        assert [layer.type for layer in style.layers] == kinds
        assert legend.shape == shape


@pytest.mark.parametrize("method", ["quantile", "equal", "jenks"])
@pytest.mark.parametrize("column", ["pop", "v a", "zeros", "odd"])
async def test_each_row_is_drawn_in_the_colour_of_the_class_that_counts_it(
    studio: Studio, method: str, column: str
) -> None:
    style, legend = await studio.draw("places", kind="graduated", column=column, method=method, classes=5)
    color = style.layers[0].paint["circle-color"]
    rows = await studio.rows(
        f"""SELECT CASE WHEN "{column}"::float8 IN ('NaN', 'Infinity') THEN NULL ELSE "{column}"::float8 END
            FROM data.places"""
    )
    drawn = [evaluate(color, {} if value is None else {column: value}) for (value,) in rows]
    for entry in legend.entries:
        assert entry.count == drawn.count(entry.color) > 0, entry
    assert sum(entry.count or 0 for entry in legend.entries) == 1000
    labels = [entry.label for entry in legend.entries]
    assert len(set(labels)) == len(labels)
    for low, high in itertools.pairwise([entry for entry in legend.entries if entry.label != "no data"]):
        assert low.maximum == high.minimum


async def test_quantiles_of_a_skewed_column_hold_equal_shares(studio: Studio) -> None:
    _, legend = await studio.draw("places", kind="graduated", column="pop", classes=4)
    assert [entry.count for entry in legend.entries] == pytest.approx([250] * 4, abs=5)


async def test_many_equal_values_merge_classes_and_the_legend_says_so(studio: Studio) -> None:
    _, legend = await studio.draw("places", kind="graduated", column="zeros", classes=5)
    assert legend.entries[0].count == 800
    assert len(legend.entries) < 5
    assert "instead of 5" in (legend.note or "")


async def test_constant_and_empty_columns_are_drawn_and_explained(studio: Studio) -> None:
    _, constant = await studio.draw("places", kind="graduated", column="same")
    assert [(entry.label, entry.count) for entry in constant.entries] == [("5", 1000)]
    style, empty = await studio.draw("places", kind="graduated", column="empty")
    assert [(entry.label, entry.color, entry.count) for entry in empty.entries] == [
        ("no data", NO_DATA, 1000)
    ]
    assert evaluate(style.layers[0].paint["circle-color"], {}) == NO_DATA
    assert empty.note == "All values are missing."
    for kind in ("categorical", "proportional", "heatmap"):
        assert (await studio.draw("places", kind=kind, column="empty"))[0].layers


async def test_no_rows_at_all_are_no_fault(studio: Studio) -> None:
    nobody = {"op": "=", "args": [{"property": "name"}, "nobody"]}
    for kind in ("single", "categorical", "graduated", "proportional", "heatmap"):
        _, legend = await studio.draw("places", nobody, kind=kind, column="pop")
        assert all(not entry.count for entry in legend.entries)


async def test_only_rows_that_pass_the_filter_count(studio: Studio) -> None:
    small = {"op": "<=", "args": [{"property": "id"}, 100]}
    _, legend = await studio.draw("places", small, kind="graduated", column="pop")
    assert sum(entry.count or 0 for entry in legend.entries) == 100
    assert legend.entries[-1].maximum == 10_000


async def test_natural_breaks_say_what_they_were_computed_from(studio: Studio, database: Database) -> None:
    async with database.owner.begin() as connection:
        await connection.exec_driver_sql(
            "CREATE TABLE data.large AS SELECT n AS id, (n % 7) * 1000 + n / 100.0 AS v, "
            "ST_SetSRID(ST_MakePoint(1, 1), 4326)::geometry(Point, 4326) AS geom FROM generate_series(1, 30000) n"
        )
    await studio._registry.refresh()
    first = await studio.draw("large", kind="graduated", column="v", method="jenks")
    assert "1,001 quantiles of 30,000 values" in (first[1].note or "")
    assert first == await studio.draw("large", kind="graduated", column="v", method="jenks")


async def test_the_most_frequent_values_have_colours_and_the_rest_is_other(studio: Studio) -> None:
    style, legend = await studio.draw("places", kind="categorical", column="kind", classes=2)
    found = {entry.label: (entry.color, entry.count) for entry in legend.entries}
    counts = dict(await studio.rows("SELECT coalesce(kind, 'no data'), count(*) FROM data.places GROUP BY 1"))
    assert found["no data"] == (NO_DATA, counts["no data"])
    assert found["other"] == (OTHER, min(counts["a"], counts["b"], counts["c"]))
    color = style.layers[0].paint["circle-color"]
    for entry in legend.entries[:2]:
        assert entry.count == counts[str(entry.value)]
        assert evaluate(color, {"kind": entry.value}) == entry.color
    assert legend.note == "The 2 most frequent of 3 values."


@pytest.mark.parametrize("column", ["flag", "same", "at", "odd", "name", "huge"])
async def test_values_of_any_type_can_be_categories(studio: Studio, column: str) -> None:
    style, legend = await studio.draw("places", kind="categorical", column=column)
    color = style.layers[0].paint["circle-color"]
    assert legend.entries
    for entry in legend.entries:
        if entry.value is not None:
            assert evaluate(color, {column: entry.value}) == entry.color
    assert sum(entry.count or 0 for entry in legend.entries) == 1000


async def test_circles_are_as_large_in_area_as_their_values(studio: Studio) -> None:
    style, legend = await studio.draw("places", kind="proportional", column="pop", size=30)
    (circles,) = style.layers
    radius = circles.paint["circle-radius"]
    assert evaluate(radius, {"pop": 1_000_000}) == 30
    assert (evaluate(radius, {"pop": 1_000_000}) / evaluate(radius, {"pop": 250_000})) ** 2 == pytest.approx(
        4
    )
    assert [entry.size for entry in legend.entries] == [
        round(evaluate(radius, {"pop": entry.value}), 2) for entry in legend.entries
    ]


async def test_values_below_zero_have_a_colour_of_their_own(studio: Studio) -> None:
    style, legend = await studio.draw("places", kind="proportional", column="v a", color="blue")
    color = style.layers[0].paint["circle-color"]
    assert evaluate(color, {"v a": 1}) == "#0000ff"
    assert evaluate(color, {"v a": -1}) not in ("#0000ff", None)
    assert {entry.color for entry in legend.entries} == {"#0000ff", evaluate(color, {"v a": -1})}


@pytest.mark.parametrize("kind", ["proportional", "heatmap"])
async def test_circles_and_heat_over_areas_are_drawn_from_one_point_each(studio: Studio, kind: str) -> None:
    style, _ = await studio.draw("areas", kind=kind, column="pop")
    assert style.layers[-1].source_layer == "points"


async def test_labels_are_drawn_last_and_once_per_feature(studio: Studio) -> None:
    for table, source in (("places", "features"), ("areas", "points"), ("ways", "points")):
        style, _ = await studio.draw(table, label="id")
        assert (style.layers[-1].type, style.layers[-1].source_layer) == ("symbol", source)


async def test_a_heat_map_begins_translucent_and_weighs_by_a_column(studio: Studio) -> None:
    style, legend = await studio.draw("places", kind="heatmap", column="pop", ramp="viridis")
    paint = style.layers[0].paint
    assert paint["heatmap-color"][3:5] == [0, "rgba(68,1,84,0)"]
    assert evaluate(paint["heatmap-weight"], {"pop": 10**9}) == 1
    assert evaluate(paint["heatmap-weight"], {}) == 0
    assert legend.shape == "gradient"
    assert [entry.color for entry in legend.entries] == paint["heatmap-color"][6::2]


async def test_ramps_and_colours_can_be_chosen(studio: Studio) -> None:
    _, named = await studio.draw("places", kind="graduated", column="pop", ramp="ylgnbu", classes=9)
    assert [entry.color for entry in named.entries] == [
        "#d6efb3", "#aadeb7", "#73c8bd", "#41b6c4", "#2498c1", "#2072b2", "#234da0", "#1f2f88", "#081d58",
    ]  # fmt: skip
    style, tinted = await studio.draw("places", kind="graduated", column="pop", color="green")
    assert len({entry.color for entry in tinted.entries}) == 5
    assert style.ramp is None


@pytest.mark.parametrize(
    ("table", "spec", "fault", "says"),
    [
        ("places", {"kind": "graduated", "column": "popp"}, UnknownColumn, "Did you mean 'pop'"),
        (
            "places",
            {"kind": "graduated", "column": "name"},
            InvalidStyle,
            "Numeric columns: id, pop, v a, same",
        ),
        (
            "places",
            {"kind": "proportional", "column": "kind"},
            InvalidStyle,
            "A categorical style can show it",
        ),
        ("places", {"kind": "graduated"}, InvalidStyle, "needs a column"),
        ("places", {"kind": "categorical"}, InvalidStyle, "needs a column"),
        ("places", {"kind": "categorical", "column": "geom"}, InvalidStyle, "no style can show"),
        ("places", {"kind": "categorical", "column": "raw"}, InvalidStyle, "no style can show"),
        ("places", {"kind": "heatmap", "column": "name"}, InvalidStyle, "Numeric columns"),
        ("places", {"color": "bleu"}, InvalidStyle, "Did you mean blue"),
        (
            "places",
            {"kind": "graduated", "column": "pop", "ramp": "Virids"},
            InvalidStyle,
            "Did you mean Viridis",
        ),
        ("places", {"label": "nme"}, UnknownColumn, "'name'"),
        ("places", {"label": "geom"}, InvalidStyle, "cannot be written"),
        ("plain", {}, InvalidStyle, "no geometry column"),
    ],
)
async def test_what_cannot_be_drawn_is_refused_with_what_can(
    studio: Studio, table: str, spec: dict[str, Any], fault: type[Exception], says: str
) -> None:
    with pytest.raises(fault, match=says):
        await studio.draw(table, **spec)


async def test_a_style_survives_its_way_through_json(studio: Studio) -> None:
    for kind in ("single", "categorical", "graduated", "proportional", "heatmap"):
        style, legend = await studio.draw("areas", kind=kind, column="pop", label="kind")
        assert Style.model_validate_json(style.model_dump_json()) == style
        assert Legend.model_validate_json(legend.model_dump_json()) == legend


@pytest.mark.parametrize("family", ["point", "line", "polygon", "mixed"])
async def test_what_was_dropped_meanwhile_is_a_fault_that_says_so(
    database: Database, family: GeometryFamily
) -> None:
    table = Table(
        id="data.gone",
        schema_name="data",
        name="gone",
        columns=(
            Column(name="v", kind="number", sql_type="double precision"),
            Column(name="geom", kind="geometry", sql_type="geometry"),
        ),
        geometry_column="geom",
        geometry_type={"point": "POINT", "line": "LINESTRING", "polygon": "POLYGON"}.get(family, "GEOMETRY"),
        srid=4326,
    )
    with pytest.raises(Exception, match="does not exist any more"):
        await compute_style(database.reader, table, None, StyleSpec(kind="graduated", column="v"))


async def test_areas_rise_by_a_column_in_the_colours_of_their_style(studio: Studio) -> None:
    flat, legend = await studio.draw("areas", kind="graduated", column="pop")
    style, same = await studio.draw("areas", kind="graduated", column="pop", extrude="pop", extrude_scale=2)
    (bodies,) = style.layers
    assert (bodies.type, same) == ("fill-extrusion", legend)
    assert bodies.paint["fill-extrusion-color"] == flat.layers[0].paint["fill-color"]
    height = bodies.paint["fill-extrusion-height"]
    assert [evaluate(height, row) for row in ({"pop": 400}, {"pop": 1}, {"pop": -5}, {})] == [800, 2, 0, 0]


async def test_without_a_scale_the_greatest_value_is_as_high_as_the_extent_allows(studio: Studio) -> None:
    style, _ = await studio.draw("areas", extrude="pop")
    tallest = evaluate(style.layers[0].paint["fill-extrusion-height"], {"pop": 400})
    # The areas reach over about 2.1 degrees.
    assert tallest == pytest.approx(0.08 * 2.1 * 111_320, rel=0.05)


async def test_what_cannot_rise_is_refused_with_the_reason(studio: Studio) -> None:
    with pytest.raises(InvalidStyle, match="Only areas can be drawn in 3D"):
        await studio.draw("places", extrude="pop")
    with pytest.raises(InvalidStyle, match="height in 3D must be a number"):
        await studio.draw("areas", extrude="kind")
    with pytest.raises(UnknownColumn):
        await studio.draw("areas", extrude="nothing")
    style, _ = await studio.draw("areas", kind="hexbin", extrude="pop")
    assert "fill-extrusion" not in {layer.type for layer in style.layers}
