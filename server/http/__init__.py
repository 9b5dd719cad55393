"""HTTP: tiles, uploads, exports, health, the client's files. Each module gives its `routes(...)`."""
