"""Numbers as a legend writes them: short, and never saying more or less than the class boundary that is drawn."""

from __future__ import annotations

import math

THIN = "\N{NARROW NO-BREAK SPACE}"
MINUS = "\N{MINUS SIGN}"
DOUBLE_DIGITS = 15
"""Significant digits that a double has."""
DASH = "\N{EN DASH}"
_UNITS = ((1e12, "T"), (1e9, "bn"), (1e6, "M"))
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def format_number(value: float, digits: int = 6) -> str:
    """`1.2 M`, `12 400`, `0.05`, `3 × 10⁻⁷`, with at most `digits` significant digits and no trailing zeros."""
    if value == 0:
        return "0"
    if not math.isfinite(value):
        return str(value)
    size = abs(float(f"{abs(value):.{digits}g}"))
    sign = MINUS if value < 0 else ""
    for unit, name in _UNITS:
        if unit <= size < 1e15:
            return f"{sign}{_plain(size / unit, digits)}{THIN}{name}"
    if size >= 1e15 or size < 1e-4:
        mantissa, _, exponent = f"{size:.{digits - 1}e}".partition("e")
        power = str(int(exponent)).translate(_SUPERSCRIPTS)
        return f"{sign}{_trimmed(mantissa)}{THIN}×{THIN}10{power}"
    return sign + _plain(size, digits)


def range_label(low: float | None, high: float | None, integers: bool) -> str:
    """The label of the values from `low` to just under `high`; None is without a limit."""
    if low is None and high is None:
        return "all values"
    if integers:
        return _integer_label(low, high)
    if low is None:
        return f"<{THIN}{format_number(high or 0.0, DOUBLE_DIGITS)}"
    if high is None:
        return f"≥{THIN}{format_number(low, DOUBLE_DIGITS)}"
    return f"{format_number(low, DOUBLE_DIGITS)} {DASH} <{THIN}{format_number(high, DOUBLE_DIGITS)}"


def rounded_down(value: float, by_less_than: float) -> float:
    """The value with its last digits cut, so that a short label says it exactly."""
    if not abs(value) * 1e-14 < by_less_than < 1e288:
        return value
    decimals = min(-math.floor(math.log10(by_less_than)), 300)
    if 10.0**-decimals > by_less_than:  # just below a power of ten the logarithm is rounded up to it
        decimals += 1
    # 0.29 * 100 is 28.999999999999996 and means 29: so to the nearest step first, then down from there.
    steps = round(value * 10.0**decimals)
    while _stepped(steps, decimals) > value:
        steps -= 1
    return _stepped(steps, decimals)


def _stepped(steps: int, decimals: int) -> float:
    return round(steps / 10.0**decimals, decimals) if decimals > 0 else float(steps * 10**-decimals)


def _integer_label(low: float | None, high: float | None) -> str:
    """The label of a class of integers, which ends at the integer before the next class."""
    last = None if high is None else high - 1
    if low is None:
        short = last is not None and last < 1e6
        if short:
            return f"≤{THIN}{format_number(last or 0.0, DOUBLE_DIGITS)}"
        return f"<{THIN}{format_number(high or 0.0, DOUBLE_DIGITS)}"
    if last is None:
        return f"≥{THIN}{format_number(low, DOUBLE_DIGITS)}"
    if last <= low:
        return format_number(low, DOUBLE_DIGITS)
    if last >= 1e6:
        # Neither "1.2 M – 3 M", which would hide that 3 M belongs to the next class, nor 2.999999 M.
        return f"{format_number(low, DOUBLE_DIGITS)} {DASH} <{THIN}{format_number(last + 1, DOUBLE_DIGITS)}"
    return f"{format_number(low, DOUBLE_DIGITS)} {DASH} {format_number(last, DOUBLE_DIGITS)}"


def _plain(size: float, digits: int) -> str:
    decimals = max(0, digits - 1 - math.floor(math.log10(size)))
    whole, _, fraction = f"{size:.{decimals}f}".partition(".")
    grouped = f"{int(whole):,}".replace(",", THIN)
    fraction = fraction.rstrip("0")
    return f"{grouped}.{fraction}" if fraction else grouped


def _trimmed(number: str) -> str:
    return number.rstrip("0").rstrip(".") if "." in number else number
