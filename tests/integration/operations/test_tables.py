"""Operations on rows and columns: calculations and comparisons of tables."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pyogrio
import pytest

from agents.exports import ExportRequest
from server.gis.errors import GisError, InvalidQuestion, UnknownColumn
from server.gis.export.deliverable import resolved, wanted_of, write
from server.gis.expressions.identifiers import ADDED_KEY
from tests.integration.operations.conftest import Bench

FEWER_ROWS = True


@pytest.fixture(scope="module", autouse=True)
async def _figures(bench: Bench) -> None:
    await bench.make(
        'CREATE TABLE data.figures (id int PRIMARY KEY, a float, b int, "select" float, "naïve""quote" float, t text)',
        "INSERT INTO data.figures VALUES (1, 7.5, 2, -3, 10, 'x'), (2, -4, 3, 0, 0.5, 'y'), (3, 0.25, -5, 2, -1, 'z')",
    )


@pytest.mark.parametrize(
    ("expression", "reference"),
    [
        ("a + b * 2", lambda a, b, s, q: a + b * 2),
        ("(a + b) * 2 - a / b", lambda a, b, s, q: (a + b) * 2 - a / b),
        ("a - (b - 1)", lambda a, b, s, q: a - (b - 1)),
        ("b / 2", lambda a, b, s, q: b / 2),
        ("-a", lambda a, b, s, q: -a),
        ("b ^ 3", lambda a, b, s, q: b**3),
        ("a % 3", lambda a, b, s, q: math.fmod(a, 3)),
        ("abs(a) + floor(a) - ceil(a)", lambda a, b, s, q: abs(a) + math.floor(a) - math.ceil(a)),
        ("sqrt(abs(a))", lambda a, b, s, q: math.sqrt(abs(a))),
        (
            "ln(abs(a)) + log10(abs(b)) + exp(a)",
            lambda a, b, s, q: math.log(abs(a)) + math.log10(abs(b)) + math.exp(a),
        ),
        ("round(a / 3, 2)", lambda a, b, s, q: round(a / 3, 2)),
        ("greatest(a, b, 1) - least(a, b)", lambda a, b, s, q: max(a, b, 1) - min(a, b)),
        ('"select" * "naïve""quote"', lambda a, b, s, q: s * q),
        ("sign(a)", lambda a, b, s, q: math.copysign(1, a)),
    ],
)
@pytest.mark.reference("calculate")
async def test_a_calculation_agrees_with_python(bench: Bench, expression: str, reference: object) -> None:
    rows = (await bench.run("calculate", source="data.figures", name="value", expression=expression)).rows
    for row in rows.to_dict("records"):
        wanted = reference(row["a"], row["b"], row["select"], row['naïve"quote'])  # type: ignore[operator]
        assert row["value"] == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize(
    "expression",
    ["a / 0", "a % 0", "a / (b - b)", "ln(0 - 1)", "ln(0)", "sqrt(0 - 4)", "(0 - 4) ^ 0.5", "0 ^ (0 - 1)"],
)
async def test_what_has_no_answer_is_empty(bench: Bench, expression: str) -> None:
    rows = (await bench.run("calculate", source="data.figures", name="value", expression=expression)).rows
    assert len(rows) == 3
    assert rows.value.isna().all()
    filled = await bench.run(
        "calculate", source="data.figures", name="v", expression=f"coalesce({expression}, 9)"
    )
    assert (filled.rows.v == 9).all()


@pytest.mark.parametrize(
    "expression",
    ["", "a +", "t * 2", "a; DROP TABLE data.figures", "pg_sleep(10)", "a > 1", "'x'", "round(a, b)", "abs(a, b)",
     "a || 'x'", "TRUE", "(" * 60 + "a" + ")" * 60, "version()", "(SELECT 1)", "a = b"],
)  # fmt: skip
async def test_what_is_no_calculation_is_refused(bench: Bench, expression: str) -> None:
    with pytest.raises(InvalidQuestion):
        await bench.run("calculate", source="data.figures", name="value", expression=expression)


async def test_an_unknown_column_is_named_with_the_nearest(bench: Bench) -> None:
    with pytest.raises(UnknownColumn, match="population"):
        await bench.run("calculate", source="data.cities", name="x", expression="populatoin * 2")


async def test_an_overflow_is_a_clear_fault(bench: Bench) -> None:
    with pytest.raises(GisError, match="out of range"):
        await bench.run("calculate", source="data.figures", name="x", expression="exp(a * 1000)")


async def test_a_new_column_never_hides_an_old_one(bench: Bench) -> None:
    rows = (await bench.run("calculate", source="data.figures", name="a", expression="b + 1")).rows
    assert list(rows.a) == [7.5, -4, 0.25]
    assert list(rows.a_2) == [3, 4, -4]


async def test_a_filter_by_place_runs_and_its_receipt_as_well(bench: Bench) -> None:
    europe = {"op": "s_intersects", "args": [{"property": "geom"}, {"bbox": [-10, 36, 30, 70]}]}
    answer = await bench.run("filter", source="data.cities", filter=europe)
    assert len(answer.rows) > 1000
    assert all(-10 <= point.x <= 30 and 36 <= point.y <= 70 for point in answer.rows.geom)
    statement = answer.receipt.sql.partition(" AS ")[2].partition(";")[0]
    async with bench.database.reader.connect() as connection:
        found = await connection.exec_driver_sql(f"SELECT count(*) FROM ({statement}) AS again")
        assert found.scalar_one() == len(answer.rows)


async def test_the_largest_value_is_a_number(bench: Bench) -> None:
    await bench.make(
        "CREATE TABLE data.gaps (id int PRIMARY KEY, a float, b numeric, c real, d int)",
        "INSERT INTO data.gaps VALUES (1, 5, 5, 5, 5), (2, 'NaN', 'NaN', 'NaN', 1), (3, 9, 9, 9, 9)",
        "INSERT INTO data.gaps VALUES (4)",
    )
    for column in "abcd":
        assert list((await bench.run("top", source="data.gaps", by=column, n=1)).rows.id) == [3]


async def test_a_key_that_cannot_be_compared_is_refused(bench: Bench) -> None:
    await bench.make("CREATE TABLE data.documents (id int PRIMARY KEY, j json)")
    keys = {"key": "j", "other_key": "j"}
    with pytest.raises(InvalidQuestion, match="can be neither compared"):
        await bench.run("join_by_attribute", source="data.documents", other="data.documents", **keys)


async def test_what_is_no_number_ranks_last(bench: Bench) -> None:
    for column in "abcd":
        for ascending in (False, True):
            rows = (await bench.run("sort", source="data.gaps", by=column, ascending=ascending)).rows
            values = rows.set_index("id")[column].astype(float)
            wanted = values.rank(method="min", ascending=ascending, na_option="bottom")
            assert list(rows.set_index("id")["rank"]) == list(wanted)


@pytest.mark.parametrize("column", ["a", "b", "c"])
async def test_figures_leave_out_what_is_no_number(bench: Bench, column: str) -> None:
    names = ["count", "sum", "mean", "median", "min", "max", "stddev", "p10", "p90", "distinct"]
    figures = [{"function": name, "column": column} for name in names]
    answer = await bench.run("summarise", source="data.gaps", aggregates=figures)
    values = (await bench.rows("(SELECT *, id AS fid FROM data.gaps) AS t"))[column].astype(float)
    wanted = [
        values.count(), values.sum(), values.mean(), values.median(), values.min(), values.max(), values.std(),
        values.quantile(0.1), values.quantile(0.9), values.nunique(),
    ]  # fmt: skip
    found = [float(answer.rows[f"{name}_{column}"][0]) for name in names]
    assert found == pytest.approx(wanted, rel=1e-9)
    assert answer.receipt.notes == (
        f"Values of data.gaps that are not numbers (NaN) are ignored like empty ones: 1 of {column}.",
    )
    numbers = await bench.run(
        "summarise", source="data.gaps", aggregates=[{"function": "sum", "column": "d"}]
    )
    assert numbers.rows.sum_d[0] == 15
    assert numbers.receipt.notes == ()


async def test_figures_by_place_leave_out_what_is_no_number(bench: Bench) -> None:
    await bench.make(
        "CREATE TABLE data.readings (id int PRIMARY KEY, v float, geom geometry(Point, 4326))",
        "INSERT INTO data.readings SELECT n, CASE n WHEN 3 THEN 'NaN'::float ELSE n END,"
        " ST_SetSRID(ST_MakePoint(10, 50), 4326) FROM generate_series(1, 4) AS n",
        "CREATE TABLE data.field AS SELECT 1 AS id, ST_MakeEnvelope(9, 49, 11, 51, 4326) AS geom",
    )
    figures = [{"function": "sum", "column": "v"}, {"function": "max", "column": "v"}]
    around = {"source": "data.readings", "aggregates": figures}
    for operation, arguments in (
        ("spatial_join", {"source": "data.field", "other": "data.readings", "aggregates": figures}),
        ("grid", {**around, "size": "10 km"}),
        ("dissolve", around),
    ):
        answer = await bench.run(operation, **arguments)
        assert (answer.rows.sum_v[0], answer.rows.max_v[0]) == (7, 4)
        assert any(note.endswith("1 of v.") for note in answer.receipt.notes)


async def test_a_column_of_the_users_that_is_called_as_our_key_stays(bench: Bench) -> None:
    await bench.make(
        "CREATE TABLE data.numbered (fid int PRIMARY KEY, v int, geom geometry(Point, 4326))",
        "INSERT INTO data.numbered SELECT 70 + n, n, ST_SetSRID(ST_MakePoint(n, 50), 4326)"
        " FROM generate_series(1, 3) n",
    )
    once = await bench.run("sort", source="data.numbered", by="fid")
    assert list(once.rows.source_fid) == [73, 72, 71]
    again = await bench.run("buffer", source=once.table, distance="1 km")
    assert sorted(again.rows.source_fid) == [71, 72, 73]
    both = await bench.run("merge", sources=["data.numbered", once.table])
    assert sorted(both.rows.source_fid) == [71, 71, 72, 72, 73, 73]
    joined = await bench.run("nearest", source="data.numbered", target="data.numbered")
    assert {71, 72, 73} >= set(joined.rows.source_fid)


async def test_a_users_fid_is_exported_under_its_name(bench: Bench, tmp_path: Path) -> None:
    await bench.make(
        "CREATE TABLE data.counted (fid int PRIMARY KEY, fid_2 int, geom geometry(Point, 4326))",
        "INSERT INTO data.counted SELECT 70 + n, n, ST_SetSRID(ST_MakePoint(n, 50), 4326)"
        " FROM generate_series(1, 3) n",
        "CREATE TABLE data.places_of_n (n int PRIMARY KEY, geom geometry(Point, 4326))",
        "INSERT INTO data.places_of_n SELECT fid, geom FROM data.counted",
    )
    sorted_rows = await bench.run("sort", source="data.counted", by="fid")
    buffered = await bench.run("buffer", source=sorted_rows.table, distance="1 km")
    assert await exported(bench, tmp_path, buffered.table) == {
        "fid": [73, 72, 71],
        "fid_2": [3, 2, 1],
        "rank": [1, 2, 3],
    }
    assert await exported(bench, tmp_path, buffered.table, ["fid"]) == {"fid": [73, 72, 71]}
    assert await exported(bench, tmp_path, "data.counted") == {"fid": [71, 72, 73], "fid_2": [1, 2, 3]}
    changes = [{"function": "rename", "column": "n", "name": "fid"}]
    renamed = await bench.run("columns", source="data.places_of_n", changes=changes)
    assert await exported(bench, tmp_path, renamed.table) == {"fid": [71, 72, 73]}
    only_second = [{"function": "rename", "column": "n", "name": "fid_2"}]
    kept = await bench.run("columns", source="data.places_of_n", changes=only_second)
    assert await exported(bench, tmp_path, kept.table) == {"fid_2": [71, 72, 73]}


async def test_a_row_number_that_loading_added_does_not_hide_another_tables_column_of_its_name(
    bench: Bench, tmp_path: Path
) -> None:
    await bench.make(
        "CREATE TABLE data.loaded AS SELECT 10 * n AS v, ST_SetSRID(ST_MakePoint(n, 50), 4326) AS geom, n AS id"
        " FROM generate_series(1, 2) n",
        f"COMMENT ON COLUMN data.loaded.id IS '{ADDED_KEY}'",
        "CREATE TABLE data.named AS SELECT 'a' || n AS id, ST_SetSRID(ST_MakePoint(n, 51), 4326) AS geom"
        " FROM generate_series(1, 2) n",
    )
    merged = await bench.run("merge", sources=["data.loaded", "data.named"])
    found = await exported(bench, tmp_path, merged.table)
    assert {value for value in found["id"] if isinstance(value, str)} == {"a1", "a2"}
    assert list(found) == ["v", "id", "from_table"]


async def test_a_column_with_a_name_of_postgresqls_own_has_it_in_files(bench: Bench, tmp_path: Path) -> None:
    facts = [{"function": "geometry", "fact": each, "name": each} for each in ("xmin", "ymin", "xmax")]
    made = await bench.run("columns", source="data.places_of_n", changes=facts)
    assert {"xmin_2", "ymin", "xmax_2"} <= set(made.rows.columns)
    assert any("xmin is called xmin_2 until it is exported" in note for note in made.receipt.notes)
    later = await bench.run("buffer", source=made.table, distance="1 km")
    wanted = {"n": [71, 72, 73], "xmin": [1, 2, 3], "ymin": [50, 50, 50], "xmax": [1, 2, 3]}
    assert await exported(bench, tmp_path, later.table) == wanted
    assert await exported(bench, tmp_path, later.table, ["xmin"]) == {"xmin": [1, 2, 3]}
    assert await exported(bench, tmp_path, later.table, ["xmin_2 AS west"]) == {"west": [1, 2, 3]}


async def exported(
    bench: Bench, folder: Path, table: str, columns: list[str] | None = None
) -> dict[str, list[Any]]:
    """The columns of a GeoPackage of the table, as another program reads them."""
    item: dict[str, Any] = {"source": table, **({"columns": columns} if columns else {})}
    request = ExportRequest.model_validate({"items": [item], "format": "gpkg"})
    wanted = [wanted_of(each, bench.registry.get(each.source)) for each in request.items]
    path, _report = await write(request, await resolved(bench.database.reader, request, wanted), folder)
    return pyogrio.read_dataframe(path).drop(columns="geometry").to_dict("list")


async def test_what_kinds_of_shapes_a_table_holds_is_not_guessed_from_its_first_rows(bench: Bench) -> None:
    await bench.make(
        "CREATE TABLE data.late (n int, geom geometry(Geometry, 4326))",
        "INSERT INTO data.late SELECT n, ST_SetSRID(ST_MakePoint(n / 1000.0, 50), 4326)"
        " FROM generate_series(1, 2500) n",
        "INSERT INTO data.late VALUES (9999, ST_MakeEnvelope(0, 49, 1, 51, 4326))",
        "CREATE TABLE data.window AS SELECT 1 AS w, ST_MakeEnvelope(0.5, 49, 3, 51, 4326) AS geom",
    )
    assert bench.registry.get("data.late").geometry_family == "point"
    rows = (await bench.run("clip", source="data.late", mask="data.window")).rows
    kinds = rows.groupby([shape.geom_type for shape in rows.geom]).size()
    assert dict(kinds) == {"Point": 2001, "Polygon": 1}


async def test_shapes_that_are_nowhere_count_as_rows_without_a_geometry(bench: Bench) -> None:
    await bench.make(
        "CREATE TABLE data.partly (n int, geom geometry(LineString, 4326))",
        "INSERT INTO data.partly VALUES (1, 'SRID=4326;LINESTRING(1 1, 2 2)'),"
        " (2, ST_SetSRID(ST_MakeLine(ST_MakePoint('NaN', 1), ST_MakePoint('NaN', 2)), 4326)),"
        " (3, ST_SetSRID(ST_MakeLine(ST_MakePoint('Infinity', 1), ST_MakePoint(1, 2)), 4326))",
    )
    answer = await bench.run("buffer", source="data.partly", distance="1 km")
    assert [shape is not None for shape in answer.rows.sort_values("n").geom] == [True, False, False]
    assert any("2 rows of data.partly have coordinates" in note for note in answer.receipt.notes)
