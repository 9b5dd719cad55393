"""Rules for commands about whole layers, the view and the history. Each reads one command, or nothing."""

from __future__ import annotations

from agents.offline import phrasebook as p
from agents.offline.intents import (
    ClearFilter,
    Intent,
    Look,
    Mention,
    Negation,
    Redo,
    Refine,
    Remove,
    Rename,
    Reorder,
    Reset,
    Restyle,
    SetOpacity,
    SetVisible,
    Undo,
    Zoom,
)
from agents.offline.nouns import take_count
from agents.offline.subjects import Grammar


class LayerCommands(Grammar):
    def undo(self) -> Intent | None:
        cursor = self.cursor
        redo = cursor.take("redo", "do it again", "do that again", "redo that") is not None
        if not redo and not cursor.take(p.UNDO):
            return None
        cursor.take(p.LAST_CHANGE)
        if cursor.take("the last"):
            pass
        times = take_count(cursor)
        cursor.take("times", "changes", "steps", "change", "step")
        if times is None and cursor.take("twice"):
            times = 2
        times = min(max(times or 1, 1), 20)
        return Redo(times) if redo else Undo(times)

    def reset(self) -> Intent | None:
        return Reset() if self.cursor.take(p.RESET) else None

    def clear_filter(self) -> Intent | None:
        cursor = self.cursor
        if cursor.take(p.TAKE_OFF_FILTER):
            cursor.take("the", "all", "any")
            if not cursor.take("filters", "filter"):
                return None
            cursor.take("from", "of", "on", "for")
            return ClearFilter(self.mention())
        if cursor.take("unfilter"):
            return ClearFilter(self.mention())
        return ClearFilter(None) if cursor.take(p.ALL_AGAIN) else None

    def unlabel(self) -> Intent | None:
        cursor = self.cursor
        if not cursor.take(p.TAKE_OFF_LABELS):
            return None
        if cursor.word(-1) != "unlabel":
            cursor.take("the")
            if not cursor.take("labels", "label", "names"):
                return None
            cursor.take("from", "of", "on", "for")
        return Restyle(self.mention(), Look(unlabel=True))

    def remove(self) -> Intent | None:
        """Layers, or with a condition the features that pass it."""
        cursor = self.cursor
        if not cursor.take("get rid of", "take away", "take off", "take down", "throw out", p.REMOVE):
            return None
        subjects = self.mentions()
        if not subjects:
            return None
        if any(subject.everything for subject in subjects):
            return Reset()
        where = self.conditions(subjects[0]).all() if len(subjects) == 1 else None
        if where is not None:
            return Refine(subjects[0], Negation(where))
        return Remove(subjects)

    def visibility(self) -> Intent | None:
        cursor = self.cursor
        for visible, phrases in (
            (False, ("hide", "switch off", "turn off", "disable")),
            (True, ("unhide", "switch on", "turn on", "enable", "show again", "reveal")),
        ):
            if cursor.take(*phrases):
                subjects = self.mentions()
                cursor.take("off", "on", "again")
                return SetVisible(subjects, visible) if subjects else None
        if cursor.take("make", "set", "turn", "switch"):
            subjects = self.mentions()
            if subjects and cursor.take("invisible", "hidden", "off"):
                return SetVisible(subjects, False)
            if subjects and cursor.take("visible", "on"):
                return SetVisible(subjects, True)
            return None
        if cursor.take("show", "bring back", "show me"):
            subjects = self.mentions()
            if (
                subjects
                and any(item.layers or item.everything or item.pronoun for item in subjects)
                and cursor.take("again", "back")
            ):
                return SetVisible(subjects, True)
        return None

    def rename(self) -> Intent | None:
        cursor = self.cursor
        verb = cursor.take("rename", "call", "name", "retitle", "change the name of", "set the name of")
        subject = self.mention() if verb else None
        if subject is None:
            return None
        cursor.take("layer")
        if not cursor.take("to", "as", "into") and verb not in ("call", "name"):
            return None
        name = self.name()
        return Rename(subject, name) if name else None

    def opacity(self) -> Intent | None:
        """`make the airports 50 % transparent`, `set the opacity of X to 0.3`, `opacity 40%`."""
        cursor = self.cursor
        if cursor.take("make", "turn", "draw", "show"):
            subject = self.mention()
            opacity = self._share()
            if cursor.take("opaque", "opacity", "visible"):
                return SetOpacity(subject, 1.0 if opacity is None else opacity)
            cursor.take("a bit", "slightly", "more", "very")
            half = cursor.take("half", "semi", "semi-transparent", "half-transparent")
            if half in ("semi-transparent", "half-transparent") or cursor.take(
                "transparent", "see-through", "translucent", "transparency"
            ):
                return SetOpacity(subject, 0.5 if opacity is None else round(1 - opacity, 4))
            return None
        cursor.take("set", "change", "put")
        cursor.take("the")
        word = cursor.take("opacity", "transparency")
        if word is None:
            return None
        cursor.take("of", "for", "on")
        subject = self.mention()
        cursor.take("to", "at", "is", "=", ":")
        opacity = self._share()
        if opacity is None:
            return None
        if subject is None:
            cursor.take("for", "on", "of")
            subject = self.mention()
        return SetOpacity(subject, opacity if word == "opacity" else round(1 - opacity, 4))

    def _share(self) -> float | None:
        token = self.cursor.take_number()
        if token is None:
            return None
        percent = self.cursor.take("%", "percent", "per cent") is not None
        value = token.value / 100 if percent or token.value > 1 else token.value
        return value if 0 <= value <= 1 else None

    def reorder(self) -> Intent | None:
        cursor = self.cursor
        if not cursor.take("move", "bring", "put", "send", "raise", "lower", "place", "push", "draw"):
            return None
        lowered = cursor.word(-1) in ("lower",)
        raised = cursor.word(-1) in ("raise",)
        subject = self.mention()
        if subject is None:
            return None
        cursor.take("layer")
        if cursor.take(p.TO_TOP):
            return Reorder(subject, "top")
        if cursor.take(p.TO_BOTTOM):
            return Reorder(subject, "bottom")
        for to, phrases in (
            ("above", ("above", "over", "on top of", "in front of")),
            ("below", ("below", "under", "beneath", "behind", "underneath")),
        ):
            if cursor.take(*phrases):
                other = self.mention()
                return None if other is None else Reorder(subject, to, other)  # type: ignore[arg-type]  # one of the two
        if cursor.take("on top", "forward to the front"):
            return Reorder(subject, "top")
        if cursor.take("one up", "up", "forward", "higher", "forwards") or raised:
            return Reorder(subject, "up")
        if cursor.take("one down", "down", "backward", "lower", "backwards") or lowered:
            return Reorder(subject, "down")
        return None

    def zoom(self) -> Intent | None:
        cursor = self.cursor
        if cursor.take("zoom in", "zoom closer", "closer"):
            if not cursor.take("on", "to", "at"):
                return Zoom(factor=self._times())
            return self._target()
        if cursor.take("zoom out", "zoom back", "further out"):
            return self._target() if cursor.take("to") else Zoom(factor=1 / self._times())
        return self._target() if cursor.take(p.ZOOM_TO) else None

    def _times(self) -> float:
        cursor = self.cursor
        count = take_count(cursor) if cursor.word() != "a" else None
        cursor.take("times", "levels", "steps", "level", "step", "a bit", "a little", "more", "x")
        return float(2 ** min(max(count or 1, 1), 6))

    def _target(self) -> Intent | None:
        cursor, start = self.cursor, self.cursor.at
        if cursor.take("the whole world", "the world", "whole world", "world", "the entire world"):
            return Zoom(bounds=(-180.0, -60.0, 180.0, 80.0))
        if cursor.take(p.WHOLE_MAP):
            return Zoom(subject=Mention("everything", everything=True))
        bounds = self._bounds()
        if bounds is not None:
            return bounds
        mention = self.mention()
        if mention is not None and self._ends():
            cursor.take("is", "are")
            return Zoom(subject=mention)
        cursor.at = start
        place = self.conditions(None).value_text()
        cursor.take("is", "are", "lies")
        return Zoom(place=place.strip('"')) if place else None

    def _ends(self) -> bool:
        return self.cursor.done or self.cursor.word() in (
            "and",
            "then",
            ",",
            ";",
            ".",
            "please",
            "now",
            "!",
            "is",
            "are",
            "again",
            "on",
            "for",
            "thanks",
        )

    def _bounds(self) -> Zoom | None:
        cursor, start = self.cursor, self.cursor.at
        cursor.take("[", "(", "bounds", "box", "the box")
        edges: list[float] = []
        while len(edges) < 4 and (token := cursor.take_number()) is not None:
            edges.append(token.value)
            cursor.take(",")
        if len(edges) == 4:
            cursor.take("]", ")")
            return Zoom(bounds=(edges[0], edges[1], edges[2], edges[3]))
        cursor.at = start
        return None
