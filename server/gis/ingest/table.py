"""Plans the table for a file: valid and unique names for table and columns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from agents.core.free_names import cut_name, padded_name
from agents.worded import Template
from server.database.quoting import quoted
from server.gis.expressions.identifiers import ADDED_KEY, SYSTEM_COLUMNS
from server.gis.ingest.limits import CannotLoad

MANY_COLUMNS = Template("file_many_columns", "The file has {n} columns; a table has at most {most}.")
NEEDS_NAME = Template("file_needs_name", "The table needs a name.")
NAME_CONTROLS = Template(
    "file_name_controls", "The table's name has control characters in it. Choose a name without them."
)
NAME_LONG = Template("file_name_long", "The table's name is too long: {name}… has more than {most} bytes.")

MAX_NAME_BYTES = 63
"""Bytes of a name in PostgreSQL."""
MAX_COLUMNS = 1500
CONTROLS = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff0-\ufffb\U000e0000-\U000e0fff]"
)
"""Characters that show nothing, break lines, or turn the direction of the text around them; not the joiners U+200C and
U+200D, which change how letters look."""
KEY_NAMES = ("id", "fid", "gid", "ogc_fid", "objectid")


@dataclass
class TablePlan:
    """The table to create. `geometry` is the name of its geometry column."""

    schema: str
    name: str
    columns: list[tuple[str, str]]
    """Names and SQL types, in the order of the file."""
    geometry: str | None
    renamed: dict[str, str] = field(default_factory=dict)
    """New names to those in the file, where they differ."""

    @property
    def relation(self) -> str:
        """The quoted name of the table with its schema."""
        return quoted(self.schema, self.name)

    def create(self) -> str:
        """The CREATE TABLE statement. The geometry type is declared later, when all rows are known."""
        columns = ", ".join(f"{quoted(name)} {kind}" for name, kind in self.columns)
        return f"CREATE TABLE {self.relation} ({columns})"

    def add_key(self, name: str) -> str:
        """The statements that add a key of our own."""
        column = quoted(name)
        return f"""ALTER TABLE {self.relation} ADD COLUMN {column} bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY;
            COMMENT ON COLUMN {self.relation}.{column} IS '{ADDED_KEY}'"""

    def key_candidates(self) -> list[str]:
        """Columns that may be a key, most likely first."""
        whole = {
            name.lower(): name for name, kind in self.columns if kind in ("smallint", "integer", "bigint")
        }
        return [whole[name] for name in KEY_NAMES if name in whole]

    def free_name(self, *wanted: str) -> str:
        """The first of the wanted names that no column has; else the first one with a number."""
        taken = {name.lower() for name, _ in self.columns}
        return next((each for each in wanted if each not in taken), padded_name(wanted[0], taken))


def plan_table(schema: str, name: str, fields: Sequence[tuple[str, str]], geometry: str | None) -> TablePlan:
    """The table for a file; `fields` are names and SQL types. Raises CannotLoad for names that no table can have."""
    check_name(name)
    if len(fields) > MAX_COLUMNS:
        raise CannotLoad(MANY_COLUMNS(n=len(fields), most=MAX_COLUMNS))
    columns: list[tuple[str, str]] = []
    renamed: dict[str, str] = {}
    for each, kind in fields:
        fitting = fitting_name(each, {known for known, _ in columns})
        if fitting != each:
            renamed[fitting] = each
        columns.append((fitting, "geometry" if each == geometry else kind))
    names = dict(zip((each for each, _ in fields), (known for known, _ in columns), strict=True))
    return TablePlan(schema, name, columns, names[geometry] if geometry is not None else None, renamed)


def check_name(name: str) -> None:
    """Raise CannotLoad for a name that no table can have."""
    if not name.strip():
        raise CannotLoad(NEEDS_NAME())
    if CONTROLS.search(name):
        raise CannotLoad(NAME_CONTROLS())
    if len(name.encode()) > MAX_NAME_BYTES:
        raise CannotLoad(NAME_LONG(name=repr(name[:40]), most=MAX_NAME_BYTES))


def fitting_name(name: str, taken: set[str]) -> str:
    """The name as PostgreSQL can have it, and once."""
    name = CONTROLS.sub("", name)
    clean = name or "column"
    if clean in SYSTEM_COLUMNS:
        clean += "_"
    clean = cut_name(clean, MAX_NAME_BYTES)
    number = 2
    while clean in taken:
        # The same width for any number: a file that is appended later must get the same names.
        clean = f"{cut_name(name, MAX_NAME_BYTES - 5)}_{number}"
        number += 1
    return clean
