"""Bytes of any encoding that sources use, declared, declared wrongly, or not declared."""

import codecs

import pytest

from backend.sources.projection import UnreadableTextError, decode

SIMPLE = "今天的天气是晴，深圳和香港的口岸都开放，人们可以过关。"
TRADITIONAL = "今天的天氣是晴，深圳和香港的口岸都開放，人們可以過關。"


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (SIMPLE, "utf-8"),
        (SIMPLE, "gbk"),
        (SIMPLE, "gb18030"),
        (TRADITIONAL, "big5"),
        (TRADITIONAL, "utf-8"),
        ("Café à la crème – 5 €", "cp1252"),
    ],
)
def test_undeclared(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)) == text


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-8", "utf-32-le"])
def test_a_mark_beats_what_is_declared(encoding: str) -> None:
    marks = {
        "utf-8": codecs.BOM_UTF8,
        "utf-16-le": codecs.BOM_UTF16_LE,
        "utf-16-be": codecs.BOM_UTF16_BE,
        "utf-32-le": codecs.BOM_UTF32_LE,
    }
    raw = marks[encoding] + SIMPLE.encode(encoding)
    assert decode(raw, content_type="text/csv; charset=big5") == SIMPLE


def test_declared() -> None:
    odd = "镕龍"  # of GBK, not of GB 2312, and readable as Big5
    assert decode(odd.encode("gbk"), content_type='text/xml; charset="gb2312"') == odd
    assert decode(TRADITIONAL.encode("big5"), "big5") == TRADITIONAL
    head = '<?xml version="1.0" encoding="GBK"?><a>'
    assert decode((head + odd).encode("gbk")) == head + odd


def test_declared_wrongly() -> None:
    assert decode(SIMPLE.encode("gbk"), content_type="text/csv; charset=utf-8") == SIMPLE
    assert decode(SIMPLE.encode(), content_type="text/csv; charset=iso-8859-1") == SIMPLE
    assert decode(SIMPLE.encode(), content_type="text/csv; charset=klingon") == SIMPLE


def test_no_text() -> None:
    with pytest.raises(UnreadableTextError):
        decode(b"\xff\x81\x8d\x90\xff\xff\xff\x9d")
