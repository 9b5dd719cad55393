"""Class breaks, and how a legend writes them."""

from __future__ import annotations

import bisect
import itertools
import random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from agents.domain import ClassMethod
from server.gis.styles.classes import class_breaks
from server.gis.styles.numbers import format_number, range_label, rounded_down

METHODS: tuple[ClassMethod, ...] = ("quantile", "equal", "jenks")


@pytest.mark.parametrize("method", METHODS)
@given(values=st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=60), classes=st.integers(2, 9))
def test_breaks_rise_and_part_the_values(method: ClassMethod, values: list[float], classes: int) -> None:
    sample = sorted(values)
    breaks = class_breaks(sample, classes, method, integers=False)
    assert len(breaks) < classes
    assert breaks == sorted(set(breaks))
    assert all(sample[0] < value <= sample[-1] for value in breaks)


@pytest.mark.parametrize("method", METHODS)
@given(values=st.lists(st.integers(-1000, 10**9), min_size=1, max_size=60), classes=st.integers(2, 9))
def test_breaks_of_whole_numbers_are_whole(method: ClassMethod, values: list[int], classes: int) -> None:
    sample = sorted(float(value) for value in values)
    breaks = class_breaks(sample, classes, method, integers=True)
    assert all(value == int(value) for value in breaks)
    assert all(sample[0] < value <= sample[-1] for value in breaks)


def test_quantiles_hold_about_as_many_values_each() -> None:
    dice = random.Random(1)
    sample = sorted(dice.lognormvariate(5, 2) for _ in range(1000))
    breaks = class_breaks(sample, 5, "quantile", integers=False)
    counts = [0] * 5
    for value in sample:
        counts[bisect.bisect_right(breaks, value)] += 1
    assert all(190 <= count <= 210 for count in counts), counts


def test_equal_intervals_are_equally_wide() -> None:
    assert class_breaks([0.0, 1.0, 50.0, 100.0, 99.0, 98.0, 97.0], 5, "equal", integers=True) == [
        20,
        40,
        60,
        80,
    ]


def test_natural_breaks_fall_between_clusters() -> None:
    sample = sorted([1.0, 2.0, 3.0, 100.0, 101.0, 102.0, 1000.0, 1001.0, 1002.0])
    low, high = class_breaks(sample, 3, "jenks", integers=False)
    assert 3 < low <= 100
    assert 102 < high <= 1000


@pytest.mark.parametrize("scale", [2.0**-700, 2.0**700, 2.0**1023])
@pytest.mark.parametrize("method", ["jenks", "equal", "quantile"])
def test_classes_of_the_greatest_and_least_numbers_are_those_of_others(
    method: ClassMethod, scale: float
) -> None:
    random.seed(1)
    sample = sorted(random.random() - 0.1 for _ in range(300))
    expected = [
        sum(value < each for value in sample) for each in class_breaks(sample, 4, method, integers=False)
    ]
    scaled = [value * scale for value in sample]
    found = [
        sum(value < each for value in scaled) for each in class_breaks(scaled, 4, method, integers=False)
    ]
    assert found == pytest.approx(expected, abs=3), "breaks are cut to the digits that matter"


def test_a_value_that_most_rows_share_gets_one_class() -> None:
    sample = sorted([0.0] * 80 + [float(value) for value in range(1, 21)])
    breaks = class_breaks(sample, 5, "quantile", integers=True)
    assert breaks[0] == 1
    assert len(breaks) >= 1


def test_constant_and_missing_columns_have_no_breaks() -> None:
    assert class_breaks([], 5, "quantile", integers=False) == []
    assert class_breaks([7.0] * 50, 5, "jenks", integers=False) == []


def test_few_different_values_get_a_class_each() -> None:
    assert class_breaks([1.0, 1.0, 2.0, 3.0, 3.0], 5, "quantile", integers=True) == [2, 3]


def test_few_values_are_parted_by_round_numbers() -> None:
    millions = [
        10_349_312.0,
        10_356_500.0,
        10_381_222.0,
        10_392_693.0,
        11_034_555.0,
        11_624_219.0,
        12_294_193.0,
    ]
    assert class_breaks(millions, 2, "quantile", integers=True) == [11_000_000]
    assert class_breaks(millions, 3, "quantile", integers=True) == [10_380_000, 11_600_000]


@given(st.floats(allow_nan=False, allow_infinity=False), st.floats(0, 1e300))
def test_any_value_can_be_rounded_and_never_up(value: float, by_less_than: float) -> None:
    assert rounded_down(value, by_less_than) <= value


@example(-2.225073858507203e-309, 9999999999.99998)
@given(st.floats(-1e12, 1e12), st.floats(1e-8, 1e10))
def test_rounding_goes_down_by_less_than_is_allowed(value: float, by_less_than: float) -> None:
    cut = rounded_down(value, by_less_than)
    slack = abs(value) * 1e-11 + 1e-12
    assert value - by_less_than - slack <= cut <= value + slack


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (0, "0"),
        (5, "5"),
        (-5, "−5"),
        (1234, "1 234"),
        (12345.678, "12 345.7"),
        (1_200_000, "1.2 M"),
        (999_999, "999 999"),
        (38_000_000_000, "38 bn"),
        (0.05, "0.05"),
        (3e-7, "3 × 10⁻⁷"),
        (2e18, "2 × 10¹⁸"),
    ],
)
def test_numbers_are_short_with_narrow_spaces(value: float, written: str) -> None:
    assert format_number(value).replace("\N{NARROW NO-BREAK SPACE}", " ") == written


@pytest.mark.parametrize(
    ("low", "high", "integers", "label"),
    [
        (None, 5, False, "< 5"),
        (5, 10, False, "5 – < 10"),
        (10, None, False, "≥ 10"),
        (None, 5, True, "≤ 4"),
        (5, 10, True, "5 – 9"),
        (5, 6, True, "5"),
        (1_000_000, 3_000_000, True, "1 M – < 3 M"),
        (500, 1_000_000, True, "500 – 999 999"),
        (None, 2_500_000, True, "< 2.5 M"),
    ],
)
def test_labels_of_classes_never_overlap(
    low: float | None, high: float | None, integers: bool, label: str
) -> None:
    assert range_label(low, high, integers).replace("\N{NARROW NO-BREAK SPACE}", " ") == label


@given(st.lists(st.floats(-1e15, 1e15), min_size=2, max_size=40), st.integers(2, 9))
def test_classes_that_differ_have_labels_that_differ(values: list[float], classes: int) -> None:
    breaks = class_breaks(sorted(values), classes, "quantile", integers=False)
    edges = [None, *breaks, None]
    labels = [range_label(low, high, False) for low, high in itertools.pairwise(edges)]
    assert len(set(labels)) == len(labels)
