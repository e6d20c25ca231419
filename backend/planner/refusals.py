"""The errors of refused edits: a code, a sentence, and what would be allowed."""

from collections.abc import Iterable, Sequence

from backend.errors import ToolError
from backend.pool.candidate import CityRow, HotelCandidate, PoiCandidate, TrainCandidate
from backend.pool.snapshot import Snapshot
from backend.text import Locale, find_near, shorten

LONGEST_VALUE = 200
"""Names are at most this long; what a model makes up may be longer."""

MESSAGES: dict[str, dict[Locale, str]] = {
    "NOT_IN_POOL": {
        "zh-CN": "{id} 不在候选范围内，请使用列表工具给出的 id。",
        "en": "{id} is not among the candidates; use an id that a list tool shows.",
    },
    "NO_SUCH_DAY": {
        "zh-CN": "没有第 {day} 天：行程共 {days} 天，从 1 数起。",
        "en": "There is no day {day}: the trip has {days} day(s), counted from 1.",
    },
    "NO_SUCH_LEG": {
        "zh-CN": "没有行程段 {leg}：共 {legs} 段，从 0 数起。",
        "en": "There is no leg {leg}: the trip has {legs} leg(s), counted from 0.",
    },
    "NO_SUCH_ITEM": {
        "zh-CN": "第 {day} 天没有第 {item} 项：共 {items} 项，从 0 数起。",
        "en": "Day {day} has no item {item}: it has {items} item(s), counted from 0.",
    },
    "NO_SUCH_CITY": {
        "zh-CN": "{city} 不是目的地城市。",
        "en": "{city} is none of the destination cities.",
    },
    "NOT_REMOVABLE": {
        "zh-CN": "第 {day} 天第 {item} 项（{kind}）不能删除：只能删除参观、用餐地点、车次和酒店。",
        "en": "Item {item} of day {day} ({kind}) cannot be removed: only visits, meals at a place, "
        "trains and stays can.",
    },
    "ALREADY_PLANNED": {
        "zh-CN": "{name}已安排在第 {day} 天；要换到别的天，请先删除。",
        "en": "{name} is planned on day {day} already; remove it there before moving it.",
    },
    "WRONG_CITY": {
        "zh-CN": "{name}在{city}，第 {day} 天不在该城市。",
        "en": "{name} is in {city}, and day {day} is not spent there.",
    },
    "WRONG_HOTEL_CITY": {
        "zh-CN": "{name}在{city}，不在{wanted}。",
        "en": "{name} is in {city}, not in {wanted}.",
    },
    "NO_NIGHT": {
        "zh-CN": "在{city}不过夜，不需要酒店。",
        "en": "No night is spent in {city}, so it needs no hotel.",
    },
    "BAD_TIME": {
        "zh-CN": "时间 {at} 无效：应为当天零点起的分钟数，0 至 1560（26:00）。",
        "en": "{at} is not a time: minutes after midnight, 0 to 1560 (26:00), are right.",
    },
    "WRONG_LEG": {
        "zh-CN": "{ids} 不是行程段 {leg} 的车次：请选一个直达车次，或列出的一组中转车次。",
        "en": "{ids} is no choice for leg {leg}: take one direct train, or one of its connections.",
    },
}


def refuse(
    snapshot: Snapshot,
    reason: str,
    allowed: Sequence[str] = (),
    *,
    code: str = "",
    **values: object,
) -> ToolError:
    """The error for a reason of `MESSAGES`; its code is the reason unless another is given."""
    shown = {name: shorten(str(value), LONGEST_VALUE) for name, value in values.items()}
    message = MESSAGES[reason][snapshot.request.locale].format(**shown)
    return ToolError(code or reason, message, tuple(allowed))


def refuse_unknown(
    snapshot: Snapshot,
    wanted: str,
    rows: Iterable[PoiCandidate | HotelCandidate | TrainCandidate],
) -> ToolError:
    """NOT_IN_POOL, with up to three ids whose id or name looks like what was wanted."""
    return refuse(snapshot, "NOT_IN_POOL", find_near_ids(wanted, rows), id=wanted)


def find_near_ids(
    wanted: str, rows: Iterable[PoiCandidate | HotelCandidate | TrainCandidate], limit: int = 3
) -> list[str]:
    """Ids of the rows whose id or names are nearest to `wanted`, nearest first."""
    ids_by_name: dict[str, str] = {}
    for row in rows:
        for name in _list_names(row):
            ids_by_name.setdefault(name, row.id)
    near = find_near(shorten(wanted, LONGEST_VALUE), ids_by_name, limit=limit * 3)
    return list(dict.fromkeys(ids_by_name[name] for name in near))[:limit]


def find_city(snapshot: Snapshot, wanted: str) -> CityRow:
    """A destination city by id or name."""
    for city_id in snapshot.city_order:
        row = snapshot.city_rows[city_id]
        if wanted.casefold() in {row.id.casefold(), row.name, row.name_en.casefold()}:
            return row
    raise refuse(snapshot, "NO_SUCH_CITY", snapshot.city_order, city=wanted)


def _list_names(row: PoiCandidate | HotelCandidate | TrainCandidate) -> tuple[str, ...]:
    if isinstance(row, TrainCandidate):
        return row.id, row.number
    return tuple(name for name in (row.id, row.name, row.name_en) if name)
