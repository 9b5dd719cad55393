"""Which columns of a table a file has unless others are chosen, and their names in it."""

from __future__ import annotations

from agents.domain import Table
from server.gis.expressions.identifiers import ADDED_KEY, name_in_files


def added_keys(table: Table) -> set[str]:
    """The key of a table that GeoAgent added: to every result, and to files that were loaded without a key. In a
    result also those that came with the rows of such files, as the comments say."""
    if table.schema_name == "analysis":
        brought = {each.name for each in table.columns if (each.comment or "").endswith(ADDED_KEY)}
        return brought | ({"fid"} if table.key == ("fid",) else set())
    ours = {each.name for each in table.columns if each.comment == ADDED_KEY}
    if table.schema_name == "data" and table.column("id"):
        ours |= {"gid", "row_id"}  # Loaded before added keys had a comment.
    return set(table.key) & ours if len(table.key) == 1 else set()


def usual_columns(table: Table) -> tuple[tuple[str, str], ...]:
    """The columns of a file, with their names in it, where none are chosen."""
    added, labels = added_keys(table), names_in_files(table)
    return tuple(
        (each.name, labels.get(each.name, each.name))
        for each in table.columns
        if each.kind != "geometry" and each.name not in added
    )


def names_in_files(table: Table) -> dict[str, str]:
    """Columns that have another name in files, since theirs is reserved in tables; none where the table has it."""
    taken = {each.name for each in table.columns} - added_keys(table)
    labels: dict[str, str] = {}
    for each in table.columns:
        label = name_in_files(each.comment)
        if label is not None and label not in {*taken, *labels.values()}:
            labels[each.name] = label
    return labels
