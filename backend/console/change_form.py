"""What the forms of an admin's changes have in common: who, why, and the version that the page showed."""

from collections.abc import Mapping

from backend.access.principal import Principal
from backend.audit.change import Author
from backend.clock import read_utc

Fields = Mapping[str, list[str]]

LONGEST_WHY = 500


def read_text(form: Fields, name: str) -> str:
    """What stands in a field; empty where the form lacks it."""
    return form.get(name, [""])[0].strip()


def read_author(form: Fields, principal: Principal) -> Author:
    """Who changes something now, and the reason given."""
    return Author(read_utc(), principal.key_id, read_text(form, "why")[:LONGEST_WHY] or None)


def read_version(form: Fields) -> int:
    """The version that the page showed; none of ours is negative."""
    text = read_text(form, "version")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else -1
