"""Which hosts a source may be at, and which addresses a name may stand for.

The name must be on the allow-list, and every address that it resolves to must be a public one,
unless the setting names the host as a private one, as it does for test doubles.
"""

import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_USUAL_PORTS = {80, 443}
_NAT64 = ipaddress.ip_network("64:ff9b::/96")


@dataclass(frozen=True)
class HostRules:
    """Hosts as `host`, `host:port` or `*.host`; `private` ones may be at any port and address."""

    public: tuple[str, ...]
    private: tuple[str, ...] = ()

    @classmethod
    def read(cls, public: str, private: str = "") -> "HostRules":
        """From two settings, each a list with commas."""
        return cls(_split(public), _split(private))

    def find_fault(self, host: str, port: int) -> str | None:
        """Why nothing is fetched from there; None where it may be."""
        if self.is_private(host, port):
            return None
        if any(_fits(rule, host, port) for rule in self.public):
            return None
        return f"the host {_name(host)}:{port} is not on the allow-list"

    def is_private(self, host: str, port: int) -> bool:
        """Whether the host may be at a private address."""
        return any(_fits(rule, host, port, any_port=True) for rule in self.private)


def _split(setting: str) -> tuple[str, ...]:
    return tuple(entry.strip().lower() for entry in setting.split(",") if entry.strip())


def _fits(rule: str, host: str, port: int, *, any_port: bool = False) -> bool:
    parts = urlsplit(f"//{rule}")
    is_usual = any_port or port in _USUAL_PORTS
    is_port = is_usual if parts.port is None else parts.port == port
    wanted, known = _name(host), _name(parts.hostname or "")
    if known.startswith("*."):
        return is_port and wanted.endswith(known[1:])
    return is_port and wanted == known


def _name(host: str) -> str:
    return host.lower().rstrip(".")


def split_target(address: str) -> tuple[SplitResult, str, int]:
    """The parts of an address, its host and port; `ValueError` where it is none for HTTP."""
    parts = urlsplit(address)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError("only http and https addresses with a host are fetched")
    if parts.username is not None or parts.password is not None:
        raise ValueError("an address must not hold a user or password")
    return parts, parts.hostname, parts.port or (443 if parts.scheme == "https" else 80)


def is_public(address: Address) -> bool:
    """Whether an address is of the open internet; for one with another inside, both must be."""
    if isinstance(address, ipaddress.IPv6Address):
        inner = list(_list_inner(address))
        if inner:
            return all(map(is_public, inner))
    return address.is_global and not (
        address.is_private
        or address.is_loopback
        or address.is_link_local
        or address.is_multicast
        or address.is_reserved
        or address.is_unspecified
    )


def _list_inner(address: ipaddress.IPv6Address) -> Iterable[Address]:
    """IPv4 addresses that an IPv6 address stands for: mapped, 6to4, Teredo, NAT64."""
    if address.ipv4_mapped:
        yield address.ipv4_mapped
    if address.sixtofour:
        yield address.sixtofour
    if address.teredo:
        yield from address.teredo
    if address in _NAT64:
        yield ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
