"""A wish in a few words, for a reader of either language, and how it is shown back."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import partial
from typing import Any

from pydantic import Field

from backend.catalogue.place_types import WordKind, name_word
from backend.document import Document
from backend.money import format_money
from backend.pool.plan_request import PlanRequest
from backend.pool.snapshot import Snapshot
from backend.pool.wishes import Wish, list_ids
from backend.text import Locale

NameOf = Callable[[str], str]
"""A row's name by its id."""


class WishDocument(Document):
    """A wish of the request and whether the plan keeps it."""

    wish: Wish
    text: str
    kept: bool | None = Field(
        description="Null: not known, as long as there is no plan, or where the catalogue lacks it."
    )
    message: str | None = Field(description="What is instead, where it is not kept.")


Missed = Mapping[int, Sequence[tuple[bool, str]]]
"""By the number of a wish what is wrong: whether that is known, and the message."""


def show_wishes(
    request: PlanRequest, name_of: NameOf, locale: Locale, missed: Missed | None
) -> tuple[WishDocument, ...]:
    """The wishes in their order; `missed` is None where there is no plan."""
    return tuple(
        WishDocument(
            wish=wish,
            text=describe_wish(wish, name_of, locale),
            kept=_is_kept(None if missed is None else missed.get(number, ())),
            message=next((message for _, message in (missed or {}).get(number, ())), None),
        )
        for number, wish in enumerate(request.wishes)
    )


def _is_kept(wrong: Sequence[tuple[bool, str]] | None) -> bool | None:
    if wrong is None:
        return None
    if any(is_known for is_known, _ in wrong):
        return False
    return None if wrong else True


def make_names(snapshot: Snapshot, locale: Locale) -> NameOf:
    """Names of places, hotels, stations and tags of a snapshot; others are their own name."""
    tags = {tag.id: tag for tag in snapshot.tags}

    def name(row_id: str) -> str:
        rows = snapshot.rows
        row = rows.pois.get(row_id) or rows.hotels.get(row_id) or tags.get(row_id)
        if row is None:
            return row_id.split("/")[-1]
        return row.name_en or row.name if locale == "en" else row.name

    return name


THINGS: dict[str, tuple[str, str]] = {
    "hotels": ("酒店", "hotels"),
    "tickets": ("门票", "tickets"),
    "meals": ("餐饮", "meals"),
    "intercity": ("城际交通", "travel between cities"),
    "local": ("市内交通", "local transport"),
    "night": ("每间每晚房费", "a night in one room"),
    "meal": ("每餐人均", "a meal for one"),
    "ticket": ("每张门票", "a ticket"),
}
MODES: dict[str, tuple[str, str]] = {
    "train": ("火车", "train"),
    "flight": ("飞机", "flight"),
    "coach": ("大巴", "coach"),
    "ferry": ("轮渡", "ferry"),
    "own": ("自行安排", "own means"),
    "walk": ("步行", "walking"),
    "metro": ("地铁", "metro"),
    "bus": ("公交", "bus"),
    "taxi": ("出租车", "taxi"),
    "cable_car": ("缆车", "cable car"),
}
BEDS: dict[str, tuple[str, str]] = {
    "one_double": ("大床房", "one double bed"),
    "two_single": ("双床房", "two single beds"),
    "family": ("家庭房", "a family room"),
}
MEALS: dict[str, tuple[str, str]] = {
    "breakfast": ("早餐", "breakfast"),
    "lunch": ("午餐", "lunch"),
    "dinner": ("晚餐", "dinner"),
}


def say(texts: tuple[str, str], locale: Locale) -> str:
    """The Chinese or the English text."""
    return texts[1 if locale == "en" else 0]


def list_words(words: Sequence[str], locale: Locale) -> str:
    """Words with commas of the language."""
    return (", " if locale == "en" else "、").join(words)


def show_amount(amount: Decimal) -> str:
    """Money as people write it: without cents where there are none."""
    return format_money(amount).removesuffix(".00")


def describe_wish(wish: Wish, name_of: NameOf, locale: Locale) -> str:
    """What is wished for, in a few words."""
    t = partial(_choose, locale)
    parts = [part for part in _WRITERS[wish.kind](wish, name_of, locale) if part]
    text = ("; " if locale == "en" else "；").join(parts)
    return t(f"不要：{text}", f"not: {text}") if wish.negated else text


def _choose(locale: Locale, chinese: str, english: str) -> str:
    return english if locale == "en" else chinese


def _limits(wish: Any, locale: Locale) -> str:
    t = partial(_choose, locale)
    limits = []
    if wish.at_least is not None:
        amount = show_amount(wish.at_least)
        limits.append(t(f"不低于 {amount}", f"at least {amount}"))
    if wish.at_most is not None:
        amount = show_amount(wish.at_most)
        limits.append(t(f"不超过 {amount}", f"at most {amount}"))
    return t("，", ", ").join(limits)


def _spend(wish: Any, _name_of: NameOf, locale: Locale) -> Iterator[str]:
    t = partial(_choose, locale)
    thing = say(THINGS[wish.on], locale)
    yield t(f"{thing}总共{_limits(wish, locale)}", f"{_limits(wish, locale)} on {thing} in all")


def _price(wish: Any, _name_of: NameOf, locale: Locale) -> Iterator[str]:
    t = partial(_choose, locale)
    thing = say(THINGS[wish.of], locale)
    mean = "" if wish.each else t("平均", " on average")
    limits = _limits(wish, locale)
    yield t(f"{thing}{mean}{limits}", f"{limits} for {thing}{mean}")


def _intercity(wish: Any, _name_of: NameOf, locale: Locale) -> Iterator[str]:
    t = partial(_choose, locale)
    legs = {"all": ("全部城际路段", "all ways between cities"), "out": ("去程", "the way out"),
            "back": ("返程", "the way back")}  # fmt: skip
    number = (f"第 {wish.legs} 段城际路（从 0 数）", f"leg {wish.legs} (from 0)")
    yield say(legs.get(wish.legs, number), locale)
    if wish.mode:
        yield t(f"乘{say(MODES[wish.mode], locale)}", f"by {say(MODES[wish.mode], locale)}")
    if wish.types:
        types = list_words(wish.types, locale)
        yield t(f"车次类型 {types}", f"trains of type {types}")
    if wish.number:
        yield t(f"班次 {wish.number}", f"number {wish.number}")
    times = (
        (wish.depart_after, "{} 以后出发", "leaving at {} or later"),
        (wish.depart_before, "{} 以前出发", "leaving by {}"),
        (wish.arrive_after, "{} 以后到达", "arriving at {} or later"),
        (wish.arrive_before, "{} 以前到达", "arriving by {}"),
    )
    for time, chinese, english in times:
        if time:
            yield t(chinese, english).format(time)
    if wish.direct:
        yield t("不换乘", "without a change")
    if wish.longest_min:
        minutes = wish.longest_min
        yield t(f"路上不超过 {minutes} 分钟", f"no longer than {minutes} minutes")


def _beds(wish: Any, _name_of: NameOf, locale: Locale) -> Iterator[str]:
    t = partial(_choose, locale)
    beds = say(BEDS[wish.in_room], locale)
    if wish.rooms is None:
        yield t(beds, f"rooms with {beds}")
    else:
        yield t(f"{wish.rooms} 间{beds}", f"{wish.rooms} room(s) with {beds}")


def _words(kind: WordKind, keys: Sequence[str], locale: Locale) -> list[str]:
    return [name_word(kind, key, locale) for key in keys]


def _count(wish: Any, locale: Locale) -> str:
    """How many, as `at_least` and `at_most` say."""
    t = partial(_choose, locale)
    if wish.at_most is None:
        return t(f"至少 {wish.at_least}", f"at least {wish.at_least}")
    if not wish.at_least:
        return t(f"最多 {wish.at_most}", f"at most {wish.at_most}")
    return t(f"{wish.at_least} 到 {wish.at_most}", f"{wish.at_least} to {wish.at_most}")


def _visit(wish: Any, name_of: NameOf, locale: Locale) -> Iterator[str]:
    t = partial(_choose, locale)
    named = [*_words("type", wish.type, locale), *map(name_of, (*wish.tag, *wish.any_of))]
    words = list_words(list(dict.fromkeys(named)), locale) or t("景点", "sights")
    if wish.free:
        words = t(f"免费的{words}", f"free {words}")
    if wish.none:
        yield t(f"不去{words}", f"none of: {words}")
    else:
        number = _count(wish, locale)
        yield t(f"参观{number} 处：{words}", f"visit {number} of: {words}")
    if wish.day:
        yield t(f"第 {wish.day} 天", f"on day {wish.day}")
    if wish.each_day:
        yield t("每天", "each day")


def _eat(wish: Any, name_of: NameOf, locale: Locale) -> Iterator[str]:
    t = partial(_choose, locale)
    named = [*_words("cuisine", wish.cuisine, locale), *map(name_of, list_ids(wish.place))]
    words, number = list_words(named, locale), _count(wish, locale)
    meal = say(MEALS[wish.meal], locale) if wish.meal else t("餐", "meal(s)")
    yield t(f"{number} 顿{meal}：{words}", f"{number} {meal}: {words}")
    if wish.day:
        yield t(f"第 {wish.day} 天", f"on day {wish.day}")


def _hotel(wish: Any, name_of: NameOf, locale: Locale) -> Iterator[str]:
    t = partial(_choose, locale)
    if wish.hotel:
        yield t(f"住{name_of(wish.hotel)}", f"stay at {name_of(wish.hotel)}")
    if wish.features:
        words = list_words([_name_feature(f, name_of, locale) for f in wish.features], locale)
        yield t(f"酒店有{words}", f"a hotel with {words}")
    if wish.near:
        place = _or(list_ids(wish.near), name_of, locale)
        yield t(
            f"酒店距{place}不超过 {wish.metres} 米", f"a hotel within {wish.metres} m of {place}"
        )
    if wish.stars:
        yield t(f"酒店至少 {wish.stars} 星", f"a hotel of at least {wish.stars} stars")
    if wish.stars_at_most:
        stars = wish.stars_at_most
        yield t(f"酒店最多 {stars} 星", f"a hotel of at most {stars} stars")
    if wish.rating is not None:
        yield t(f"酒店评分至少 {wish.rating:g}", f"a hotel rated {wish.rating:g} or better")
    if wish.same:
        yield t("每座城市全程住同一家酒店", "the same hotel for all nights in a city")


def _name_feature(feature: str, name_of: NameOf, locale: Locale) -> str:
    shown = name_word("feature", feature, locale)
    return name_of(feature) if shown == feature else shown


def _or(ids: Sequence[str], name_of: NameOf, locale: Locale) -> str:
    return (" or " if locale == "en" else "或").join(map(name_of, ids))


def _local(wish: Any, _name_of: NameOf, locale: Locale) -> Iterator[str]:
    t = partial(_choose, locale)
    said = (
        (wish.only, "市内只用{}", "only {} in the city"),
        (wish.use, "市内要用{}", "use {} in the city"),
        (wish.never, "市内不用{}", "no {} in the city"),
    )
    for modes, chinese, english in said:
        if modes:
            words = list_words([say(MODES[mode], locale) for mode in modes], locale)
            yield t(chinese, english).format(words)
    if wish.longest_walk_m:
        metres = wish.longest_walk_m
        yield t(f"一次步行不超过 {metres} 米", f"no walk of more than {metres} m")
    if wish.longest_min:
        minutes = wish.longest_min
        yield t(f"每段路不超过 {minutes} 分钟", f"no way of more than {minutes} minutes")


def _at(wish: Any, name_of: NameOf, locale: Locale) -> Iterator[str]:
    t = partial(_choose, locale)
    yield _or(list_ids(wish.place), name_of, locale)
    if wish.day:
        yield t(f"第 {wish.day} 天", f"on day {wish.day}")
    if wish.start:
        yield t(f"{wish.start} 以后到", f"not before {wish.start}")
    if wish.end:
        yield t(f"{wish.end} 以前离开", f"left by {wish.end}")
    if wish.minutes:
        yield t(f"至少停留 {wish.minutes} 分钟", f"for at least {wish.minutes} minutes")
    if wish.after:
        place = _or(list_ids(wish.after), name_of, locale)
        yield t(f"排在{place}之后", f"after {place}")


_WRITERS: dict[str, Callable[[Any, NameOf, Locale], Iterator[str]]] = {
    "spend": _spend,
    "price": _price,
    "intercity": _intercity,
    "beds": _beds,
    "visit": _visit,
    "eat": _eat,
    "hotel": _hotel,
    "local": _local,
    "at": _at,
}
