"""Addresses of datasets, plain enough to mean the same to every program that reads them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from agents.worded import Template
from server.gis.lake.errors import NoLakeTable

SCHEME = Template("lake_scheme", "{scheme}:// is not supported: only {schemes}, and folders.")
PLAIN_ADDRESS = Template(
    "lake_plain_address", "An address must not contain a user, password, query or fragment."
)
NOT_PLAIN = Template(
    "lake_not_plain", "{address} is not a plain address such as https://data.example.org/open/pings.parquet."
)
NO_ADDRESS = Template("lake_no_address", "{address} is not an address.")


SCHEMES = ("s3", "gs", "https", "http")
BUCKETS = ("s3", "gs")
_PLAIN = re.compile(r"[A-Za-z0-9._~=+@,()-]+")
"""A part of a path. What would be read differently by different programs (`%2e`, `//`, `\\`) is refused."""


@dataclass(frozen=True)
class Address:
    """Scheme, host (with port; of `s3` and `gs` the bucket) and the parts of the path."""

    scheme: str
    host: str
    parts: tuple[str, ...]

    @classmethod
    def read(cls, text: str) -> Address:
        """Parse an address. Raises NoLakeTable for what is not plainly an address of a dataset."""
        try:
            found = urlsplit(text)
            port = found.port
        except ValueError:
            raise NoLakeTable(NO_ADDRESS(address=repr(text))) from None
        if found.scheme not in SCHEMES:
            raise NoLakeTable(SCHEME(scheme=found.scheme, schemes=", ".join(SCHEMES)))
        if found.query or found.fragment or "?" in text or "#" in text or "@" in found.netloc:
            raise NoLakeTable(PLAIN_ADDRESS())
        parts = tuple(found.path.strip("/").split("/")) if found.path.strip("/") else ()
        if not found.hostname or any(not _PLAIN.fullmatch(each) or each in (".", "..") for each in parts):
            raise NoLakeTable(NOT_PLAIN(address=repr(text)))
        return cls(found.scheme, found.hostname + (f":{port}" if port else ""), parts)

    def is_below(self, other: Address) -> bool:
        """Whether it is the other address, or within it."""
        return (self.scheme, self.host, self.parts[: len(other.parts)]) == (
            other.scheme,
            other.host,
            other.parts,
        )

    def __str__(self) -> str:
        return f"{self.scheme}://{'/'.join((self.host, *self.parts))}"


def is_address(location: str) -> bool:
    """Whether a location is an address, and no path or `file:` URL."""
    found = re.match(r"([A-Za-z][A-Za-z0-9+.-]*)://", location)
    return found is not None and found[1].lower() != "file"


def is_plain(path: str) -> bool:
    """Whether a path within a dataset is plain, and no part of it is one that Spark leaves out."""
    parts = path.split("/")
    return all(_PLAIN.fullmatch(each) and not each.startswith(("_", ".")) for each in parts)
