"""What errors of PostGIS mean for the person who asked."""

from server.gis.errors import InvalidFilter, TooExpensive, by_sqlstate


def test_a_timeout_that_geos_reports_as_its_own_error_is_one() -> None:
    interrupted = by_sqlstate("XX000", "data.shapes", "GEOSPolygonize: InterruptedException: Interrupted!")
    assert isinstance(interrupted, TooExpensive)
    assert "took too long" in interrupted.message
    invalid = (
        "lwgeom_intersection_prec: GEOS Error: TopologyException: Input geom 0 is invalid: Self-intersection"
    )
    assert isinstance(by_sqlstate("XX000", "data.shapes", invalid), InvalidFilter)


def test_a_materialized_view_without_rows_is_not_a_fault_of_the_server() -> None:
    fault = by_sqlstate("55000", "data.shown", 'materialized view "shown" has not been populated')
    assert fault is not None
    assert "REFRESH MATERIALIZED VIEW fills it" in fault.message
