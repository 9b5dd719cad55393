"""The shapes of a block that may hold tool calls: how it begins, where it ends, and what is inside.

Each shape finds its end in text that is still growing, and looks at every character once."""

from __future__ import annotations

from agents.models.parsing.lenient_json import Balance

_TAGS = {
    "<tool_calls>": "</tool_calls>",
    "<tool_call": "</tool_call>",
    "<function_calls>": "</function_calls>",
    "<function_call": "</function_call>",
    "<function=": "</function>",
    "<invoke": "</invoke>",
    "<|tool_call|>": "<|/tool_call|>",
}
_THOUGHTS = ("<think>", "</think>")
_MADE_UP = "<tool_result"
"""A model that writes the result of its own call invents it, so the text is ignored from there on."""
_LIST = "[TOOL_CALLS]"
_CODE = "<|python_tag|>"
_FENCE = "```"
OPENINGS = (*_TAGS, _THOUGHTS[0], _MADE_UP, _LIST, _CODE, _FENCE)
"""Longer ones come before their prefixes."""
_MAX_BLOCK_CHARS = 20_000
"""Brackets that stay open for longer are not a call."""


class CandidateBlock:
    """Something that may be a call. `sure`: by its form it is one. `silent`: always dropped."""

    sure = False
    silent = False
    last = False
    nests = False
    opening = 1
    searched = 0
    """Characters that were read before it turned out that this is no block."""

    def end(self, text: str) -> int | None:
        """The offset behind the block in a text that still grows; None until the end has arrived."""
        raise NotImplementedError

    def inside(self, whole: str) -> str:
        """The part of a complete block `whole` that may hold calls, without its delimiters."""
        return whole


class Tag(CandidateBlock):
    """A block that ends with a given text."""

    nests = True

    def __init__(self, opening: str, closing: str, *, sure: bool = True, silent: bool = False) -> None:
        self._opening, self._closing = opening, closing
        self.sure, self.silent, self.opening = sure, silent, len(opening)
        self._from = len(opening)

    def end(self, text: str) -> int | None:
        found = text.find(self._closing, self._from)
        self._from = max(self._from, len(text) - len(self._closing) + 1)
        return None if found < 0 else found + len(self._closing)

    def inside(self, whole: str) -> str:
        if self._opening in ("<function=", "<invoke"):
            return whole
        body = whole[self.opening :].removesuffix(self._closing)
        if self._opening.endswith(">"):
            return body
        attributes, _, rest = body.partition(">")
        return f"<invoke {attributes.strip()}>{rest}" if "name" in attributes else rest


class Fence(Tag):
    """Code between backticks; the word behind the first ones is the language."""

    def __init__(self) -> None:
        super().__init__(_FENCE, _FENCE, sure=False)

    def inside(self, whole: str) -> str:
        body = whole[len(_FENCE) :].removesuffix(_FENCE)
        language, newline, rest = body.partition("\n")
        return rest if newline and language.strip().replace("_", "").isalnum() else body


class Bracketed(CandidateBlock):
    """A block that ends where its first bracket is closed; with `line`, only at the end of that line."""

    def __init__(self, *, line: bool = False, skip: int = 0) -> None:
        self._balance = Balance(skip)
        self._line = line
        self.opening = max(1, skip)
        self._closed: int | None = None

    def end(self, text: str) -> int | None:
        if self._closed is None:
            self._closed = self._balance.end(text)
        if self._closed == -1 or (self._closed or len(text)) > _MAX_BLOCK_CHARS:
            self.searched = min(self._balance.characters_read, _MAX_BLOCK_CHARS)
            return self.opening
        if self._closed is None or not self._line:
            return self._closed
        newline = text.find("\n", self._closed)
        return None if newline < 0 else newline


class ToTheEnd(CandidateBlock):
    """All that follows."""

    def __init__(self, opening: str = "", *, sure: bool = False, silent: bool = False) -> None:
        self.opening = max(1, len(opening))
        self.sure, self.silent, self.last = sure, silent, silent

    def end(self, text: str) -> int | None:
        return len(text) if self.silent else None

    def inside(self, whole: str) -> str:
        return whole[self.opening :]


def block_for(opening: str) -> CandidateBlock:
    """The block that an opening begins."""
    if opening == _FENCE:
        return Fence()
    if opening == _MADE_UP:
        return ToTheEnd(silent=True)
    if opening == _THOUGHTS[0]:
        return Tag(*_THOUGHTS, sure=False, silent=True)
    if opening in (_LIST, _CODE):
        return ToTheEnd(opening, sure=True)
    return Tag(opening, _TAGS[opening])
