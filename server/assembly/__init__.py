"""Makes the parts of a server from its settings; `server.app` hands them to each other."""
