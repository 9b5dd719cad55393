"""The SQL that makes the bands of a table's overviews: cells, their representatives, coarser cells, what is drawn."""

from __future__ import annotations

from collections.abc import Sequence

from agents.domain import Table
from server.database.quoting import quoted
from server.gis.expressions.identifiers import sql_name
from server.gis.overviews import summaries
from server.gis.overviews.ladder import CELLS, SCHEMA, WEIGHT
from server.gis.overviews.placing import Placing
from server.gis.overviews.summaries import Summary
from server.gis.tiles.columns import feature_key
from server.gis.tiles.grid import PIXELS, WORLD


def cells_of(zoom: int) -> int:
    """Cells along the world's edge, in a band for a zoom level."""
    return CELLS << zoom


def geometry(table: Table) -> str:
    """The geometry column's quoted name."""
    return quoted(table.geometry_column or "")


def counted(table: Table, placing: Placing, summed: Sequence[Summary], name: str, cells: int) -> str:
    """Creates a table of cells: the number of rows in each, their area, their highest rank, and the
    summaries `summed`."""
    place, x, y = placed(table, placing)
    area = placing.area.replace("@x", x).replace("@y", y)
    return f"""CREATE UNLOGGED TABLE {SCHEMA}.{name} AS
      SELECT floor({x} * {cells})::int AS x, floor({y} * {cells})::int AS y, count(*) AS weight,
        max({placing.rank}) AS rank, sum({area}) AS area{summaries.computed(table, summed)}
      FROM {sql_name(table)} AS t{place} WHERE {placing.is_placed} GROUP BY 1, 2"""  # noqa: S608 - names of the registry


def merged(summed: Sequence[Summary], name: str, coarser: str) -> str:
    """Makes a table of cells from one of cells half as wide."""
    return f"""CREATE UNLOGGED TABLE {SCHEMA}.{coarser} AS
      SELECT x >> 1 AS x, y >> 1 AS y, sum(weight)::bigint AS weight, max(rank) AS rank,
        sum(area) AS area{summaries.merged(summed)}
      FROM {SCHEMA}.{name} GROUP BY 1, 2"""  # noqa: S608 - our own names


def representatives(
    table: Table,
    placing: Placing,
    columns: Sequence[str],
    summed: Sequence[Summary],
    work: str,
    cell: str,
    cells: int | None,
) -> str:
    """Makes the table of each cell's representative. Rows are found by rank, and only of these the place is computed:
    that a row of another cell has the same rank is rare. Without `cells` along the world's edge, these are of several
    widths: a column `cells` of the table `cell`, which representatives keep."""
    of, width, widths, stored = str(cells), "", "", ""
    if cells is None:
        of, width, widths, stored = 't."@cells"', ', t."@cells"', ', c.cells AS "@cells"', ', "@cells"'
    key = feature_key(table)
    read = dict.fromkeys([table.geometry_column or "", *([key.name] if key else []), *columns])
    place, x, y = placed(table, placing)
    names = "".join(f", t.{quoted(name)}" for name in columns)
    kept = "".join(f", chosen.{quoted(name)}" for name in columns)
    drawn = placing.shape.replace("@x", "px").replace("@y", "py").replace("t." + geometry(table), "stored")
    return f"""CREATE UNLOGGED TABLE {work} AS
      SELECT "@x", "@y", "{WEIGHT}", "@area", "@rank"{stored}, {drawn} AS "@shape"{kept}{summaries.kept(summed)}
      FROM (SELECT DISTINCT ON (t."@x", t."@y"{width}) t."@x", t."@y", t."{WEIGHT}", t."@area", t."@rank"{width},
              {x} AS px, {y} AS py, t.{geometry(table)} AS stored{names}{summaries.kept(summed, "t.")}
            FROM (SELECT {", ".join(f"t.{quoted(name)}" for name in read)}, c.x AS "@x", c.y AS "@y",
                    c.weight AS "{WEIGHT}", c.area AS "@area", c.rank AS "@rank"{widths}{summaries.kept(summed, "c.")}
                  FROM {sql_name(table)} AS t JOIN {SCHEMA}.{cell} AS c ON c.rank = {placing.rank} OFFSET 0) AS t{place}
            WHERE {placing.is_placed} AND floor({x} * {of})::int = t."@x" AND floor({y} * {of})::int = t."@y"
            ORDER BY t."@x", t."@y"{width}) AS chosen"""  # noqa: S608 - expressions and names of the registry


def placed(table: Table, placing: Placing) -> tuple[str, str, str]:
    """What FROM joins to a row, and its place from 0 to 1: computed once where that is more than arithmetic."""
    if placing.is_cheap:
        return placing.joined, placing.x, placing.y
    place = f"(SELECT {placing.x} AS x, {placing.y} AS y OFFSET 0)"
    return f"{placing.joined} CROSS JOIN LATERAL {place} AS p", "p.x", "p.y"


def coarser(columns: Sequence[str], summed: Sequence[Summary], work: str, made: str, shift: int) -> str:
    """Makes the next band's representatives: of cells that become one, the most important, with all weight."""
    names = "".join(f", {quoted(name)}" for name in columns)
    cell = f'"@x" >> {shift}, "@y" >> {shift}'
    return f"""CREATE UNLOGGED TABLE {made} AS
      SELECT DISTINCT ON ({cell}) "@x" >> {shift} AS "@x", "@y" >> {shift} AS "@y",
        sum("{WEIGHT}") OVER cell AS "{WEIGHT}", sum("@area") OVER cell AS "@area", "@rank",
        "@shape"{names}{summaries.merged(summed, " OVER cell")}
      FROM {work} WINDOW cell AS (PARTITION BY {cell})
      ORDER BY {cell}, "@rank" DESC"""  # noqa: S608 - our own names


def drawn(
    table: Table,
    columns: Sequence[str],
    summed: Sequence[Summary],
    work: str,
    cells: int,
    zoom: int,
    is_ranked: bool,
) -> str:
    """The rows of a band: what is drawn of each representative, near ones stored near each other. Bands that may be
    renewed in parts keep what the next one is made from (`is_ranked`)."""
    names = "".join(f", {quoted(name)}" for name in columns)
    family = "Point" if table.geometry_family == "point" else "Geometry"
    ranked = ', "@rank", "@area"' if is_ranked else ""
    return f"""SELECT "{WEIGHT}"::bigint AS "{WEIGHT}", "@x", "@y"{names}{summaries.kept(summed)}{ranked},
        shape::geometry({family}, 3857) AS {geometry(table)}
      FROM (SELECT *, {_shape(table, cells, zoom)} AS shape FROM {work}) AS made ORDER BY shape"""  # noqa: S608


def _shape(table: Table, cells: int, zoom: int) -> str:
    """What is smaller than a cell is drawn for all that its cell counts: areas as a square as large as they are
    together, so that the area drawn stays right. All else as it is, simplified."""
    if table.geometry_family == "point":
        return '"@shape"'
    cell, pixel = WORLD / cells, WORLD / (1 << zoom) / PIXELS
    simple = _VALID.format(shape=f'ST_Simplify("@shape", {pixel / 4!r}, true)')
    across = 'greatest(ST_XMax("@shape") - ST_XMin("@shape"), ST_YMax("@shape") - ST_YMin("@shape"))'
    x = f'(("@x" + 0.5) * {cell!r} - {WORLD / 2!r})'
    y = f'({WORLD / 2!r} - ("@y" + 0.5) * {cell!r})'
    side = f'greatest({pixel / 2!r}, least({cell!r}, sqrt("@area")))'
    square = f"ST_Expand(ST_SetSRID(ST_MakePoint({x}, {y}), 3857), {side} / 2)"
    ends = (f"ST_MakePoint({x} {sign} {pixel / 2!r}, {y})" for sign in "-+")
    dash = f"ST_SetSRID(ST_MakeLine({', '.join(ends)}), 3857)"
    point = f"ST_SetSRID(ST_MakePoint({x}, {y}), 3857)"
    far = 'greatest(abs(ST_XMin("@shape")), abs(ST_XMax("@shape")), abs(ST_YMin("@shape")), abs(ST_YMax("@shape")))'
    return f"""CASE
        WHEN coalesce(ST_IsEmpty("@shape"), true) OR NOT {far} < 1e8 THEN {point}
        WHEN ST_Dimension("@shape") = 2 AND {across} < {cell!r} THEN {square}
        WHEN ST_Dimension("@shape") = 1 AND {across} < {pixel!r} THEN {dash}
        ELSE coalesce({simple}, "@shape", {point}) END"""


_VALID = """(SELECT CASE WHEN ST_IsEmpty(valid) THEN g ELSE valid END
    FROM (SELECT g, CASE WHEN ST_Dimension(g) < 2 OR ST_IsValid(g) THEN g
            ELSE ST_CollectionExtract(ST_MakeValid(g), 3) END AS valid
          FROM (SELECT {shape} AS g OFFSET 0) AS simplified OFFSET 0) AS made)"""
"""What simplification made invalid is mended here, so that it need not be looked for in each tile."""
