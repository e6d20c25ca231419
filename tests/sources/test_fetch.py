"""Fetching: limits, redirects, retries, and the caching that a source's own headers allow."""

import asyncio
import datetime as dt
import gzip
import zlib
from collections.abc import Sequence
from typing import Any

import pytest

from backend.sources.choosing import SourceError
from backend.sources.exchange import Exchange, HostRules
from backend.sources.fetch import Fetched, Fetcher, Kept, count_fresh_seconds
from backend.sources.spec import Source
from tests.sources.server import Double, make_answer, serve
from tests.sources.specs import make_source

HERE = HostRules.read("", "127.0.0.1,double.test")


async def no_pause(_seconds: float) -> None:
    return


class Memory:
    def __init__(self) -> None:
        self.kept: dict[str, Kept] = {}

    async def find(self, address: str) -> Kept | None:
        return self.kept.get(address)

    async def keep(self, _source: str, address: str, kept: Kept) -> None:
        self.kept[address] = kept

    async def drop(self, address: str) -> None:
        self.kept.pop(address, None)


def make_fetcher(rules: HostRules = HERE, cache: Memory | None = None, **more: Any) -> Fetcher:
    return Fetcher(Exchange(rules, **more), cache, no_pause)


async def fetch(double: Double, fetcher: Fetcher | None = None, **changes: Any) -> Fetched:
    source = make_source(double.at(), **changes)
    return await (fetcher or make_fetcher()).fetch(source, source.address)


async def refuse(fetcher: Fetcher, source: Source) -> str:
    with pytest.raises(SourceError) as caught:
        await fetcher.fetch(source, source.address)
    return caught.value.code


async def test_a_response_comes_whole() -> None:
    async with serve(make_answer(b"[1]")) as double:
        found = await fetch(double)
    assert found == Fetched(b"[1]", "application/json")
    assert double.requests[0]["host"] == f"127.0.0.1:{double.port}"


@pytest.mark.parametrize("pack", [gzip.compress, zlib.compress, lambda b: zlib.compress(b)[2:-4]])
async def test_packed_bodies(pack: Any) -> None:
    packed = "deflate" if pack is not gzip.compress else "gzip"
    async with serve(make_answer(pack(b"x" * 999), content_encoding=packed)) as double:
        assert (await fetch(double)).raw == b"x" * 999


async def test_a_bomb_never_unpacks() -> None:
    bomb = gzip.compress(b"\0" * 50_000_000)
    async with serve(make_answer(bomb, content_encoding="gzip")) as double:
        source = make_source(double.at(), max_bytes=100_000)
        assert await refuse(make_fetcher(), source) == "SOURCE_TOO_LARGE"


async def endless(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/csv\r\n\r\n")
    while True:
        writer.write(b"x" * 10_000)
        await writer.drain()


async def silent(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/csv\r\n\r\na,b\r\n")
    await writer.drain()
    await asyncio.sleep(60)


async def test_size_and_time_are_limited() -> None:
    async with serve(endless) as double:
        source = make_source(double.at(), max_bytes=50_000)
        assert await refuse(make_fetcher(), source) == "SOURCE_TOO_LARGE"
    async with serve(silent) as double:
        source = make_source(double.at(), timeout_seconds=0.3)
        assert await refuse(make_fetcher(), source) == "SOURCE_SLOW"


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (make_answer(b"<html>", content_type="text/html; charset=utf-8"), "SOURCE_WRONG_TYPE"),
        (make_answer(b"PNG", content_type="image/png"), "SOURCE_WRONG_TYPE"),
        (make_answer(b"x", content_encoding="br"), "SOURCE_WRONG_TYPE"),
        (make_answer(gzip.compress(b"x" * 99)[:-4], content_encoding="gzip"), "SOURCE_WRONG_TYPE"),
        (make_answer(b"no", "404 Not Found"), "SOURCE_DOWN"),
        (make_answer(b"no", "503 Busy"), "SOURCE_DOWN"),
        (make_answer(b"cut", content_length="99"), "SOURCE_DOWN"),
        (b"no HTTP at all\r\n\r\n", "SOURCE_DOWN"),
    ],
)
async def test_what_is_no_response(answer: bytes, code: str) -> None:
    async with serve(answer) as double:
        assert await refuse(make_fetcher(), make_source(double.at())) == code


async def test_nobody_there() -> None:
    async with serve(b"") as double:
        pass
    assert await refuse(make_fetcher(), make_source(double.at())) == "SOURCE_DOWN"


async def test_what_may_pass_is_tried_again() -> None:
    busy = make_answer(b"", "503 Busy", retry_after="1")
    async with serve(busy, b"", make_answer()) as double:
        assert (await fetch(double)).raw == b'{"a": 1}'
        assert len(double.requests) == 3
    async with serve(make_answer(b"", "429 Slow down", retry_after="9999")) as double:
        assert await refuse(make_fetcher(), make_source(double.at())) == "SOURCE_DOWN"
        assert len(double.requests) == 1


def redirect(target: str, status: str = "302 Found") -> bytes:
    return make_answer(b"", status, location=target)


async def test_redirects_are_followed_and_each_is_checked() -> None:
    async with serve(redirect("/there"), make_answer(b"[2]")) as double:
        assert (await fetch(double)).raw == b"[2]"
        assert double.paths == ["/data", "/there"]
    for target, code in (
        ("/again", "SOURCE_DOWN"),
        ("http://127.0.0.2/", "SOURCE_FORBIDDEN"),
        ("http://evil.test/", "SOURCE_FORBIDDEN"),
        ("file:///etc/passwd", "SOURCE_FORBIDDEN"),
        ("http://user:secret@127.0.0.1/", "SOURCE_FORBIDDEN"),
    ):
        async with serve(redirect(target)) as double:
            assert await refuse(make_fetcher(), make_source(double.at())) == code, target


PRIVATE = (
    "127.0.0.1",
    "10.0.0.8",
    "172.16.1.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "0.0.0.0",
    "224.0.0.1",
    "255.255.255.255",
    "::1",
    "::",
    "::ffff:127.0.0.1",
    "::ffff:169.254.169.254",
    "64:ff9b::7f00:1",
    "2002:7f00:1::",
    "fe80::1%eth0",
    "fc00::1",
    "ff02::1",
)


@pytest.mark.parametrize("address", PRIVATE)
async def test_private_addresses_are_refused_after_resolution(address: str) -> None:
    async def resolve(_host: str, _port: int) -> Sequence[str]:
        return ["93.184.216.34", address]

    fetcher = make_fetcher(HostRules.read("double.test"), resolve=resolve)
    source = make_source("http://double.test/data")
    assert await refuse(fetcher, source) == "SOURCE_FORBIDDEN"


@pytest.mark.parametrize(
    "address",
    [
        "http://other.test/",
        "http://double.test:8080/",
        "http://double.test.evil.test/",
        "http://127.0.0.1/",
        "http://2130706433/",
        "http://[::1]/",
    ],
)
async def test_a_host_must_be_on_the_list(address: str) -> None:
    async def resolve(_host: str, _port: int) -> Sequence[str]:
        raise AssertionError("it must not even be looked up")

    fetcher = make_fetcher(HostRules.read("double.test,*.open.test"), resolve=resolve)
    assert await refuse(fetcher, make_source(address)) == "SOURCE_FORBIDDEN"


def test_rules_by_port_and_wildcard() -> None:
    rules = HostRules.read("a.test, *.open.test ,b.test:8443", "c.test")
    assert rules.find_fault("A.test.", 443) is None
    assert rules.find_fault("x.open.test", 80) is None
    assert rules.find_fault("open.test", 80) is not None
    assert rules.find_fault("b.test", 8443) is None
    assert rules.find_fault("b.test", 443) is not None
    assert rules.find_fault("c.test", 12345) is None
    assert not rules.is_private("a.test", 443)


async def test_the_connection_goes_to_the_address_that_was_checked() -> None:
    looked_up: list[str] = []

    async def resolve(host: str, _port: int) -> Sequence[str]:
        looked_up.append(host)
        return ["127.0.0.1"] if len(looked_up) == 1 else ["127.0.0.9"]

    async with serve(make_answer()) as double:
        source = make_source(double.at("double.test"), retries=0)
        fetcher = make_fetcher(resolve=resolve)
        assert (await fetcher.fetch(source, source.address)).raw == b'{"a": 1}'
    assert looked_up == ["double.test"]
    assert double.requests[0]["host"] == f"double.test:{double.port}"


async def test_a_fresh_response_is_used_again() -> None:
    cache = Memory()
    fetcher = make_fetcher(cache=cache)
    async with serve(make_answer(cache_control="max-age=600")) as double:
        first, second = await fetch(double, fetcher), await fetch(double, fetcher)
        assert (first.is_cached, second.is_cached) == (False, True)
        assert second.raw == first.raw
        assert len(double.requests) == 1


async def test_a_stale_response_is_asked_for_by_its_marks() -> None:
    cache = Memory()
    fetcher = make_fetcher(cache=cache)
    day = "Sun, 07 Sep 2031 10:00:00 GMT"
    marked = make_answer(etag='"v1"', last_modified=day, cache_control="no-cache")
    same = make_answer(b"", "304 Not Modified", content_length="", cache_control="max-age=60")
    async with serve(marked, same, make_answer(b"[3]")) as double:
        await fetch(double, fetcher)
        again = await fetch(double, fetcher)
        assert double.requests[1]["if-none-match"] == '"v1"'
        assert double.requests[1]["if-modified-since"] == day
        assert (again.raw, again.is_cached) == (b'{"a": 1}', True)
        assert (await fetch(double, fetcher)).raw == b'{"a": 1}'
        assert len(double.requests) == 2


async def test_what_must_not_be_kept_is_not() -> None:
    cache = Memory()
    async with serve(make_answer(cache_control="no-store, max-age=60", etag='"v"')) as double:
        await fetch(double, make_fetcher(cache=cache))
    assert not cache.kept


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, 7),
        ({"cache-control": "public, max-age=60"}, 60),
        ({"cache-control": "max-age=60", "age": "50"}, 10),
        ({"cache-control": "max-age=60, s-maxage=5"}, 5),
        ({"cache-control": "no-cache, max-age=60"}, 0),
        ({"cache-control": "private, max-age=60"}, None),
        ({"cache-control": "NO-STORE"}, None),
        ({"vary": "*"}, None),
        ({"expires": "0"}, 0),
        (
            {"expires": "Sun, 07 Sep 2031 10:01:00 GMT", "date": "Sun, 07 Sep 2031 10:00:00 GMT"},
            60,
        ),
    ],
)
def test_freshness(headers: dict[str, str], seconds: int | None) -> None:
    assert count_fresh_seconds(headers, 7) == seconds


def test_nothing_is_fresh_for_ever() -> None:
    longest = count_fresh_seconds({"cache-control": "max-age=99999999999"}, 0)
    assert longest == dt.timedelta(days=7).total_seconds()
