"""Every word of the pages is there, in both languages, and none is left over."""

import re
from pathlib import Path

from backend.console.render import HERE
from backend.console.texts import GROUPS, TEXTS

SPOKEN = re.compile(r"""\bt\('([a-z_.0-9]+)'(?! ~)""")
BUILT = re.compile(r"""\bt\('([a-z_.]+)' ~""")


def read_templates() -> str:
    return "".join(path.read_text() for path in sorted(Path(HERE / "templates").glob("*.html")))


def test_templates_use_known_texts_only() -> None:
    html = read_templates()
    assert set(SPOKEN.findall(html)) <= set(TEXTS)
    for prefix in set(BUILT.findall(html)):
        assert any(key.startswith(prefix) for key in TEXTS), prefix


def test_both_languages_take_the_same_values() -> None:
    for key, (chinese, english) in TEXTS.items():
        slots = [set(re.findall(r"{(\w+)}", words)) for words in (chinese, english)]
        assert slots[0] == slots[1], key


def test_no_text_stands_in_two_groups() -> None:
    assert len(TEXTS) == sum(len(group) for group in GROUPS)
