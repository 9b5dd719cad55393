"""What is known about the rows of a table before its tiles are drawn: a table profile, or an earlier one, which still
holds for the rows that no later transaction has written."""

from __future__ import annotations

from dataclasses import dataclass

from agents.domain import Table
from server.gis.profiles.profile import ProfileRow
from server.gis.profiles.versions import TableState

MAX_TRANSACTIONS = 2**30
"""PostgreSQL compares the ids of transactions that are up to twice as many apart."""


@dataclass(frozen=True)
class Proven:
    """A proof about all rows, or about those that were written before a transaction."""

    is_sound: bool = False
    """PostGIS can compute with all geometries."""
    is_valid: bool = False
    """ST_IsValid is true of all geometries, except those of the rows `invalid`."""
    is_on_earth: bool = False
    """No coordinates go beyond 180 and 90 degrees."""
    before: int | None = None
    """The proof holds for rows that were written by transactions before this one; None for all."""
    invalid: tuple[int, ...] = ()
    """By the key that is the feature's id in a tile."""

    def newer(self, relation: str) -> str:
        """SQL that tells whether a row of the relation may be newer than the proof; empty if none is."""
        # Both ages are counted from the same transaction, so the order is exact.
        oldest = None if self.before is None else self.before % 2**32
        return "" if oldest is None else f"age({relation}.xmin) <= age('{oldest}'::xid)"

    def may_be_invalid(self, relation: str, key: str) -> str:
        """SQL that tells whether the geometry of a row must be tested with ST_IsValid; empty if none must."""
        values = ",".join(map(str, self.invalid))
        listed = f"{relation}.{key}::bigint = ANY ('{{{values}}}'::bigint[])" if values else ""
        return " OR ".join(filter(None, (self.newer(relation), listed)))


UNPROVEN = Proven()
"""Each row is checked before it is drawn."""


def proof_from(row: ProfileRow, state: TableState, table: Table) -> Proven | None:
    """What a stored profile proves about the table as it is now; None if it proves nothing."""
    profile = row.profile
    # Which rows a role sees may change without a change of the table.
    if profile is None or not state.version or state.by_row:
        return None
    before = None
    if row.data_version != state.version:
        before = profile.complete_before
        is_same = state.layout == profile.layout != "" and table.geometry_column == profile.geometry_column
        if before is None or not is_same or row.next_transaction - before >= MAX_TRANSACTIONS:
            return None
    invalid = profile.invalid_rows if table.key == (profile.invalid_key,) else ()
    is_valid = profile.is_valid or bool(invalid)
    return Proven(
        is_sound=profile.is_sound,
        is_valid=is_valid,
        is_on_earth=profile.is_on_earth and before is None,
        before=before,
        invalid=invalid if is_valid else (),
    )
