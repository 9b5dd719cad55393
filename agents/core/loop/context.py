"""Fitting a conversation into a model's context, with room for the reply.

The history itself is not changed. The request is shortened in this order: long results of earlier steps are
shortened, the oldest turns are dropped, then the oldest steps of this turn, and at last the newest results are
shortened. A call and its result are always kept or dropped together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from agents.core.loop.history import blocks_of
from agents.core.messages import Message, ToolMessage, UserMessage
from agents.core.model import Model, ModelError, reply_limit
from agents.core.tokens import MIN_BYTES_PER_TOKEN, message_size, size_of, tokens_of
from agents.core.tools.results import shorten

REPLY_TOKENS = 4096
"""Kept free for a reply that has no limit, by a large model; of a small context an eighth is."""
SHORT_RESULT_CHARS = 600
"""Characters that are left of a long result of an earlier step."""
MIN_RESULT_CHARS = 200


def fit(
    messages: Sequence[Message],
    size: int,
    model: Model,
    system: Sequence[str],
    tools_size: int,
    max_output_tokens: int | None,
) -> Sequence[Message]:
    """The messages, of `size` bytes in all, as far as they fit into the model's context with the system message
    and the tools.

    Raises ModelError("context_exceeded") where not even the user's message fits."""
    context = model.context_tokens
    most_bytes = size + tools_size + 4 * sum(map(len, system))  # No character has more than four bytes.
    if most_bytes <= context:  # A reply never gets more than half of the context.
        return messages
    reply = _reply_tokens(max_output_tokens or reply_limit(model), context)
    most = (context - reply) * MIN_BYTES_PER_TOKEN
    fixed = tools_size + sum(map(size_of, system))
    room = most - fixed
    if size <= room:
        return messages
    kept = _within(messages, room)
    smallest = tokens_of(fixed + sum(map(message_size, kept)))
    if smallest + reply > context:
        raise ModelError(
            "context_exceeded",
            f"The context of {model.name} has {context:,} tokens, and the smallest request takes about {smallest:,}; "
            "choose a model with a larger context, or raise context_tokens in the providers file if the server "
            "allows more.",
        )
    return kept


def _reply_tokens(limit: int | None, context: int) -> int:
    """Tokens reserved for the reply. A limit that is sent to the server is reserved in full, because many servers
    refuse a request whose messages and limit exceed the context together; but the request gets half of the context at
    least."""
    return min(REPLY_TOKENS, context // 8) if limit is None else min(limit, context // 2)


def _within(messages: Sequence[Message], room: int) -> list[Message]:
    blocks = blocks_of(messages)
    sizes = [_size(block) for block in blocks]
    for index in range(len(blocks) - 1):
        if sum(sizes) <= room:
            break
        blocks[index] = _shortened(blocks[index], SHORT_RESULT_CHARS)
        sizes[index] = _size(blocks[index])
    newest_user = max((i for i, block in enumerate(blocks) if isinstance(block[0], UserMessage)), default=0)
    turns = [
        i for i, block in enumerate(blocks) if isinstance(block[0], UserMessage) and 0 < i <= newest_user
    ]
    for begin in turns:
        if sum(sizes) <= room:
            break
        blocks[:begin], sizes[:begin] = [[]] * begin, [0] * begin
    for index in range(newest_user + 1, len(blocks) - 1):
        if sum(sizes) <= room:
            break
        blocks[index], sizes[index] = [], 0
    over = sum(sizes) - room
    if over > 0:
        blocks[-1] = _cut_by(blocks[-1], over)
    return [message for block in blocks for message in block]


def _size(block: Sequence[Message]) -> int:
    return sum(map(message_size, block))


def _shortened(block: Sequence[Message], most: int) -> list[Message]:
    """The block with every result cut to so many characters."""
    return [
        replace(
            message,
            results=tuple(replace(one, content=shorten(one.content, most)) for one in message.results),
        )
        if isinstance(message, ToolMessage)
        else message
        for message in block
    ]


def _cut_by(block: Sequence[Message], over: int) -> list[Message]:
    """The newest step with its longest results cut, until it is so many bytes shorter or nothing is left to cut."""
    longest = max(
        (
            len(one.content)
            for message in block
            if isinstance(message, ToolMessage)
            for one in message.results
        ),
        default=0,
    )
    wanted = _size(block) - over
    most = longest
    cut = list(block)
    while _size(cut) > wanted and most > MIN_RESULT_CHARS:
        most = max(most // 2, MIN_RESULT_CHARS)
        cut = _shortened(block, most)
    return cut
