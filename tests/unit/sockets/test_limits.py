"""How fast connections and network addresses may ask."""

from __future__ import annotations

import pytest

from server.maps.faults import MapFault
from server.sockets.limits import ADDRESS_FACTOR, RATES, AddressLimits


def test_an_address_with_many_connections_is_bounded_and_others_are_not() -> None:
    limits = AddressLimits()
    burst = int(RATES["copy"][1] * ADDRESS_FACTOR)
    for _ in range(burst):
        limits.of("192.0.2.1").check("copy")
    with pytest.raises(MapFault, match="network address") as fault:
        limits.of("192.0.2.1").check("copy")
    assert (fault.value.code, bool(fault.value.retry_after)) == ("rate_limited", True)
    limits.of("192.0.2.2").check("copy")


def test_without_rates_nothing_is_refused() -> None:
    limits = AddressLimits(0)
    for _ in range(1000):
        limits.of("192.0.2.1").check("copy")
