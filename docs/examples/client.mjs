// A GeoAgent client in JavaScript: make a map, ask for a layer, print what happens until the answer is there.
// Run it with the server's address: node client.mjs http://127.0.0.1:8080
import { io } from "socket.io-client";

const socket = io(process.argv[2]);
socket.on("connect_error", ({ message }) => console.error("cannot connect, trying again:", message));
socket.on("layer_added", ({ layer }) => console.log("layer", layer.id, layer.count));
socket.on("ai_response", ({ message }) => console.log("answer", message));
socket.on("turn_finished", () => socket.disconnect());

const joined = await socket.emitWithAck("join", {});
if (!joined.ok) throw new Error(joined.error.message);
await socket.emitWithAck("chat", { map_id: joined.map_id, text: "show airports in red" });
