"""SQL expressions and identifiers that every part of `server.gis` builds on."""
