"""Statistics of space agree with their formulas, worked out apart with numpy over all pairs of features."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from pyproj import Geod

from server.gis.errors import InvalidQuestion
from tests.integration.operations.conftest import Bench

GEOD = Geod(ellps="WGS84")


def _distances(rows: Any) -> np.ndarray:
    x, y = np.array([point.x for point in rows.geom]), np.array([point.y for point in rows.geom])
    n = len(x)
    a, b = np.meshgrid(np.arange(n), np.arange(n), indexing="ij")
    return GEOD.inv(x[a.ravel()], y[a.ravel()], x[b.ravel()], y[b.ravel()])[2].reshape(n, n)


def _weights(rows: Any, distance: float | None, k: int | None) -> np.ndarray:
    """1 for neighbours, 0 for others and for the feature itself."""
    away = _distances(rows)
    np.fill_diagonal(away, np.inf)
    if distance is not None:
        return (away <= distance).astype(float)
    weights = np.zeros_like(away)
    for row, order in enumerate(np.argsort(away, axis=1)):
        weights[row, order[:k]] = 1.0
    return weights


def _p(z: float) -> float:
    return math.erfc(abs(z) / math.sqrt(2))


@pytest.fixture(scope="module", autouse=True)
async def _field(bench: Bench) -> None:
    """Points on both sides of the antimeridian with a peak, a row without a value and one without a place."""
    rows = np.random.default_rng(5)
    values = []
    for number in range(150):
        x, y = rows.uniform(176, 184), rows.uniform(-4, 4)
        value = 10 * math.exp(-((x - 178) ** 2 + (y - 1) ** 2)) + rows.normal()
        values.append(
            f"({number}, {value!r}, ST_SetSRID(ST_MakePoint({x if x <= 180 else x - 360!r}, {y!r}), 4326))"
        )
    await bench.make(
        "CREATE TABLE data.field (id int PRIMARY KEY, value float, geom geometry(Point, 4326))",
        f"INSERT INTO data.field VALUES {', '.join(values)}",
        "INSERT INTO data.field VALUES (900, NULL, ST_SetSRID(ST_MakePoint(178, 1), 4326)), (901, 5, NULL), "
        "(902, 'NaN', ST_SetSRID(ST_MakePoint(178, 1), 4326))",
    )


@pytest.mark.reference("hot_spots")
@pytest.mark.parametrize("neighbours", [{"distance": "150 km"}, {"k": 6}])
async def test_hot_spots_have_the_z_of_getis_and_ord(bench: Bench, neighbours: dict[str, Any]) -> None:
    rows = (await bench.run("hot_spots", source="data.field", column="value", **neighbours)).rows
    assert len(rows) == 150
    weights = _weights(rows, 150_000 if "distance" in neighbours else None, neighbours.get("k"))
    np.testing.assert_array_equal(rows.neighbours, weights.sum(axis=1))
    weights += np.eye(len(rows))
    x, m, n = rows.value.to_numpy(float), weights.sum(axis=1), len(rows)
    z = (weights @ x - x.mean() * m) / (x.std() * np.sqrt((n * m - m**2) / (n - 1)))
    np.testing.assert_allclose(rows.z.to_numpy(float), z, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(rows.p.to_numpy(float), [_p(each) for each in z], rtol=1e-6)
    assert (rows.spot == "hot 99 %").sum() > 3
    for row in rows.itertuples():
        wanted = next(
            (name for p, name in ((0.01, "99 %"), (0.05, "95 %"), (0.1, "90 %")) if row.p <= p), None
        )
        side = "hot" if row.z > 0 else "cold"
        assert row.spot == (f"{side} {wanted}" if wanted else "not significant")


@pytest.mark.reference("autocorrelation")
@pytest.mark.parametrize("neighbours", [{"distance": "150 km"}, {"k": 6}])
async def test_morans_i_agrees_with_its_formula(bench: Bench, neighbours: dict[str, Any]) -> None:
    rows = (await bench.run("filter", source="data.field", filter="value < 100")).rows
    rows = rows[rows.geom.notna()]
    weights = _weights(rows, 150_000 if "distance" in neighbours else None, neighbours.get("k"))
    w = weights / np.maximum(weights.sum(axis=1, keepdims=True), 1)
    d = rows.value.to_numpy(float) - rows.value.mean()
    n, s0 = len(d), w.sum()
    moran = n / s0 * (d @ w @ d) / (d @ d)
    s1 = ((w + w.T) ** 2).sum() / 2
    s2 = ((w.sum(axis=1) + w.sum(axis=0)) ** 2).sum()
    b2 = (d**4).mean() / (d**2).mean() ** 2
    above = n * ((n * n - 3 * n + 3) * s1 - n * s2 + 3 * s0**2)
    above -= b2 * ((n * n - n) * s1 - 2 * n * s2 + 6 * s0**2)
    variance = above / ((n - 1) * (n - 2) * (n - 3) * s0**2) - 1 / (n - 1) ** 2
    (row,) = (
        await bench.run("autocorrelation", source="data.field", column="value", **neighbours)
    ).rows.itertuples()
    assert row.features == n
    assert row.morans_i == pytest.approx(moran, rel=1e-9)
    assert row.variance == pytest.approx(variance, rel=1e-9)
    z = (moran + 1 / (n - 1)) / math.sqrt(variance)
    assert row.z == pytest.approx(z, rel=1e-9)
    assert row.p == pytest.approx(_p(z), rel=1e-6)
    assert row.z > 5


async def test_the_moments_of_morans_i_are_those_of_random_shuffles(bench: Bench) -> None:
    (row,) = (await bench.run("autocorrelation", source="data.field", column="value", k=6)).rows.itertuples()
    rows = (await bench.run("filter", source="data.field", filter="value < 100")).rows
    rows = rows[rows.geom.notna()]
    w = _weights(rows, None, 6) / 6
    d = rows.value.to_numpy(float) - rows.value.mean()
    random = np.random.default_rng(1)
    shuffled = [e @ w @ e / (d @ d) for e in (random.permutation(d) for _ in range(20_000))]
    assert row.expected_i == pytest.approx(np.mean(shuffled), abs=0.001)
    assert row.variance == pytest.approx(np.var(shuffled), rel=0.05)


@pytest.mark.reference("local_autocorrelation")
@pytest.mark.parametrize("neighbours", [{"distance": "150 km"}, {"k": 6}])
async def test_local_morans_i_agrees_with_its_formula(bench: Bench, neighbours: dict[str, Any]) -> None:
    rows = (await bench.run("local_autocorrelation", source="data.field", column="value", **neighbours)).rows
    weights = _weights(rows, 150_000 if "distance" in neighbours else None, neighbours.get("k"))
    m = weights.sum(axis=1)
    some = m > 0
    d = rows.value.to_numpy(float) - rows.value.mean()
    n, m2 = len(d), (d**2).mean()
    lag = weights @ d / np.maximum(m, 1)
    local = d * lag / m2
    b2 = (d**4).mean() / m2**2
    variance = (n - b2) / m / (n - 1) + (1 - 1 / m) * (2 * b2 - n) / ((n - 1) * (n - 2)) - 1 / (n - 1) ** 2
    z = (local + 1 / (n - 1)) / np.sqrt(variance)
    np.testing.assert_allclose(rows.local_i.to_numpy(float)[some], local[some], rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(rows.z.to_numpy(float)[some], z[some], rtol=1e-8, atol=1e-10)
    for row, side, around in zip(rows.itertuples(), d, lag, strict=True):
        words = f"{'high' if side > 0 else 'low'} among {'high' if around > 0 else 'low'}"
        assert row.pattern == (words if row.neighbours and row.p <= 0.05 else "not significant")
    assert (rows.pattern == "high among high").any()


@pytest.mark.parametrize("operation", ["hot_spots", "autocorrelation", "local_autocorrelation"])
async def test_a_statistic_of_nothing_is_refused_with_the_reason(bench: Bench, operation: str) -> None:
    await bench.make(
        "DROP TABLE IF EXISTS data.flat",
        "CREATE TABLE data.flat AS SELECT g AS id, 7.0 AS same, ST_SetSRID(ST_MakePoint(g, g), 4326) AS geom "
        "FROM generate_series(1, 9) g",
    )
    with pytest.raises(InvalidQuestion, match="same"):
        await bench.run(operation, source="data.flat", column="same", k=2)
    with pytest.raises(InvalidQuestion, match="either distance"):
        await bench.run(operation, source="data.flat", column="id")
    with pytest.raises(InvalidQuestion, match="numeric columns"):
        await bench.run(operation, source="data.cities", column="name", k=2)
