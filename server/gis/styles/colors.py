"""Colours: converts names and codes (`red`, `dark blue`, `#f00`, `rgb(255 0 0)`) to `#rrggbb`, ramps cut to a number
of classes."""

from __future__ import annotations

import re

from agents.core.nearest import nearest
from agents.geo.styling import ramps
from agents.geo.styling.colours import CSS_NAMES, PALETTE
from agents.worded import Template
from server.gis.errors import either
from server.gis.styles.errors import InvalidStyle

NO_COLOUR = Template(
    "style_no_colour",
    "{text} is not a colour. Did you mean {names}? Give a CSS colour name, #rrggbb or rgb(r, g, b).",
)
NO_RAMP = Template(
    "style_no_ramp", "There is no colour ramp {name}. Did you mean {near}? There are: {names}."
)

PALE = 0.85
"""Relative luminance, from 0 to 1, above which points and lines are hardly seen on a light map."""
_HEX = re.compile(r"#([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})")
_RGB = re.compile(r"rgba?\(([^()]*)\)")


def parse_color(text: str) -> str:
    """`#rrggbb`, or `#rrggbbaa` where it is translucent. Raises InvalidStyle with the nearest names."""
    wanted = text.strip().lower()
    named = CSS_NAMES.get(re.sub(r"[\s_-]+", "", wanted))
    parsed = named or _from_hex(wanted) or _from_rgb(wanted)
    if parsed is None:
        close = nearest(wanted, CSS_NAMES) or list(PALETTE)[:3]
        raise InvalidStyle(NO_COLOUR(text=repr(text), names=either(close)))
    return parsed.removesuffix("ff") if len(parsed) == 9 else parsed


def ramp_name(name: str) -> str:
    """The proper name of a ramp, however capitalised; with `_r` behind it, it is reversed. Two colours joined by a
    hyphen are a ramp, too: `blue-brown`. Raises InvalidStyle with the nearest names."""
    bare = name.lower().removesuffix(ramps.REVERSED)
    proper = {_key(known): known for known in ramps.ALL}.get(_key(bare)) or _between(bare)
    if proper is None:
        close = nearest(name, ramps.ALL) or [ramps.DEFAULT_SEQUENTIAL]
        raise InvalidStyle(NO_RAMP(name=repr(name), near=either(close), names=", ".join(ramps.ALL)))
    return proper if bare == name.lower() else f"{proper}{ramps.REVERSED}"


def _between(name: str) -> str | None:
    """The name of the ramp from one colour to another, such as `blue-brown`; None for other names."""
    ends = name.split("-")
    known = all(each in CSS_NAMES or _HEX.fullmatch(each) for each in ends)
    return name if known and len(ends) == 2 else None


def ramp_named(name: str) -> tuple[str, ...]:
    """The colours of a ramp, from low to high. Raises the error of `ramp_name` for unknown names."""
    proper = ramp_name(name)
    bare = proper.removesuffix(ramps.REVERSED)
    found = ramps.ALL.get(bare) or tuple(map(parse_color, bare.split("-")))
    return found[::-1] if proper.endswith(ramps.REVERSED) else found


def sequence(colors: tuple[str, ...], count: int) -> tuple[str, ...]:
    """`count` colours evenly along a ramp, its ends included; of one, the upper middle."""
    if count == 1:
        return (colors[len(colors) * 2 // 3],)
    return tuple(_along(colors, index / (count - 1)) for index in range(count))


def without_pale_ends(colors: tuple[str, ...], count: int) -> tuple[str, ...]:
    """As `sequence`, without an end that is nearly white: points and lines of such a colour are lost on a light map."""
    if _is_pale(colors[-1]) and not _is_pale(colors[0]):
        return without_pale_ends(colors[::-1], count)[::-1]
    longer = (sequence(colors, count + left_out)[left_out:] for left_out in range(count + 1))
    return next((shades for shades in longer if not _is_pale(shades[0])), sequence(colors, count))


def tints(color: str) -> tuple[str, ...]:
    """A ramp from near white over `color` to a dark shade of it, for "colour by population in blue"."""
    base = _channels(color)
    light = _hex(_mix(base, (255.0, 255.0, 255.0), 0.85))
    dark = _hex(_mix(base, (0.0, 0.0, 0.0), 0.45))
    return (light, _hex(_mix(base, (255.0, 255.0, 255.0), 0.45)), _hex(base), dark)


def contrast(color: str) -> str:
    """A colour of Okabe and Ito that contrasts with this one."""
    own = _channels(color)
    return max(
        ("#d55e00", "#0072b2"),
        key=lambda other: sum((a - b) ** 2 for a, b in zip(own, _channels(other), strict=True)),
    )


def transparent(color: str) -> str:
    """The colour without opacity, as `rgba()`."""
    red, green, blue = (round(channel) for channel in _channels(color))
    return f"rgba({red},{green},{blue},0)"


def _key(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _from_hex(text: str) -> str | None:
    if not _HEX.fullmatch(text):
        return None
    digits = text[1:]
    return "#" + ("".join(digit * 2 for digit in digits) if len(digits) <= 4 else digits)


def _from_rgb(text: str) -> str | None:
    match = _RGB.fullmatch(text)
    parts = re.split(r"[\s,/]+", match.group(1).strip()) if match else []
    if len(parts) not in (3, 4):
        return None
    try:
        channels = [_fraction(part, 255) for part in parts[:3]] + [_fraction(part, 1) for part in parts[3:]]
    except ValueError:
        return None
    if not all(0 <= channel <= 1 for channel in channels):
        return None
    return "#" + "".join(f"{round(channel * 255):02x}" for channel in channels)


def _fraction(text: str, whole: float) -> float:
    return float(text[:-1]) / 100 if text.endswith("%") else float(text) / whole


def _along(colors: tuple[str, ...], position: float) -> str:
    scaled = position * (len(colors) - 1)
    below = min(int(scaled), len(colors) - 2)
    return _hex(_mix(_channels(colors[below]), _channels(colors[below + 1]), scaled - below))


def _is_pale(color: str) -> bool:
    """Whether a colour is pale by its relative luminance (WCAG 2,
    https://www.w3.org/TR/WCAG22/#dfn-relative-luminance)."""
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        for c in (each / 255 for each in _channels(color))
    ]
    return sum(weight * each for weight, each in zip((0.2126, 0.7152, 0.0722), linear, strict=True)) > PALE


def _channels(color: str) -> tuple[float, float, float]:
    return (int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16))


def _mix(
    first: tuple[float, float, float], second: tuple[float, float, float], share: float
) -> tuple[float, float, float]:
    """A mix of two colours, with `share` of the second."""
    red, green, blue = (a + (b - a) * share for a, b in zip(first, second, strict=True))
    return red, green, blue


def _hex(channels: tuple[float, float, float]) -> str:
    return "#" + "".join(f"{round(channel):02x}" for channel in channels)
