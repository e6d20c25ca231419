"""What a relaxation says, in both languages."""

from backend.text import Locale

MESSAGES: dict[str, dict[Locale, str]] = {
    "raise_budget": {
        "zh-CN": "把预算提高{amount} {currency}。",
        "en": "Raise the budget by {amount} {currency}.",
    },
    "leave_out": {
        "zh-CN": "放弃{names}。",
        "en": "Leave out {names}.",
    },
    "add_day": {
        "zh-CN": "在{city}多留 {count} 天（{dates}）。",
        "en": "Stay {count} more day(s) in {city}: {dates}.",
    },
    "extend_day": {
        "zh-CN": "把每天的时间放宽到 {first}-{last}。",
        "en": "Let the days last from {first} to {last}.",
    },
    "move_booking": {
        "zh-CN": "把“{title}”改到 {start}-{end}（{minutes} 分钟）。",
        "en": "Move “{title}” by {minutes} minutes, to {start}-{end}.",
    },
    "omit_booking": {
        "zh-CN": "取消“{title}”（{start}-{end}）。",
        "en": "Do without “{title}” ({start}-{end}).",
    },
    "move_arrival": {
        "zh-CN": "提前到 {time} 到达。",
        "en": "Arrive at {time}.",
    },
    "move_departure": {
        "zh-CN": "推迟到 {time} 离开。",
        "en": "Depart at {time}.",
    },
    "drop_city": {
        "zh-CN": "不去{city}。",
        "en": "Leave out {city}.",
    },
}
