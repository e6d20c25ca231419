"""`itinerary.md`: the plan to be read, in the request's language; every name is text, never markup.

Text from anywhere as Markdown that shows exactly that text: no markup, no HTML, no link.
"""

import datetime as dt
import re
from collections.abc import Iterator
from zoneinfo import ZoneInfo

from backend.money import format_money
from backend.planner.exports.delivered import Delivered, Entry
from backend.planner.exports.words import (
    WORDS,
    Words,
    count_minutes_under_way,
    describe_cost,
    describe_leg,
    describe_meal,
)
from backend.planner.plan.itinerary import (
    Costs,
    FixedItem,
    LegItem,
    LuggageItem,
    MealItem,
    StayItem,
    TransferItem,
    VisitItem,
    read_span,
)

_SPACE = re.compile(r"\s+|[\x00-\x1f\x7f\u2028\u2029\ud800-\udfff]")
_MARKS = re.compile(r"[\\`*_{}\[\]<>#&|~^$!@]")
_LINK = re.compile(r"\.(?=[^\W\d])|:(?=//)|(?i:(?<=mailto):|(?<=xmpp):)")


def escape_markdown(text: str) -> str:
    """One line; marks have a backslash, and so has what some readers would make a link of."""
    plain = " ".join(_SPACE.sub(" ", text).split())
    return _LINK.sub(
        lambda match: f"\\{match[0]}", _MARKS.sub(lambda match: f"\\{match[0]}", plain)
    )


_UNFINISHED = ("failed", "cancelled", "needs_input", "queued", "running")


def write_markdown(delivered: Delivered) -> str:
    """The file: title, what it costs, what clashes, day by day, costs, what to mind."""
    words = WORDS[delivered.locale]
    lines = [
        *_write_head(delivered, words),
        *_write_clash(delivered, words),
        *(
            line
            for day in range(len(delivered.itinerary.days))
            for line in _write_day(delivered, day + 1, words)
        ),
        *_write_costs(delivered, words),
        *_write_wishes(delivered, words),
        *_write_notes(delivered, words),
    ]
    return "\n".join(lines).rstrip("\n") + "\n"


def _write_head(delivered: Delivered, words: Words) -> Iterator[str]:
    days, request = delivered.itinerary.days, delivered.snapshot.request
    title = words["title"].format(
        cities=escape_markdown(delivered.title), first=days[0].date, last=days[-1].date
    )
    yield from (f"# {title}", "")
    parts = [words["party"].format(n=request.travellers), words[request.budget_tier]]
    total = format_money(delivered.itinerary.costs.total)
    parts.append(f"{words['total']} {total} {escape_markdown(delivered.itinerary.currency)}")
    if delivered.itinerary.prices_as_of is not None:
        parts.append(words["as_of"].format(date=delivered.itinerary.prices_as_of))
    yield from (" · ".join(parts), "")


def _write_clash(delivered: Delivered, words: Words) -> Iterator[str]:
    if delivered.status in _UNFINISHED:
        yield from (f"> **{words['unfinished']}**", "")
    if not delivered.clash:
        return
    yield from (f"> **{words['clash']}**", ">")
    yield from (f"> - {escape_markdown(message)}" for message in delivered.clash)
    if delivered.relaxation:
        text = words["relaxation"].format(message=delivered.relaxation)
        yield from (">", f"> {escape_markdown(text)}")
    yield ""


def _write_day(delivered: Delivered, day: int, words: Words) -> Iterator[str]:
    row = delivered.itinerary.days[day - 1]
    city = escape_markdown(delivered.name_city(row.city))
    weekday = words["weekdays"].split()[row.date.weekday()]
    yield from ("## " + words["day"].format(n=day, date=row.date, weekday=weekday, city=city), "")
    entries = list(delivered.entries_on(day))
    for entry in entries:
        yield f"- {_show_item(delivered, entry, words)}"
        yield from (f"  - {escape_markdown(note)}" for note in entry.notes)
    yield from ([] if entries else [words["nothing"]])
    yield ""


def _show_item(delivered: Delivered, entry: Entry, words: Words) -> str:
    item, currency = entry.item, delivered.itinerary.currency
    name = escape_markdown(_name(delivered, entry, words))
    parts = [name if isinstance(item, TransferItem) else f"**{name}**"]
    if isinstance(item, TransferItem):
        parts.append(f"{item.distance_m / 1000:.1f} km")
        parts += [f"{format_money(item.cost)} {currency}"] if item.cost else []
    elif isinstance(item, StayItem):
        parts.append(words["rooms"].format(n=item.rooms))
    if isinstance(item, VisitItem | MealItem | LegItem | StayItem):
        parts += filter(None, [describe_cost(item, currency, words)])
    return " · ".join([*_show_times(delivered, entry), *parts])


def _name(delivered: Delivered, entry: Entry, words: Words) -> str:
    item = entry.item
    if isinstance(item, TransferItem):
        minutes = words["minutes"].format(n=count_minutes_under_way(item))
        return f"{words[item.mode]} {minutes} → {item.to}"
    if isinstance(item, LegItem):
        ends = delivered.name_city(item.from_city), delivered.name_city(item.to_city)
        return describe_leg(item, *ends, words)
    if isinstance(item, MealItem):
        return describe_meal(item, words)
    if isinstance(item, LuggageItem):
        return words[item.action].format(name=item.place)
    if isinstance(item, StayItem):
        return words["stay"].format(name=item.name)
    return item.title if isinstance(item, FixedItem) else item.name


def _show_times(delivered: Delivered, entry: Entry) -> Iterator[str]:
    """`09:00–11:00`; `+1` where the end is on the next date. Each end by its own city's clocks."""
    span = read_span(entry.item)
    if span is None:
        return
    first = _read_local(span[0], delivered.zone_of(entry.start.city))
    last = _read_local(span[1], delivered.zone_of(entry.end.city))
    later = (last.date() - entry.date).days
    mark = f" (+{later})" if later > 0 else ""
    yield f"{first:%H:%M}–{last:%H:%M}{mark}"


def _read_local(moment: dt.datetime, zone: ZoneInfo) -> dt.datetime:
    return moment.astimezone(zone)


def _write_costs(delivered: Delivered, words: Words) -> Iterator[str]:
    costs, currency = delivered.itinerary.costs, escape_markdown(delivered.itinerary.currency)
    yield from (f"## {words['costs']}", "")
    for name in Costs.model_fields:
        amount = f"{format_money(getattr(costs, name))} {currency}"
        yield f"- {words[name]}: " + (f"**{amount}**" if name == "total" else amount)
    yield ""


def _write_wishes(delivered: Delivered, words: Words) -> Iterator[str]:
    """Each wish, and whether the plan keeps it."""
    wishes = delivered.wishes
    if wishes:
        yield from (f"## {words['wishes']}", "")
        for shown in wishes:
            kept = words[{True: "kept", False: "missed", None: "unsure"}[shown.kept]]
            yield f"- {escape_markdown(shown.text)}: {kept}"
        yield ""


def _write_notes(delivered: Delivered, words: Words) -> Iterator[str]:
    """What belongs to no item: the rest stands where it belongs."""
    notes = [v.message for v in delivered.violations if v.where.item is None]
    if notes:
        yield from (f"## {words['notes']}", "")
        yield from (f"- {escape_markdown(note)}" for note in dict.fromkeys(notes))
