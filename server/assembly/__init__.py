"""Creates the parts of a server from its settings; `server.app` connects them."""
