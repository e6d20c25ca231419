"""Text from anywhere as Markdown that shows exactly that text: no markup, no HTML, no link."""

import re

_SPACE = re.compile(r"\s+|[\x00-\x1f\x7f\u2028\u2029\ud800-\udfff]")
_MARKS = re.compile(r"[\\`*_{}\[\]<>#&|~^$!@]")
_LINK = re.compile(r"\.(?=[^\W\d])|:(?=//)|(?i:(?<=mailto):|(?<=xmpp):)")


def escape_markdown(text: str) -> str:
    """One line; marks have a backslash, and so has what some readers would make a link of."""
    plain = " ".join(_SPACE.sub(" ", text).split())
    return _LINK.sub(
        lambda match: f"\\{match[0]}", _MARKS.sub(lambda match: f"\\{match[0]}", plain)
    )
