"""The `geoagent` command line: `python -m server`. The commands are in `server.cli`."""

from __future__ import annotations

from server.cli import main

if __name__ == "__main__":
    main()
