"""PostGIS's SQL becomes Spark's, and what is not known to mean the same there is refused."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import Float, cast, column, func, literal_column, select, table

from server.gis.operations.support.base import Geography, Geometry
from server.gis.spark.errors import NotOnSpark
from server.gis.spark.translation import spark_sql

PLACES = table("places", column("geom", Geometry()), column("v", Float()), column("name"), schema="data")
VIEWS = {("data", "places"): "t1"}


def _sql(*columns: Any) -> str:
    return spark_sql(select(*columns).select_from(PLACES), VIEWS, "test")


def test_tables_are_read_from_their_views_and_names_stay_quoted() -> None:
    assert "`t1`" in _sql(PLACES.c.v.label('odd "name`'))
    assert '`odd "name```' in _sql(PLACES.c.v.label('odd "name`'))


def test_measures_of_geography_are_taken_on_the_spheroid() -> None:
    shape = cast(PLACES.c.geom, Geography())
    assert "ST_LengthSpheroid(" in _sql(func.ST_Length(shape))
    assert "ST_AreaSpheroid(" in _sql(func.ST_Area(shape))
    assert "GEOGRAPHY" not in _sql(4 * func.pi() * func.ST_Area(shape)).upper()


def test_percentiles_stay_exact_and_logarithms_decimal() -> None:
    assert "PERCENTILE(" in _sql(func.percentile_cont(0.5).within_group(PLACES.c.v))
    assert "LOG10(" in _sql(func.log(PLACES.c.v))


def test_texts_with_quotes_and_backslashes_stay_what_they_are() -> None:
    assert r"'it\'s \\n'" in _sql(literal_column(r"'it''s \n'"))


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        (func.ST_Area(PLACES.c.geom), "in the plane"),
        (func.ST_Buffer(cast(PLACES.c.geom, Geography()), 5), "ST_BUFFER"),
        (func.ST_Transform(PLACES.c.geom, "+proj=laea"), "projection of its own"),
        (func.round(func.pg_sleep(1)), "PG_SLEEP"),
        (func.lower(func.ST_AsText(PLACES.c.geom)), "ST_ASTEXT"),
        (literal_column("places.ctid"), "where PostgreSQL stores"),
    ],
)
def test_what_would_mean_something_else_is_refused(expression: Any, reason: str) -> None:
    with pytest.raises(NotOnSpark, match=rf"(?i){reason}"):
        _sql(expression)


def test_tables_that_were_not_staged_are_refused() -> None:
    with pytest.raises(NotOnSpark, match="temporary table"):
        spark_sql(select(table("other", column("x")).c.x), VIEWS, "test")
