"""What fixtures and tests do to databases as their administrator."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import LiteralString

import psycopg
from psycopg import sql
from sqlalchemy import make_url

Statement = LiteralString | sql.SQL | sql.Composed


def run_sql(url: str, *statements: Statement) -> None:
    """Statements outside of a transaction, as `create database` needs it."""
    with psycopg.connect(url, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement)


@contextmanager
def make_database(server_url: str, template: str = "template0") -> Iterator[str]:
    """Address of a new database, which is dropped in the end, whoever is still connected."""
    name = f"waypool_test_{secrets.token_hex(4)}"
    make = sql.SQL("create database {} template {} encoding 'UTF8'")
    run_sql(server_url, make.format(sql.Identifier(name), sql.Identifier(template)))
    yield make_url(server_url).set(database=name).render_as_string(hide_password=False)
    run_sql(server_url, sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))
