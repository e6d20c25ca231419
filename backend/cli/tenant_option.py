"""The type of `--tenant`: names that an empty shell variable or a slip of the keys does not make."""

import re

import click

_NAME = re.compile(r"[^\s\x00-\x1f\x7f]{1,100}")


class TenantName(click.ParamType[str]):
    """1 to 100 characters without white space."""

    name = "tenant"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name as it is."""
        if not _NAME.fullmatch(value):
            self.fail("a tenant's name has 1 to 100 characters and no white space", param, ctx)
        return value


TENANT = TenantName()
