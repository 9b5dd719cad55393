"""The client previews sizes and outlines by itself while a control is dragged; its tests compare with this sample."""

from __future__ import annotations

import json
import os
from itertools import product
from typing import Any

from server.gis.styles import drawing
from server.gis.styles.drawing import Outline
from tests.support.server import ROOT

SAMPLE = ROOT / "web" / "src" / "testing" / "drawn.json"
RENEW = "DRAWN_SAMPLE=1 .venv/bin/python -m pytest tests/unit/styles/test_live_preview.py"
SIZES = (3.3, 5.0, 14.0)
COLOUR = "#0072b2"
FAMILIES = ("point", "line", "polygon", "mixed")


def drawn_layers() -> list[dict[str, Any]]:
    """What the server draws for each kind of layer whose size or outline the client previews, by both."""
    samples = []
    for size, width in product(SIZES, (None, 2.0)):
        outline = Outline(size, width)
        radius = ["max", min(1.0, size), ["*", size, ["sqrt", ["/", ["abs", ["get", "value"]], 7.0]]]]
        circles = drawing.sized_circles("point", COLOUR, radius, ["has", "value"], 0, outline)
        heat = drawing.heat("point", ("#000000", "#ffffff"), size, 1)
        kinds = {
            **{family: drawing.shapes(family, COLOUR, outline, themed=False) for family in FAMILIES},
            "proportional": [circles],
            "heatmap": [heat],
        }
        samples += [
            {
                "kind": kind,
                "size": size,
                "stroke": width,
                "layers": [layer.model_dump(mode="json", by_alias=True) for layer in layers],
            }
            for kind, layers in kinds.items()
        ]
    return samples


def test_the_sample_for_the_client_shows_what_the_server_draws() -> None:
    now = drawn_layers()
    if os.environ.get("DRAWN_SAMPLE"):
        SAMPLE.write_text("[\n" + ",\n".join(json.dumps(sample) for sample in now) + "\n]\n")
    assert json.loads(SAMPLE.read_text()) == now, f"Renew it, then run the client's tests: {RENEW}"
