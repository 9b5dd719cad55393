"""Finds tool calls in the streamed text of a model: prose is passed on immediately, calls are extracted.

A call may be in a `<tool_call>` (or like) tag, in a fence, as JSON on separate lines, or in function-call syntax
on a separate line. A mention inside a sentence is not a call. The pieces in which the text arrives make no
difference to what is found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from agents.models.parsing.candidate_blocks import OPENINGS, Bracketed, CandidateBlock, block_for
from agents.models.parsing.written_calls import Written, calls_in

_BLANK = " \t-*"
"""Characters that may precede a call on its line, including list markers."""
_FIRST = {opening[0] for opening in OPENINGS}
_UNSURE = CandidateBlock()
_MAX_NESTING = 2
_MAX_RESCANS = 6
_MAX_SEARCHED_CHARS = 200_000
"""Characters that are searched without finding a call; after that, brackets are treated as prose."""


@dataclass
class ScannedText:
    """What came out of a piece of text, in its order within each kind."""

    text: str = ""
    calls: list[Written] = field(default_factory=list)


class Scanner:
    """`feed` pieces of a reply, then `finish`. `known` are the tools, each with its parameters' names."""

    def __init__(self, known: Mapping[str, Sequence[str]], depth: int = 0) -> None:
        self._known = known
        self._depth = depth
        self._rest = ""
        self._line_start = True
        self._open_block: CandidateBlock | None = None
        self._rescans = _MAX_RESCANS >> depth
        self._searchable = _MAX_SEARCHED_CHARS
        self._over = False

    def feed(self, piece: str) -> ScannedText:
        """The text and calls that are certain after this piece."""
        return self._work(piece, final=False)

    def finish(self) -> ScannedText:
        """What is left at the end of the reply."""
        return self._work("", final=True)

    def _work(self, piece: str, final: bool) -> ScannedText:
        found = ScannedText()
        if self._over:
            return found
        self._rest += piece
        while self._rest and not self._over:
            if not (self._block(found, final) if self._open_block else self._prose(found, final)):
                break
        return found

    def _prose(self, found: ScannedText, final: bool) -> bool:
        """Pass on text up to where a call may begin. Returns False if more text is needed to decide."""
        line_start = self._line_start
        for at, char in enumerate(self._rest):
            block = self._begins(at, line_start, final)
            if block is not None:
                self._pass(found, at)
                self._open_block = None if block is _UNSURE else block
                return block is not _UNSURE
            line_start = char == "\n" or (line_start and char in _BLANK)
        self._pass(found, len(self._rest))
        return True

    def _begins(self, at: int, line_start: bool, final: bool) -> CandidateBlock | None:
        char = self._rest[at]
        if char in _FIRST:
            for opening in OPENINGS:
                if self._rest.startswith(opening, at):
                    return block_for(opening)
                if not final and opening.startswith(self._rest[at : at + len(opening)]):
                    return _UNSURE
        if not line_start or self._searchable <= 0:
            return None
        if char in "{[":
            return Bracketed()
        return self._begins_syntax(at, final) if char.isalpha() or char in "_`" else None

    def _begins_syntax(self, at: int, final: bool) -> CandidateBlock | None:
        """A tool's name and an opening parenthesis, at the start of a line, perhaps in backticks."""
        start = at + 1 if self._rest[at] == "`" else at
        end = start
        while end < len(self._rest) and (self._rest[end].isalnum() or self._rest[end] in "_-"):
            end += 1
        word = self._rest[start:end]
        if end == len(self._rest) and not final:
            return _UNSURE if any(name.startswith(word) for name in self._known) else None
        if word in self._known and self._rest.startswith("(", end):
            return Bracketed(line=True, skip=end - at)
        return None

    def _pass(self, found: ScannedText, until: int) -> None:
        text, self._rest = self._rest[:until], self._rest[until:]
        found.text += text
        _, newline, line = text.rpartition("\n")
        self._line_start = (bool(newline) or self._line_start) and not line.strip(_BLANK)

    def _block(self, found: ScannedText, final: bool) -> bool:
        """Search for the end of the candidate. Returns False if it has not arrived yet."""
        block = self._open_block
        if block is None:
            return True
        end = block.end(self._rest)
        if end is None and not final:
            return False
        whole = self._rest if end is None else self._rest[:end]
        self._open_block = None
        calls = [] if block.silent else self._calls(block, whole)
        if calls or block.silent:
            found.calls.extend(calls)
            self._rest = self._rest[len(whole) :]
            self._line_start = True
            self._over = block.last
        elif end is not None:
            self._searchable -= block.searched
            self._pass(found, end)
        else:
            self._rescans -= 1
            self._pass(found, block.opening if self._rescans else len(whole))
        return True

    def _calls(self, block: CandidateBlock, whole: str) -> list[Written]:
        body = block.inside(whole)
        calls = calls_in(body, self._known, sure=block.sure)
        if calls or self._depth == _MAX_NESTING or not block.nests:
            return calls
        inner = Scanner(self._known, self._depth + 1)
        first, last = inner.feed(body), inner.finish()
        return [] if (first.text + last.text).strip() else [*first.calls, *last.calls]
