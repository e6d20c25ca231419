"""The words of the exports in both languages, and how amounts and times are put."""

import datetime as dt
from collections.abc import Mapping
from decimal import Decimal

from backend.money import format_money
from backend.planner.plan.itinerary import LegItem, MealItem, StayItem, TransferItem, VisitItem
from backend.text import Locale

Words = Mapping[str, str]

WORDS: dict[Locale, Words] = {
    "zh-CN": {
        "lunch": "午餐",
        "dinner": "晚餐",
        "walk": "步行",
        "metro": "地铁",
        "taxi": "出租车",
        "own": "自行安排",
        "minutes": "{n} 分钟",
        "way": "{mode} {minutes}，{time} 从{start}出发",
        "stay": "住宿：{name}",
        "rooms": "{n} 间",
        "nights": "{n} 晚",
        "at": "{meal}：{name}",
        "near": "{meal}（{name}附近）",
        "drop": "寄存行李：{name}",
        "collect": "取行李：{name}",
        "unknown": "价格未知",
        "free": "免费",
        "title": "{cities} · {first} 至 {last}",
        "party": "{n} 位旅客",
        "economy": "经济",
        "comfort": "舒适",
        "quality": "品质",
        "total": "合计",
        "as_of": "价格截至 {date}",
        "day": "第 {n} 天 · {date} {weekday} · {city}",
        "weekdays": "周一 周二 周三 周四 周五 周六 周日",
        "costs": "费用",
        "adult": "成人",
        "child": "儿童",
        "senior": "老人",
        "student": "学生",
        "tickets": "门票",
        "meals": "餐饮",
        "hotels": "酒店",
        "trains": "火车",
        "local_transport": "市内交通",
        "notes": "注意事项",
        "wishes": "愿望",
        "kept": "已满足",
        "missed": "未满足",
        "unsure": "待确认",
        "clash": "无法完全按要求安排",
        "relaxation": "可以这样调整：{message}",
        "unfinished": "这份行程尚未完成，请勿据此预订。",
        "nothing": "这一天没有安排。",
    },
    "en": {
        "lunch": "Lunch",
        "dinner": "Dinner",
        "walk": "Walk",
        "metro": "Metro",
        "taxi": "Taxi",
        "own": "own transport",
        "minutes": "{n} min",
        "way": "{mode} {minutes}, leaving {start} at {time}",
        "stay": "Night at {name}",
        "rooms": "{n} room(s)",
        "nights": "{n} night(s)",
        "at": "{meal} at {name}",
        "near": "{meal} near {name}",
        "drop": "Leave the luggage at {name}",
        "collect": "Fetch the luggage from {name}",
        "unknown": "price unknown",
        "free": "free",
        "title": "{cities} · {first} to {last}",
        "party": "{n} traveller(s)",
        "economy": "economy",
        "comfort": "comfort",
        "quality": "quality",
        "total": "Total",
        "as_of": "prices as of {date}",
        "day": "Day {n} · {weekday} {date} · {city}",
        "weekdays": "Mon Tue Wed Thu Fri Sat Sun",
        "costs": "Costs",
        "adult": "adult",
        "child": "child",
        "senior": "senior",
        "student": "student",
        "tickets": "Tickets",
        "meals": "Meals",
        "hotels": "Hotels",
        "trains": "Trains",
        "local_transport": "Local transport",
        "notes": "Please note",
        "wishes": "Wishes",
        "kept": "kept",
        "missed": "not kept",
        "unsure": "to be confirmed",
        "clash": "This cannot be done quite as asked",
        "relaxation": "What would help: {message}",
        "unfinished": "This plan is not finished: do not book by it.",
        "nothing": "Nothing is planned on this day.",
    },
}

Priced = VisitItem | MealItem | LegItem | StayItem


def count_pieces(item: Priced) -> int:
    """How many times `price` is paid."""
    return item.rooms if isinstance(item, StayItem) else item.tickets or 0


def describe_cost(item: Priced, currency: str, words: Words) -> str:
    """`2 × 60.00 = 120.00 CNY`; nothing for what is never paid here."""
    if isinstance(item, LegItem) and item.mode == "own":
        return ""
    if isinstance(item, MealItem) and item.poi_id is None:
        return ""
    if item.price is None or item.cost is None:
        return words["unknown"]
    if item.price == Decimal(0):
        return words["free"]
    fares = item.fares if isinstance(item, VisitItem | LegItem) else ()
    if fares:
        paid = (f"{words[fare.who]} {fare.count} × {format_money(fare.price)}" for fare in fares)
        return f"{' + '.join(paid)} = {format_money(item.cost)} {currency}"
    pieces = count_pieces(item)
    sums = f"{pieces} × {format_money(item.price)} = " if pieces != 1 else ""
    return f"{sums}{format_money(item.cost)} {currency}"


def count_minutes_under_way(item: TransferItem) -> int:
    """Minutes of a transfer."""
    return (item.arrive - item.depart) // dt.timedelta(minutes=1)


def describe_meal(item: MealItem, words: Words) -> str:
    """`Lunch`, `Lunch at …`, or `Lunch near …`."""
    meal = words[item.meal]
    if item.name:
        return words["at"].format(meal=meal, name=item.name)
    return words["near"].format(meal=meal, name=item.near) if item.near else meal


def describe_leg(item: LegItem, start: str, end: str, words: Words) -> str:
    """`G2 上海虹桥站 → 北京南站`; an own leg by its cities."""
    ends = f"{item.from_station or start} → {item.to_station or end}"
    if item.mode == "own":
        between = f"（{words['own']}）" if words is WORDS["zh-CN"] else f" ({words['own']})"
        return ends + between
    return f"{item.number} {ends}"
