"""Bytes to text: byte-order mark, then what was configured or declared, then UTF-8, then a guess.

Chinese sources come in GBK and Big5, declared, undeclared, or declared as something else. The guess
counts characters that every Chinese text is full of; what fits no encoding is refused.
"""

import codecs
import re

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_XML_ENCODING = re.compile(rb"""<\?xml[^>]{0,80}encoding\s*=\s*["']([A-Za-z0-9._:-]{1,40})["']""")
_CHARSET = re.compile(r"""charset\s*=\s*["']?([A-Za-z0-9._:-]{1,40})""", re.IGNORECASE)
_HAN = re.compile("[\u4e00-\u9fff]")

# What is declared by the name of a smaller set often holds characters of the larger one.
_SUPERSETS = {
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "big5-hkscs": "big5hkscs",
    "iso8859-1": "cp1252",
    "ascii": "utf-8",
}
_GUESSES = ("gb18030", "big5hkscs", "cp1252")
_FREQUENT = frozenset(
    "的一是不了在人有我他这這个個们們中来來上大为為和国國地到以说說时時要就出会會可也你对對生能而子那得于於着"
    "著下自之年过過发發后後作里裡用道行所然家种種事成方多经經么麼去法学學如都同现現当當没沒动動面起看定天分还"
    "還进進好小部其些主样樣理心她本前开開但因只从從想实實日月公司市区區站点點车車香港北京深圳天气氣星期新"
)
_SAMPLE = 64 * 1024


class UnreadableTextError(ValueError):
    """The bytes are text in no encoding that is known here."""


def decode(raw: bytes, configured: str | None = None, content_type: str | None = None) -> str:
    """The text; a byte-order mark is taken off."""
    for mark, encoding in _MARKS:
        if raw.startswith(mark):
            text = _try(raw[len(mark) :], encoding)
            if text is not None:
                return text
    for name in (configured, _read_charset(content_type), _read_xml_encoding(raw), "utf-8"):
        text = _try(raw, name)
        if text is not None:
            return text
    return _guess(raw)


def _read_charset(content_type: str | None) -> str | None:
    found = _CHARSET.search(content_type or "")
    return found[1] if found else None


def _read_xml_encoding(raw: bytes) -> str | None:
    found = _XML_ENCODING.match(raw.lstrip()[:200])
    return found[1].decode("ascii") if found else None


def _try(raw: bytes, name: str | None) -> str | None:
    try:
        known = codecs.lookup(name or "").name
    except LookupError:
        return None
    try:
        # A response of plain UTF-8 is often declared as Latin-1, which fits any bytes.
        if _SUPERSETS.get(known) == "cp1252":
            return None if _is_utf8(raw) else raw.decode("cp1252")
        return raw.decode(_SUPERSETS.get(known, known))
    except (UnicodeDecodeError, LookupError):
        return None


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _guess(raw: bytes) -> str:
    texts = [text for text in (_try(raw, name) for name in _GUESSES) if text is not None]
    if not texts:
        raise UnreadableTextError("its bytes are text in no known encoding")
    return max(texts, key=_rate)


def _rate(text: str) -> float:
    han = _HAN.findall(text[:_SAMPLE])
    return sum(character in _FREQUENT for character in han) / len(han) if han else 0.0
