"""Lines of iCalendar (RFC 5545): escaping, folding at 75 octets, local times with their zone."""

import datetime as dt
import re
from collections.abc import Iterable
from zoneinfo import ZoneInfo

LIMIT = 75
"""Octets of a line without its end; a continuation begins with a space, which counts."""

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


def escape_text(text: str) -> str:
    """A value of type TEXT: no control characters, line breaks as `\\n`."""
    text = _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    for plain, escaped in (("\\", "\\\\"), (";", "\\;"), (",", "\\,"), ("\n", "\\n")):
        text = text.replace(plain, escaped)
    return text


def make_line(name: str, text: str) -> str:
    """A property whose value is text."""
    return f"{name}:{escape_text(text)}"


def make_moment(name: str, moment: dt.datetime, zone: ZoneInfo) -> str:
    """A property whose value is a local time of a zone."""
    return f"{name};TZID={zone.key}:{moment.astimezone(zone):%Y%m%dT%H%M%S}"


def make_date(name: str, date: dt.date) -> str:
    """A property whose value is a whole day."""
    return f"{name};VALUE=DATE:{date:%Y%m%d}"


def make_utc(name: str, moment: dt.datetime) -> str:
    """A property whose value is a time in UTC."""
    return f"{name}:{moment.astimezone(dt.UTC):%Y%m%dT%H%M%SZ}"


def write_lines(lines: Iterable[str]) -> str:
    """The file: each line folded, all of them ended by CR LF."""
    return "".join(f"{fold_line(line)}\r\n" for line in lines)


def fold_line(line: str) -> str:
    """The line in pieces of at most 75 octets, never within a character."""
    pieces, piece, size = [], "", 0
    for character in line:
        octets = len(character.encode("utf-8"))
        if size + octets > LIMIT:
            pieces.append(piece)
            piece, size = " ", 1
        piece += character
        size += octets
    return "\r\n".join([*pieces, piece])
