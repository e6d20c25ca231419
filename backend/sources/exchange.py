"""One HTTP exchange with a checked address: resolved, looked at, and connected to as checked.

The connection goes to the address that was checked, with the host in `Host` and in the TLS
handshake, so a name that resolves to something else a moment later leads nowhere else. Proxies of
the environment are not used: they would resolve the name again.

Takes a response's body in as it streams, unpacked, and stops at the limit.

The limit is that of the unpacked bytes, looked at before they are unpacked: a few kilobytes that
unpack to gigabytes never do.

Which hosts a source may be at, and which addresses a name may stand for.

The name must be on the allow-list, and every address that it resolves to must be a public one,
unless the setting names the host as a private one, as it does for test doubles.
"""

import asyncio
import ipaddress
import socket
import ssl
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import SplitResult, urljoin, urlsplit

import httpx

from backend import __version__

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
        return cls(_split_setting(public), _split_setting(private))

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


def _split_setting(setting: str) -> tuple[str, ...]:
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


MAX_REDIRECTS = 5
_TIMES = httpx.Timeout(None, connect=5)
"""Limits only connecting, so that a dead address does not use up the time that `fetch` allows."""

_REDIRECTS = {301, 302, 303, 307, 308}

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]


class ForbiddenTargetError(Exception):
    """A place from which nothing is fetched."""


class UnreachableError(Exception):
    """No address, no connection, or one that broke; trying again may help."""


@dataclass(frozen=True)
class Reply:
    """A status, its headers (names in lower case), and the body of a 200."""

    status: int
    headers: Mapping[str, str]
    body: bytes = b""


async def resolve_name(host: str, port: int) -> Sequence[str]:
    """All addresses of a name, as the system knows them."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


class Exchange:
    """Fetches by GET within the rules; `resolve` is another one in tests."""

    def __init__(self, rules: HostRules, resolve: Resolve = resolve_name) -> None:
        self._rules, self._resolve = rules, resolve
        self._tls: ssl.SSLContext | None = None

    async def get(self, address: str, headers: Mapping[str, str], limit: int) -> Reply:
        """The reply after redirects, each of which is checked like the first address."""
        was_safe = False
        for _ in range(MAX_REDIRECTS + 1):
            parts, host, port = _split_address(address)
            if was_safe and parts.scheme != "https":
                raise ForbiddenTargetError("it redirects from https to http")
            was_safe = parts.scheme == "https"
            checked = await self._check(host, port)
            reply = await self._get_from(checked, address, host, headers, limit)
            location = reply.headers.get("location")
            if reply.status not in _REDIRECTS or not location:
                return reply
            address = urljoin(address, location)
        raise UnreachableError(f"more than {MAX_REDIRECTS} redirects")

    async def _check(self, host: str, port: int) -> Sequence[Address]:
        """The addresses of a host, all of which are allowed."""
        fault = self._rules.find_fault(host, port)
        if fault is not None:
            raise ForbiddenTargetError(fault)
        try:
            found = [_read_ip(text) for text in await self._resolve(host, port)]
        except (OSError, UnicodeError) as error:
            raise UnreachableError(f"no address for {host}: {error}") from None
        if not found:
            raise UnreachableError(f"no address for {host}")
        bad = next((address for address in found if not is_public(address)), None)
        if bad is not None and not self._rules.is_private(host, port):
            raise ForbiddenTargetError(f"{host} is at {bad}, which is no public address")
        return found

    async def _get_from(
        self,
        checked: Sequence[Address],
        address: str,
        host: str,
        headers: Mapping[str, str],
        limit: int,
    ) -> Reply:
        """From the first of the addresses that takes the connection."""
        for place in checked[:-1]:
            try:
                return await self._get_at(place, address, host, headers, limit)
            except (httpx.ConnectError, httpx.ConnectTimeout):
                continue
        try:
            return await self._get_at(checked[-1], address, host, headers, limit)
        except httpx.TransportError as error:
            raise UnreachableError(str(error) or type(error).__name__) from None

    async def _get_at(
        self, place: Address, address: str, host: str, headers: Mapping[str, str], limit: int
    ) -> Reply:
        url = httpx.URL(address)
        sent = {
            "host": url.netloc.decode("ascii"),
            "accept-encoding": ENCODINGS,
            "user-agent": f"waypool/{__version__}",
            **headers,
        }
        async with (
            httpx.AsyncClient(verify=self._give_tls(), trust_env=False, timeout=_TIMES) as client,
            client.stream(
                "GET",
                url.copy_with(host=str(place)),
                headers=sent,
                extensions={"sni_hostname": host},
            ) as reply,
        ):
            named = {name.lower(): value for name, value in reply.headers.items()}
            if reply.status_code != 200:
                return Reply(reply.status_code, named)
            body = await take_in(reply.aiter_raw(), named.get("content-encoding", ""), limit)
            return Reply(200, named, body)

    def _give_tls(self) -> ssl.SSLContext:
        if self._tls is None:
            self._tls = httpx.create_ssl_context(trust_env=False)
        return self._tls


def _split_address(address: str) -> tuple[httpx.URL, str, int]:
    try:
        _, host, port = split_target(address)
        return httpx.URL(address), host, port
    except (ValueError, httpx.InvalidURL) as error:
        raise ForbiddenTargetError(str(error)) from None


def _read_ip(text: str) -> Address:
    return ipaddress.ip_address(text.partition("%")[0])
