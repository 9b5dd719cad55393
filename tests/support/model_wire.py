"""The wire formats that `ModelServer` speaks: a scripted reply as the chunks of each provider's stream."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any
from uuid import uuid4

if TYPE_CHECKING:
    from tests.support.model_server import Call, Fault, Reply

    Wire = Callable[[Reply, dict[str, Any]], Iterator[str]]
    FaultBody = Callable[[Fault], dict[str, Any]]


def responses(reply: Reply, body: dict[str, Any]) -> Iterator[str]:
    """OpenAI Responses: named server-sent events, each with a sequence number."""
    number = iter(range(1_000_000))

    def event(kind: str, **fields: Any) -> str:
        return _sse({"type": kind, "sequence_number": next(number), **fields}, kind)

    shell = _response(reply, body, "in_progress", [])
    yield event("response.created", response=shell)
    yield event("response.in_progress", response=shell)
    items = [_item(part, n) for n, part in enumerate(reply.parts)]
    for n, (part, item) in enumerate(zip(reply.parts, items, strict=True)):
        yield event("response.output_item.added", output_index=n, item=_begun(item))
        place = {"item_id": item["id"], "output_index": n}
        match type(part).__name__:
            case "Say" | "Refuse":
                said = "output_text" if type(part).__name__ == "Say" else "refusal"
                extra = {"logprobs": []} if said == "output_text" else {}
                for piece in _pieces(part):
                    yield event(f"response.{said}.delta", **place, content_index=0, delta=piece, **extra)
            case "Call":
                for piece in _pieces(part):
                    yield event("response.function_call_arguments.delta", **place, delta=piece)
                yield event(
                    "response.function_call_arguments.done", **place, name=part.name, arguments=part.text
                )
        yield event("response.output_item.done", output_index=n, item=item)
    status = "incomplete" if reply.finish in ("length", "content_filter") else "completed"
    yield event(f"response.{status}", response=_response(reply, body, status, items))


def chat(reply: Reply, body: dict[str, Any]) -> Iterator[str]:
    """OpenAI Chat Completions: unnamed events, calls in fragments told apart by their index."""
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": body["model"]}

    def chunk(delta: dict[str, Any], finish: str | None = None) -> str:
        return _sse({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})

    yield chunk({"role": "assistant", "content": ""})
    late: list[list[str]] = []
    index = 0
    for part in reply.parts:
        match type(part).__name__:
            case "Say":
                yield from (chunk({"content": piece}) for piece in _pieces(part))
            case "Refuse":
                yield from (chunk({"refusal": piece}) for piece in _pieces(part))
            case "Call":
                fragments = [chunk({"tool_calls": [fragment]}) for fragment in _chat_call(part, index)]
                index += 1
                if reply.interleave:
                    late.append(fragments)
                else:
                    yield from fragments
    for n in range(max((len(fragments) for fragments in late), default=0)):
        yield from (fragments[n] for fragments in late if n < len(fragments))
    finish = "tool_calls" if index else "stop"
    yield chunk({}, reply.finish if reply.finish != "stop" else finish)
    if (body.get("stream_options") or {}).get("include_usage"):
        yield _sse({**head, "choices": [], "usage": _chat_usage(reply)})
    yield "data: [DONE]\n\n"


def anthropic(reply: Reply, body: dict[str, Any]) -> Iterator[str]:
    """Anthropic Messages: named events, content blocks by index."""

    def event(kind: str, **fields: Any) -> str:
        return _sse({"type": kind, **fields}, kind)

    usage = {
        "input_tokens": reply.input_tokens - reply.cached_tokens,
        "cache_read_input_tokens": reply.cached_tokens,
        "cache_creation_input_tokens": 0,
        "output_tokens": 1,
    }
    message = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": usage,
    }
    yield event("message_start", message=message)
    yield event("ping")
    called = False
    refused = False
    for n, part in enumerate(reply.parts):
        match type(part).__name__:
            case "Say" | "Refuse":
                refused = refused or type(part).__name__ == "Refuse"
                yield event("content_block_start", index=n, content_block={"type": "text", "text": ""})
                for piece in _pieces(part):
                    yield event("content_block_delta", index=n, delta={"type": "text_delta", "text": piece})
            case "Think":
                block = {"type": "thinking", "thinking": "", "signature": ""}
                yield event("content_block_start", index=n, content_block=block)
                yield event(
                    "content_block_delta", index=n, delta={"type": "thinking_delta", "thinking": "Hm."}
                )
                delta = {"type": "signature_delta", "signature": part.encrypted}
                yield event("content_block_delta", index=n, delta=delta)
            case "Call":
                called = True
                block = {"type": "tool_use", "id": part.id or _new("toolu_"), "name": part.name, "input": {}}
                yield event("content_block_start", index=n, content_block=block)
                for piece in ["", *_pieces(part)]:
                    delta = {"type": "input_json_delta", "partial_json": piece}
                    yield event("content_block_delta", index=n, delta=delta)
        yield event("content_block_stop", index=n)
    stop = "refusal" if refused else "tool_use" if called else "end_turn"
    stop = {"length": "max_tokens"}.get(reply.finish, stop)
    yield event(
        "message_delta",
        delta={"stop_reason": stop, "stop_sequence": None},
        usage={"output_tokens": reply.output_tokens},
    )
    yield event("message_stop")


def ollama(reply: Reply, body: dict[str, Any]) -> Iterator[str]:
    """Ollama: one JSON object a line; a call is whole, its arguments an object, and has no id."""

    def line(message: dict[str, Any], **fields: Any) -> str:
        shell = {"model": body["model"], "created_at": "2026-01-01T00:00:00Z", "done": False}
        return (
            json.dumps({**shell, "message": {"role": "assistant", "content": "", **message}, **fields}) + "\n"
        )

    for part in reply.parts:
        match type(part).__name__:
            case "Say" | "Refuse":
                yield from (line({"content": piece}) for piece in _pieces(part))
            case "Think":
                yield line({"thinking": "Hm."})
            case "Call":
                function = {"name": part.name, "arguments": json.loads(part.text)}
                yield line({"tool_calls": [{"function": function}]})
    yield line(
        {},
        done=True,
        done_reason=reply.finish,
        prompt_eval_count=reply.input_tokens,
        eval_count=reply.output_tokens,
    )


KEEP_ALIVE: dict[Any, str] = {
    responses: ": keep-alive\n\n",
    chat: ": keep-alive\n\n",
    anthropic: 'event: ping\ndata: {"type": "ping"}\n\n',
    ollama: "\n",
}


def whole(wire: Wire, reply: Reply, body: dict[str, Any]) -> dict[str, Any]:
    """The reply in one piece, for a request that does not stream."""
    if wire is responses:
        items = [_item(part, n) for n, part in enumerate(reply.parts)]
        status = "incomplete" if reply.finish in ("length", "content_filter") else "completed"
        return _response(reply, body, status, items)
    if wire is ollama:
        return _whole_ollama(reply, body)
    return _whole_message(reply, body) if wire is anthropic else _whole_chat(reply, body)


def _whole_chat(reply: Reply, body: dict[str, Any]) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": _all(reply, "Say") or None}
    message["refusal"] = _all(reply, "Refuse") or None
    calls = [
        {
            "id": part.id or _new("call_"),
            "type": "function",
            "function": {"name": part.name, "arguments": part.text},
        }
        for part in reply.parts
        if type(part).__name__ == "Call"
    ]
    if calls:
        message["tool_calls"] = calls
    finish = reply.finish if reply.finish != "stop" else "tool_calls" if calls else "stop"
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": body["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": _chat_usage(reply),
    }


def _whole_message(reply: Reply, body: dict[str, Any]) -> dict[str, Any]:
    """Put together from the very events of the stream."""
    events = [json.loads(event.partition("data: ")[2]) for event in anthropic(reply, body)]
    message: dict[str, Any] = events[0]["message"]
    blocks: dict[int, dict[str, Any]] = {}
    for event in events:
        if event["type"] == "content_block_start":
            blocks[event["index"]] = event["content_block"]
        elif event["type"] == "content_block_delta":
            block, delta = blocks[event["index"]], event["delta"]
            field = delta["type"].removesuffix("_delta")
            if field == "input_json":
                block["json"] = block.get("json", "") + delta["partial_json"]
            else:
                block[field] += delta[field]
        elif event["type"] == "message_delta":
            message |= event["delta"]
            message["usage"] |= event["usage"]
    for block in blocks.values():
        if "json" in block:
            block["input"] = json.loads(block.pop("json"))
    return {**message, "content": list(blocks.values())}


def _whole_ollama(reply: Reply, body: dict[str, Any]) -> dict[str, Any]:
    lines = [json.loads(line) for line in ollama(reply, body)]
    message: dict[str, Any] = {"role": "assistant", "content": _all(reply, "Say")}
    calls = [call for line in lines for call in line["message"].get("tool_calls", [])]
    return {**lines[-1], "message": {**message, **({"tool_calls": calls} if calls else {})}}


def _all(reply: Reply, kind: str) -> str:
    return "".join(part.text for part in reply.parts if type(part).__name__ == kind)


def openai_fault(fault: Fault) -> dict[str, Any]:
    return {"error": {"message": fault.message, "type": "error", "param": None, "code": fault.code or None}}


def anthropic_fault(fault: Fault) -> dict[str, Any]:
    return {"type": "error", "error": {"type": fault.code or "api_error", "message": fault.message}}


def ollama_fault(fault: Fault) -> dict[str, Any]:
    return {"error": fault.message}


def _item(part: Any, n: int) -> dict[str, Any]:
    match type(part).__name__:
        case "Say":
            content = {"type": "output_text", "text": part.text, "annotations": [], "logprobs": []}
            return {**_message(n), "content": [content]}
        case "Refuse":
            return {**_message(n), "content": [{"type": "refusal", "refusal": part.text}]}
        case "Think":
            return {"type": "reasoning", "id": part.id, "summary": [], "encrypted_content": part.encrypted}
        case _:
            return {
                "type": "function_call",
                "id": f"fc_{n}",
                "call_id": part.id or _new("call_"),
                "name": part.name,
                "arguments": part.text,
                "status": "completed",
            }


def _message(n: int) -> dict[str, Any]:
    return {"type": "message", "id": f"msg_{n}", "role": "assistant", "status": "completed"}


def _begun(item: dict[str, Any]) -> dict[str, Any]:
    empty: dict[str, Any] = {"content": []} if item["type"] == "message" else {}
    if item["type"] == "function_call":
        empty = {"arguments": ""}
    return {**item, **empty, **({"status": "in_progress"} if "status" in item else {})}


def _response(reply: Reply, body: dict[str, Any], status: str, items: list[dict[str, Any]]) -> dict[str, Any]:
    usage = {
        "input_tokens": reply.input_tokens,
        "input_tokens_details": {"cached_tokens": reply.cached_tokens},
        "output_tokens": reply.output_tokens,
        "output_tokens_details": {"reasoning_tokens": reply.reasoning_tokens},
        "total_tokens": reply.input_tokens + reply.output_tokens,
    }
    why = {"length": "max_output_tokens", "content_filter": "content_filter"}.get(reply.finish)
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "model": body["model"],
        "status": status,
        "error": None,
        "incomplete_details": {"reason": why} if status == "incomplete" else None,
        "instructions": body.get("instructions"),
        "output": items,
        "parallel_tool_calls": body.get("parallel_tool_calls", True),
        "tool_choice": body.get("tool_choice", "auto"),
        "tools": body.get("tools", []),
        "usage": None if status == "in_progress" else usage,
    }


def _chat_call(part: Call, index: int) -> Iterator[dict[str, Any]]:
    function = {"name": part.name, "arguments": ""}
    yield {"index": index, "id": part.id or _new("call_"), "type": "function", "function": function}
    for piece in _pieces(part):
        yield {"index": index, "function": {"arguments": piece}}


def _chat_usage(reply: Reply) -> dict[str, Any]:
    return {
        "prompt_tokens": reply.input_tokens,
        "completion_tokens": reply.output_tokens,
        "total_tokens": reply.input_tokens + reply.output_tokens,
        "prompt_tokens_details": {"cached_tokens": reply.cached_tokens},
        "completion_tokens_details": {"reasoning_tokens": reply.reasoning_tokens},
    }


def _pieces(part: Any) -> Iterator[str]:
    """One after the other: of a reply that does not end, most are never sent."""
    size = getattr(part, "piece", 7)
    return (part.text[n : n + size] for n in range(0, len(part.text), size))


def _sse(data: dict[str, Any], event: str | None = None) -> str:
    name = f"event: {event}\n" if event else ""
    return f"{name}data: {json.dumps(data)}\n\n"


def _new(prefix: str) -> str:
    return prefix + uuid4().hex[:24]
