"""Every page of the console once, found by following its own links and forms from the first one."""

import re
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

import httpx

from tests.bench.pages.page import SAMPLE, Page, Step

HOME = "/console/"
AWAY = ("/console/static/", "/console/leaflet/", "/console/open/")
A_KIND = 4
"""So many addresses of a kind are looked at: the newest runs, say."""

PARTS = {"q": SAMPLE, "city": "beijing"}
"""Values of required queries of what only scripts ask for."""


@dataclass
class Walk:
    """Steps by kind: a route and the names in its query."""

    paths: Sequence[str]
    most: int = A_KIND
    found: dict[str, list[Step]] = field(default_factory=dict)
    moved: set[str] = field(default_factory=set)
    """Kinds that only lead on to others."""
    broken: list[str] = field(default_factory=list)

    def name_kind(self, step: Step) -> str:
        """The route of an address, the names of its query, and whether a form goes there."""
        parts = urlsplit(step.address)
        route = find_path(parts.path, self.paths) or parts.path
        names = sorted({name for name, value in parse_qsl(parts.query) if value})
        query = f"?{'&'.join(names)}" if names else ""
        return f"{'POST ' if step.fields is not None else ''}{route}{query}"

    def note(self, step: Step) -> bool:
        """Whether the step is one more of its kind to look at."""
        of_kind = self.found.setdefault(self.name_kind(step), [])
        if len(of_kind) >= self.most or any(step.address == known.address for known in of_kind):
            return False
        of_kind.append(step)
        return True


def find_path(path: str, paths: Iterable[str]) -> str | None:
    """The route that the path belongs to; one without a varying part before others."""
    fitting = [route for route in paths if _make_pattern(route).fullmatch(path)]
    return min(fitting, key=lambda route: route.count("{"), default=None)


def _make_pattern(route: str) -> re.Pattern[str]:
    pieces = re.split(r"(\{[^}]+\})", route)
    return re.compile(
        "".join(
            f"(?P<{p[1:-1].partition(':')[0]}>[^/]+)" if p[:1] == "{" else re.escape(p)
            for p in pieces
        )
    )


async def walk(client: httpx.AsyncClient, paths: Sequence[str]) -> Walk:
    """From the first page on, breadth first; then what no link leads to, by its route."""
    found = Walk(paths)
    await _follow(client, found, [Step(HOME), Step("/console/sign-in")])
    for path in paths:
        if find_path(path, AWAY) is None and not _is_reached(found, path):
            await _follow(client, found, await _fill(client, found, path))
    return found


def list_missing(found: Walk) -> list[str]:
    """Routes that nothing leads to, and whose parts nothing is known of."""
    return [path for path in found.paths if not _is_reached(found, path)]


def _is_reached(found: Walk, path: str) -> bool:
    kinds = (*found.found, *found.moved)
    return any(kind.removeprefix("POST ").partition("?")[0] == path for kind in kinds)


async def _fill(client: httpx.AsyncClient, found: Walk, path: str) -> list[Step]:
    """The route with the parts that other addresses have shown, and what it asks for."""
    known = _read_parts(found)
    if not {part for part, _ in _list_parts(path)} <= set(known):
        return []
    plain = re.sub(r"\{[^}]+\}", lambda part: known[path[: part.end()]], path)
    if (await client.get(plain)).status_code != 422:
        return [Step(plain)]
    return [Step(f"{plain}?{urlencode(PARTS)}")]


def _read_parts(found: Walk) -> dict[str, str]:
    """The varying parts of all addresses so far, by what stands before them in the routes."""
    known: dict[str, str] = {}
    for step in (step for steps in found.found.values() for step in steps):
        path = urlsplit(step.address).path
        route = find_path(path, found.paths)
        match = _make_pattern(route).fullmatch(path) if route else None
        if route and match:
            parts = {part: match[name] for part, name in _list_parts(route)}
            known = {**parts, **known}
    return known


def _list_parts(route: str) -> list[tuple[str, str]]:
    """Each varying part with all before it, and its name: `{name}` of a tool is none of a source."""
    found = re.finditer(r"\{([^}:]+)[^}]*\}", route)
    return [(route[: part.end()], part[1]) for part in found]


async def _follow(client: httpx.AsyncClient, found: Walk, steps: Iterable[Step]) -> None:
    waiting = deque(step for step in steps if found.note(step))
    while waiting:
        step = waiting.popleft()
        answer = await go(client, step)
        if answer.is_redirect:
            found.moved.add(found.name_kind(step))
            _drop(found, step)
            next_step = Step(answer.headers["location"].partition("#")[0])
            waiting.extend([next_step] if _is_ours(next_step) and found.note(next_step) else [])
        elif answer.status_code != 200:
            _drop(found, step)
            if answer.status_code != 404 or quote(SAMPLE) not in step.address:
                found.broken.append(f"{answer.status_code} {step.address}")
        elif "text/html" in answer.headers["content-type"]:
            on = Page(step.address, answer.text).list_steps()
            waiting.extend(step for step in on if _is_ours(step) and found.note(step))


def _drop(found: Walk, step: Step) -> None:
    kind = found.name_kind(step)
    found.found[kind].remove(step)
    if not found.found[kind]:
        del found.found[kind]


def _is_ours(step: Step) -> bool:
    return step.address.startswith(HOME) and not step.address.startswith(AWAY)


async def go(client: httpx.AsyncClient, step: Step) -> httpx.Response:
    """The answer to a step, its form sent if it has one."""
    if step.fields is None:
        return await client.get(step.address)
    data: Mapping[str, list[str]] = {
        name: [value for known, value in step.fields if known == name] for name, _ in step.fields
    }
    return await client.post(step.address, data=dict(data))
