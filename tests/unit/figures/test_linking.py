"""Each number of an answer finds the result that it comes from, and a number that no tool gave finds none."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from agents.core import AssistantMessage, Message, ToolCall, ToolMessage, ToolResult, UserMessage
from agents.domain import QueryReceipt
from agents.provenance.annotation import annotation
from agents.provenance.linking import Figure, link_figures

IN_GERMANY = {"op": "=", "args": [{"property": "country"}, "Germany"]}


def counted(value: float, call_id: str = "c1", **more: Any) -> ToolResult:
    receipt = QueryReceipt(
        sql="SELECT count(*);", table="data.airports", filter=IN_GERMANY, values={"count": value}
    )
    return ToolResult(
        call_id, "count_features", data({"count": value}), receipts=(receipt.model_dump(mode="json"),), **more
    )


def data(value: Any) -> str:
    return f"<data>\n{json.dumps(value)}\n</data>"


def turn(*results: ToolResult, says: str = "how many?", arguments: str = "{}") -> list[Message]:
    calls = tuple(ToolCall(result.call_id, result.name, arguments) for result in results)
    return [UserMessage(says), AssistantMessage("", calls), ToolMessage(results)]


def only(figures: list[Figure]) -> Figure:
    (figure,) = figures
    return figure


WRITINGS = [
    lambda value: f"{value:,}",
    lambda value: f"{value:,}".replace(",", " "),
    lambda value: f"{value:,}".replace(",", "."),
    lambda value: str(value),
    lambda value: f"{value / 1e3:.1f} thousand",
    lambda value: f"{value / 1e6:.2f} million",
    lambda value: f"about {round(value, 2 - len(str(value))):,}",
]


@given(st.integers(100_000, 10**9), st.sampled_from(WRITINGS))
@settings(deadline=None)
def test_a_number_is_found_however_it_is_written_and_rounded(value: int, write: Any) -> None:
    figure = only(link_figures(f"There are {write(value)} airports.", turn(counted(value))))
    assert figure.source is not None, write(value)
    assert (figure.source.call_id, figure.source.sql) == ("c1", "SELECT count(*);")
    assert (figure.source.table, figure.source.filter) == ("data.airports", IN_GERMANY)


@given(st.integers(10_000, 10**9), st.integers(10_000, 10**9))
@settings(deadline=None)
def test_a_number_that_no_result_holds_is_marked(value: int, other: int) -> None:
    assume(abs(value - other) > 0.05 * value)
    assert only(link_figures(f"There are {other:,} airports.", turn(counted(value)))).source is None


WHAT_IS_GONE = [
    "{} of the airports have no runway.",
    "{} airports are missing.",
    "{} airports were dropped.",
    "{} sind entfernt.",
    "Of all airports {} lack a runway.",
]


@pytest.mark.parametrize("text", WHAT_IS_GONE)
def test_what_is_gone_is_a_difference_of_counts(text: str) -> None:
    conversation = turn(counted(100), counted(80, "c2"))
    right, wrong = (only(link_figures(text.format(number), conversation)) for number in (20, 30))
    assert (right.note, right.how) == ("100 − 80", "reckoned")
    assert wrong.source is None


def test_numbers_in_the_notes_of_a_step_are_calculated_with() -> None:
    receipt = QueryReceipt(
        sql="CREATE TABLE t;",
        rows=120,
        values={"rows": 120},
        notes=("31 rows without a geometry are left out.",),
    )
    joined = ToolResult(
        "c1", "spatial_join", data({"rows": 120}), receipts=(receipt.model_dump(mode="json"),)
    )
    told, rest, share, wrong = link_figures(
        "31 rows were left out, so 89 remain: 25.8 % are missing, and 77 are missing elsewhere.", turn(joined)
    )
    assert told.source is not None
    assert (rest.note, rest.how) == ("120 − 31", "reckoned")
    assert share.note == "31 ÷ 120 = 25.83 %"
    assert wrong.source is None


INN = {"name": "Inn", "remark": "closed 31 rooms in two wings", "price": "1,250.50", "share": "12 %"}


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        ("The remark says that 31 rooms are closed.", True),
        ("There are 31.", False),
        ("The remark says that 33 rooms are closed.", False),
        ("It costs 1,250.5.", True),
        ("It costs 1,350.5.", False),
        ("The share is 12 %.", True),
    ],
)
def test_a_number_in_the_text_of_a_row_is_found_with_the_words_beside_it(text: str, is_found: bool) -> None:
    rows = ToolResult("c1", "query_features", data({"rows": [INN]}))
    assert (only(link_figures(text, turn(rows))).source is not None) is is_found


def test_texts_of_rows_that_an_analysis_read_may_be_quoted() -> None:
    receipt = QueryReceipt(sql="SELECT ...;", key="id", cells=((4, {}),), texts=((INN["remark"],),))
    told = ToolResult("c1", "run_analysis", "...", receipts=(receipt.model_dump(mode="json"),))
    quoted, made_up = link_figures(
        "The inn closed 31 rooms. It has 35.", turn(told), written=["run_analysis"]
    )
    assert (quoted.source is not None, quoted.row) == (True, 4)
    assert made_up.source is None


def test_numbers_in_notes_without_a_receipt_are_calculated_with() -> None:
    told = ToolResult("c1", "export", data({"rows": 120, "notes": ["31 rows are left out."]}))
    rest, wrong = link_figures("So 89 remain, and 77 elsewhere.", turn(told))
    assert (rest.note, rest.how) == ("120 − 31", "reckoned")
    assert wrong.source is None


@given(st.integers(1, 10**6), st.integers(1, 10**6))
@settings(deadline=None)
def test_a_share_is_reckoned_from_two_counts(part: int, whole: int) -> None:
    assume(part < whole)
    assume(all(abs(100 * part / whole - value) > 0.1 for value in (part, whole)))
    figure = only(
        link_figures(f"That is {100 * part / whole:.1f} %.", turn(counted(part), counted(whole, "c2")))
    )
    assert figure.source is not None
    assert figure.note.startswith(f"{part:,} ÷ {whole:,} = ")
    assert figure.how == "reckoned"


@given(st.text(max_size=200))
@settings(deadline=None)
def test_no_text_breaks_it_and_places_are_right(text: str) -> None:
    for figure in link_figures(text, turn(counted(479))):
        assert text[figure.start : figure.end] == figure.text


@pytest.mark.parametrize(
    "text",
    [
        "Above 2000 m there are many.",  # the user's own number
        "1. Frankfurt\n2. Munich",
        "Only those where elevation_m > 1,500.",  # what the call was given
        "The layer is `airports_2`.",
        "The Boeing 747 lands at Terminal 5.",
    ],
)
def test_what_is_no_claim_is_left_alone(text: str) -> None:
    messages = turn(counted(479), says="airports above 2000 m", arguments='{"filters": "elevation_m > 1500"}')
    assert link_figures(text, messages) == []


def test_names_of_results_and_of_the_map_are_no_figures() -> None:
    rows = ToolResult("c1", "query_features", data({"rows": [{"name": "Area 51 Airport"}]}))
    assert link_figures("**Area 51 Airport** is on Zone 17.", turn(rows), names=["Zone 17"]) == []
    assert only(link_figures("There are 51.", turn(rows))).source is None


def test_names_of_rows_that_an_analysis_read_are_no_figures() -> None:
    receipt = QueryReceipt(
        sql="SELECT ...;", table="analysis.a", key="id", cells=((1, {"n": 4}),), texts=(("Owner 7",),)
    )
    told = ToolResult("c1", "run_analysis", "Owner 7 has 4.", receipts=(receipt.model_dump(mode="json"),))
    (figure,) = link_figures("Owner 7 has 4.", turn(told), written=["run_analysis"])
    assert (figure.text, figure.source is None) == ("4", False)


def test_codes_in_results_are_no_figures() -> None:
    rows = ToolResult("c1", "query_features", data({"rows": [{"plot": "08425-1036"}, {"plot": "007"}]}))
    assert link_figures("The plots are 08425-1036 and 007.", turn(rows)) == []
    assert link_figures("There are 1,036 plots.", turn(rows))[0].source is None
    cast = ToolResult(
        "c1", "columns", data({"notes": ["52 values of plot cannot be read: '08425-1036' (id 1)."]})
    )
    assert all(each.source for each in link_figures("52 values, such as 08425-1036, are empty.", turn(cast)))


def test_a_number_of_a_row_knows_its_row() -> None:
    receipt = QueryReceipt(
        sql="SELECT ...;", table="data.cities", values={"total": 34003}, key="id",
        cells=((7, {"population": 24_874_500, "id": 7}), (9, {"population": 18_960_744, "id": 9})),
    )  # fmt: skip
    result = ToolResult("c1", "query_features", data({}), receipts=(receipt.model_dump(mode="json"),))
    first, second, of = link_figures("24.9 million, 18,960,744 of 34,003; and 7.", turn(result))  # 7 is an id
    assert (first.row, second.row, of.row) == (7, 9, None)
    assert first.source is not None
    assert first.source.key == "id"


def test_how_many_more_there_are_than_were_named_is_reckoned() -> None:
    figure = only(link_figures("Shanghai, Beijing and 48 more.", turn(counted(50))))
    assert figure.note == "50 − 2"
    assert only(link_figures("Shanghai, Beijing and 12 more.", turn(counted(50)))).source is None


def test_metres_may_be_given_in_kilometres_and_shares_in_percent() -> None:
    result = ToolResult("c1", "describe", data({"distance_m": 205_474.3, "share": 0.1234, "below": -12.4}))
    text = "205 km, or 205.47 km; 12.3 %; 12 m below the sea"
    assert [figure.source is not None for figure in link_figures(text, turn(result))] == [True] * 4


def test_a_thousand_is_not_taken_for_a_one() -> None:
    assert (
        only(link_figures("There are 2,000.", turn(ToolResult("c1", "x", data({"parts": 2}))))).source is None
    )


def test_earlier_results_count_after_those_of_this_turn() -> None:
    earlier = [*turn(counted(479)), AssistantMessage("479.")]
    figure = only(link_figures("Still 479.", [*earlier, *turn(counted(479, "c2"))]))
    assert figure.source is not None
    assert figure.source.call_id == "c2"
    figure = only(link_figures("As I said, 479.", [*earlier, UserMessage("really?")]))
    assert figure.source is not None
    assert figure.source.call_id == "c1"


def test_words_that_a_model_wrote_prove_nothing_but_the_receipts_in_them_do() -> None:
    kept = counted(11).receipts
    analysis = ToolResult("c1", "run_analysis", "There are 11 of 9,999.", receipts=kept)
    found, made_up = link_figures("There are 11 of 9,999.", turn(analysis), written={"run_analysis"})
    assert found.source is not None
    assert made_up.source is None


def test_a_tool_of_the_hosts_own_that_returns_words_is_a_result() -> None:
    result = ToolResult("c1", "park_hours", "The park opens at 9 and has 12 gates.")
    assert only(link_figures("It has 12 gates.", turn(result))).source is not None


def test_the_annotation_has_each_source_once_and_plain_values() -> None:
    figures = link_figures("479, again 479, and 5,555.", turn(counted(479, summary="479 in airports")))
    conversation = json.loads(json.dumps(annotation(figures)))
    assert [figure["source"] for figure in conversation["figures"]] == [0, 0, None]
    (source,) = conversation["sources"]
    assert source == {
        "call_id": "c1", "tool": "count_features", "summary": "479 in airports", "sql": "SELECT count(*);",
        "table": "data.airports", "filter": IN_GERMANY,
    }  # fmt: skip
    assert annotation([]) == {}


def test_very_long_sql_is_cut_with_a_word() -> None:
    receipt = QueryReceipt(sql="x" * 50_000, table="t", values={"count": 5.0})
    result = ToolResult("c1", "count", "", receipts=(receipt.model_dump(mode="json"),))
    (source,) = annotation(link_figures("5 of them", turn(result)))["sources"]
    assert source["sql"].endswith("-- and 30,000 more characters")


def test_a_number_that_two_steps_counted_belongs_to_the_later_one() -> None:
    kept = tuple(
        QueryReceipt(sql=f"SELECT {table}", values={"rows": 95}, table=table).model_dump(mode="json")
        for table in ("analysis.cities", "analysis.airports")
    )
    result = ToolResult("c1", "run_analysis", "", receipts=kept)
    figure = only(link_figures("There are 95 airports near cities.", turn(result)))
    assert figure.source is not None
    assert figure.source.table == "analysis.airports"


def earlier(*results: ToolResult) -> list[Message]:
    """A turn that has been answered."""
    return [*turn(*results), AssistantMessage("Counted.")]


def measured(call_id: str, column: str, value: float, statistic: str = "mean") -> ToolResult:
    receipt = QueryReceipt(sql="SELECT 1;", table="data.sales", values={statistic: value}, column=column)
    return ToolResult(call_id, "column_stats", data({}), receipts=(receipt.model_dump(mode="json"),))


def row(call_id: str, name: str, **cells: float) -> ToolResult:
    receipt = QueryReceipt(
        sql="SELECT 1;", table="data.t", key="id", cells=((name, cells),), texts=((name,),)
    )
    return ToolResult(call_id, "query_features", data({}), receipts=(receipt.model_dump(mode="json"),))


TWO = [*earlier(counted(100)), *earlier(counted(80, "c2"))]
NOISE = [each for n in range(12) for each in earlier(counted(1000 + 37 * n, f"n{n}"))]
PRICES = [*earlier(measured("c1", "price", 250.0)), *earlier(measured("c2", "price", 200.0))]
LENGTHS = [
    *earlier(measured("c1", "length_m", 250_400.0, "max")),
    *earlier(measured("c2", "length_m", 200_100.0, "max")),
]
SEEN = data({"rows": [{"name": "Lima", "length_m": 1_234.0}, {"name": "Cusco", "length_m": 2_345.0}]})
ROWS = earlier(ToolResult("c1", "query_features", SEEN))
PERU = [*earlier(row("c1", "Peru", population=32_000_000)), *earlier(row("c2", "Peru", area_km2=1_285_216.0))]
DERIVED: list[tuple[list[Message], str, str, str, str]] = [
    (TWO, "how many have none?", "20 have none.", "21 have none.", "100 − 80"),
    (TWO, "what is the difference?", "20.", "30.", "100 − 80"),
    ([*NOISE, *TWO], "what is the difference?", "20.", "33.", "100 − 80"),
    (TWO, "together?", "Together 180.", "Together 190.", "100 + 80"),
    ([*TWO, *earlier(counted(7, "c3"))], "in all?", "187 in all.", "197 in all.", "7 + 80 + 100"),
    (TWO, "the ratio?", "The ratio is 1.25.", "The ratio is 1.35.", "100 ÷ 80"),
    (TWO, "compare", "1.25 times as many.", "1.5 times as many.", "100 ÷ 80"),
    (TWO, "the share?", "That is 80 %.", "That is 70 %.", "80 ÷ 100 = 80 %"),
    (TWO, "the rest?", "The rest is 20 %.", "The rest is 30 %.", "1 − 80 ÷ 100 = 20 %"),
    (PRICES, "compare", "The mean price is 50 higher.", "It is 60 higher.", "250 − 200"),
    (PRICES, "compare", "It is 25 % more.", "It is 35 % more.", "250 ÷ 200 − 1 = 25 %"),
    (LENGTHS, "compare", "It is 50.3 km longer.", "It is 50.3 m longer.", "250,400 − 200,100"),
    (LENGTHS, "in miles?", "It is 31.3 miles longer.", "It is 31.3 km longer.", "250,400 − 200,100"),
    (ROWS, "in all?", "Together 3,579 m.", "Together 3,589 m.", "Σ length_m (2) = 3,579"),
    (ROWS, "compare", "Cusco has 1.11 km more than Lima.", "Cusco has 1.21 km more than Lima.", "2,345 − 1,234"),
    (PERU, "density?", "Peru has 24.9 people per km².", "Peru has 34.9 people per km².",
     "32,000,000 ÷ 1,285,216"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "asked", "true", "false", "note"), DERIVED)
def test_numbers_are_derived_from_results_of_earlier_turns(
    before: list[Message], asked: str, true: str, false: str, note: str
) -> None:
    right, wrong = (only(link_figures(text, [*before, UserMessage(asked)])) for text in (true, false))
    assert right.source is not None
    assert right.note == note
    assert wrong.source is None


@pytest.mark.parametrize(
    ("true", "false"),
    [
        ("3,051 acres", "4,051 acres"),
        ("4.77 square miles", "5.77 square miles"),
        ("132,887,772 sq ft", "132,887,772 sq mi"),
    ],
)
def test_areas_of_earlier_turns_are_recognised_in_other_units(true: str, false: str) -> None:
    before = [*earlier(measured("c1", "area_m2", 12_345_678.0, "sum")), UserMessage("in other units?")]
    right, wrong = (only(link_figures(f"That is {text}.", before)) for text in (true, false))
    assert (right.note, right.how) == ("area_m2 12,345,678", "rounded")
    assert wrong.source is None


def test_what_this_turn_gives_is_not_calculated_from_earlier_ones() -> None:
    now = turn(counted(70, "c8"), counted(50, "c9"))
    assert only(link_figures("20 have none.", [*TWO, *now])).note == "70 − 50"


@pytest.mark.parametrize(
    "unit", ["people/mi²", "people per square mile", "per square mile", "inhabitants / sq mi"]
)
def test_a_density_is_found_in_another_unit(unit: str) -> None:
    row = ToolResult(
        "c1", "query_features", data({"rows": [{"name": "Germany", "population_density": 232.28}]})
    )
    figure = only(link_figures(f"Germany has 601.6 {unit}.", turn(row)))
    assert figure.source is not None
    assert figure.source.call_id == "c1"
    assert only(link_figures(f"Germany has 701.6 {unit}.", turn(row))).source is None
    assert only(link_figures("Germany has 601.6 people.", turn(row))).source is None
