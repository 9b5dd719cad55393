"""Third layer: only functions and types on these lists.

Listed functions compute from their arguments and access nothing else: no file, setting, other session or table by name.
Functions that create huge values from small ones (`repeat`, `lpad`, `ST_GeneratePoints` ...) are left out."""

from __future__ import annotations

import re
from collections.abc import Callable

from sqlglot import exp

from agents.core.nearest import nearest
from server.gis.sql.dialect import InvalidSql

_AGGREGATES = """
    array_agg avg bit_and bit_or bool_and bool_or corr count covar_pop covar_samp every json_agg json_object_agg
    jsonb_agg jsonb_object_agg max min mode percentile_cont percentile_disc regr_avgx regr_avgy regr_count
    regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy stddev stddev_pop stddev_samp string_agg sum
    var_pop var_samp variance grouping
"""
_WINDOWS = """
    cume_dist dense_rank first_value lag last_value lead nth_value ntile percent_rank rank row_number
"""
_VALUES = """
    coalesce greatest least nullif num_nonnulls num_nulls row array_length array_position array_positions
    array_to_string array_upper array_lower array_append array_cat array_remove cardinality string_to_array unnest
    generate_series generate_subscripts
"""
_NUMBERS = """
    abs acos acosd asin asind atan atan2 atan2d atand cbrt ceil ceiling cos cosd cot degrees div exp floor gcd lcm ln
    log log10 mod pi power radians random round scale sign sin sind sqrt tan tand trim_scale trunc width_bucket
"""
_TEXTS = """
    ascii btrim char_length character_length chr concat concat_ws initcap left length lower ltrim md5 octet_length
    position regexp_count regexp_instr regexp_like regexp_match regexp_matches regexp_replace regexp_split_to_array
    regexp_split_to_table regexp_substr replace reverse right rtrim similarity split_part starts_with strpos substr
    substring to_char to_number translate trim unaccent upper
"""
_TIMES = """
    age clock_timestamp date_bin date_part date_trunc extract isfinite justify_days justify_hours justify_interval
    make_date make_interval make_time make_timestamp make_timestamptz now statement_timestamp timezone to_date
    to_timestamp transaction_timestamp
"""
_JSON = """
    json_array_elements json_array_elements_text json_array_length json_build_array json_build_object json_each
    json_each_text json_extract_path json_extract_path_text json_object_keys json_typeof jsonb_array_elements
    jsonb_array_elements_text jsonb_array_length jsonb_build_array jsonb_build_object jsonb_each jsonb_each_text
    jsonb_extract_path jsonb_extract_path_text jsonb_object_keys jsonb_strip_nulls jsonb_typeof row_to_json to_json
    to_jsonb
"""
_POSTGIS = """
    geometrytype st_3ddistance st_3dlength st_3dperimeter st_addpoint st_affine st_angle st_area st_asewkt st_asgeojson
    st_astext st_azimuth st_boundary st_boundingdiagonal st_buffer st_buildarea st_centroid st_chaikinsmoothing
    st_clipbybox2d st_closestpoint st_clusterdbscan st_clusterintersecting st_clusterkmeans st_clusterwithin st_collect
    st_collectionextract st_collectionhomogenize st_concavehull st_contains st_containsproperly st_convexhull
    st_coorddim st_coveredby st_covers st_crosses st_curvetoline st_delaunaytriangles st_dfullywithin st_difference
    st_dimension st_disjoint st_distance st_distancesphere st_distancespheroid st_dump st_dumppoints st_dumprings
    st_dumpsegments st_dwithin st_endpoint st_envelope st_equals st_expand st_extent st_exteriorring
    st_flipcoordinates st_force2d st_force3d st_forcepolygonccw st_forcepolygoncw st_forcerhr st_frechetdistance
    st_geogfromtext st_geogfromwkb st_geographyfromtext st_geohash st_geometricmedian st_geometryfromtext st_geometryn
    st_geometrytype st_geomfromewkt st_geomfromgeojson st_geomfromtext st_geomfromwkb st_hausdorffdistance
    st_hexagon st_hexagongrid st_interiorringn st_interpolatepoint st_intersection st_intersects st_isclosed
    st_iscollection st_isempty st_ispolygonccw st_ispolygoncw st_isring st_issimple st_isvalid st_isvalidreason
    st_length st_length2d st_lengthspheroid st_linefrommultipoint st_lineinterpolatepoint st_lineinterpolatepoints
    st_linelocatepoint st_linemerge st_linesubstring st_longestline st_m st_makeenvelope st_makeline st_makepoint
    st_makepolygon st_makevalid st_maxdistance st_memunion st_minimumboundingcircle st_minimumboundingradius
    st_minimumclearance st_multi st_node st_normalize st_npoints st_nrings st_numgeometries st_numinteriorring
    st_numinteriorrings st_numpoints st_offsetcurve st_orderingequals st_orientedenvelope st_overlaps st_perimeter
    st_point st_pointn st_pointonsurface st_points st_polygon st_polygonize st_project st_quantizecoordinates
    st_reduceprecision st_relate st_removepoint st_removerepeatedpoints st_reverse st_rotate st_scale st_setsrid
    st_sharedpaths st_shiftlongitude st_shortestline st_simplify st_simplifypreservetopology st_simplifyvw st_snap
    st_snaptogrid st_split st_square st_squaregrid st_srid st_startpoint st_subdivide st_summary st_symdifference
    st_tileenvelope st_touches st_transform st_translate st_unaryunion st_union st_voronoilines st_voronoipolygons
    st_within st_wrapx st_x st_xmax st_xmin st_y st_ymax st_ymin st_z st_zmax st_zmin
"""
FUNCTIONS = frozenset(
    f"{_AGGREGATES} {_WINDOWS} {_VALUES} {_NUMBERS} {_TEXTS} {_TIMES} {_JSON} {_POSTGIS}".split()
)

_T = exp.DataType.Type
TYPES = frozenset(
    {
        _T.SMALLINT, _T.INT, _T.BIGINT, _T.DECIMAL, _T.FLOAT, _T.DOUBLE, _T.TEXT, _T.VARCHAR, _T.CHAR, _T.BOOLEAN,
        _T.DATE, _T.TIME, _T.TIMETZ, _T.TIMESTAMP, _T.TIMESTAMPTZ, _T.INTERVAL, _T.JSON, _T.JSONB, _T.UUID,
        _T.GEOMETRY, _T.GEOGRAPHY, _T.ARRAY,
    }
)  # fmt: skip

FIELDS = frozenset({"geom", "path", "key", "value", "i", "j", "location", "reason", "valid"})
"""Fields of composite results of these functions: `(ST_Dump(geom)).geom`."""

_UNITS = """
    century day days decade dow doy epoch hour hours isodow isoyear julian microseconds millennium milliseconds minute
    minutes month months quarter second seconds timezone timezone_hour timezone_minute week weeks year years
"""
UNITS = frozenset(f"{_UNITS}".split())


def check(query: exp.Expr) -> None:
    """Raise InvalidSql for the first function or type that is not allowed."""
    for node in query.walk():
        if isinstance(node, exp.Anonymous):
            _check_call(node)
        elif isinstance(node, exp.Func) and not isinstance(node, _SYNTAX):
            raise InvalidSql(_refused(node.sql_name().lower()))
        elif isinstance(node, exp.DataType) and node.this not in TYPES:
            raise InvalidSql(f"The type {node.sql('postgres').lower()[:60]} is not allowed here.")
        elif isinstance(node, exp.ObjectIdentifier | exp.PseudoType):
            raise InvalidSql(f"The type {str(node.this).lower()[:60]} is not allowed here.")
        elif isinstance(node, exp.Dot):
            _check_field(node)
        elif isinstance(node, exp.Extract | exp.Interval):
            _check_unit(node)


_SYNTAX = (
    exp.And, exp.Or, exp.Case, exp.If, exp.Cast, exp.Exists, exp.Extract, exp.Overlay, exp.StrPosition, exp.Substring,
    exp.Trim, exp.Any, exp.All, exp.Array, exp.Unnest, exp.Pow, exp.Sqrt, exp.CurrentDate, exp.CurrentTimestamp,
    exp.Localtimestamp, exp.RegexpLike, exp.RegexpILike, exp.ArrayOverlaps, exp.ArrayContainsAll,
    exp.ArrayContainedBy, exp.JSONExtract, exp.JSONExtractScalar, exp.JSONBExtract, exp.JSONBExtractScalar,
    exp.JSONBContainsTopKey,
)  # fmt: skip
"""Nodes that are functions for sqlglot and operators or special syntax in PostgreSQL."""


def _check_call(node: exp.Anonymous) -> None:
    if not isinstance(node.this, str):
        raise InvalidSql("Names of functions are written without quotes.")
    if isinstance(node.parent, exp.Dot) and node.arg_key == "expression":
        raise InvalidSql(f"Write {node.this} without its schema.")
    name = node.this.lower()
    if name not in FUNCTIONS:
        raise InvalidSql(_refused(name))
    if name in _RULES:
        _RULES[name](node.expressions)


def _check_transform(arguments: list[exp.Expr]) -> None:
    """Other forms of ST_Transform take a definition as text, which may name grid files to be read."""
    target = arguments[1] if len(arguments) == 2 else None
    if not isinstance(target, exp.Literal) or target.is_string:
        raise InvalidSql("ST_Transform takes a geometry and the number of an SRID here.")


def _check_buffer(arguments: list[exp.Expr]) -> None:
    """A circle with millions of vertices is allocated outside of PostgreSQL's memory limits."""
    for style in arguments[2:]:
        if not isinstance(style, exp.Literal) or not _BUFFER_STYLE.fullmatch(str(style.this)):
            raise InvalidSql(
                "The third argument of ST_Buffer or ST_OffsetCurve is a number of segments up to 99, or a text such as "
                "'endcap=flat join=mitre quad_segs=16'."
            )


def _check_corners(arguments: list[exp.Expr]) -> None:
    """Like `_check_buffer`, for bounding circles, linearised arcs and geohashes."""
    for corners in arguments[1:]:
        if not isinstance(corners, exp.Literal) or corners.is_string or not _FEW.fullmatch(str(corners.this)):
            raise InvalidSql("The further arguments of this function are whole numbers up to 99.")


_FEW = re.compile(r"\d{1,2}")
_STYLE = r"(endcap|join|side)=[a-z]+|(quad_segs|mitre_limit)=\d{1,2}"
_BUFFER_STYLE = re.compile(rf"\d{{1,2}}|({_STYLE})( ({_STYLE}))*", re.IGNORECASE)
_RULES: dict[str, Callable[[list[exp.Expr]], None]] = {
    "st_transform": _check_transform,
    "st_buffer": _check_buffer,
    "st_offsetcurve": _check_buffer,
    "st_minimumboundingcircle": _check_corners,
    "st_curvetoline": _check_corners,
    "st_geohash": _check_corners,
}


def _check_field(node: exp.Dot) -> None:
    field = node.expression
    if not isinstance(node.this, exp.Paren) or not isinstance(field, exp.Identifier):
        raise InvalidSql(
            "Only columns of tables and fields of functions, as in (ST_Dump(geom)).geom, are read."
        )
    if field.name.lower() not in FIELDS:
        raise InvalidSql(
            f"{field.name!r} is not a field that may be read here. There are: {', '.join(sorted(FIELDS))}."
        )


def _check_unit(node: exp.Extract | exp.Interval) -> None:
    unit = node.this if isinstance(node, exp.Extract) else node.args.get("unit")
    if unit is None or (isinstance(node, exp.Extract) and isinstance(unit, exp.Literal) and unit.is_string):
        return
    if not isinstance(unit, exp.Var) or str(unit.this).lower() not in UNITS:
        raise InvalidSql(f"There is no unit of time {unit.name[:40]!r}.")


def _refused(name: str) -> str:
    close = nearest(name, FUNCTIONS)
    hint = f" Allowed and alike: {', '.join(close)}." if close else ""
    return f"The function {name[:63]} is not allowed here.{hint}"
