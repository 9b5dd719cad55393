"""Commands for whole layers: show and hide, remove, rename, fade, outline, group, and reorder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agents.domain import Layer
from agents.geo.wording.phrases import listed
from agents.offline.answers import refusals
from agents.offline.commands.plans.drawing import show_rows
from agents.offline.commands.requests import command
from agents.offline.language.looks.symbols import THICK_PX, THIN_PX
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import word_set
from agents.offline.meaning.conditions import Mention, Negation
from agents.offline.meaning.intents import (
    Change,
    ClearFilter,
    Intent,
    Look,
    Refine,
    Remove,
    Reorder,
    Reset,
    Restyle,
    SetGroup,
    SetVisible,
)
from agents.offline.meaning.scene import Calls, Say, Scene

MAX_NAME = 200

Bound = Mapping[str, Any]


def _removed(bound: Bound, _: Vocabulary) -> Intent:
    """Remove layers, or reset the map for all of them."""
    subjects: tuple[Mention, ...] = bound["layers"]
    if any(subject.everything for subject in subjects):
        return Reset()
    return Remove(subjects)


def _shown(visible: bool) -> Any:
    return lambda bound, _: SetVisible(bound["layers"], visible)


def _shown_again(bound: Bound, _: Vocabulary) -> Intent | None:
    known = any(item.layers or item.everything or item.pronoun for item in bound["layers"])
    return SetVisible(bound["layers"], True) if known else None


def _renamed(bound: Bound, _: Vocabulary) -> Intent | None:
    """A new name; not for `name the countries in Europe`, which asks for theirs."""
    if bound["name"].split()[0].lower() in _BEFORE_CONDITIONS:
        return None
    return Change(bound["layer"], "name", bound["name"][:MAX_NAME])


def _outlined(width: float | None = None) -> Any:
    """`make the borders white`, `make the outlines thick and dark grey`: their colour, and a width."""

    def outlined(bound: Bound, _: Vocabulary) -> Intent | None:
        color = bound["look"].color
        look = Look(outline=color, outline_width=width)
        return Restyle(bound.get("layer"), look) if bound["look"] == Look(color=color) else None

    return outlined


def _with(look: Look) -> Any:
    return lambda bound, _: Restyle(bound.get("layer"), look)


def _opaque(bound: Bound, _: Vocabulary) -> Intent:
    return Change(bound.get("layer"), "opacity", bound["share"])


def _transparent(bound: Bound, _: Vocabulary) -> Intent:
    return Change(bound.get("layer"), "opacity", round(1 - bound["share"], 4))


def _grouped(bound: Bound, _: Vocabulary) -> Intent:
    return SetGroup(bound["layers"], bound.get("name", "")[:MAX_NAME])


def _moved(to: Any) -> Any:
    return lambda bound, _: Reorder(bound["layer"], to, bound.get("other"))


_BEFORE_CONDITIONS = word_set(
    "in with without that which whose where of from near within above below over under by"
)
_MOVE = "(move|bring|put|send|raise|lower|place|push|draw) {layer:mention} [layer]"
_REMOVE = (
    "(get rid of|take away|take off|take down|throw out|remove|delete|drop|erase|kill|clear|discard|take)"
)
_ALL_BUT = "(everything|all [the] layers|all|all others) [else] (except|except for|but|but not|apart from|other than)"
_OF_LAYER = "[(of|for|on) {layer:mention}]"
_IS = "[to|at|is|=|:]"
_OUTLINES = (
    "[the|its|their] (outline|outlines|border|borders|edge|edges|stroke|border lines) [of {layer:mention}]"
)
_MAKE = "[make|draw|set|turn|i want|give me|use]"
_WIDTHS = (("(thicker|wider|bolder|thick|bold)", THICK_PX), ("(thinner|finer|thin|fine)", THIN_PX))
COMMANDS = (
    command("((clear|remove|drop|reset|delete|turn off|undo|no|without|take off) [all|any] (filter|filters)"
            " [from|of|on|for]|unfilter) [{layer:mention}]", lambda bound, _: ClearFilter(bound.get("layer"))),
    command("([show] (all of them|them all|all) [again]|all again|[show] all [the] features [again]"
            "|show everything again|all of them again)", lambda bound, _: ClearFilter(None)),
    command("(hide|switch off|turn off|disable) {layers:mentions} [off|on|again]", _shown(False)),
    command("(unhide|switch on|turn on|enable|show again|reveal) {layers:mentions} [off|on|again]", _shown(True)),
    command("(make|set|turn|switch) {layers:mentions} (invisible|hidden|off)", _shown(False)),
    command("(make|set|turn|switch) {layers:mentions} (visible|on)", _shown(True)),
    command("(show|bring back|show me) {layers:mentions} (again|back)", _shown_again),
    command("(rename|retitle|change the name of|set the name of|call|name) {layer:mention} [layer] (to|as|into)"
            " {name:title}", _renamed),
    command("(call|name) {layer:mention} [layer] {name:title}", _renamed,
            1.0),
    command(f"[set|change|put] opacity {_OF_LAYER} {_IS} {{share:share}} {_OF_LAYER}", _opaque),
    command("fade {layer:mention} [out] to {share:share}", _opaque),
    command(f"[set|change|put] transparency {_OF_LAYER} {_IS} {{share:share}} {_OF_LAYER}", _transparent),
    command("(put|move|add|gather|place|bring) {layers:mentions} [layers|layer] (in|into|to) (the|a|a new|new|one)"
            " group [called|named] {name:proper}", _grouped, 2.0),
    command("group {layers:mentions} (as|under|into|in) {name:proper}", _grouped, 2.0),
    command("((take|move|bring) {layers:mentions} out of (the|their|its|any) group|ungroup {layers:mentions})",
            _grouped, 2.0),
    command(f"{_MOVE} (to the top|on top of everything|to top|to the front|to front|on the top|in front|uppermost"
            "|topmost|on top|forward to the front)", _moved("top")),
    command(f"{_MOVE} (to the bottom|to bottom|to the back|to back|at the bottom|undermost)", _moved("bottom")),
    command(f"{_MOVE} (above|over|on top of|in front of) {{other:mention}}", _moved("above")),
    command(f"{_MOVE} (below|under|beneath|behind|underneath) {{other:mention}}", _moved("below")),
    command(f"({_MOVE} (one up|up|forward|higher|forwards)|raise {{layer:mention}} [layer])", _moved("up")),
    command(f"({_MOVE} (one down|down|backward|lower|backwards)|lower {{layer:mention}} [layer])", _moved("down")),
    command(f"{_REMOVE} {{layers:mentions}}", _removed),
    command(f"{_REMOVE} {_ALL_BUT} {{layers:mentions}}", lambda bound, _: Remove(bound["layers"], others=True), -1.0),
    command(f"hide {_ALL_BUT} {{layers:mentions}}", lambda bound, _: SetVisible(bound["layers"], False, others=True),
            -1.0),
    command("hide (everything else|all else|the rest|the others|[all] [the] other layers|all [the] others)",
            lambda *_: SetVisible((Mention("it", pronoun=True),), False, others=True), -1.0),
    command(f"(make|draw|set|turn|change|colour|color|paint) {_OUTLINES} [to|in|into] {{look:look}}",
            _outlined(), -1.0),
    *(command(f"(make|draw|set|turn|change) {_OUTLINES} {words} (and|,) {{look:look}}", _outlined(width), -1.0)
      for words, width in _WIDTHS),
    command(f"(remove|hide|no|without|drop|delete) {_OUTLINES}", _with(Look(outline_width=0.0)), -1.0),
    *(command(f"{_MAKE} ({words} {_OUTLINES}|{_OUTLINES} {words})", _with(Look(outline_width=width)), -1.0)
      for words, width in _WIDTHS),
    command(f"[show] [no (fill|filling) [,]] (only|just) {_OUTLINES}", _with(Look(unfilled=True)), -1.0),
    command(f"{_REMOVE} {{rows:mention}} {{where:where}}",
            lambda bound, _: Refine(bound["rows"], Negation(bound["where"]), verb="remove"), 1.0),
)  # fmt: skip


async def remove(scene: Scene, intent: Remove) -> Calls:
    """Call `remove_map_layer`. Raises Refuse for a table that is not on the map, Say if nothing is."""
    if not scene.layers:
        raise Say(refusals.EMPTY())
    layers = distinct([scene.layer_of(subject, sure=True) for subject in intent.subjects])
    layers = _all_but(scene, layers) if intent.others else layers
    return [("remove_map_layer", {"layer_id": layer.id}) for layer in layers]


async def set_visible(scene: Scene, intent: SetVisible) -> Calls:
    """Show or hide layers. Rows of the previous question are added as a layer."""
    rows = scene.undrawn(intent.subjects[0]) if intent.visible and len(intent.subjects) == 1 else None
    if rows is not None:
        return await show_rows(scene, rows, Look())
    layers: list[Layer] = []
    for subject in intent.subjects:
        layers += scene.all_layers() if subject.everything else [scene.layer_of(subject)]
    layers = _all_but(scene, layers) if intent.others else layers
    changing = [layer for layer in distinct(layers) if layer.visible != intent.visible]
    if not changing:
        names = listed([layer.name for layer in distinct(layers)[:4]])
        already = refusals.SHOWN_ALREADY if intent.visible else refusals.HIDDEN_ALREADY
        raise Say(already(n=len(layers), names=names))
    return [("update_map_layer", {"layer_id": layer.id, "visible": intent.visible}) for layer in changing]


async def change(scene: Scene, intent: Change) -> Calls:
    """Set a layer's name, or the opacity of layers."""
    everything = intent.subject is not None and intent.subject.everything and intent.argument == "opacity"
    layers = scene.all_layers() if everything else [scene.layer_of(intent.subject)]
    return [("update_map_layer", {"layer_id": layer.id, intent.argument: intent.value}) for layer in layers]


async def group(scene: Scene, intent: SetGroup) -> Calls:
    """Put layers into a group, or take them out of theirs."""
    layers: list[Layer] = []
    for subject in intent.subjects:
        layers += scene.all_layers() if subject.everything else [scene.layer_of(subject)]
    return [("update_map_layer", {"layer_id": layer.id, "group": intent.name}) for layer in distinct(layers)]


async def reorder(scene: Scene, intent: Reorder) -> Calls:
    """Move a layer in the drawing order."""
    layer = scene.layer_of(intent.subject)
    order: Any = intent.to
    if intent.other is not None:
        other = scene.layer_of(intent.other)
        if other.id == layer.id:
            raise Say(refusals.NOT_ITSELF(layer=layer.name, to=str(intent.to)))
        ids = [each.id for each in scene.layers if each.id != layer.id]
        order = ids.index(other.id) + (1 if intent.to == "above" else 0)
    return [("update_map_layer", {"layer_id": layer.id, "order": order})]


def _all_but(scene: Scene, kept: Sequence[Layer]) -> list[Layer]:
    others = [layer for layer in scene.layers if layer.id not in {each.id for each in kept}]
    if not others:
        raise Say(refusals.NO_OTHER_LAYER())
    return others


def distinct(layers: Sequence[Layer]) -> list[Layer]:
    """The layers without duplicates, in order."""
    return list({layer.id: layer for layer in layers}.values())


PLANS = {
    "Remove": remove, "SetVisible": set_visible, "Change": change, "SetGroup": group, "Reorder": reorder,
}  # fmt: skip
