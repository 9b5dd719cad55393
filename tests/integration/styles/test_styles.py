"""Styles computed from tables: what is drawn agrees with the legend, and the legend with the rows."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import pytest
import pytest_asyncio
import sqlalchemy as sa

from agents.domain import Column, Cql2, GeometryFamily, Legend, Style, StyleSpec, Table
from agents.geo import ramps
from agents.geo.ramps import NO_DATA, OTHER
from server.database.engines import Database
from server.gis.catalog.registry import Registry
from server.gis.errors import UnknownColumn
from server.gis.styles import InvalidStyle, compute_style, evaluate


@pytest_asyncio.fixture(scope="module", loop_scope="session", autouse=True)
async def places(database: Database) -> None:
    async with database.owner.begin() as connection:
        for statement in (
            'CREATE TABLE data.places (id int PRIMARY KEY, name text, kind text, pop int, "v a" float8, flag bool, '
            "same int, huge bigint, empty float8, zeros int, odd float8, at timestamptz, raw bytea, "
            "geom geometry(Point, 4326))",
            """INSERT INTO data.places SELECT n, 'place ' || n,
                CASE WHEN n % 10 = 0 THEN NULL ELSE (ARRAY['a', 'b', 'c'])[1 + n % 3] END,
                n * n, ln(n) - 2, n % 2 = 0, 5, 9007199254740993 + n % 2, NULL, greatest(0, n - 800),
                CASE WHEN n % 100 = 0 THEN 'NaN'::float8 WHEN n % 50 = 0 THEN 'Infinity' ELSE n END,
                '2020-01-01'::timestamptz + (n % 2) * interval '1 day', '\\x00',
                ST_SetSRID(ST_MakePoint(n / 10.0, n / 20.0), 4326) FROM generate_series(1, 1000) n""",
            "CREATE TABLE data.areas AS SELECT id, pop, kind, ST_Buffer(geom, 0.1)::geometry(Polygon, 4326) AS geom "
            "FROM data.places WHERE id <= 20",
            "CREATE TABLE data.ways AS SELECT id, pop, "
            "ST_MakeLine(geom, ST_Translate(geom, 1, 1))::geometry(LineString, 4326) AS geom FROM data.places "
            "WHERE id <= 20",
            "CREATE TABLE data.plain (id int PRIMARY KEY, name text)",
        ):
            await connection.exec_driver_sql(statement)


@pytest_asyncio.fixture(loop_scope="session")
async def registry(database: Database) -> Registry:
    known = Registry(database.reader, ("data",), None)
    await known.refresh()
    return known


class Studio:
    def __init__(self, database: Database, registry: Registry) -> None:
        self._database, self._registry = database, registry

    async def draw(self, name: str, filter: Cql2 | None = None, **spec: Any) -> tuple[Style, Legend]:
        table = self._registry.get(f"data.{name}")
        return await compute_style(self._database.reader, table, filter, StyleSpec(**spec))

    async def rows(self, query: str) -> Sequence[Any]:
        async with self._database.owner.connect() as connection:
            return (await connection.execute(sa.text(query))).all()


@pytest.fixture
def studio(database: Database, registry: Registry) -> Studio:
    return Studio(database, registry)


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
    assert "1 001 quantiles of 30 000 values" in (first[1].note or "").replace("\u202f", " ")
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
    assert tuple(entry.color for entry in named.entries) == ramps.SEQUENTIAL["YlGnBu"]
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


async def test_values_have_the_colours_that_were_asked_for_in_the_order_of_the_legend(studio: Studio) -> None:
    values = [
        {"value": "c", "color": "green"},
        {"value": "a", "color": "#00f"},
        {"value": "no", "color": "red"},
    ]
    style, legend = await studio.draw("places", kind="categorical", column="kind", values=values)
    color = style.layers[0].paint["circle-color"]
    drawn = [evaluate(color, {"kind": value}) for value in ("c", "a", "b")] + [evaluate(color, {})]
    assert drawn == ["#008000", "#0000ff", OTHER, NO_DATA]
    counts = dict(await studio.rows("SELECT coalesce(kind, 'none'), count(*) FROM data.places GROUP BY 1"))
    heights = style.layers[0].layout["circle-sort-key"]
    assert [evaluate(heights, {"kind": value}) for value in ("c", "a", "no", "b")] == [3, 2, 1, 0]
    told = [(entry.label, entry.color, entry.count) for entry in legend.entries]
    assert told == [
        ("c", "#008000", counts["c"]),
        ("a", "#0000ff", counts["a"]),
        ("no", "#ff0000", 0),
        ("other", OTHER, counts["b"]),
        ("no data", NO_DATA, counts["none"]),
    ]


@pytest.mark.parametrize(
    ("column", "value", "count"), [("flag", True, 500), ("same", 5, 1000), ("odd", 1.0, 1), ("at", "x", 0)]
)
async def test_values_of_any_kind_of_column_can_have_colours(
    studio: Studio, column: str, value: object, count: int
) -> None:
    chosen = [{"value": value, "color": "red"}]
    _, legend = await studio.draw("places", kind="categorical", column=column, values=chosen)
    assert (legend.entries[0].color, legend.entries[0].count) == ("#ff0000", count)


async def test_a_value_that_the_column_cannot_hold_is_refused(studio: Studio) -> None:
    for column, value in (("flag", "yes"), ("pop", "many"), ("pop", True), ("pop", 1.5)):
        chosen = [{"value": value, "color": "red"}]
        with pytest.raises(InvalidStyle, match="which cannot hold"):
            await studio.draw("places", kind="categorical", column=column, values=chosen)
    with pytest.raises(InvalidStyle):
        await studio.draw(
            "places", kind="categorical", column="kind", values=[{"value": "a", "color": "rde"}]
        )


async def test_a_value_has_one_colour_only(studio: Studio) -> None:
    twice = [{"value": 1, "color": "red"}, {"value": 1.0, "color": "blue"}]
    with pytest.raises(InvalidStyle, match="1 has two"):
        await studio.draw("places", kind="categorical", column="pop", values=twice)


async def test_classes_part_where_the_breaks_say(studio: Studio) -> None:
    style, legend = await studio.draw("places", kind="graduated", column="pop", breaks=[100, 2500.5, 1e9])
    color = style.layers[0].paint["circle-color"]
    assert [entry.count for entry in legend.entries] == [9, 41, 950, 0]
    shades = [entry.color for entry in legend.entries]
    assert [evaluate(color, {"pop": value}) for value in (99, 100, 2501, 1e9)] == shades
    assert legend.note is None
    with pytest.raises(InvalidStyle, match="rise"):
        await studio.draw("places", kind="graduated", column="pop", breaks=[5, 5])


def drawn_features(style: Style, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows that the filter of the first style layer lets through."""
    condition = style.layers[0].filter
    return [row for row in rows if condition is None or evaluate(condition, row)]


async def test_hidden_classes_are_not_drawn_and_stay_in_the_legend(studio: Studio) -> None:
    style, legend = await studio.draw("places", kind="graduated", column="pop", breaks=[100, 1000])
    middle = legend.entries[1].label
    style, legend = await studio.draw(
        "places", kind="graduated", column="pop", breaks=[100, 1000], hidden=[middle], label="name"
    )
    assert [entry.hidden for entry in legend.entries] == [False, True, False]
    rows = [{"pop": value} for value in (99, 100, 999, 1000)]
    assert [row["pop"] for row in drawn_features(style, rows)] == [99, 1000]
    assert all(layer.filter is not None for layer in style.layers), "labels are hidden with their features"


async def test_hidden_values_others_and_missing_values_are_not_drawn(studio: Studio) -> None:
    spec = {"kind": "categorical", "column": "kind", "values": [{"value": "a", "color": "red"}]}
    _, legend = await studio.draw("places", **spec)
    assert [entry.label for entry in legend.entries] == ["a", "other", "no data"]
    rows: list[dict[str, Any]] = [{"kind": "a"}, {"kind": "b"}, {}]
    for label, left in (("a", rows[1:]), ("other", [rows[0], rows[2]]), ("no data", rows[:2])):
        style, _ = await studio.draw("places", **spec, hidden=[label])
        assert drawn_features(style, rows) == left
    style, _ = await studio.draw("places", **spec, hidden=["no such entry"])
    assert drawn_features(style, rows) == rows


async def test_outlines_grow_with_the_size_and_the_zoom(studio: Studio) -> None:
    style, _ = await studio.draw("places")
    (circles,) = style.layers
    width = circles.paint["circle-stroke-width"]
    assert [evaluate(width, {}, zoom) for zoom in (0, 2)] == [0, 0], (
        "many points at low zoom keep their colour"
    )
    assert 0 < evaluate(width, {}, 6) < evaluate(width, {}, 12)
    (small,) = (await studio.draw("places", size=2))[0].layers
    assert evaluate(small.paint["circle-stroke-width"], {}, 12) < evaluate(width, {}, 12)
    (chosen,) = (await studio.draw("places", stroke=3, stroke_color="black"))[0].layers
    assert (chosen.paint["circle-stroke-width"], chosen.paint["circle-stroke-color"]) == (3, "#000000")


async def test_a_layer_and_its_labels_have_zooms(studio: Studio) -> None:
    style, _ = await studio.draw(
        "places", label="name", label_min_zoom=8, label_size=15, label_overlap=True, min_zoom=4, max_zoom=12
    )
    circles, labels = style.layers
    assert (circles.minzoom, circles.maxzoom, labels.minzoom, labels.maxzoom) == (4, 12, 8, 12)
    assert (labels.layout["text-size"], labels.layout["text-allow-overlap"]) == (15, True)
    with pytest.raises(InvalidStyle, match="less than"):
        await studio.draw("places", min_zoom=12, max_zoom=4)


async def test_a_tooltip_names_columns_of_the_table(studio: Studio) -> None:
    style, _ = await studio.draw("places", tooltip=["name", "pop"])
    assert style.tooltip == ("name", "pop")
    with pytest.raises(UnknownColumn):
        await studio.draw("places", tooltip=["nonsense"])
    with pytest.raises(InvalidStyle):
        await studio.draw("places", tooltip=["geom"])


async def test_a_style_sent_back_with_one_change_keeps_its_classes(studio: Studio) -> None:
    drawn, legend = await studio.draw("places", kind="categorical", column="id")
    labels = [entry.label for entry in legend.entries]
    again = drawn.model_dump(exclude={"layers"}) | {"hidden": labels[:1]}
    _, hidden = await studio.draw("places", **again)
    assert [entry.label for entry in hidden.entries] == labels
    assert [entry.label for entry in hidden.entries if entry.hidden] == labels[:1]


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
    with pytest.raises(InvalidStyle, match="Only areas rise"):
        await studio.draw("places", extrude="pop")
    with pytest.raises(InvalidStyle, match="Areas rise by a number"):
        await studio.draw("areas", extrude="kind")
    with pytest.raises(UnknownColumn):
        await studio.draw("areas", extrude="nothing")
    style, _ = await studio.draw("areas", kind="hexbin", extrude="pop")
    assert "fill-extrusion" not in {layer.type for layer in style.layers}
