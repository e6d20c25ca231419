"""Keys: shown once, stored hashed, listed without their secrets, revoked for good."""

import pytest
from sqlalchemy import create_engine, text

from backend.db.session import parse_url
from tests.cli.conftest import Waypool

pytestmark = pytest.mark.sql


def test_a_secret_is_shown_once_and_stored_hashed(waypool: Waypool, database_url: str) -> None:
    made = waypool("keys", "create", "--scope", "admin", "--tenant", "acme", "--json").json
    engine = create_engine(parse_url(database_url))
    with engine.connect() as connection:
        stored = str(connection.execute(text("select * from api_key")).all())
    engine.dispose()
    assert made["secret"] not in stored
    listed = waypool("keys", "list", "--json")
    assert made["secret"] not in listed.out
    assert [(k["id"], k["tenant"], k["scopes"]) for k in listed.json["items"]] == [
        (made["id"], "acme", ["admin"])
    ]


def test_revoking_is_for_good_and_may_be_repeated(waypool: Waypool) -> None:
    key_id = waypool("keys", "create", "--json").json["id"]
    assert waypool("keys", "revoke", key_id).status == 0
    first = waypool("keys", "list", "--json").json["items"][0]["revoked_at"]
    assert waypool("keys", "revoke", key_id).status == 0
    assert waypool("keys", "list", "--json").json["items"][0]["revoked_at"] == first


def test_an_unknown_key_is_named(waypool: Waypool) -> None:
    refused = waypool("keys", "revoke", "key_none")
    assert (refused.status, "key_none" in refused.err) == (1, True)


def test_an_unknown_scope_is_unusable(waypool: Waypool) -> None:
    assert waypool("keys", "create", "--scope", "root").status == 2
