"""The `geoagent` command line: `python -m server`. The commands are in `server.cli`."""

from server.cli import main

if __name__ == "__main__":
    main()
