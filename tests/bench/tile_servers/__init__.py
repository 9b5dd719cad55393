"""Detailed tiles from whole servers: GeoAgent, Martin and a minimal one."""

from tests.bench.tile_servers.comparison import measure

__all__ = ["measure"]
