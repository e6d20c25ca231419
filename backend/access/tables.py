"""Keys by which programs reach the API."""

import datetime as dt

from sqlalchemy import ARRAY, DateTime, ForeignKey, Text
from sqlalchemy.orm import Mapped, mapped_column

from backend.db.base import Base, CodeText

Moment = DateTime(timezone=True)


class ApiKey(Base):
    """A key of a tenant with scopes; only the SHA-256 of the secret is kept."""

    __tablename__ = "api_key"

    id: Mapped[CodeText] = mapped_column(primary_key=True)
    tenant: Mapped[str] = mapped_column(Text)
    label: Mapped[str] = mapped_column(Text)
    scopes: Mapped[list[str]] = mapped_column(ARRAY(Text))
    secret_sha256: Mapped[str] = mapped_column(Text, unique=True)
    created_at: Mapped[dt.datetime] = mapped_column(Moment)
    revoked_at: Mapped[dt.datetime | None] = mapped_column(Moment)


class BrowserSession(Base):
    """A browser that has signed in with a key; it ends with its key, or at its time."""

    __tablename__ = "browser_session"

    token_sha256: Mapped[str] = mapped_column(Text, primary_key=True)
    key_id: Mapped[CodeText] = mapped_column(
        ForeignKey("api_key.id", ondelete="CASCADE"), index=True
    )
    expires_at: Mapped[dt.datetime] = mapped_column(Moment)


class SignInLink(Base):
    """A link that signs one browser in, once."""

    __tablename__ = "sign_in_link"

    token_sha256: Mapped[str] = mapped_column(Text, primary_key=True)
    key_id: Mapped[CodeText] = mapped_column(
        ForeignKey("api_key.id", ondelete="CASCADE"), index=True
    )
    expires_at: Mapped[dt.datetime] = mapped_column(Moment)
