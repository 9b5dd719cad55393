"""Unused names: `trees`, else `trees_2`, `trees_3` ..., or `trees_`."""

from __future__ import annotations

from collections.abc import Container, Iterable
from itertools import chain, count


def free_name(
    wanted: str,
    taken: Container[str],
    *,
    joint: str = "_",
    max_bytes: int | None = None,
    ignore_case: bool = False,
    first: int = 2,
) -> str:
    """`wanted`, with a number from `first` on behind the `joint` where it is taken, and cut to so many bytes. With
    `ignore_case`, `taken` are lower-case names."""
    for suffix in chain([""], (f"{joint}{number}" for number in count(first))):
        name = wanted if max_bytes is None else cut_name(wanted, max_bytes - len(suffix))
        name += suffix
        if (name.lower() if ignore_case else name) not in taken:
            break
    return name


def padded_name(wanted: str, taken: Iterable[str]) -> str:
    """`wanted` with underscores appended until nothing has it, ignoring case."""
    known = {name.lower() for name in taken}
    while wanted.lower() in known:
        wanted += "_"
    return wanted


def cut_name(name: str, max_bytes: int) -> str:
    """The name without the characters beyond so many bytes of UTF-8."""
    return name.encode()[:max_bytes].decode(errors="ignore")
