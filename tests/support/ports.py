"""Ports of the loopback for servers that a test starts, stops and starts again at the same address."""

from __future__ import annotations

import socket
from collections import defaultdict
from collections.abc import Hashable, Iterator
from contextlib import ExitStack, contextmanager


@contextmanager
def reserved_port() -> Iterator[int]:
    """A port that the system gives to nobody else in the block.

    A socket is bound to it, which does not listen. Servers can still listen there, because they set SO_REUSEADDR."""
    with socket.socket() as holder:
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        holder.bind(("127.0.0.1", 0))
        yield int(holder.getsockname()[1])


class Ports:
    """Ports that servers take in turns, so that a browser finds in its cache what it has loaded from one before.

    Servers that send different files under the same address must not share: they take ports for another `content`."""

    def __init__(self) -> None:
        self._free: defaultdict[Hashable, list[int]] = defaultdict(list)
        self._reserved = ExitStack()

    @contextmanager
    def port(self, content: Hashable) -> Iterator[int]:
        """A port for one server, which has ended at the end of the block."""
        free = self._free[content]
        port = free.pop() if free else self._reserved.enter_context(reserved_port())
        try:
            yield port
        finally:
            free.append(port)

    def close(self) -> None:
        self._reserved.close()
