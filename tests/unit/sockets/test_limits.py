"""How fast connections and network addresses may ask."""

from __future__ import annotations

import asyncio

import pytest

from server.maps.faults import RequestFault
from server.maps.rates import Bucket
from server.sockets.limits import ADDRESS_FACTOR, LARGE_MESSAGE_BYTES, RATES, AddressLimits, LargeMessages


def test_an_address_with_many_connections_is_bounded_and_others_are_not() -> None:
    limits = AddressLimits()
    burst = int(RATES["copy"][1] * ADDRESS_FACTOR)
    for _ in range(burst):
        limits.of("192.0.2.1").check("copy")
    with pytest.raises(RequestFault, match="network address") as fault:
        limits.of("192.0.2.1").check("copy")
    assert (fault.value.code, bool(fault.value.retry_after)) == ("rate_limited", True)
    limits.of("192.0.2.2").check("copy")


def test_without_rates_nothing_is_refused() -> None:
    limits = AddressLimits(0)
    for _ in range(1000):
        limits.of("192.0.2.1").check("copy")


async def test_a_small_message_never_waits() -> None:
    messages = LargeMessages()
    async with asyncio.timeout(0):
        for _ in range(1000):
            await messages.wait("192.0.2.1", LARGE_MESSAGE_BYTES)


def test_more_than_fits_at_once_passes_when_all_is_free() -> None:
    now = 0.0
    bucket = Bucket(10, 100, lambda: now)
    assert bucket.take(1000) == 0
    assert bucket.take(50) == 5
    now = 5.0
    assert bucket.take(50) == 0
