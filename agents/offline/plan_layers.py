"""Plans of the commands about whole layers, the view and the history."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agents.domain import Bounds, Layer
from agents.offline import intents as i
from agents.offline.scene import Calls, Refuse, Say, Scene
from agents.offline.values import in_place
from agents.offline.words import name_words

_MOST_TRIED = 8
"""Tables, among whose values a name is looked for that no place has."""


async def remove(scene: Scene, intent: i.Remove) -> Calls:
    if scene.done:
        return []
    layers = _distinct([_removed(scene, subject) for subject in intent.subjects])
    return [("remove_map_layer", {"layer_id": layer.id}) for layer in layers]


def _removed(scene: Scene, subject: i.Mention) -> Layer:
    """A table that is not on the map is no layer; say so."""
    return scene.layer_of(subject, sure=True)


async def reset(scene: Scene, intent: i.Reset) -> Calls:
    if scene.done:
        return []
    if not scene.layers:
        raise Say("The map is empty already.")
    return [("reset_map", {})]


async def set_visible(scene: Scene, intent: i.SetVisible) -> Calls:
    if scene.done:
        return []
    layers: list[Layer] = []
    for subject in intent.subjects:
        layers += scene.all_layers() if subject.everything else [scene.layer_of(subject)]
    changing = [layer for layer in _distinct(layers) if layer.visible != intent.visible]
    if not changing:
        names = " and ".join(layer.name for layer in _distinct(layers)[:4])
        raise Say(
            f"{names} {'is' if len(layers) == 1 else 'are'} {'shown' if intent.visible else 'hidden'} already."
        )
    return [("update_map_layer", {"layer_id": layer.id, "visible": intent.visible}) for layer in changing]


async def rename(scene: Scene, intent: i.Rename) -> Calls:
    if scene.done:
        return []
    return [("update_map_layer", {"layer_id": scene.layer_of(intent.subject).id, "name": intent.name[:200]})]


async def set_opacity(scene: Scene, intent: i.SetOpacity) -> Calls:
    if scene.done:
        return []
    everything = intent.subject is not None and intent.subject.everything
    layers = scene.all_layers() if everything else [scene.layer_of(intent.subject)]
    return [("update_map_layer", {"layer_id": layer.id, "opacity": intent.opacity}) for layer in layers]


async def reorder(scene: Scene, intent: i.Reorder) -> Calls:
    if scene.done:
        return []
    layer = scene.layer_of(intent.subject)
    order: Any = intent.to
    if intent.other is not None:
        other = scene.layer_of(intent.other)
        if other.id == layer.id:
            raise Say(f"{layer.name} cannot be drawn {intent.to} itself.")
        ids = [each.id for each in scene.layers if each.id != layer.id]
        order = ids.index(other.id) + (1 if intent.to == "above" else 0)
    return [("update_map_layer", {"layer_id": layer.id, "order": order})]


async def zoom(scene: Scene, intent: i.Zoom) -> Calls:
    if scene.done:
        return []
    if intent.factor is not None:
        return [("zoom_to", {"bounds": _scaled(scene, intent.factor)})]
    if intent.bounds is not None:
        return [("zoom_to", {"bounds": list(intent.bounds)})]
    if intent.place is not None:
        await _no_group(scene, intent.place)
        return [("zoom_to", {"place": intent.place})]
    subject = intent.subject
    if subject is not None and subject.everything:
        boxes = [layer.bounds for layer in scene.all_layers() if layer.bounds is not None]
        if not boxes:
            raise Refuse("no layer has any features to zoom to")
        return [("zoom_to", {"bounds": list(_union(boxes))})]
    if subject is not None and subject.tables and not subject.layers and not subject.pronoun:
        table = scene.table_of(subject)
        if table.bounds is None:
            raise Refuse(
                f"it is not known where the features of {table.name} lie", f"Say “show {table.name}” first."
            )
        return [("zoom_to", {"bounds": list(table.bounds)})]
    return [("zoom_to", {"layer": scene.layer_of(subject).id})]


async def _no_group(scene: Scene, text: str) -> None:
    """Refuse a continent or the like, which many rows share, rather than go to some town of a similar name."""
    places = await scene.data.find_place(text, limit=1)
    if (places and set(name_words(text)) & set(name_words(places[0].name))) or text.isupper():
        return
    for table in scene.vocabulary.index.own[:_MOST_TRIED]:
        if table.geometry_family != "polygon":
            continue
        try:
            await in_place(scene, table, text)
        except Refuse:
            continue
        plain = table.name.replace("_", " ")
        raise Refuse(
            f"“{text}” is no place of its own, but what several {plain} have in common",
            f"Say “show {plain} in {text}, then zoom to them”.",
        )


def _scaled(scene: Scene, factor: float) -> list[float]:
    bounds = scene.focus.bounds if scene.focus is not None else None
    if bounds is None:
        raise Refuse("I do not know which part of the map you look at", "Say where to: “zoom to …”.")
    west, south, east, north = bounds
    width = (east - west if east >= west else east - west + 360) / factor
    height = (north - south) / factor
    middle, level = west + (east - west if east >= west else east - west + 360) / 2, (south + north) / 2
    if width >= 360:
        return [-180.0, max(level - height / 2, -85.0), 180.0, min(level + height / 2, 85.0)]
    left, right = _wrapped(middle - width / 2), _wrapped(middle + width / 2)
    return [
        round(edge, 6)
        for edge in (left, max(level - height / 2, -85.0), right, min(level + height / 2, 85.0))
    ]


def _wrapped(longitude: float) -> float:
    return longitude if -180 <= longitude <= 180 else (longitude + 180) % 360 - 180


def _union(boxes: Sequence[Bounds]) -> Bounds:
    if any(west > east for west, _, east, _ in boxes):
        return (-180.0, min(box[1] for box in boxes), 180.0, max(box[3] for box in boxes))
    return (
        min(b[0] for b in boxes),
        min(b[1] for b in boxes),
        max(b[2] for b in boxes),
        max(b[3] for b in boxes),
    )


async def undo(scene: Scene, intent: i.Undo | i.Redo) -> Calls:
    name = "undo" if isinstance(intent, i.Undo) else "redo"
    return [] if scene.done else [(name, {})] * intent.times


def _distinct(layers: Sequence[Layer]) -> list[Layer]:
    return list({layer.id: layer for layer in layers}.values())


PLANS = {
    "Remove": remove,
    "Reset": reset,
    "SetVisible": set_visible,
    "Rename": rename,
    "SetOpacity": set_opacity,
    "Reorder": reorder,
    "Zoom": zoom,
    "Undo": undo,
    "Redo": undo,
}
