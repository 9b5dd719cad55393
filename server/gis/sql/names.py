"""Second layer: every table is in the registry, and every column in one of these tables.

A bare name is a WITH query if one with that name is visible by PostgreSQL's rules, else a table. Tables are
written with their schema, so that nothing depends on a search path, and tables outside of the registry (system
catalogues, GeoAgent's own tables) cannot be named."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from agents.core.nearest import nearest
from agents.domain import Table
from agents.ports import TableRegistry
from agents.worded import Template
from server.gis.errors import UnknownColumn, did_you_mean, listed
from server.gis.expressions.identifiers import SYSTEM_COLUMNS, join_id
from server.gis.sql.dialect import InvalidSql
from server.gis.sql.functions import FIELDS

IN_TABLES = Template("sql_in_tables", " in {tables}")
THERE_ARE = Template("sql_columns", " Columns: {columns}.")
NO_COLUMN = Template("sql_no_column", "There is no column {column}{where}.{hint}{columns}")


_IMPLICIT_NAMES = FIELDS | frozenset(
    {"array", "case", "exists", "ordinality", "overlay", "row", "btrim", "ltrim", "rtrim", "date_part", "extract",
     "current_date", "current_timestamp", "localtimestamp", "position", "substring", "column1", "column2", "column3",
     "column4", "column5"}
)  # fmt: skip
"""Column names that PostgreSQL assigns implicitly."""


def resolve(query: exp.Expr, registry: TableRegistry) -> tuple[Table, ...]:
    """Qualify every table of the folded tree with its schema; returns the distinct tables.

    Raises UnknownTable and UnknownColumn with the nearest names, InvalidSql for names with too many parts."""
    tables = _Tables(registry)
    try:
        tables.visit(query, frozenset())
        _Columns(tables).visit(query, {})
    except RecursionError as error:
        raise InvalidSql("The statement is nested too deeply. Use WITH for its parts instead.") from error
    return tuple({table.id: table for table in tables.of.values()}.values())


@dataclass
class _Tables:
    """Resolves each table node to its registry entry, considering the WITH queries visible at the node."""

    registry: TableRegistry
    of: dict[int, Table] = field(default_factory=dict)
    """The table of each node, by the node's `id()`."""

    def visit(self, node: exp.Expr, seen: frozenset[str]) -> None:
        with_ = node.args.get("with_")
        if isinstance(with_, exp.With):
            seen = self._with(with_, seen)
        if isinstance(node, exp.Table) and isinstance(node.this, exp.Identifier):
            self._table(node, seen)
        for child in node.iter_expressions():
            if child is not with_:
                self.visit(child, seen)

    def _with(self, with_: exp.With, seen: frozenset[str]) -> frozenset[str]:
        """A WITH query sees those before it; in WITH RECURSIVE all of them, itself included."""
        if with_.recursive:
            seen |= {query.alias for query in with_.expressions}
        for query in with_.expressions:
            self.visit(query, seen)
            seen |= {query.alias}
        return seen

    def _table(self, node: exp.Table, seen: frozenset[str]) -> None:
        schema, name = node.args.get("db"), node.name
        if node.args.get("catalog") is not None:
            raise InvalidSql(f"Write {name} as schema.table, without the database.")
        if schema is None and name in seen:
            return
        table = self.registry.get(join_id(schema.name, name) if schema is not None else name)
        if table.lake is not None and table.lake.is_sampled:
            raise InvalidSql(
                f"{table.id} is a lake table, of which PostGIS holds only {table.lake.words}. Ask for an analysis "
                "of it instead, which Spark computes from all rows."
            )
        node.set("this", exp.to_identifier(table.name, quoted=True))
        node.set("db", exp.to_identifier(table.schema_name, quoted=True))
        if not node.alias and name != table.name:
            node.set("alias", exp.TableAlias(this=exp.to_identifier(name, quoted=True)))
        self.of[id(node)] = table


Sources = Mapping[str, Table | None]
"""The items of FROM by alias, tables with the column names that it assigns; None for anything but a table."""


class _Columns:
    """Checks that columns exist. Also refuses `table.function`, PostgreSQL's alternative call syntax."""

    def __init__(self, tables: _Tables) -> None:
        self._tables = tables
        self._known: set[str] = set(_IMPLICIT_NAMES)
        for table in tables.of.values():
            self._known |= {column.name for column in table.columns}

    def visit(self, query: exp.Expr, sources: Sources) -> None:
        self._known |= set(_named(query))
        self._visit(query, sources)

    def _visit(self, node: exp.Expr, sources: Sources) -> None:
        if isinstance(node, exp.Select):
            sources = {**sources, **self._sources(node)}
        if isinstance(node, exp.Column):
            self._check(node, sources)
            return
        for child in node.iter_expressions():
            self._visit(child, sources)

    def _sources(self, select: exp.Select) -> Sources:
        found: dict[str, Table | None] = {}
        parts = [
            select.args.get("from_"),
            *(select.args.get("joins") or ()),
            *(select.args.get("laterals") or ()),
        ]
        for part in parts:
            for node in _outside_queries(part) if part is not None else ():
                alias = node.alias_or_name
                if alias:
                    table = self._tables.of.get(id(node))
                    found[alias] = None if table is None else _renamed(table, node)
        return found

    def _check(self, node: exp.Column, sources: Sources) -> None:
        name = node.name
        if isinstance(node.this, exp.Star):
            return
        reserved = {*SYSTEM_COLUMNS, "oid"}
        if name in reserved and not any(table.column(name) for table in self._tables.of.values()):
            raise InvalidSql(f"The system's column {name} cannot be read here.")
        table = sources.get(node.table) if node.table else None
        if table is not None:
            if table.column(name) is None:
                raise self._unknown(name, table)
        elif name not in self._known and name not in sources:
            raise self._unknown(name)

    def _unknown(self, name: str, *tables: Table) -> UnknownColumn:
        among = tables or tuple({table.id: table for table in self._tables.of.values()}.values())
        columns = list(dict.fromkeys(column.name for table in among for column in table.columns))
        close = nearest(name, columns)
        hint = did_you_mean([repr(each) for each in close])
        where = IN_TABLES(tables=listed([table.id for table in among], 5)) if among else ""
        there = THERE_ARE(columns=listed(columns, 40)) if columns else ""
        return UnknownColumn(NO_COLUMN(column=repr(name), where=where, hint=hint, columns=there))


def _renamed(table: Table, node: exp.Expr) -> Table:
    """The table with the column names of `AS c(a, b)`; further columns keep their names."""
    alias = node.args.get("alias")
    given = [name.name for name in (alias.args.get("columns") or ())] if alias is not None else []
    columns = [
        column.model_copy(update={"name": name}) for name, column in zip(given, table.columns, strict=False)
    ]
    return table.model_copy(update={"columns": (*columns, *table.columns[len(given) :])}) if given else table


def _outside_queries(node: exp.Expr) -> Iterator[exp.Expr]:
    """The items of FROM that are visible by name, without those inside of subqueries."""
    if isinstance(node, exp.Table | exp.Subquery | exp.Lateral | exp.Unnest | exp.Values):
        yield node
    if isinstance(node, exp.Query | exp.Lateral) and not isinstance(node, exp.Table):
        return
    for child in node.iter_expressions():
        yield from _outside_queries(child)


def _named(query: exp.Expr) -> Iterator[str]:
    """Names that the statement defines: aliases, and functions, which name their result columns."""
    for node in query.find_all(exp.Alias, exp.TableAlias, exp.Anonymous, exp.Unnest):
        if isinstance(node, exp.Anonymous):
            yield str(node.this).lower()
        elif isinstance(node, exp.Unnest):
            yield from ("unnest", *([node.args["offset"].name] if node.args.get("offset") else []))
        else:
            if isinstance(node, exp.TableAlias):
                yield from (column.name for column in node.args.get("columns") or ())
            if node.args.get("alias" if isinstance(node, exp.Alias) else "this") is not None:
                yield node.alias if isinstance(node, exp.Alias) else node.name
