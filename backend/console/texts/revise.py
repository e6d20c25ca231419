"""The words of changing a finished plan and of checking it again: Chinese, English."""

TEXTS: dict[str, tuple[str, str]] = {
    "revise.title": ("修改这份行程", "Change this plan"),
    "revise.lead": (
        "修改会成为一次新的运行，这一次保持原样。",
        "A change becomes a new run; this one stays as it is.",
    ),
    "revise.message": ("想怎么改？", "What should be different?"),
    "revise.message.hint": (
        "用自己的话写，交给语言模型；下面的修改由程序先完成。",
        "In your own words, for the language model; the changes below are made by code first.",
    ),
    "revise.no_model": (
        "没有配置语言模型，内置规划器读不懂文字：请在下面直接选择要改的地方。",
        "No language model is configured, and the built-in planner reads no words:"
        " choose below what to change.",
    ),
    "revise.builtin": (
        "这次运行由内置规划器负责，它读不懂文字：请在下面直接选择要改的地方。",
        "The built-in planner works on this run, and it reads no words:"
        " choose below what to change.",
    ),
    "revise.add": ("加入地点", "Add places"),
    "revise.search": ("在候选池中搜索", "Search the pool"),
    "revise.search.hint": (
        "名称要与候选池中的完全一致：",
        "Exact names, as the pool has them:",
    ),
    "revise.place": ("地点 {n}", "Place {n}"),
    "revise.day": ("哪一天（地点 {n}）", "Day (place {n})"),
    "revise.day.any": ("最合适的一天", "where it fits"),
    "revise.pace.same": ("不变（{pace}）", "As it is ({pace})"),
    "revise.pace.hint": (
        "换节奏会重新安排地点，放不下的会去掉。",
        "Another pace arranges the places anew; what does not fit goes.",
    ),
    "revise.hotel.same": ("不换", "Keep"),
    "revise.hotel.other": ("换成另一家最合适的", "The best other one"),
    "revise.refresh": ("按今天的目录重建候选池", "Take a new pool from today's catalogue"),
    "revise.marks": (
        "在下面的行程里勾选“保留”或“去掉”；保留的内容无论如何都不会变。",
        "Tick “Keep” or “Take out” at the items of the plan below; what you keep stays whatever else changes.",
    ),
    "revise.keep": ("保留", "Keep"),
    "revise.remove": ("去掉", "Take out"),
    "revise.go": ("按此修改", "Make the change"),
    "revise.fault.nothing_asked": (
        "还没有要改的地方：请至少选择一项。",
        "Nothing is to be changed yet: choose at least one thing.",
    ),
    "revise.fault.model_needed": (
        "文字需要语言模型，而这里没有：请选择具体的修改。",
        "Words need a language model, and there is none here: choose what to change.",
    ),
    "revise.fault.locked": (
        "这与要保留的内容矛盾。",
        "It would change something that you want to keep.",
    ),
    "revise.fault.gone": (
        "要保留的内容已不在今天的候选池中。",
        "Something that you want to keep is not in today's pool any more.",
    ),
    "revise.fault.no_such_item": ("行程里没有这一项。", "The plan has no such item."),
    "revise.fault.no_choice": ("这一项不是选出来的，不能改。", "Nobody chose this item."),
    "revise.fault.not_in_pool": (
        "候选池里没有这个地点。",
        "This place is not in the pool.",
    ),
    "revise.fault.already_planned": (
        "它已在另一天的行程里。",
        "It is in the plan already, on another day.",
    ),
    "revise.fault.wrong_city": (
        "那一天不在这个城市；可以的日子",
        "That day is not spent in its city; these would do",
    ),
    "revise.fault.no_other_hotel": (
        "候选池里没有别的酒店。",
        "The pool has no other hotel there.",
    ),
    "revise.fault.queue_full": (
        "排队的运行已达上限，请稍后再提交。",
        "Too many runs are waiting; send it again in a moment.",
    ),
    "revise.fault.cost_limit": (
        "今天的语言模型费用已达上限；不写文字的修改仍然可以。",
        "The language models have cost as much today as they may; changes without words still go.",
    ),
    "run.parent.diff": ("与它对比", "what differs from it"),
    "event.revision_begun": ("修改一份行程", "Changes a finished plan"),
    # recheck
    "recheck.button": ("还有效吗？", "Does it still hold?"),
    "recheck.title": ("行程还有效吗？", "Does the plan still hold?"),
    "recheck.same": (
        "有效：行程里的内容自快照以来没有变化。",
        "It holds: nothing in the plan has changed since the snapshot.",
    ),
    "recheck.holds": (
        "有效，但有些内容变了。",
        "It holds, but some of it has changed.",
    ),
    "recheck.broken": (
        "不再有效：请看下面的变化。",
        "It does not hold any more; see what has changed.",
    ),
    "recheck.relaxed": (
        "检查的是放宽条件后的行程：",
        "What is checked is the plan under a changed request:",
    ),
    "recheck.versions": (
        "快照时目录版本 {then}，现在 {now}",
        "catalogue version {then} at the snapshot, {now} now",
    ),
    "recheck.changes": ("目录里的变化", "What has changed in the catalogue"),
    "recheck.thing": ("内容", "Thing"),
    "recheck.what": ("变化", "Change"),
    "recheck.fields": ("细节", "Details"),
    "recheck.then": ("当时", "Then"),
    "recheck.now": ("现在", "Now"),
    "recheck.violations": ("因此出现的问题", "What follows from it"),
    "recheck.change.gone": ("已不存在", "gone"),
    "recheck.change.closed": ("停用", "closed"),
    "recheck.change.not_running": ("当天不开行", "not running that day"),
    "recheck.change.changed": ("有变化", "changed"),
    "recheck.change.dearer": ("涨价", "dearer"),
    "recheck.change.cheaper": ("降价", "cheaper"),
    "recheck.change.price_known": ("价格已知", "price known now"),
    "recheck.change.price_unknown": ("价格不明", "price unknown now"),
    "recheck.go_on": ("修改这份行程", "Change this plan"),
    "recheck.go_on.hint": (
        "勾选“按今天的目录重建候选池”，新的运行就会使用今天的价格和开放时间。",
        "Tick “Take a new pool from today's catalogue” there, and the new run goes by today's prices and hours.",
    ),
}
