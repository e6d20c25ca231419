"""Compresses what is stored and, if a key is configured, encrypts it.

Each part is bound to its handle and name, so that parts cannot be swapped in the database.
"""

import secrets

import zstandard
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

_PLAIN, _SEALED = b"\x00", b"\x01"
_NONCE = 12
_LEVEL = 1  # a higher one costs more time than it saves space


class UnreadableError(Exception):
    """A part cannot be opened: encrypted with another key, or not what was stored."""


class Seal:
    """Turns content into what is stored and back; without a secret it only compresses."""

    def __init__(self, secret: str | None) -> None:
        self._cipher = None
        if secret is not None:
            derive = HKDF(SHA256(), 32, salt=None, info=b"waypool stored results")
            self._cipher = AESGCM(derive.derive(secret.encode()))

    def close(self, content: bytes, place: str) -> bytes:
        """What to store at a place."""
        packed = zstandard.ZstdCompressor(level=_LEVEL).compress(content)
        if self._cipher is None:
            return _PLAIN + packed
        nonce = secrets.token_bytes(_NONCE)
        return _SEALED + nonce + self._cipher.encrypt(nonce, packed, place.encode())

    def open(self, stored: bytes, place: str) -> bytes:
        """The content again; `UnreadableError` where the key is another or the bytes are."""
        packed = stored[1:]
        try:
            if stored[:1] == _SEALED:
                if self._cipher is None:
                    raise UnreadableError
                nonce, rest = packed[:_NONCE], packed[_NONCE:]
                packed = self._cipher.decrypt(nonce, rest, place.encode())
            return zstandard.ZstdDecompressor().decompress(packed)
        except (InvalidTag, zstandard.ZstdError):
            raise UnreadableError from None
