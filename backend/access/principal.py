"""Who asks, for which tenant, and what that may reach."""

import hashlib
import secrets
from dataclasses import dataclass
from typing import Literal

Scope = Literal["user", "admin", "developer"]
SCOPES: tuple[Scope, ...] = ("user", "admin", "developer")

SECRET_PREFIX = "wp_"  # noqa: S105 - it lets people and scanners recognise a key, and opens nothing


@dataclass(frozen=True)
class Principal:
    """The holder of a key."""

    key_id: str
    tenant: str
    scopes: frozenset[str]


def make_secret() -> str:
    """A new secret; it is shown once, only its hash is kept."""
    return SECRET_PREFIX + secrets.token_urlsafe(32)


def hash_secret(secret: str) -> str:
    """SHA-256 of a secret: 256 random bits need no slow hash."""
    return hashlib.sha256(secret.encode()).hexdigest()
