"""Socket.IO: the events of the protocol, checked, answered, and sent to everyone on a map."""

from server.sockets.server import SocketServer

__all__ = ["SocketServer"]
