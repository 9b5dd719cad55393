"""First layer: the statement is one SELECT that consists of listed parts only.

Every allowed node is listed with the arguments that it may have; everything else is refused, including syntax
that later versions of the parser learn. So there is no INTO, FOR UPDATE, INSERT in WITH, TABLESAMPLE, parameter
or escape string: none of them is listed."""

from __future__ import annotations

import re
from collections.abc import Iterable

from sqlglot import exp

from server.gis.sql.dialect import InvalidSql

MAX_NODES = 2_000

_Kind = type[exp.Expr]


def _all(carries: str, *kinds: _Kind) -> dict[_Kind, frozenset[str]]:
    return dict.fromkeys(kinds, frozenset(carries.split()))


_QUERIES = {
    **_all(
        "with_ expressions distinct from_ joins laterals where group having windows order limit offset",
        exp.Select,
    ),
    **_all("with_ this expression distinct order limit offset", exp.Union, exp.Intersect, exp.Except),
    **_all("this alias with_ order limit offset joins", exp.Subquery),
    **_all("expressions alias", exp.Values),
    **_all("expressions recursive", exp.With),
    **_all("this alias materialized", exp.CTE),
    **_all("this", exp.From, exp.Where, exp.Having),
    **_all("this db alias joins", exp.Table),
    **_all("this columns", exp.TableAlias),
    **_all("this kind side method on using", exp.Join),
    **_all("this alias ordinality", exp.Lateral),
    **_all("expressions alias offset", exp.Unnest),
    **_all("expressions all rollup cube grouping_sets", exp.Group),
    **_all("expressions", exp.GroupingSets, exp.Rollup, exp.Cube, exp.Tuple, exp.Array),
    **_all("this expressions", exp.Order),
    **_all("this desc nulls_first", exp.Ordered),
    **_all("expression", exp.Limit, exp.Offset),
    **_all("direction count limit_options", exp.Fetch),
    **_all("rows with_ties", exp.LimitOptions),
    **_all("expressions on", exp.Distinct),
}
_EXPRESSIONS = {
    **_all(
        "this expression typed safe only_json_types negate",
        exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod, exp.Pow, exp.DPipe, exp.And, exp.Or,
        exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Is, exp.NullSafeEQ, exp.NullSafeNEQ,
        exp.Like, exp.ILike, exp.SimilarTo, exp.RegexpLike, exp.RegexpILike, exp.Escape,
        exp.ArrayOverlaps, exp.ArrayContainsAll, exp.ArrayContainedBy, exp.Distance,
        exp.JSONExtract, exp.JSONExtractScalar, exp.JSONBExtract, exp.JSONBExtractScalar, exp.JSONBContainsTopKey,
        exp.BitwiseAnd, exp.BitwiseOr, exp.Slice,
    ),
    **_all("this", exp.Not, exp.Neg, exp.Paren, exp.Exists, exp.Any, exp.All, exp.Sqrt, exp.Boolean),
    **_all("", exp.Null, exp.Star, exp.CurrentDate, exp.CurrentTimestamp, exp.Localtimestamp),
    **_all("this low high symmetric", exp.Between),
    **_all("this expressions query", exp.In),
    **_all("this ifs default", exp.Case),
    **_all("this true", exp.If),
    **_all("this to", exp.Cast),
    **_all("this expressions nested", exp.DataType),
    **_all("this expression", exp.DataTypeParam, exp.Extract, exp.Dot),
    **_all("this unit", exp.Interval),
    **_all("this zone", exp.AtTimeZone),
    **_all("this position expression", exp.Trim),
    **_all("this start length", exp.Substring),
    **_all("this substr", exp.StrPosition),
    **_all("this expression from_ for_", exp.Overlay),
    **_all("this expressions offset", exp.Bracket),
    **_all("this expressions", exp.Anonymous),
    **_all("this expression", exp.Kwarg, exp.Filter, exp.WithinGroup),
    **_all("this partition_by order over alias spec", exp.Window),
    **_all("kind start start_side end end_side exclude", exp.WindowSpec),
    **_all("this alias", exp.Alias),
    **_all("this table db", exp.Column),
    **_all("this quoted", exp.Identifier),
    **_all("this is_string", exp.Literal),
    **_all("this", exp.RawString, exp.Var),
    **_all("expressions", exp.JSONPath),
    **_all("this", exp.JSONPathKey, exp.JSONPathSubscript),
    **_all("", exp.JSONPathRoot),
}  # fmt: skip
ALLOWED: dict[_Kind, frozenset[str]] = {**_QUERIES, **_EXPRESSIONS}

QUERIES = (exp.Select, exp.SetOperation, exp.Subquery)

_NUMBER = re.compile(r"(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_WORD = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")


def only_query(statements: list[exp.Expr]) -> exp.Expr:
    """The statement. Raises InvalidSql unless there is exactly one and it is a query."""
    if len(statements) != 1:
        raise InvalidSql(f"Exactly one SELECT is run at a time; this has {len(statements)} statements.")
    query = statements[0]
    if not isinstance(query, QUERIES):
        raise InvalidSql(f"Only a SELECT is run; this is {_called(query)}.")
    return query


def check(query: exp.Expr) -> None:
    """Raise InvalidSql for the first node that is not listed or has an argument that is not."""
    for count, node in enumerate(query.walk(), start=1):
        if count > MAX_NODES:
            raise InvalidSql(f"The statement has more than {MAX_NODES:,} parts. Make it shorter.")
        carries = ALLOWED.get(type(node))
        if carries is None:
            raise InvalidSql(f"{_called(node)} is not allowed in a statement here. A plain SELECT is.")
        for name, value in node.args.items():
            if name not in carries and value not in (None, False, []):
                raise InvalidSql(f"{_called(node)} with {_words(name)} is not allowed here.")
        _check_raw(node)


def _check_raw(node: exp.Expr) -> None:
    """Texts that are written without quotes must be a number or a word."""
    this = node.args.get("this")
    if isinstance(node, exp.Literal) and not node.is_string and not _NUMBER.fullmatch(str(this)):
        raise InvalidSql(f"{str(this)[:40]!r} is not a number as it is written here.")
    words: Iterable[object] = ()
    if isinstance(node, exp.Var | exp.Anonymous):
        words = (this,)
    elif isinstance(node, exp.Kwarg):
        words = (node.this.this if isinstance(node.this, exp.Var) else None,)
    for word in words:
        if not isinstance(word, str) or not _WORD.fullmatch(word):
            raise InvalidSql(f"{str(word)[:40]!r} is not allowed as a name here: use a plain word, unquoted.")


def _called(node: exp.Expr) -> str:
    return _words(type(node).__name__)


def _words(name: str) -> str:
    """`SelectInto` and `with_` as plain words for error messages."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).replace("_", " ").strip().upper()
