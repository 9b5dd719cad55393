"""Single files of web servers, read by HTTP range requests. Redirects are not followed."""

from __future__ import annotations

import hashlib
import re
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from email.utils import parsedate_to_datetime
from functools import cached_property
from typing import TYPE_CHECKING

from tenacity import retry, retry_if_exception_type, stop_after_attempt, wait_exponential

from agents.worded import Template
from server.gis.lake.errors import FilesChanged, NoLakeTable, Unreachable
from server.gis.lake.paths import ENDINGS
from server.gis.lake.remote.addresses import Address
from server.gis.lake.remote.ranges import Allowance, Fetch
from server.gis.lake.remote.sources import PIECE_BYTES, TIMEOUT_S, NoRanges, Source
from server.gis.lake.states import FileState

ONE_FILE = Template("lake_one_file", "A web server gives one file, whose name ends in {endings}.")
NO_VERSION = Template("lake_no_version", "{host} does not say which version of a file it gives (ETag)")
WHOLE_FILES = Template("lake_whole_files", "{host} gives only whole files")
NO_SIZE = Template("lake_no_size", "The server does not say how large the file is.")
OTHER_ANSWER = Template("lake_other_answer", "{host} answers {status} {reason}.")


if TYPE_CHECKING:
    import httpx

MAX_ATTEMPTS = 3
BUSY = (429, 502, 503, 504)


class _Passing(OSError):
    """A temporary fault: the connection broke, or the server is busy."""


_tried_again = retry(
    retry=retry_if_exception_type(_Passing),
    stop=stop_after_attempt(MAX_ATTEMPTS),
    wait=wait_exponential(multiplier=0.25),
    reraise=True,
)


class Web(Source):
    """Connections are kept open and shared by all readers."""

    def files(self, address: Address, allowance: Allowance) -> Mapping[str, FileState]:
        """The one file of the address, with size and version."""
        return {"": self.state(address, allowance)}

    @_tried_again
    def state(self, address: Address, allowance: Allowance) -> FileState:
        """Asks for the first byte, whose answer has all of it. Raises NoRanges where the server gives only the whole
        file, or a change of it could not be noticed."""
        if not address.parts or not address.parts[-1].lower().endswith(ENDINGS):
            raise NoLakeTable(ONE_FILE(endings=", ".join(ENDINGS)))
        with self._asked(address, "bytes=0-0", allowance) as answer:
            if answer.status_code == 200:
                length = answer.headers.get("Content-Length", "")
                if not length.isdecimal():
                    raise NoLakeTable(NO_SIZE())
                raise NoRanges(WHOLE_FILES(host=address.host), _state(answer, int(length)))
            state = _state(answer, _total(answer, 0, 0, address))
        if not state.changed_ns:
            raise NoRanges(NO_VERSION(host=address.host), state)
        return state

    def reader(self, address: Address, state: FileState) -> Fetch:
        """A function that reads ranges of bytes. It raises FilesChanged if the file differs from `state`."""

        def fetch(start: int, length: int, allowance: Allowance) -> bytes:
            return self._part(address, state, start, length, allowance)

        return fetch

    @_tried_again
    def _part(
        self, address: Address, state: FileState, start: int, length: int, allowance: Allowance
    ) -> bytes:
        last = start + length - 1
        found = bytearray()
        with self._asked(address, f"bytes={start}-{last}", allowance) as answer:
            if answer.status_code == 200 or _state(answer, _total(answer, start, last, address)) != state:
                raise FilesChanged(f"{address.parts[-1]} has changed")
            for piece in answer.iter_raw():
                found += piece
                allowance.check()
                if len(found) > length:
                    break
        if len(found) != length:
            raise OSError(f"{address.host} gave another part of the file than was asked for")
        return bytes(found)

    def stream(self, address: Address, state: FileState) -> Iterator[bytes]:
        """The whole file in pieces. Raises FilesChanged if it differs from `state`."""
        with self._asked(address, None, Allowance()) as answer:
            if _state(answer, state.bytes) != state:
                raise FilesChanged(f"{address.parts[-1]} has changed")
            yield from answer.iter_raw(PIECE_BYTES)

    @cached_property
    def _client(self) -> httpx.Client:
        import httpx  # few servers read from addresses

        # Certificates that the system trusts, or those of SSL_CERT_FILE. No proxies: addresses are listed.
        return httpx.Client(
            verify=ssl.create_default_context(),
            trust_env=False,
            follow_redirects=False,
            timeout=TIMEOUT_S,
            headers={"Accept-Encoding": "identity"},
        )

    @contextmanager
    def _asked(self, address: Address, part: str | None, allowance: Allowance) -> Iterator[httpx.Response]:
        import httpx

        allowance.check()
        headers = {} if part is None else {"Range": part}
        seconds = min(TIMEOUT_S, allowance.seconds_left())
        try:
            with self._client.stream("GET", str(address), headers=headers, timeout=seconds) as answer:
                if answer.status_code in BUSY:
                    raise _Passing(f"{address.host} answers {answer.status_code} {answer.reason_phrase}")
                if answer.status_code not in (200, 206):
                    raise Unreachable(
                        OTHER_ANSWER(
                            host=address.host, status=str(answer.status_code), reason=answer.reason_phrase
                        )
                    )
                yield answer
        except (httpx.NetworkError, httpx.RemoteProtocolError) as error:
            raise _Passing(str(error) or type(error).__name__) from error
        except httpx.HTTPError as error:
            allowance.check()
            raise OSError(str(error) or type(error).__name__) from error


def _state(answer: httpx.Response, size: int) -> FileState:
    """The state by the ETag, else by the time of the last change; 0 where neither is sent."""
    if tag := answer.headers.get("ETag"):
        # Below 2**53, as JSON has it.
        digest = hashlib.sha256(tag.removeprefix("W/").encode()).digest()
        return FileState(size, int.from_bytes(digest[:6], "big") + 1)
    try:
        moment = parsedate_to_datetime(answer.headers.get("Last-Modified", ""))
    except ValueError:
        return FileState(size, 0)
    return FileState(size, int(moment.timestamp()) * 10**9)


def _total(answer: httpx.Response, start: int, last: int, address: Address) -> int:
    """The size of the whole file. Raises OSError for another range than was asked for."""
    sent = re.fullmatch(r"bytes (\d+)-(\d+)/(\d+)", answer.headers.get("Content-Range", ""))
    if sent is None or (int(sent[1]), int(sent[2])) != (start, last):
        raise OSError(f"{address.host} gave another part of the file than was asked for")
    return int(sent[3])
