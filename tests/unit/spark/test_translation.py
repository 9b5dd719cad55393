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
        (
            func.ST_Transform(PLACES.c.geom, "+proj=lcc +lat_1=45", type_=Geometry()),
            "projection that Sedona does not have",
        ),
        (func.ST_Centroid(cast(PLACES.c.geom, Geography()), type_=Geometry()), "centroid of a geography"),
        (
            func.ST_Distance(cast(PLACES.c.geom, Geography()), cast(PLACES.c.geom, Geography())),
            "for points only",
        ),
        (func.format("%s", PLACES.c.v), "put together by a format"),
        (func.round(func.pg_sleep(1)), "PG_SLEEP"),
        (func.lower(func.ST_AsText(PLACES.c.geom)), "ST_ASTEXT"),
        (literal_column("places.ctid"), "where PostgreSQL stores"),
    ],
)
def test_what_would_mean_something_else_is_refused(expression: Any, reason: str) -> None:
    with pytest.raises(NotOnSpark, match=rf"(?i){reason}"):
        _sql(expression)


def test_local_projections_are_defined_by_their_middle() -> None:
    shape = PLACES.c.geom
    around = "+proj={} +lat_0={} +lon_0={} +datum=WGS84 +units=m +no_defs"
    middle = func.format(around.format("laea", "%s", "%s"), func.ST_Y(shape), func.ST_X(shape))
    made = _sql(func.ST_Transform(shape, middle, type_=Geometry()))
    assert "geom, 'EPSG:4326', CONCAT('PROJCS" in made
    assert "Lambert_Azimuthal_Equal_Area" in made
    assert "ST_Y(" in made
    back = _sql(func.ST_Transform(shape, around.format("aeqd", "-7.5", "1e-05"), 4326, type_=Geometry()))
    assert "'EPSG:4326'), 4326)" in back
    assert "Azimuthal_Equidistant" in back
    assert "7.5" in back


def test_tables_that_were_not_staged_are_refused() -> None:
    with pytest.raises(NotOnSpark, match="temporary table"):
        spark_sql(select(table("other", column("x")).c.x), VIEWS, "test")
