"""Text that the server writes for people, with what other languages need to say the same.

A `Template` is an English sentence or phrase with a code. Called with values it gives a `Worded`: an ordinary string
that also knows which template each piece of it came from, and with which values. Clients in English show the string;
others word the pieces by their codes and leave everything else (names, Markdown, text of a model) as it is.

    ADDED = Template("layer_added", "Added **{name}**: {n|one=# feature|other=# features}.")
    ADDED(name="airports", n=28298)   # "Added **airports**: 28,298 features."

Joining with `+` and `joined` keeps the pieces; an f-string or a method of `str` gives plain English."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

_SLOT = re.compile(r"\{(\w+)((?:\|\w+=[^|}]*)*)\}")

TEMPLATES: dict[str, str] = {}
"""The English text of every template by its code, as far as the modules that declare them were imported."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A value in a part: its start and end in the text of the part, in Unicode code points."""

    start: int
    end: int
    number: float | None = None
    """The value, if it is a number."""
    wording: tuple[Part, ...] = ()
    """If the value is itself text of templates: its parts, with places in the text of the value."""


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a text that a template made. `start` and `end` are places in the text, in Unicode code points."""

    code: str
    start: int
    end: int
    values: Mapping[str, Slot]


class Worded(str):
    """A text and its parts, in order."""

    __slots__ = ("number", "wording")

    wording: tuple[Part, ...]
    number: float | None

    def __new__(cls, text: str, wording: tuple[Part, ...] = (), number: float | None = None) -> Self:
        made = super().__new__(cls, text)
        made.wording = wording
        made.number = number
        return made

    def __add__(self, other: str) -> Worded:
        return joined("", (self, other))

    def __radd__(self, other: str) -> Worded:
        return joined("", (other, self))

    def __getnewargs__(self) -> tuple[Any, ...]:
        return str(self), self.wording, self.number

    def removesuffix(self, suffix: str) -> Worded:
        """The same without the suffix; the parts keep their codes, so another language has its own end."""
        if not self.endswith(suffix):
            return self
        kept = len(self) - len(suffix)
        parts = tuple(replace(part, end=min(part.end, kept)) for part in self.wording if part.start < kept)
        return Worded(self[:kept], parts)

    def pieces(self) -> list[Worded]:
        """The text of each part on its own, and the text between them."""
        found: list[Worded] = []
        at = 0
        for part in self.wording:
            found.append(Worded(self[at : part.start].strip()))
            own = replace(part, start=0, end=part.end - part.start)
            found.append(Worded(self[part.start : part.end], (own,)))
            at = part.end
        return [piece for piece in (*found, Worded(self[at:].strip())) if piece]

    def escaped(self, escape: Callable[[str], str]) -> Worded:
        """The same with `escape` applied to everything that comes from no template."""
        return _escaped(str(self), self.wording, escape)


class Template:
    """An English text with slots: `{name}`, or `{n|one=# row|other=# rows}` for what depends on a number."""

    def __init__(self, code: str, english: str) -> None:
        if TEMPLATES.setdefault(code, english) != english:
            raise ValueError(f"two templates have the code {code!r}")
        self.code = code
        self._pieces: list[tuple[str, str, dict[str, str]]] = []
        """Text, and the slot after it with its forms by the plural category; no slot after the last."""
        at = 0
        for found in _SLOT.finditer(english):
            forms = dict(form.split("=", 1) for form in found[2].split("|")[1:])
            self._pieces.append((english[at : found.start()], found[1], forms))
            at = found.end()
        self._pieces.append((english[at:], "", {}))

    def __call__(self, **values: str | float) -> Worded:
        """Values are texts or numbers. Numbers get thousands separators; text is taken as it is."""
        text: list[str] = []
        slots: dict[str, Slot] = {}
        at = 0
        for before, name, forms in self._pieces:
            text.append(before)
            at += len(before)
            if not name:
                continue
            value = values[name]
            shown = value if isinstance(value, str) else numeral(value)
            number = shown.number if isinstance(shown, Worded) else None
            if forms:
                form = forms["one"] if number == 1 else forms["other"]
                start, _, end = form.partition("#")
                text += [start, shown, end] if "#" in form else [form]
                if "#" in form:
                    slots[name] = Slot(at + len(start), at + len(start) + len(shown), number)
                at += len(form.replace("#", shown))
                slots.setdefault(name, Slot(at - len(form), at, number))
                continue
            wording = shown.wording if isinstance(shown, Worded) and number is None else ()
            slots[name] = Slot(at, at + len(shown), number, wording)
            text.append(shown)
            at += len(shown)
        return Worded("".join(text), (Part(self.code, 0, at, slots),))


def numeral(value: float, text: str = "") -> Worded:
    """A number as text, by default with thousands separators."""
    text = text or f"{value:,}"
    slot = Slot(0, len(text), float(value))
    return Worded(text, (Part(NUMBER.code, 0, len(text), {"n": slot}),), float(value))


def formatted(value: float, specification: str) -> Worded:
    """A number as `format` writes it by a specification such as `,.0f`."""
    return numeral(value, format(value, specification))


def joined(separator: str, texts: Iterable[str]) -> Worded:
    """`separator.join(texts)` that keeps the parts."""
    pieces: list[str] = []
    wording: list[Part] = []
    at = 0
    for index, text in enumerate(texts):
        if index:
            pieces.append(separator)
            at += len(separator)
        if isinstance(text, Worded):
            wording += [replace(part, start=part.start + at, end=part.end + at) for part in text.wording]
        pieces.append(text)
        at += len(text)
    return Worded("".join(pieces), tuple(wording))


def worded_among(values: Mapping[str, Any]) -> dict[str, str]:
    """Those of the values that have parts, by name."""
    return {name: value for name, value in values.items() if wording_of(value)}


def wording_of(text: object) -> tuple[Part, ...]:
    """The parts of a text; none of a plain string."""
    return text.wording if isinstance(text, Worded) else ()


def wordings_of(texts: Sequence[object]) -> tuple[tuple[Part, ...], ...]:
    """The parts of each text, in order; nothing if no text has any."""
    parts = tuple(map(wording_of, texts))
    return parts if any(parts) else ()


def stored_wording(text: str | None) -> dict[str, Any]:
    """`{"wording": [...]}` as events store it, without defaults; empty for a plain string."""
    parts = wording_of(text)
    return {"wording": [_part_json(part) for part in parts]} if parts else {}


def packed(text: str) -> str | dict[str, Any]:
    """The text with its parts as JSON, for another process; `unpacked` reads it."""
    return {"text": str(text), **stored_wording(text)} if wording_of(text) else text


def unpacked(value: str | Mapping[str, Any]) -> str:
    """The text that `packed` gave. Raises KeyError or TypeError for anything else."""
    if isinstance(value, str):
        return value
    return Worded(str(value["text"]), tuple(map(_part_of, value["wording"])))


def stored_wordings(texts: Iterable[str]) -> dict[str, Any]:
    """The parts of each text that has any, as events store them, by the text."""
    return {str(text): stored_wording(text)["wording"] for text in texts if wording_of(text)}


def _part_of(stored: Mapping[str, Any]) -> Part:
    slots = {
        str(name): Slot(
            int(slot["start"]),
            int(slot["end"]),
            float(slot["number"]) if "number" in slot else None,
            tuple(map(_part_of, slot.get("wording", ()))),
        )
        for name, slot in stored["values"].items()
    }
    return Part(str(stored["code"]), int(stored["start"]), int(stored["end"]), slots)


def _part_json(part: Part) -> dict[str, Any]:
    values = {name: _slot_json(slot) for name, slot in part.values.items()}
    return {"code": part.code, "start": part.start, "end": part.end, "values": values}


def _slot_json(slot: Slot) -> dict[str, Any]:
    entry: dict[str, Any] = {"start": slot.start, "end": slot.end}
    if slot.number is not None:
        entry["number"] = slot.number
    if slot.wording:
        entry["wording"] = [_part_json(part) for part in slot.wording]
    return entry


def _escaped(text: str, parts: tuple[Part, ...], escape: Callable[[str], str]) -> Worded:
    pieces: list[str] = []
    at = 0
    for part in parts:
        pieces.append(escape(text[at : part.start]))
        pieces.append(_escaped_part(text[part.start : part.end], part, escape))
        at = part.end
    return joined("", [*pieces, escape(text[at:])])


def _escaped_part(text: str, part: Part, escape: Callable[[str], str]) -> Worded:
    made = ""
    at = 0
    slots: dict[str, Slot] = {}
    for name, slot in sorted(part.values.items(), key=lambda each: each[1].start):
        made += text[at : slot.start]
        value = _escaped(text[slot.start : slot.end], slot.wording, escape)
        slots[name] = Slot(len(made), len(made) + len(value), slot.number, value.wording)
        made += str(value)
        at = slot.end
    made += text[at:]
    return Worded(made, (Part(part.code, 0, len(made), slots),))


NUMBER = Template("number", "{n}")
"""A number that no other template has as its value."""
