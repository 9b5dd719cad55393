"""Charts of data that is not nice: holes, infinities, one value, many categories, times, odd names and types."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime
from typing import Any

import pytest
import pytest_asyncio

from agents.charts import ChartDraft, draft_of
from agents.core.errors import ToolFailed
from server.gis.charts.links import Part
from server.gis.charts.table import csv_of
from server.gis.errors import InvalidQuestion
from tests.integration.charts.conftest import Desk

TABLES = (
    """
    CREATE TABLE data.odd (
        id serial PRIMARY KEY, real_value double precision, exact numeric, whole bigint, small real, yes boolean,
        digits text, moment timestamptz, plain timestamp, day date, thing uuid, doc jsonb, "Weird ""Näme; --" text,
        same integer DEFAULT 7, nothing double precision, geom geometry(Point, 4326) DEFAULT 'SRID=4326;POINT(1 1)'
    )
    """,
    """
    INSERT INTO data.odd (real_value, exact, whole, small, yes, digits, moment, plain, day, "Weird ""Näme; --") VALUES
        (1, 1, 1, 0.7, true, '10', '2024-12-31 23:30:00+00', '2024-12-31 23:30', '2024-12-31', '=HYPERLINK("x")'),
        (2, 2.5, 2, 0.1, false, '9', '2025-01-01 01:30:00+02', '2025-01-01 01:30', '2025-01-01', '<b>'),
        ('NaN', 'NaN', 9007199254740993, 0.3, NULL, '9', 'infinity', '-infinity', 'infinity', ''),
        ('Infinity', 'Infinity', -5, 'NaN', true, NULL, '0044-03-15 BC', '2025-02-01', '0044-03-15 BC', NULL),
        ('-Infinity', NULL, NULL, NULL, NULL, 'x', NULL, NULL, NULL, '{"op": "not"}'),
        (NULL, 3, 4, 1.5, true, '10', '2025-06-30 12:00:00+00', '2025-06-30 12:00', '2025-06-30', '<b>')
    """,
    "CREATE TABLE data.nothing_in_it (id integer PRIMARY KEY, x double precision, name text, at timestamptz)",
    """
    CREATE TABLE data.many AS
        SELECT n AS id, 'category ' || n % 10000 AS name, n % 10000 AS number, 1e300 * (n - 15000) AS vast
        FROM generate_series(1, 30000) AS n
    """,
    "CREATE TABLE data.unkeyed AS SELECT n AS x, n * n AS y FROM generate_series(1, 9) AS n",
    """
    CREATE TABLE data.extremes (id integer PRIMARY KEY, x double precision, tight double precision)
    """,
    "INSERT INTO data.extremes VALUES (1, -1.7e308, 1), (2, 1.7e308, 1.0000000000000002), (3, 5e-324, 1)",
)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def odd(desk: Desk) -> Desk:
    await desk.make(*TABLES)
    return desk


@pytest.mark.parametrize("column", ["real_value", "exact"])
async def test_what_is_no_number_is_left_out_and_said(odd: Desk, column: str) -> None:
    made = await odd.draw("histogram", "data.odd", x=column)
    missing = 4 if column == "real_value" else 3
    assert sum(made.data.counts[0]) == 6 - missing
    assert made.chart.note == f"{missing} of 6 rows have no value"
    bars = await odd.draw("bar", "data.odd", x="yes", y=column, aggregate="sum")
    assert bars.chart.shown == 6 - missing


async def test_truths_and_texts_of_digits_are_categories(odd: Desk) -> None:
    made = await odd.draw("bar", "data.odd", x="yes")
    assert made.data.x is not None
    assert (made.data.x.keys, made.data.values[0]) == (("false", "true", None), (1, 3, 2))
    texts = await odd.draw("bar", "data.odd", x="digits")
    assert texts.data.x is not None
    assert dict(zip(texts.data.x.keys, texts.data.values[0], strict=True)) == {
        "10": 2,
        "9": 2,
        "x": 1,
        None: 1,
    }
    with pytest.raises(ToolFailed, match=r"'digits' holds text values and cannot be a histogram.*real_value"):
        await odd.draw("histogram", "data.odd", x="digits")


async def test_times_are_binned_in_utc_whatever_zone_they_were_written_in(odd: Desk) -> None:
    made = await odd.draw("histogram", "data.odd", x="moment", bins=6)
    axis = made.data.x
    assert axis is not None
    assert axis.kind == "time"
    starts = [datetime.fromtimestamp(edge, UTC) for edge in axis.edges]
    assert all(start.day == 1 and start.hour == 0 for start in starts), "months"
    assert (starts[0], sum(made.data.counts[0])) == (datetime(2024, 12, 1, tzinfo=UTC), 3), (
        "infinity and BC are not bins"
    )
    assert made.data.counts[0][0] == 2, "half past one in Helsinki is still the old year in UTC"
    plain = await odd.draw("histogram", "data.odd", x="plain", bins=6)
    assert plain.data.counts[0][0] == 1
    line = await odd.draw("line", "data.odd", x="day", y="whole", aggregate="sum")
    assert line.chart.shown == 3


async def test_a_period_has_a_bin_for_each_of_it(odd: Desk) -> None:
    await odd.make(
        "CREATE TABLE data.summer AS SELECT g::int AS id, date '2024-07-01' + g::int AS day, 's' AS season"
        " FROM generate_series(0, 61) AS g",
        "ALTER TABLE data.summer ADD PRIMARY KEY (id)",
    )
    for kind in ("histogram", "line"):
        made = await odd.draw(kind, "data.summer", x="day", period="month")
        assert draft_of(made.chart).period == "month", "read again as it was"
        assert made.data.counts == ((31, 31),)
    await odd.make("INSERT INTO data.summer VALUES (100, '1900-01-01', 's')")
    with pytest.raises(InvalidQuestion, match=r"1,?496 bins, and a chart has at most 60"):
        await odd.draw("histogram", "data.summer", x="day", period="month")
    with pytest.raises(InvalidQuestion, match="Only a histogram or a line of a time"):
        await odd.draw("bar", "data.summer", x="season", period="month")


async def test_one_value_is_one_bin(odd: Desk) -> None:
    made = await odd.draw("histogram", "data.odd", x="same")
    assert (made.data.counts, made.data.x.edges if made.data.x else ()) == (((6,),), (7.0, 8.0))
    box = await odd.draw("box", "data.odd", y="same")
    assert box.data.boxes[0] is not None
    assert (box.data.boxes[0].low, box.data.boxes[0].high, box.data.boxes[0].outliers) == (7, 7, 0)


@pytest.mark.parametrize(
    ("kind", "columns"),
    [
        ("bar", {"x": "name"}),
        ("bar", {"x": "name", "y": "x"}),
        ("line", {"x": "at", "y": "x", "color": "name"}),
        ("scatter", {"x": "x", "y": "x"}),
        ("histogram", {"x": "x"}),
        ("histogram", {"x": "at"}),
        ("box", {"x": "name", "y": "x"}),
    ],
)
async def test_an_empty_table_makes_an_empty_chart(odd: Desk, kind: str, columns: dict[str, str]) -> None:
    made = await odd.draw(kind, "data.nothing_in_it", **columns)
    assert (made.chart.rows, made.chart.shown, made.chart.note) == (0, 0, "No row passes the filter.")
    nothing = await odd.draw(kind, "data.nothing_in_it", filter="x > 1", **columns)
    assert csv_of(nothing.chart, nothing.data).count(b"\r\n") == 1
    assert await odd.charts.parts(made.chart, made.data, [1]) == []


async def test_a_column_without_any_value_makes_an_empty_chart(odd: Desk) -> None:
    for kind, columns in (
        ("histogram", {"x": "nothing"}),
        ("box", {"y": "nothing"}),
        ("line", {"x": "nothing"}),
    ):
        made = await odd.draw(kind, "data.odd", **columns)
        assert made.chart.shown == 0
        assert made.chart.note == "6 of 6 rows have no value"


async def test_ten_thousand_categories_become_a_few_and_others(odd: Desk) -> None:
    made = await odd.draw("bar", "data.many", x="name")
    assert made.data.x is not None
    assert (len(made.data.x.keys), made.data.x.others) == (12, 9988)
    assert made.data.values[0] == (*[3.0] * 12, 29964.0)
    with pytest.raises(ToolFailed, match=r"10,000 different numbers, too many for bars. Make a histogram"):
        await odd.draw("bar", "data.many", x="number")
    split = await odd.draw("line", "data.many", x="number", color="name")
    assert len(split.data.values) == 7
    boxes = await odd.draw("box", "data.many", x="name", y="number", bins=2)
    assert [box.count for box in boxes.data.boxes if box] == [3, 3, 29994]


async def test_vast_and_tight_numbers_have_bins_too(odd: Desk) -> None:
    vast = await odd.draw("histogram", "data.many", x="vast")
    assert sum(vast.data.counts[0]) == 30000
    for column in ("x", "tight"):
        made = await odd.draw("histogram", "data.extremes", x=column)
        assert sum(made.data.counts[0]) == 3
        await odd.draw("box", "data.extremes", y=column)
        await odd.draw("line", "data.extremes", x=column, y=column, aggregate="sum")


async def test_names_and_values_are_only_that(odd: Desk) -> None:
    name = 'Weird "Näme; --'
    made = await odd.draw("bar", "data.odd", x=name)
    assert made.data.x is not None
    assert set(made.data.x.keys) == {'=HYPERLINK("x")', "<b>", "", '{"op": "not"}', None}
    place = made.data.x.keys.index("<b>")
    assert (await odd.charts.features(made.chart, made.data, [Part(place)])).ids == [2, 6]
    empty = made.data.x.keys.index(None)
    assert (await odd.charts.features(made.chart, made.data, [Part(empty)])).ids == [4]
    rows = list(csv.reader(io.StringIO(csv_of(made.chart, made.data).decode())))
    disarmed = "Weird \"Näme;' --"  # what follows a semicolon may become a cell of its own
    assert rows[0] == [disarmed, "count"]
    assert ['\'=HYPERLINK("x")', "1"] in rows


@pytest.mark.parametrize("kind", ["histogram", "box", "bar"])
async def test_columns_may_have_the_names_of_a_charts_own_columns(odd: Desk, kind: str) -> None:
    await odd.make(
        "CREATE TABLE IF NOT EXISTS data.places AS"
        " SELECT n AS id, n % 2 AS place, 'a' AS series, 1.5 * n AS value FROM generate_series(1, 6) AS n"
    )
    roles = {"histogram": {"x": "value"}, "box": {"x": "place", "y": "value"}, "bar": {"x": "place"}}[kind]
    drawn = await odd.draw(kind, "data.places", **roles)
    assert drawn.chart.rows == 6


async def test_identifiers_can_be_categories_and_documents_cannot(odd: Desk) -> None:
    made = await odd.draw("bar", "data.odd", x="thing")
    assert made.data.values == ((6.0,),)
    for column in ("doc", "geom"):
        with pytest.raises(ToolFailed, match=f"'{column}' holds .* values and cannot be the groups of bars"):
            await odd.draw("bar", "data.odd", x=column)


async def test_whole_numbers_beyond_a_double_and_single_precision_are_found_again(odd: Desk) -> None:
    for column in ("whole", "small"):
        made = await odd.draw("histogram", "data.odd", x=column)
        for place, count in enumerate(made.data.counts[0]):
            assert (await odd.charts.features(made.chart, made.data, [Part(place)])).total == count


async def test_without_a_key_nothing_can_be_marked_and_that_is_said(odd: Desk) -> None:
    made = await odd.draw("scatter", "data.unkeyed", x="x", y="y")
    assert made.data.points is not None
    assert made.data.points.ids == ()
    with pytest.raises(ToolFailed, match="no integer key"):
        await odd.charts.features(made.chart, made.data, [], (0, 5, 0, 50))


@pytest.mark.parametrize(
    ("kind", "fields", "message"),
    [
        ("bar", {}, "A bar chart needs x"),
        ("bar", {"x": "name", "y": "name"}, "'name' holds text values.*Columns that can: id, x"),
        ("bar", {"x": "nam"}, "no column 'nam'. Did you mean 'name'"),
        ("bar", {"x": "name", "aggregate": "sum"}, "sum needs y"),
        ("line", {"x": "name"}, "use bars for groups"),
        ("scatter", {"x": "x"}, "A scatter chart needs y"),
        ("scatter", {"x": "x", "y": "x", "color": "x"}, "colour"),
        ("histogram", {"x": "x", "y": "x"}, "takes no y"),
        ("box", {"x": "name", "y": "x", "color": "name"}, "no colour"),
        ("box", {"y": "name"}, "boxes, which need numbers"),
        ("bar", {"x": "name", "filter": "nam = 1"}, "no column 'nam'"),
    ],
)
async def test_a_wrong_wish_is_refused_with_what_would_be_right(
    odd: Desk, kind: Any, fields: dict[str, Any], message: str
) -> None:
    with pytest.raises(ToolFailed, match=message):
        await odd.charts.draw(ChartDraft(kind=kind, **fields), "data.nothing_in_it")
