"""Sizes, rates, times and paths: from text and as text."""

import os
import re

_BYTES = {"": 1, "B": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_RATE = re.compile(r"([0-9.]+)([kmg]?)(bit|bps)")


def parse_size(text):
    """Parses bytes: 8, 64K, 4M (powers of 1024). Raises ValueError."""
    found = re.fullmatch(r"([0-9]+)\s*([KMG]?)(i?B)?", text.strip(), re.IGNORECASE)
    if not found or int(found[1]) < 1:
        raise ValueError(f"'{text}': expected a size such as 8, 64K or 4M")
    return int(found[1]) * _BYTES[found[2].upper()]


def parse_seconds(text):
    """Parses 90, 90s, 5m, 1h. Raises ValueError."""
    found = re.fullmatch(r"([0-9]+)([smh]?)", text.strip())
    if not found or int(found[1]) < 1:
        raise ValueError(f"'{text}': expected a time such as 90s, 5m or 1h")
    return int(found[1]) * {"": 1, "s": 1, "m": 60, "h": 3600}[found[2]]


def size_text(size):
    """Returns a size as text; 0 is an operation without data."""
    if not size:
        return "no data"
    for unit, name in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= unit and size % unit == 0:
            return f"{size // unit} {name}"
    return f"{size} B"


def bits_per_second(rate):
    """Parses a rate in tc's notation (200mbit; 25mbps are bytes); returns None for "none"."""
    if rate == "none":
        return None
    number, prefix, unit = _RATE.fullmatch(rate).groups()
    return float(number) * {"": 1, "k": 1e3, "m": 1e6, "g": 1e9}[prefix] * (8 if unit == "bps" else 1)


def three_digits(value):
    """Returns 1412.3 as 1412, 24.51 as 24.5, 0.91239 as 0.912."""
    if value >= 99.95:
        return f"{value:.0f}"
    return f"{value:.{1 if value >= 9.995 else 2 if value >= 0.9995 else 3}f}"


def range_text(texts):
    """Returns the first and the last of ordered texts: "2 to 3", or only "2" if both are the same."""
    return texts[0] if texts[0] == texts[-1] else f"{texts[0]} to {texts[-1]}"


def path_text(path):
    """Returns a relative path in the working directory, otherwise an absolute one."""
    path, here = os.path.abspath(path), os.getcwd()
    return os.path.relpath(path) if os.path.commonpath([path, here]) == here else path


def clock(seconds):
    """Returns 75 seconds as 1:15."""
    return "%d:%02d" % divmod(round(seconds), 60)
