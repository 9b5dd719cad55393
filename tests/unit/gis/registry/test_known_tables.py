"""Tables that are added, replaced, renamed and removed a few at a time are known as if all were read again."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agents.domain import Table
from server.gis.catalog.entries import Entry
from server.gis.catalog.known_tables import KnownTables
from server.gis.catalog.table_names import MAX_CHANGED_SINGLY, TableNames, is_shared

OIDS, NAMES = st.integers(1, 12), st.sampled_from([f"t{n}" for n in range(8)])


def entry(oid: int, name: str, is_private: bool = False) -> Entry:
    table = Table(
        id=f"data.{name}", schema_name="data", name=name, columns=(), is_private=is_private, comment=str(oid)
    )
    return Entry(oid, table, analyzed=True)


@given(st.lists(st.tuples(st.dictionaries(OIDS, st.tuples(NAMES, st.booleans()), max_size=5), st.sets(OIDS))))
def test_they_are_those_of_the_entries(steps: list[tuple[dict[int, tuple[str, bool]], set[int]]]) -> None:
    known = KnownTables()
    for put, removed in steps:
        left = {each.table.id for oid, each in known.entries.items() if oid not in put and oid not in removed}
        found = {}
        for oid, (name, is_private) in put.items():
            if f"data.{name}" not in left:
                left.add(f"data.{name}")
                found[oid] = entry(oid, name, is_private)
        known.change(found.values(), (removed | put.keys()) - found.keys())
        tables = [each.table for each in known.entries.values()]
        shared = [table for table in tables if is_shared(table)]
        for names, wanted in ((known.names, TableNames(tables)), (known.shared_names, TableNames(shared))):
            assert names.tables == wanted.tables
            assert names.by_id == wanted.by_id
        assert known.own_ids == {table.id for table in tables} - {table.id for table in shared}
        assert known.oids == {each.table.id: oid for oid, each in known.entries.items()}


def test_a_result_of_a_map_leaves_what_all_maps_read_as_it_is() -> None:
    known = KnownTables()
    known.change([entry(n, f"shared_{n}") for n in range(2 * MAX_CHANGED_SINGLY)], ())
    before = known.shared_names
    changes = known.change([entry(1000, "result", is_private=True)], ())
    assert known.shared_names is before
    assert [table.id for table in changes.tables] == ["data.result"]
    assert len(known.names.tables) == len(before.tables) + 1
