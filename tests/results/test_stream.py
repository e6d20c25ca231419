"""JSON as it streams in: the same document however it is cut, and clear words where it is none."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from backend.results.document import Document
from backend.results.packed_document import BadContentError, DocumentWriter, open_document
from backend.results.rows import Rows
from backend.results.summary import summarize
from backend.results.values import parse_json, write_json
from tests.random_inputs import count_examples


def cut(content: bytes, size: int) -> Iterator[bytes]:
    return (content[n : n + size] for n in range(0, len(content), size))


def store(content: bytes, size: int = 7, rows: int = 3) -> tuple[Document, DocumentWriter]:
    """The document as it comes back from small blocks."""
    writer = DocumentWriter(cut(content, size), block_rows=rows, inline_bytes=20)
    parts = dict(writer.write())
    return open_document(parts.__getitem__), writer


def thaw(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: thaw(entry) for key, entry in value.items()}
    return [thaw(entry) for entry in value] if isinstance(value, list | Rows) else value


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.decimals(allow_nan=False, allow_infinity=False, places=2)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=8) | st.dictionaries(st.text(max_size=3), inner),
)


@settings(max_examples=count_examples(60), suppress_health_check=[HealthCheck.too_slow])
@given(values, st.integers(1, 9), st.integers(1, 4), st.booleans())
def test_what_is_stored_comes_back(value: Any, size: int, rows: int, is_spaced: bool) -> None:
    text = write_json(value)
    if is_spaced:
        text = json.dumps(json.loads(text, parse_float=lambda t: json.loads(f'"{t}"')), indent=1)
        value = parse_json(text)
    document, writer = store(text.encode(), size, rows)
    whole = Document.of(value)
    assert write_json(thaw(document.root)) == write_json(whole.root)
    assert writer.summarize({}) == summarize(document) == summarize(whole)


def test_a_byte_order_mark_and_cut_characters_do_not_matter() -> None:
    document, _ = store('\ufeff{"键": "北京😀"}'.encode(), 1)
    assert document.root == {"键": "北京😀"}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "character 0: a value was expected"),
        (b"   ", "character 3: a value was expected"),
        (b"[1, 2", "',' was expected"),
        (b"[1 2]", "character 3: ',' was expected"),
        (b"[1,]", "a value was expected"),
        (b'{"a" 1}', "':' was expected"),
        (b"{a: 1}", "character 1: a key in double quotes"),
        (b'{"a": 1,}', "a key in double quotes"),
        (b"[1] 2", "character 4: there is more"),
        (b"[NaN]", "NaN"),
        (b"[1e99999999999999999999999]", "out of range"),
        (b'["\xff"]', "not UTF-8"),
        (b'["abc]', "Unterminated string"),
        (b"[" + b"[" * 200 + b"]" * 201, "nested deeper than 100"),
        (b"[" * 100_000, "nested deeper than 100"),
        (b'[{"a":' * 5000, "nested deeper than 100"),
    ],
)
def test_what_is_no_json_is_refused_with_its_place(content: bytes, message: str) -> None:
    for size in (1000, 3):
        with pytest.raises(BadContentError) as caught:
            store(content, size)
        assert message in caught.value.message


def test_rows_at_the_end_of_a_chunk_are_read_on() -> None:
    text = "[" + ",".join(["12345"] * 50) + "]"
    for size in range(1, 20):
        document, _ = store(text.encode(), size)
        assert list(document.root["rows"]) == [12345] * 50
