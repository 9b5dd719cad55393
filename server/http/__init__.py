"""HTTP: tiles, uploads, exports, health, the client's files. Each module of routes has a `routes(...)` function."""
