"""What is known about every row of a table before its tiles are drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


class Proof(Protocol):
    """What is known about every row of a table as it is now: a table profile."""

    @property
    def is_sound(self) -> bool:
        """PostGIS can compute with all geometries."""
        ...

    @property
    def is_valid(self) -> bool:
        """ST_IsValid is true of all geometries."""
        ...

    @property
    def is_on_earth(self) -> bool:
        """No coordinates go beyond 180 and 90 degrees."""
        ...


@dataclass(frozen=True)
class Proven:
    """A proof that is given."""

    is_sound: bool = False
    is_valid: bool = False
    is_on_earth: bool = False


UNPROVEN = Proven()
"""Each row is checked before it is drawn."""
