"""PostGIS's SQL as Spark's: the statement of an operation, read by sqlglot, each function mapped or refused.

Only what the tables below name gets through: a function that means something else on Spark would give wrong
numbers without an error. Geography becomes Sedona's spheroid functions, which take longitude and latitude."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import sqlglot
from sqlalchemy import ClauseElement
from sqlglot import exp

from server.gis.expressions.literal_sql import literal_sql
from server.gis.spark import fault_texts as texts
from server.gis.spark import templates
from server.gis.spark.errors import NotOnSpark
from server.gis.spark.functions import FUNCTIONS
from server.gis.spark.templates import AREA, DIFFERENCE, MIDDLE, azimuthal, filled

_SQL = """
AND OR NOT CASE CAST COALESCE NULLIF ABS FLOOR CEIL SIGN SQRT EXP LN POWER POW ROUND LEAST GREATEST LOWER UPPER TRIM
SIN COS COUNT SUM AVG MIN MAX STDDEV STDDEV_POP STDDEV_SAMP LOGICAL_AND LOGICAL_OR RANK ROW_NUMBER XXHASH64 IF
"""
_SHAPES = """
ST_INTERSECTS ST_CONTAINS ST_WITHIN ST_TOUCHES ST_OVERLAPS ST_CROSSES ST_COVERS ST_COVEREDBY ST_DISJOINT ST_EQUALS
ST_ISVALID ST_ISEMPTY ST_INTERSECTION ST_DIFFERENCE ST_MULTI ST_POINTS ST_BOUNDARY
ST_SIMPLIFYPRESERVETOPOLOGY ST_POINTONSURFACE ST_XMIN ST_XMAX ST_YMIN ST_YMAX ST_X ST_Y ST_DIMENSION
ST_SETSRID ST_ENVELOPE ST_NUMGEOMETRIES ST_NPOINTS
"""
_WRITTEN_BY_COMPILERS = """
ST_DISTANCESPHEROID ST_KNN ST_POINT ANY_VALUE CONCAT ARG_MIN ARRAY_UNIQUE_AGG COLLECT_SET ARRAY_TO_STRING ARRAY_JOIN
"""
SAME = frozenset(f"{_SQL} {_SHAPES} {_WRITTEN_BY_COMPILERS}".split())
"""Functions and conditions with the same name and meaning, in capitals."""

RENAMED: Mapping[str, str] = {"ST_FORCE2D": "ST_Force_2D", "ST_MAKEPOINT": "ST_Point"}

TYPES: Mapping[Any, str] = {
    exp.DataType.Type.DOUBLE: "DOUBLE",
    exp.DataType.Type.FLOAT: "DOUBLE",
    exp.DataType.Type.INT: "INT",
    exp.DataType.Type.BIGINT: "BIGINT",
    exp.DataType.Type.SMALLINT: "SMALLINT",
    exp.DataType.Type.BOOLEAN: "BOOLEAN",
    exp.DataType.Type.TEXT: "STRING",
    exp.DataType.Type.VARCHAR: "STRING",
    exp.DataType.Type.DATE: "DATE",
    exp.DataType.Type.TIMESTAMP: "TIMESTAMP",
    exp.DataType.Type.TIMESTAMPTZ: "TIMESTAMP",
    exp.DataType.Type.DECIMAL: "DECIMAL(38, 15)",
}
"""Types of casts. Times are in UTC on both sides."""

PLAIN = (
    exp.Select,
    exp.Subquery,
    exp.From,
    exp.Join,
    exp.Where,
    exp.Group,
    exp.Having,
    exp.Order,
    exp.Ordered,
    exp.Limit,
    exp.Offset,
    exp.Union,
    exp.Table,
    exp.TableAlias,
    exp.Alias,
    exp.Column,
    exp.Identifier,
    exp.Literal,
    exp.Boolean,
    exp.Null,
    exp.Star,
    exp.Binary,
    exp.Unary,
    exp.Paren,
    exp.In,
    exp.Between,
    exp.Distinct,
    exp.Window,
    exp.WindowSpec,
    exp.Filter,
    exp.WithinGroup,
    exp.If,
    exp.Tuple,
    exp.DataType,
    exp.DataTypeParam,
    exp.Var,
    exp.ParameterizedAgg,
    exp.Any,
    exp.Array,
)
"""Grammar that is the same on both sides; other functions are looked up above."""

_PROJECTION = re.compile(r"\+proj=(aeqd|laea) \+lat_0=(\S+) \+lon_0=(\S+) \+datum=WGS84 \+units=m \+no_defs$")
"""Texts of PROJ for local projections, whose middle is given as numbers or as `%s`."""

REASONS = {"Lateral": texts.LATERAL, "Exists": texts.CORRELATED, "With": texts.STATEMENTS}


def spark_sql(statement: ClauseElement | str, views: Mapping[tuple[str, str], str], what: str) -> str:
    """The statement, or a part of one, as Spark's SQL over `views` in place of the tables (schema, name) they hold.

    Raises NotOnSpark, naming `what` and the function that Spark lacks."""
    written = statement if isinstance(statement, str) else literal_sql(statement)
    tree: Any = _walked(sqlglot.parse_one(written, read="postgres"), views, what)
    if tree.find(exp.Any) is not None or any(
        each.this is exp.DataType.Type.GEOGRAPHY for each in tree.find_all(exp.DataType)
    ):
        raise NotOnSpark(what, texts.GEOGRAPHY())
    return str(tree.sql(dialect="spark", normalize_functions=False))


def _walked(node: Any, views: Mapping[tuple[str, str], str], what: str) -> Any:
    """The node translated after all below it, so that nothing escapes; None where it goes."""
    for child in list(node.iter_expressions()):
        made = _walked(child, views, what)
        if made is None:
            child.pop()
        elif made is not child:
            child.replace(made)
    return _translated(node, views, what)


def _translated(node: Any, views: Mapping[tuple[str, str], str], what: str) -> Any:
    if isinstance(node, exp.Table):
        return _view(node, views, what)
    if isinstance(node, exp.Offset) and node.expression.name == "0":
        return None  # It only keeps PostgreSQL from flattening a subquery.
    if isinstance(node, exp.Column) and node.name in ("ctid", "tableoid"):
        raise NotOnSpark(what, texts.ROW_ADDRESS())
    if isinstance(node, exp.Array) and node.find_ancestor(exp.Any) is None:
        raise NotOnSpark(what, texts.ARRAYS())
    if isinstance(node, exp.EQ) and isinstance(node.expression, exp.Any):
        listed = node.expression.find(exp.Array)
        return exp.In(this=node.this, expressions=listed.expressions if listed is not None else [])
    if isinstance(node, exp.ArrayOverlaps):
        # `&&` of two geometries: their bounding boxes meet.
        boxes = [_call("ST_Envelope", each) for each in (node.this, node.expression)]
        return _call("ST_Intersects", *boxes)
    if isinstance(node, exp.WithinGroup):
        return _percentile(node, what)
    if isinstance(node, exp.Cast):
        return _cast(node, what)
    if isinstance(node, exp.Func) and not isinstance(node, exp.Array):
        return _function(node, what)
    if not isinstance(node, PLAIN):
        kind = type(node).__name__
        raise NotOnSpark(what, REASONS[kind]() if kind in REASONS else texts.GRAMMAR(name=kind))
    return node


def _view(node: exp.Table, views: Mapping[tuple[str, str], str], what: str) -> Any:
    view = views.get((node.db, node.name))
    if view is None:
        raise NotOnSpark(what, texts.TEMPORARY(name=node.name))
    return exp.Table(this=exp.to_identifier(view, quoted=True), alias=node.args.get("alias"))


def _cast(node: exp.Cast, what: str) -> Any:
    to = node.to.this
    if to in (exp.DataType.Type.GEOMETRY, exp.DataType.Type.GEOGRAPHY):
        # The column of the result checks type and SRID; what follows a geography is mapped by `_function`.
        return node if to is exp.DataType.Type.GEOGRAPHY else node.this
    if isinstance(node.this, exp.Literal) and node.this.name.startswith("\\x"):
        return node.this  # Bytes as hexadecimal digits, which `_wkb` takes.
    named = TYPES.get(to)
    if named is None:
        raise NotOnSpark(what, texts.TYPE(name=node.to.sql("postgres")))
    return exp.Cast(this=node.this, to=exp.DataType.build(named, dialect="spark"))


def _percentile(node: exp.WithinGroup, what: str) -> Any:
    share = node.this
    if not isinstance(share, exp.PercentileCont):
        raise NotOnSpark(what, texts.AGGREGATE(name=share.sql_name()))
    # Exact, with linear interpolation, as percentile_cont.
    return _call("PERCENTILE", node.expression.expressions[0].this, share.this)


def _function(node: exp.Func, what: str) -> Any:
    name = (node.name if isinstance(node, exp.Anonymous) else node.sql_name()).upper()
    special = _SPECIAL.get(name)
    if special is not None:
        return special(node, _arguments(node), what)
    if name in FUNCTIONS:
        template, names = FUNCTIONS[name]
        return filled(template, **dict(zip(names, _arguments(node), strict=True)))
    if name in RENAMED:
        return _call(RENAMED[name], *_arguments(node))
    if name == "PERCENTILE_CONT":
        return node
    if name not in SAME and not isinstance(node, exp.Connector):
        raise NotOnSpark(what, texts.FUNCTION(name=name))
    return node


def _arguments(node: exp.Func) -> list[Any]:
    if isinstance(node, exp.Anonymous):
        return list(node.expressions)
    return [each for each in node.iter_expressions() if isinstance(each, exp.Expression)]


def _call(name: str, *arguments: Any) -> exp.Anonymous:
    return exp.Anonymous(this=name, expressions=list(arguments))


def _lonlat(shape: Any, name: str, what: str) -> Any:
    """What a geography was made of. PostGIS's planar measures are of no use on the earth, and not mapped."""
    if isinstance(shape, exp.Cast) and shape.to.this is exp.DataType.Type.GEOGRAPHY:
        return shape.this
    raise NotOnSpark(what, texts.PLANAR(name=name))


def _measured(name: str, dimension: int, spheroid: Callable[[Any], Any]) -> _Special:
    def measure(_node: exp.Func, arguments: list[Any], what: str) -> Any:
        shape = _lonlat(arguments[0], name, what)
        # For another dimension it is 0, as in PostGIS; Sedona returns the outline of an area as its length.
        fits = exp.EQ(this=_call("ST_Dimension", shape.copy()), expression=exp.Literal.number(dimension))
        else_ = exp.If(this=exp.Is(this=shape.copy(), expression=exp.Null()), true=exp.Null())
        return exp.Case(
            ifs=[exp.If(this=fits, true=spheroid(shape)), else_],
            default=exp.cast(exp.Literal.number(0), "double"),
        )

    return measure


def _transform(_node: exp.Func, arguments: list[Any], what: str) -> Any:
    shape, *systems = arguments
    local = _local(systems[0], what)
    if local is None:
        srid = systems[0].name
        moved = _call("ST_SetSRID", _call("ST_Transform", shape, _system(srid)), exp.Literal.number(srid))
    elif len(systems) == 1:
        moved = _call(
            "ST_SetSRID", _call("ST_Transform", shape, _system("4326"), local), exp.Literal.number(0)
        )
    else:
        srid = systems[1].name
        moved = _call(
            "ST_SetSRID", _call("ST_Transform", shape, local, _system(srid)), exp.Literal.number(srid)
        )
    # Sedona forgets the reference system of an empty shape, and cannot transform it then.
    empty = exp.If(this=_call("ST_IsEmpty", shape.copy()), true=shape.copy())
    return exp.Case(ifs=[empty], default=moved)


def _system(srid: str) -> exp.Expression:
    return exp.Literal.string(f"EPSG:{srid}")


def _local(system: Any, what: str) -> Any:
    """The definition of a projection around a place, which PROJ's text names; None for the number of a system."""
    if isinstance(system, exp.Literal) and system.is_int:
        return None
    text, *values = [system] if isinstance(system, exp.Literal) else _arguments(system)
    found = _PROJECTION.match(text.name)
    if found is None:
        raise NotOnSpark(what, texts.PROJECTION())
    code, latitude, longitude = found.groups()
    if values:
        return filled(azimuthal(code, "latitude", "longitude"), latitude=values[0], longitude=values[1])
    return filled(azimuthal(code, f"{latitude}D", f"{longitude}D"))


def _format(node: exp.Func, _arguments: list[Any], what: str) -> Any:
    """Only in the definition of a projection, which `_local` reads."""
    if not (isinstance(node.parent, exp.Anonymous) and node.parent.name.upper() == "ST_TRANSFORM"):
        raise NotOnSpark(what, texts.FORMAT())
    return node


def _centroid(_node: exp.Func, arguments: list[Any], what: str) -> Any:
    """The centroid; of a geography only where it is that of the corners of a shape."""
    shape = arguments[0]
    if not (isinstance(shape, exp.Cast) and shape.to.this is exp.DataType.Type.GEOGRAPHY):
        return _call("ST_Centroid", shape)
    if not (isinstance(shape.this, exp.Anonymous) and shape.this.name.upper() == "ST_POINTS"):
        raise NotOnSpark(what, texts.CENTROID())
    return filled(MIDDLE, shape=shape.this.expressions[0])


def _distance(_node: exp.Func, arguments: list[Any], what: str) -> Any:
    """In the plane only; compilers write ST_DistanceSpheroid themselves, because Sedona has it for points only."""
    if any(isinstance(each, exp.Cast) for each in arguments):
        raise NotOnSpark(what, texts.DISTANCES())
    return _call("ST_Distance", *arguments)


def _extracted(_node: exp.Func, arguments: list[Any], what: str) -> Any:
    """A single shape of the wanted dimension stays single, which Sedona makes a multi-part one."""
    shape, dimension = arguments
    single = {"1": "ST_Point", "2": "ST_LineString", "3": "ST_Polygon"}.get(dimension.name)
    if single is None:
        raise NotOnSpark(what, texts.DIMENSION())
    is_single = exp.EQ(this=_call("ST_GeometryType", shape.copy()), expression=exp.Literal.string(single))
    many = _call("ST_CollectionExtract", shape.copy(), dimension)
    return exp.Case(ifs=[exp.If(this=is_single, true=shape)], default=many)


def _union(_node: exp.Func, arguments: list[Any], _what: str) -> Any:
    if len(arguments) > 1:
        return _call("ST_Union", *arguments)
    # Sedona fails on a row without a shape.
    there = exp.Not(this=exp.Is(this=arguments[0].copy(), expression=exp.Null()))
    return exp.Filter(this=_call("ST_Union_Aggr", *arguments), expression=exp.Where(this=there))


def _make_valid(_node: exp.Func, arguments: list[Any], what: str) -> Any:
    """JTS repairs by structure, whatever method is named."""
    if len(arguments) > 1 and arguments[1].name != "method=structure":
        raise NotOnSpark(what, texts.REPAIR())
    return _call("ST_MakeValid", arguments[0])


def _segmentize(_node: exp.Func, arguments: list[Any], what: str) -> Any:
    """The segmentized geometry; not of a geography, whose edges are curved."""
    shape, longest = arguments
    if shape.find(exp.DataType) is not None:
        raise NotOnSpark(what, texts.GEODESICS())
    return filled(templates.SEGMENTIZE, shape=shape, longest=longest)


def _difference(_node: exp.Func, arguments: list[Any], _what: str) -> Any:
    shape, other = arguments
    return filled(DIFFERENCE, shape=shape, other=other)


def _log(_node: exp.Func, arguments: list[Any], what: str) -> Any:
    if len(arguments) != 1:
        raise NotOnSpark(what, texts.LOGARITHM())
    return _call("LOG10", *arguments)


def _wkb(_node: exp.Func, arguments: list[Any], what: str) -> Any:
    binary = arguments[0].find(exp.Literal)
    if binary is None or not binary.name.startswith("\\x"):
        raise NotOnSpark(what, texts.GEOMETRY())
    made = _call("ST_GeomFromWKB", exp.Literal.string(binary.name[2:]))
    return _call("ST_SetSRID", made, arguments[1]) if len(arguments) > 1 else made


def _bytes(_node: exp.Func, arguments: list[Any], what: str) -> Any:
    """Bytes that SQLAlchemy writes as hexadecimal digits, as `_wkb` takes them."""
    digits, encoding = arguments
    if encoding.name != "hex" or not isinstance(digits, exp.Literal):
        raise NotOnSpark(what, texts.BYTES())
    return exp.Literal.string(f"\\x{digits.name}")


def _reason(_node: exp.Func, arguments: list[Any], _what: str) -> Any:
    """JTS names the missing height of the place, too."""
    reason = _call("ST_IsValidReason", *arguments)
    return _call("REPLACE", reason, exp.Literal.string(", NaN)"), exp.Literal.string(")"))


_Special = Callable[[exp.Func, list[Any], str], Any]
_SPECIAL: Mapping[str, _Special] = {
    "ST_AREA": _measured("ST_Area", 2, lambda shape: filled(AREA, shape=shape)),
    "ST_LENGTH": _measured("ST_Length", 1, lambda shape: _call("ST_LengthSpheroid", shape)),
    "ST_PERIMETER": _measured("ST_Perimeter", 2, lambda shape: _call("ST_Perimeter", shape, exp.true())),
    "FORMAT": _format,
    "ST_CENTROID": _centroid,
    "ST_COLLECTIONEXTRACT": _extracted,
    "ST_DISTANCE": _distance,
    "ST_TRANSFORM": _transform,
    # Arcs are straightened when rows are staged.
    "ST_CURVETOLINE": lambda _node, arguments, _what: arguments[0],
    "ST_DIFFERENCE": _difference,
    "ST_MAKEVALID": _make_valid,
    "ST_SEGMENTIZE": _segmentize,
    "ST_ISVALIDREASON": _reason,
    "ST_UNION": _union,
    "LOG": _log,
    "ST_GEOMFROMWKB": _wkb,
    "DECODE": _bytes,
    "PI": lambda _node, _arguments, _what: _call("PI"),
    "MOD": lambda _node, arguments, _what: _call("MOD", *arguments),
}
