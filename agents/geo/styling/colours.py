"""The named colours of CSS Color Module Level 4, the default colours of layers, and readable names for colours.
The only list of each, for agents and server."""

from __future__ import annotations

from collections.abc import Iterable

_CSS = (
    "aliceblue:f0f8ff antiquewhite:faebd7 aqua:00ffff aquamarine:7fffd4 azure:f0ffff beige:f5f5dc "
    "bisque:ffe4c4 black:000000 blanchedalmond:ffebcd blue:0000ff blueviolet:8a2be2 brown:a52a2a "
    "burlywood:deb887 cadetblue:5f9ea0 chartreuse:7fff00 chocolate:d2691e coral:ff7f50 "
    "cornflowerblue:6495ed cornsilk:fff8dc crimson:dc143c cyan:00ffff darkblue:00008b darkcyan:008b8b "
    "darkgoldenrod:b8860b darkgray:a9a9a9 darkgreen:006400 darkgrey:a9a9a9 darkkhaki:bdb76b "
    "darkmagenta:8b008b darkolivegreen:556b2f darkorange:ff8c00 darkorchid:9932cc darkred:8b0000 "
    "darksalmon:e9967a darkseagreen:8fbc8f darkslateblue:483d8b darkslategray:2f4f4f darkslategrey:2f4f4f "
    "darkturquoise:00ced1 darkviolet:9400d3 deeppink:ff1493 deepskyblue:00bfff dimgray:696969 "
    "dimgrey:696969 dodgerblue:1e90ff firebrick:b22222 floralwhite:fffaf0 forestgreen:228b22 "
    "fuchsia:ff00ff gainsboro:dcdcdc ghostwhite:f8f8ff gold:ffd700 goldenrod:daa520 gray:808080 "
    "green:008000 greenyellow:adff2f grey:808080 honeydew:f0fff0 hotpink:ff69b4 indianred:cd5c5c "
    "indigo:4b0082 ivory:fffff0 khaki:f0e68c lavender:e6e6fa lavenderblush:fff0f5 lawngreen:7cfc00 "
    "lemonchiffon:fffacd lightblue:add8e6 lightcoral:f08080 lightcyan:e0ffff lightgoldenrodyellow:fafad2 "
    "lightgray:d3d3d3 lightgreen:90ee90 lightgrey:d3d3d3 lightpink:ffb6c1 lightsalmon:ffa07a "
    "lightseagreen:20b2aa lightskyblue:87cefa lightslategray:778899 lightslategrey:778899 "
    "lightsteelblue:b0c4de lightyellow:ffffe0 lime:00ff00 limegreen:32cd32 linen:faf0e6 magenta:ff00ff "
    "maroon:800000 mediumaquamarine:66cdaa mediumblue:0000cd mediumorchid:ba55d3 mediumpurple:9370db "
    "mediumseagreen:3cb371 mediumslateblue:7b68ee mediumspringgreen:00fa9a mediumturquoise:48d1cc "
    "mediumvioletred:c71585 midnightblue:191970 mintcream:f5fffa mistyrose:ffe4e1 moccasin:ffe4b5 "
    "navajowhite:ffdead navy:000080 oldlace:fdf5e6 olive:808000 olivedrab:6b8e23 orange:ffa500 "
    "orangered:ff4500 orchid:da70d6 palegoldenrod:eee8aa palegreen:98fb98 paleturquoise:afeeee "
    "palevioletred:db7093 papayawhip:ffefd5 peachpuff:ffdab9 peru:cd853f pink:ffc0cb plum:dda0dd "
    "powderblue:b0e0e6 purple:800080 rebeccapurple:663399 red:ff0000 rosybrown:bc8f8f royalblue:4169e1 "
    "saddlebrown:8b4513 salmon:fa8072 sandybrown:f4a460 seagreen:2e8b57 seashell:fff5ee sienna:a0522d "
    "silver:c0c0c0 skyblue:87ceeb slateblue:6a5acd slategray:708090 slategrey:708090 snow:fffafa "
    "springgreen:00ff7f steelblue:4682b4 tan:d2b48c teal:008080 thistle:d8bfd8 tomato:ff6347 "
    "turquoise:40e0d0 violet:ee82ee wheat:f5deb3 white:ffffff whitesmoke:f5f5f5 yellow:ffff00 "
    "yellowgreen:9acd32 "
)
CSS_NAMES: dict[str, str] = {
    name: f"#{digits}" for name, _, digits in (pair.partition(":") for pair in _CSS.split())
}

PALETTE: dict[str, str] = {
    "#0072b2": "blue",
    "#e69f00": "orange",
    "#009e73": "green",
    "#d55e00": "vermilion",
    "#cc79a7": "pink",
    "#56b4e9": "sky blue",
    "#f0e442": "yellow",
}
"""Default colours of layers with their names, distinguishable for colour-blind people (Okabe and Ito)."""
NO_FILL = "#ffffff00"
"""The fill of areas that have an outline only."""
DEFAULT_COLOUR = next(iter(PALETTE))
_MIXED = {"dark": True, "light": False}


def shaded(name: str, *, darker: bool) -> str:
    """A named colour half way to white, or a third of the way to black."""
    channels = [int(CSS_NAMES[name][at : at + 2], 16) for at in (1, 3, 5)]
    mixed = [each * 2 // 3 if darker else (each + 255) // 2 for each in channels]
    return "#" + "".join(f"{each:02x}" for each in mixed)


_SHADES = ("dark", "light", "medium", "deep", "pale", "hot", "dim", "forest", "royal", "steel")
_NAME_OF = {
    **{
        shaded(name, darker=dark): f"{shade}{name}"
        for name in CSS_NAMES
        for shade, dark in _MIXED.items()
        if f"{shade}{name}" not in CSS_NAMES and not name.startswith(_SHADES)
    },
    **{digits: name for name, digits in reversed(CSS_NAMES.items()) if "grey" not in name},
    "#00ffff": "cyan",
    "#ff00ff": "magenta",
    **PALETTE,
}


def colour_name(color: str) -> str:
    """`#ff0000` as `red`, `#006400` as `dark green`; a colour without a name is returned unchanged."""
    name = _NAME_OF.get(_plain(color), color)
    shade = next((shade for shade in _SHADES if name.startswith(shade) and name != shade), "")
    return f"{shade} {name.removeprefix(shade).strip()}" if shade else name


def next_colour(used: Iterable[str | None]) -> str:
    """The first colour of the palette that is not used; when all are, the least used one."""
    taken = [_plain(color) for color in used if color is not None]
    return min(PALETTE, key=taken.count)


def same_colour(one: str | None, other: str | None) -> bool:
    """Whether two notations mean the same colour."""
    return one is not None and other is not None and _plain(one) == _plain(other)


def _plain(color: str) -> str:
    key = color.lower().replace(" ", "")
    return CSS_NAMES.get(key, key)
