"""Takes a response's body in as it streams, unpacked, and stops at the limit.

The limit is that of the unpacked bytes, looked at before they are unpacked: a few kilobytes that
unpack to gigabytes never do.
"""

import zlib
from collections.abc import AsyncIterator

ENCODINGS = "gzip, deflate"
_GZIP_OR_ZLIB = 32 + zlib.MAX_WBITS


class TooLargeError(Exception):
    """More than the limit."""


class BadEncodingError(Exception):
    """Packed in a way that nobody asked for, or damaged, or cut off."""


async def take_in(chunks: AsyncIterator[bytes], encoding: str, limit: int) -> bytes:
    """The whole body, unpacked."""
    unpack = _make_unpacker(encoding)
    body = bytearray()
    async for chunk in chunks:
        body += unpack.feed(chunk, limit - len(body))
    unpack.finish()
    return bytes(body)


class _Plain:
    def feed(self, chunk: bytes, room: int) -> bytes:
        if len(chunk) > room:
            raise TooLargeError
        return chunk

    def finish(self) -> None:
        return


class _Zipped:
    """Gzip or zlib by its header; raw deflate, which some send instead, by the lack of one."""

    def __init__(self) -> None:
        self._inner = zlib.decompressobj(_GZIP_OR_ZLIB)
        self._may_be_raw = True
        self._has_input = False

    def feed(self, chunk: bytes, room: int) -> bytes:
        self._has_input = self._has_input or bool(chunk)
        made = self._unpack(chunk, room + 1)
        if len(made) > room:
            raise TooLargeError
        if self._inner.eof and self._inner.unused_data.strip(b"\0"):
            raise BadEncodingError("something stands behind the packed body")
        return made

    def _unpack(self, chunk: bytes, most: int) -> bytes:
        try:
            made = self._inner.decompress(chunk, most)
        except zlib.error as error:
            if not self._may_be_raw or chunk[:2] == b"\x1f\x8b":
                raise BadEncodingError(str(error)) from None
            self._inner, self._may_be_raw = zlib.decompressobj(-zlib.MAX_WBITS), False
            return self._unpack(chunk, most)
        self._may_be_raw = self._may_be_raw and not chunk
        return made

    def finish(self) -> None:
        if self._has_input and not self._inner.eof:
            raise BadEncodingError("the packed body is cut off")


def _make_unpacker(encoding: str) -> _Plain | _Zipped:
    names = [name.strip().lower() for name in encoding.split(",") if name.strip()]
    names = [name for name in names if name != "identity"]
    if not names:
        return _Plain()
    if len(names) > 1 or names[0] not in {"gzip", "x-gzip", "deflate"}:
        raise BadEncodingError(f"packed as {encoding[:40]}")
    return _Zipped()
