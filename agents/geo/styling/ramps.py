"""Named colour ramps as data, chosen so that people with colour-vision deficiency can tell the classes apart;
RdYlGn, which they cannot, is there for those who ask for it, and is never chosen automatically.

Sequential and diverging ramps, and Set2 and Dark2, are from ColorBrewer 2.0 by Cynthia Brewer, Mark
Harrower and The Pennsylvania State University (Apache License 2.0). Viridis, Cividis, Plasma, Magma and
Inferno are sampled from matplotlib (viridis and its family CC0, cividis by Nunez, Anderton and Renslow).
Okabe-Ito is from Masataka Okabe and Kei Ito, "Color Universal Design" (2008)."""

from __future__ import annotations

from collections.abc import Iterable

from agents.geo.styling.colours import PALETTE


def _ramps(rows: str) -> dict[str, tuple[str, ...]]:
    """The ramps of a text: a line each, its name and its colours in hexadecimal digits."""
    named = (row.split() for row in rows.splitlines())
    return {name: tuple(f"#{digits}" for digits in colours) for name, *colours in named}


SEQUENTIAL = _ramps("""\
YlOrRd ffffcc ffeda0 fed976 feb24c fd8d3c fc4e2a e31a1c bd0026 800026
YlGnBu ffffd9 edf8b1 c7e9b4 7fcdbb 41b6c4 1d91c0 225ea8 253494 081d58
YlGn ffffe5 f7fcb9 d9f0a3 addd8e 78c679 41ab5d 238443 006837 004529
OrRd fff7ec fee8c8 fdd49e fdbb84 fc8d59 ef6548 d7301f b30000 7f0000
PuBu fff7fb ece7f2 d0d1e6 a6bddb 74a9cf 3690c0 0570b0 045a8d 023858
BuGn f7fcfd e5f5f9 ccece6 99d8c9 66c2a4 41ae76 238b45 006d2c 00441b
BuPu f7fcfd e0ecf4 bfd3e6 9ebcda 8c96c6 8c6bb1 88419d 810f7c 4d004b
Blues f7fbff deebf7 c6dbef 9ecae1 6baed6 4292c6 2171b5 08519c 08306b
Greens f7fcf5 e5f5e0 c7e9c0 a1d99b 74c476 41ab5d 238b45 006d2c 00441b
Reds fff5f0 fee0d2 fcbba1 fc9272 fb6a4a ef3b2c cb181d a50f15 67000d
Oranges fff5eb fee6ce fdd0a2 fdae6b fd8d3c f16913 d94801 a63603 7f2704
Purples fcfbfd efedf5 dadaeb bcbddc 9e9ac8 807dba 6a51a3 54278f 3f007d
Greys ffffff f0f0f0 d9d9d9 bdbdbd 969696 737373 525252 252525 000000
Viridis 440154 472d7b 3b528b 2c728e 21918c 28ae80 5ec962 addc30 fde725
Cividis 00224e 1a386f 434e6c 61656f 7d7c78 9b9476 bcae6c dec958 fee838
Plasma 0d0887 4c02a1 7e03a8 a92395 cc4778 e56b5d f89540 fdc527 f0f921
Magma 000004 1d1147 51127c 832681 b73779 e75263 fc8961 fec488 fcfdbf
Inferno 000004 210c4a 57106e 8a226a bc3754 e45a31 f98e09 f9cb35 fcffa4
""")

DIVERGING = _ramps("""\
RdBu b2182b d6604d f4a582 fddbc7 f7f7f7 d1e5f0 92c5de 4393c3 2166ac
PuOr b35806 e08214 fdb863 fee0b6 f7f7f7 d8daeb b2abd2 8073ac 542788
PRGn 762a83 9970ab c2a5cf e7d4e8 f7f7f7 d9f0d3 a6dba0 5aae61 1b7837
BrBG 8c510a bf812d dfc27d f6e8c3 f5f5f5 c7eae5 80cdc1 35978f 01665e
RdYlBu d73027 f46d43 fdae61 fee090 ffffbf e0f3f8 abd9e9 74add1 4575b4
RdYlGn d73027 f46d43 fdae61 fee08b ffffbf d9ef8b a6d96a 66bd63 1a9850
""")

QUALITATIVE: dict[str, tuple[str, ...]] = {
    # Black, the eighth of Okabe and Ito, is left out: on a map it reads as a label or a border.
    "Okabe-Ito": tuple(PALETTE),
    "Set2": ("#66c2a5", "#fc8d62", "#8da0cb", "#e78ac3", "#a6d854", "#ffd92f", "#e5c494"),
    "Dark2": ("#1b9e77", "#d95f02", "#7570b3", "#e7298a", "#66a61e", "#e6ab02", "#a6761d"),
    # Okabe-Ito continued with Paul Tol's "muted" (2021), for nine categories.
    "Nine": (
        "#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#f0e442", "#882255", "#44aa99",
    ),
}  # fmt: skip

REVERSED = "_r"
"""Behind the name of a ramp: from its last colour to its first."""
DEFAULT_SEQUENTIAL = "YlOrRd"
FREE_RAMPS = (DEFAULT_SEQUENTIAL, "YlGnBu", "BuPu", "YlGn")
"""Default ramps of layers, each from pale to another dark colour."""
DEFAULT_QUALITATIVE = "Okabe-Ito"

OTHER = "#9a9a9a"
"""Values outside the named categories."""
NO_DATA = "#d9d9d9"
"""Rows whose value is NULL."""

ALL: dict[str, tuple[str, ...]] = {**SEQUENTIAL, **DIVERGING, **QUALITATIVE}


def next_ramp(used: Iterable[str]) -> str:
    """The first of FREE_RAMPS that is not used; when all are, the least used one."""
    taken = [name.removesuffix(REVERSED) for name in used]
    return min(FREE_RAMPS, key=taken.count)
