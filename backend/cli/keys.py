"""`waypool keys`: keys by which programs reach the API."""

from typing import Any

import click

from backend.access.queries import SCOPES, create_key, list_keys, revoke_key
from backend.cli.database import with_engine
from backend.cli.options import TENANT
from backend.cli.output import Output, json_option
from backend.clock import read_utc
from backend.db.session import Engine, transaction


@click.group()
def keys() -> None:
    """Keys for the API: a tenant with scopes; the secret is shown once."""


@keys.command()
@click.option(
    "--tenant",
    type=TENANT,
    default="default",
    show_default=True,
    help="Whose runs the key reaches.",
)
@click.option("--scope", "scopes", multiple=True, type=click.Choice(SCOPES), default=("user",),
              show_default=True, help="May be given several times.")  # fmt: skip
@click.option("--label", default="", help="What the key is for.")
@json_option
@click.pass_obj
def create(output: Output, tenant: str, scopes: tuple[str, ...], label: str) -> None:
    """Make a key and print its secret, which nobody can read again."""

    async def work(engine: Engine) -> tuple[str, str]:
        async with transaction(engine) as session:
            return await create_key(session, tenant, scopes, label, read_utc())

    key_id, secret = with_engine(work)
    document = {"id": key_id, "secret": secret, "tenant": tenant, "scopes": sorted(set(scopes))}
    output.show(document, f"{key_id} (tenant {tenant}, {', '.join(sorted(set(scopes)))})\n{secret}")


@keys.command("list")
@click.option("--tenant", type=TENANT, default=None, help="Only this tenant's.")
@json_option
@click.pass_obj
def list_command(output: Output, tenant: str | None) -> None:
    """List keys, newest first, without their secrets."""

    async def work(engine: Engine) -> list[dict[str, Any]]:
        async with transaction(engine) as session:
            return [
                {
                    "id": key.id,
                    "tenant": key.tenant,
                    "scopes": key.scopes,
                    "label": key.label,
                    "created_at": key.created_at.isoformat(),
                    "revoked_at": key.revoked_at.isoformat() if key.revoked_at else None,
                }
                for key in await list_keys(session, tenant)
            ]

    items = with_engine(work)
    lines = [
        f"{k['id']}  {k['tenant']}  {','.join(k['scopes'])}"
        f"  {k['label']}{'  revoked' if k['revoked_at'] else ''}"
        for k in items
    ]
    output.show({"items": items, "next_cursor": None}, "\n".join(lines) or "no keys")


@keys.command()
@click.argument("key_id")
@json_option
@click.pass_obj
def revoke(output: Output, key_id: str) -> None:
    """Make a key open nothing from now on."""

    async def work(engine: Engine) -> None:
        async with transaction(engine) as session:
            await revoke_key(session, key_id, read_utc())

    with_engine(work)
    output.show({"id": key_id, "revoked": True}, f"{key_id} revoked")
