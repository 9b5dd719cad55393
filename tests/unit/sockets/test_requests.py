"""From the text of a packet to a request: read once where it is good, and explained where it is not."""

from __future__ import annotations

import json

import pytest

from server.maps.faults import RequestFault
from server.protocol import Request, View
from server.sockets.packets import BoundedPacket
from server.sockets.requests import read_request


def read(payloads: str, event: str = "view") -> Request:
    name, *arguments = BoundedPacket(encoded_packet=f'21["{event}",{payloads}]').data
    return read_request(name, tuple(arguments))


def test_a_good_payload_is_read_from_json_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def loads(*_: object, **__: object) -> None:
        raise AssertionError("the payload is read by its model alone")

    monkeypatch.setattr(json, "loads", loads)
    monkeypatch.setattr(json, "dumps", loads)
    request = read('{"map_id":"m","bounds":[1,2,3,4.5],"zoom":3}')
    assert request == View(map_id="m", bounds=(1, 2, 3, 4.5), zoom=3)


@pytest.mark.parametrize(
    ("payloads", "said"),
    [
        ('{"map_id":"m"},{}', "takes one payload, and 2 came"),
        ("5", "must be an object"),
        ("null", "must be an object"),
        ('{"map_id":', "not valid JSON"),
        ('{"map_id":"m","bounds":[0,0,NaN,1],"zoom":3}', "Numbers must be finite"),
        ('{"map_id":"\\u0000","bounds":[0,0,1,1],"zoom":3}', "without NUL"),
        ('{"map_id":"\\ud800","bounds":[0,0,1,1],"zoom":3}', "must be Unicode"),
        ('{"map_id":"m","bounds":[0,0,"1",1],"zoom":3}', "bounds.2"),
        ('{"map_id":"m","bounds":[0,0,1,1],"zoom":3,"more":' + "[" * 60 + "]" * 60 + "}", "40 levels deep"),
        ('{"map_id":"m","bounds":' + "[" * 50_000 + "]" * 50_000 + "}", "nested too deeply"),
    ],
)
def test_what_is_wrong_with_a_payload_is_said(payloads: str, said: str) -> None:
    with pytest.raises(RequestFault, match=said) as raised:
        read(payloads)
    assert raised.value.code == "invalid_payload"


def test_a_join_without_a_map_may_come_without_a_payload() -> None:
    assert read("null", "join") == read("{}", "join")


def test_too_many_values_are_refused_also_where_anything_may_stand() -> None:
    many = json.dumps({"op": "in", "args": [{"property": "name"}, [0] * 60_000]})
    with pytest.raises(RequestFault) as raised:
        read(f'{{"map_id":"m","table":"t","filter":{many}}}', "layer_add")
    assert raised.value.code == "too_large"
