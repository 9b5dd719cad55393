"""The Socket.IO protocol as types: requests, acknowledgements, persisted events and transient ones.

This is the contract with browsers and other programs. AsyncAPI and the client's TypeScript types are generated
from here by `tools/fill_docs.py`. Requests refuse unknown fields; events may gain fields and never lose them. A
message may have 512 KiB: a larger one is refused as `too_large`, and one above 4 MiB ends its connection."""

from server.protocol.acknowledgements import *  # noqa: F403 - one namespace, as one contract
from server.protocol.documents import *  # noqa: F403
from server.protocol.events import *  # noqa: F403
from server.protocol.figures import *  # noqa: F403
from server.protocol.requests import *  # noqa: F403
from server.protocol.transient import *  # noqa: F403
