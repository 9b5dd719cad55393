"""A GeoAgent client in Python: make a map, ask for a layer, print what happens until the answer is there.

Run it with the server's address: python client.py http://127.0.0.1:8080
"""

import asyncio
import sys

import socketio


async def main(address: str) -> None:
    client, done = socketio.AsyncClient(), asyncio.Event()
    client.on("layer_added", lambda event: print("layer", event["layer"]["id"], event["layer"]["count"]))
    client.on("ai_response", lambda event: print("answer", event["message"]))
    client.on("turn_finished", lambda event: done.set())
    await client.connect(address, wait_timeout=10)
    joined = await client.call("join", {})
    await client.call("chat", {"map_id": joined["map_id"], "text": "show airports in red"})
    await asyncio.wait_for(done.wait(), 60)
    await client.disconnect()


asyncio.run(main(sys.argv[1]))
