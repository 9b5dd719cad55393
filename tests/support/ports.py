"""Ports of the loopback for servers that a test starts, stops and starts again at the same address."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def reserved_port() -> Iterator[int]:
    """A port that the system gives to nobody else in the block.

    A socket is bound to it, which does not listen. Servers can still listen there, because they set SO_REUSEADDR."""
    with socket.socket() as holder:
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        holder.bind(("127.0.0.1", 0))
        yield int(holder.getsockname()[1])
