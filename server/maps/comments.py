"""Comment threads of a map: pinned to a place or a feature, answered, resolved and removed."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime

from agents.worded import Template
from server import fault_texts
from server.maps.faults import RequestFault
from server.maps.log.comments import delete_thread, size_of_threads, thread_of, write_thread
from server.maps.log.event_log import EventLog
from server.maps.log.writer import MapWriter
from server.protocol import (
    Comment,
    CommentAdd,
    CommentRemove,
    CommentThread,
    ThreadRemove,
    ThreadResolve,
    ThreadStart,
)

COMMENTS_SPACE = Template(
    "map_comments_space", "The comments of a map take at most {n} characters. Remove some threads first."
)
NO_THREAD = Template("map_no_thread", "This map has no thread {thread}.")
NO_COMMENT = Template("map_no_comment", "This thread has no comment {comment}.")

MAX_THREADS = 200
MAX_COMMENTS = 100
"""Limit for one thread."""
MAX_CHARACTERS = 500_000
"""Limit for all threads of a map as JSON, which each client that joins it receives."""


class Comments:
    """Changes the comments of maps. Each method returns the map's seq, and raises RequestFault `not_found`."""

    def __init__(self, log: EventLog) -> None:
        self._log = log

    async def start(self, request: ThreadStart, author: str | None) -> tuple[int, CommentThread]:
        """Start a thread. Raises RequestFault `too_large` if the map has too many threads."""
        comment = new_comment(request.text, author)
        thread = CommentThread(id=secrets.token_hex(6), place=request.place, comments=[comment])
        async with self._log.writing(request.map_id) as writer:
            await check_room(writer, len(request.text), more_threads=1)
            payload = {"thread": thread.model_dump(mode="json")}
            event = await write_thread(writer, thread, "thread_started", payload)
        return event.seq, thread

    async def reply(self, request: CommentAdd, author: str | None) -> tuple[int, Comment]:
        """Add a comment to a thread. Raises RequestFault `too_large` if the thread has too many comments."""
        comment = new_comment(request.text, author)
        async with self._log.writing(request.map_id) as writer:
            thread = await known_thread(writer, request.thread_id)
            if len(thread.comments) >= MAX_COMMENTS:
                raise RequestFault("too_large", fault_texts.MAX_COMMENTS(n=MAX_COMMENTS))
            await check_room(writer, len(request.text))
            change = {"comments": [*thread.comments, comment], "resolved": False, "resolved_by": None}
            payload = {"thread_id": thread.id, "comment": comment.model_dump(mode="json")}
            changed = thread.model_copy(update=change)
            event = await write_thread(writer, changed, "comment_added", payload)
        return event.seq, comment

    async def remove_comment(self, request: CommentRemove) -> int:
        """Returns the seq of the event; the thread goes with its last comment. Raises RequestFault `not_found`."""
        async with self._log.writing(request.map_id) as writer:
            thread = await known_thread(writer, request.thread_id)
            kept = [comment for comment in thread.comments if comment.id != request.comment_id]
            if len(kept) == len(thread.comments):
                raise RequestFault("not_found", NO_COMMENT(comment=repr(request.comment_id)))
            if not kept:
                return (await delete_thread(writer, thread.id)).seq
            changed = thread.model_copy(update={"comments": kept})
            payload = {"thread_id": thread.id, "comment_id": request.comment_id}
            event = await write_thread(writer, changed, "comment_removed", payload)
        return event.seq

    async def resolve(self, request: ThreadResolve, author: str | None) -> int:
        """Resolve or reopen a thread; no event if it is so already."""
        async with self._log.writing(request.map_id) as writer:
            thread = await known_thread(writer, request.thread_id)
            if thread.resolved != request.resolved:
                change = {"resolved": request.resolved, "resolved_by": author if request.resolved else None}
                changed = thread.model_copy(update=change)
                payload = {"thread_id": thread.id, "resolved": request.resolved, "author": author}
                await write_thread(writer, changed, "thread_resolved", payload)
            return writer.seq

    async def remove_thread(self, request: ThreadRemove) -> int:
        """Returns the seq of the event. Raises RequestFault `not_found`."""
        async with self._log.writing(request.map_id) as writer:
            thread = await known_thread(writer, request.thread_id)
            return (await delete_thread(writer, thread.id)).seq


def new_comment(text: str, author: str | None) -> Comment:
    """A comment of now."""
    return Comment(id=secrets.token_hex(6), text=text, author=author, at=datetime.now(UTC))


async def check_room(writer: MapWriter, characters: int, more_threads: int = 0) -> None:
    """Raise RequestFault `too_large` if the map has no room for a comment of so many characters."""
    threads, size = await size_of_threads(writer.connection, writer.map_id)
    if threads + more_threads > MAX_THREADS:
        raise RequestFault("too_large", fault_texts.MAX_THREADS(n=MAX_THREADS))
    if size + characters > MAX_CHARACTERS:
        raise RequestFault("too_large", COMMENTS_SPACE(n=MAX_CHARACTERS))


async def known_thread(writer: MapWriter, thread_id: str) -> CommentThread:
    """The thread. Raises RequestFault `not_found`."""
    thread = await thread_of(writer.connection, writer.map_id, thread_id)
    if thread is None:
        raise RequestFault("not_found", NO_THREAD(thread=repr(thread_id)))
    return thread
