"""Why a change of layers is refused."""

from agents.worded import Template

LAYER_ID = Template("map_layer_id", "A layer id is 1 to 64 letters, digits, `_` or `-`.")
ORDER = Template("map_order", "`order` is the ids of one or more layers, each once, bottom first.")
NO_EVENT = Template("map_no_event", "This map has no event {seq}; its newest is {newest}.")
LAYER_EXISTS = Template(
    "map_layer_exists", "There is a layer {layer} already. Update it, or add one with another id."
)
NOT_RESTORABLE = Template(
    "map_not_restorable", "{names} cannot be restored: the data was dropped. Restore a moment without it."
)
NOT_RESTORED_TOO = Template("did_not_restore", "; {names} cannot be restored, because the data was dropped")
