"""What all adapters share: deadlines, retries, and uniform errors.

An adapter implements one method, `_attempt`: send a request and yield the events of the reply. This base class makes
sure that no event is yielded twice: an attempt is repeated only if it has yielded nothing, and calls are yielded when
the reply is complete. Closing `stream` closes the HTTP stream."""

from __future__ import annotations

import asyncio
import logging
import random
import threading
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Mapping
from contextlib import aclosing, suppress
from typing import Any, ClassVar, Protocol, TypeVar

from agents.core.messages import Usage
from agents.core.model import ModelError, ModelEvent, ModelRequest, reply_too_long
from agents.models.errors import broken, ended_early, redact, translate
from agents.models.providers import ModelConfig, Prices, Timeouts

log = logging.getLogger(__name__)
_DRAIN_TIMEOUT_S = 0.2
_NO_STREAM = ("application/json", "text/html", "text/plain")
_MAX_QUOTED_CHARS = 80
"""Characters of an unexpected reply that are shown."""
_MAX_READ_BYTES = 4096
_MAX_READ_S = 2.0
"""How much of an unexpected reply is read, and for how long after its first bytes."""
_EVENT_STARTS = (b"data:", b"event:", b"retry:", b"id:", b":")
"""Beginnings of a stream of server-sent events; its content type is ignored."""
_DOCUMENT_STARTS = (b"{", b"[", b"<")
"""Beginnings of JSON and HTML, which no stream of events has; the content type is ignored."""
Item = TypeVar("Item")
Schema = Mapping[str, Any]


class Adapter(ABC):
    """One model of one provider. The SDK is imported, and its client made, when it is first needed."""

    calling: ClassVar[str]

    def __init__(self, config: ModelConfig, client: Any = None) -> None:
        self.config = config
        self._given = client
        self._made: Any = None
        self._making = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def name(self) -> str:
        """`provider:model`."""
        return self.config.name

    @property
    def context_tokens(self) -> int:
        """The size of the context, in tokens."""
        return self.config.context_tokens

    @property
    def max_output_tokens(self) -> int | None:
        """The limit of a reply that is sent where the request names none."""
        return self.config.quirks.max_output_tokens

    async def stream(
        self, request: ModelRequest, *, reply_schema: Schema | None = None
    ) -> AsyncGenerator[ModelEvent, None]:
        """The reply. With `reply_schema` the text of the reply is held to that JSON schema."""
        if self._given is None and self._made is None:
            # Importing an SDK takes long: not in the loop, nor on its time.
            await asyncio.to_thread(self.warm)
        first, rest = await self._begin(request, reply_schema)
        async with aclosing(rest):
            yield first
            async for event in rest:
                yield event

    def warm(self) -> None:
        """Import the SDK and make the client now; may be called in a thread."""
        self._touch(self.client())

    async def aclose(self) -> None:
        """Close the connections of a client of our own; the model may be used again afterwards."""
        made, self._made = self._made, None
        if made is not None and self._given is None:
            await made.close()

    def client(self) -> Any:
        """The given client with our limits, or one of our own.

        Connections belong to an event loop: in another loop there has to be a new client of our own."""
        if self._given is not None:
            self._made = self._made or self._limited(self._given)
            return self._made
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            loop = None
        with self._making:
            if self._made is None or (loop and self._loop and loop is not self._loop):
                self._made = self._make_client()
            self._loop = loop or self._loop
            return self._made

    @abstractmethod
    def _make_client(self) -> Any: ...

    def _limited(self, client: Any) -> Any:
        """A client that was made elsewhere, without its own retries and with our timeouts."""
        return client

    def _touch(self, client: Any) -> Any:
        """Have the SDK import what it imports only when a part of its client is first used."""
        return client

    @abstractmethod
    def _attempt(
        self, request: ModelRequest, schema: Schema | None, deadlines: StreamDeadlines
    ) -> AsyncGenerator[ModelEvent, None]:
        """Send one request. May raise any exception of the SDK."""

    async def _read(
        self,
        create: Callable[..., Any],
        body: Mapping[str, Any],
        reply: StreamedReply,
        deadlines: StreamDeadlines,
        is_token: Callable[[Any], bool],
        written: Callable[[Any], int],
    ) -> AsyncGenerator[ModelEvent, None]:
        """The events of a reply that knows its end: of the stream that `create` opens, see `StreamDeadlines.over`, or
        of the whole reply where the provider does not stream."""
        if not self.config.quirks.streaming:
            for event in reply.whole(await deadlines.within(create(**body))):
                yield event
            return
        async with await deadlines.within(create(**body, stream=True)) as stream:
            await expect_stream(stream, self.config, deadlines)
            async with aclosing(deadlines.over(stream, is_token, written)) as items:
                async for item in items:
                    for event in reply.read(item):
                        yield event
                    if reply.ended:
                        break
            if reply.ended:
                await deadlines.drain(stream)
                return
        raise ended_early(self.config)

    def _further_fields(self) -> dict[str, Any]:
        """What the configuration adds to every request."""
        quirks = self.config.quirks
        temperature = {} if quirks.temperature is None else {"temperature": quirks.temperature}
        return {**temperature, **({"extra_body": quirks.extra_body} if quirks.extra_body else {})}

    def usage(self, input_tokens: int, output_tokens: int, **more: int) -> Usage:
        """The usage of a reply with its cost; further keywords as `Usage` names them."""
        return priced(self.config.prices, input_tokens, output_tokens, **more)

    async def _begin(
        self, request: ModelRequest, schema: Schema | None
    ) -> tuple[ModelEvent, AsyncGenerator[ModelEvent, None]]:
        """The first event of an attempt that has one; what fails before is tried again."""
        from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt

        retries = self.config.retries

        def wait(state: RetryCallState) -> float:
            error = state.outcome.exception() if state.outcome else None
            asked = error.retry_after if isinstance(error, ModelError) else None
            return (
                backoff(state.attempt_number, retries.first_wait, retries.longest_wait)
                if asked is None
                else asked
            )

        def tell(state: RetryCallState) -> None:
            error = state.outcome.exception() if state.outcome else None
            log.warning("%s: %s Trying again in %.1f s.", self.name, error, state.upcoming_sleep)

        def is_retryable(error: BaseException) -> bool:
            return (
                isinstance(error, ModelError)
                and error.retryable
                and (error.retry_after or 0) <= retries.longest_wait
            )

        retrying = AsyncRetrying(
            stop=stop_after_attempt(retries.attempts),
            wait=wait,
            retry=retry_if_exception(is_retryable),
            before_sleep=tell,
            reraise=True,
        )
        return await retrying(self._first, request, schema)

    async def _first(
        self, request: ModelRequest, schema: Schema | None
    ) -> tuple[ModelEvent, AsyncGenerator[ModelEvent, None]]:
        events = self._translated(request, schema)
        try:
            return await anext(events), events
        except StopAsyncIteration:
            raise ModelError(
                "bad_reply", f"{self.config.title} sent an empty reply; try again.", retryable=True
            ) from None
        except BaseException:
            await events.aclose()
            raise

    async def _translated(
        self, request: ModelRequest, schema: Schema | None
    ) -> AsyncGenerator[ModelEvent, None]:
        begun = False
        deadlines = StreamDeadlines(self.config.timeouts, self.config, request.reply_characters)
        try:
            async with aclosing(self._attempt(request, schema, deadlines)) as events:
                async for event in events:
                    begun = True
                    yield event
        except Exception as error:
            raise (broken if begun else translate)(error, self.config) from None


class StreamedReply(Protocol):
    """A reply that is read piece by piece."""

    ended: bool

    def read(self, item: Any, /) -> Iterable[ModelEvent]:
        """The events of another item of the stream."""

    def whole(self, reply: Any, /) -> Iterable[ModelEvent]:
        """The events of a reply that did not stream."""


class StreamDeadlines:
    """How long a reply may take, until its first token and from token to token, and how long it may be.

    Deadlines belong to the reply, not to a single read: a keep-alive does not extend them and never cancels a read.
    When a deadline passes, the read is cancelled and the reply has failed."""

    def __init__(self, timeouts: Timeouts, config: ModelConfig, most_characters: int | None = None) -> None:
        self._most_characters = most_characters
        self._characters = 0
        self._timeouts = timeouts
        self._title = config.title
        self._loop = asyncio.get_running_loop()
        self._started = False
        self._deadline = self._loop.time() + timeouts.first_token

    async def over(
        self, stream: AsyncIterator[Item], is_token: Callable[[Item], bool], written: Callable[[Item], int]
    ) -> AsyncGenerator[Item, None]:
        """The stream's items; `is_token` selects those that show progress of the model, and `written` counts the
        characters of text and arguments in an item. Raises ModelError as soon as a reply is too long: arguments are
        passed on only when they are complete, which may never happen."""
        items = aiter(stream)
        while True:
            try:
                item = await self.within(anext(items))
            except StopAsyncIteration:
                return
            alive = is_token(item)
            self._started = self._started or alive
            self._characters += written(item)
            if self._most_characters is not None and self._characters > self._most_characters:
                raise reply_too_long(self._most_characters)
            yield item
            if alive:  # after the yield: the time a reader takes is not the model's
                self._deadline = self._loop.time() + self._timeouts.between_tokens

    async def drain(self, stream: AsyncIterator[Any]) -> None:
        """Read what is left behind the end of a reply, but not for long: then the connection can be used again."""
        with suppress(Exception):
            async with asyncio.timeout(_DRAIN_TIMEOUT_S):
                async for _ in stream:
                    pass

    async def within(self, awaitable: Any) -> Any:
        """Await the start of a response, or a part of it."""
        try:
            async with asyncio.timeout_at(self._deadline) as limit:
                return await awaitable
        except TimeoutError:
            if not limit.expired():
                raise
            seconds = self._timeouts.between_tokens if self._started else self._timeouts.first_token
            what = "stopped writing" if self._started else "did not begin to answer"
            # not retryable: the user has waited long enough, and a fallback may be quicker
            raise ModelError("timeout", f"{self._title} {what} for {seconds:g} seconds; try again.") from None


async def expect_stream(stream: Any, config: ModelConfig, deadlines: StreamDeadlines) -> None:
    """Raise ModelError if the server answered a streamed request with something other than a stream.

    The beginning of the reply takes precedence over its content type, which may be missing or wrong. Bytes of a
    stream that were read for this are put back."""
    response: Any = getattr(stream, "response", None)
    if response is None:
        return
    kind = str(response.headers.get("content-type", "")).partition(";")[0].strip().lower()
    chunks: AsyncIterator[bytes] = response.aiter_bytes()
    read = bytearray()
    await deadlines.within(_read_up_to(max(map(len, _EVENT_STARTS)), chunks, read))
    is_document = kind in _NO_STREAM or read.startswith(_DOCUMENT_STARTS)
    if read.startswith(_EVENT_STARTS) or not is_document:
        response.aiter_bytes = lambda: _put_back(bytes(read), chunks)
        return
    with suppress(TimeoutError):
        async with asyncio.timeout(_MAX_READ_S):
            await _read_up_to(_MAX_READ_BYTES, chunks, read)
    start = " ".join(read.decode(errors="replace").split())[:_MAX_QUOTED_CHARS]
    raise ModelError(
        "bad_reply",
        f"{config.title} answered a streamed request with {_named(kind)} ({redact(start, config.key)}); "
        "if it cannot stream, set the quirk `streaming` to false for it in the providers file.",
    )


def _named(kind: str) -> str:
    """A description of a reply that is not a stream, by its content type."""
    if kind == "text/event-stream":
        return "a text/event-stream that holds no events"
    return f"{kind or 'a reply without a content type'} instead of a stream"


async def _read_up_to(size: int, chunks: AsyncIterator[bytes], read: bytearray) -> None:
    """Add chunks to `read` until it has so many bytes without leading white space, or there are no more."""
    while len(read) < size and (chunk := await anext(chunks, None)) is not None:
        read += chunk if read else chunk.lstrip()


async def _put_back(read: bytes, chunks: AsyncIterator[bytes]) -> AsyncGenerator[bytes, None]:
    yield read
    async for chunk in chunks:
        yield chunk


def backoff(attempt: int, first: float, longest: float) -> float:
    """Doubling, with jitter, so that many clients do not come back at the same moment."""
    return float(min(longest, first * 2 ** (attempt - 1)) * random.uniform(0.5, 1.0))  # noqa: S311 - no secret


def number_of(reported: Any) -> int:
    """A number that some servers leave out, or send as text."""
    return int(reported) if isinstance(reported, int) or str(reported).isdecimal() else 0


def priced(
    prices: Prices | None,
    input_tokens: int,
    output_tokens: int,
    *,
    cached: int = 0,
    cache_write: int = 0,
    reasoning: int = 0,
) -> Usage:
    """Input includes tokens read from and written to the cache, output the reasoning."""
    cost = None
    if prices is not None:
        cached_price = prices.input if prices.cached_input is None else prices.cached_input
        write_price = prices.input if prices.cache_write is None else prices.cache_write
        plain = input_tokens - cached - cache_write
        cost = (
            plain * prices.input
            + cached * cached_price
            + cache_write * write_price
            + output_tokens * prices.output
        ) / 1_000_000
    return Usage(input_tokens, output_tokens, cached, reasoning, cost)
