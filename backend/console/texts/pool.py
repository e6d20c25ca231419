"""The words of rows: of a pool, of what it dropped, of the catalogue: Chinese, English."""

TEXTS: dict[str, tuple[str, str]] = {
    "rows.words": ("名称或编号", "Name or id"),
    "rows.order": ("排序", "Sort by"),
    "rows.order.rank": ("规则的顺序", "the rules' order"),
    "rows.order.name": ("名称", "name"),
    "rows.order.price": ("价格从低到高", "price, lowest first"),
    "rows.order.dearest": ("价格从高到低", "price, highest first"),
    "rows.show": ("显示", "Show"),
    "rows.found": ("共 {n} 行", "Rows: {n}"),
    "rows.none": ("没有这样的行。", "No such rows."),
    "rows.pages": ("翻页", "Pages"),
    "rows.page": ("第 {n} / {of} 页", "page {n} of {of}"),
    "rows.before": ("上一页", "Previous"),
    "rows.next": ("下一页", "Next"),
    "rows.reason": ("原因", "Reason"),
    "rows.night": ("每晚", "A night"),
    "rows.stars": ("星级", "Stars"),
    "rows.rating": ("评分", "Rating"),
    "rows.number": ("车次", "Train"),
    "rows.times": ("时间", "Times"),
    "rows.stations": ("车站", "Stations"),
    "rows.fare": ("票价", "Fare"),
    "dropped.snapshot": (
        "来自本次运行的快照：这些行一行不少。",
        "From the run's own snapshot: these are all of them.",
    ),
    "dropped.exact": (
        "快照只存了数量；这些行由同样的规则从目录重新得出。目录此后没有变过，所以就是当时的行。",
        "The snapshot holds the count; the rows are found again by the same rules in the catalogue,"
        " which has not changed since: these are the run's own.",
    ),
    "dropped.moved": (
        "快照只存了数量（当时 {n}）；目录此后有改动，下面是同样的规则对今天目录的判断，可能与当时不同。",
        "The snapshot holds the count ({n} then). The catalogue has changed since: below is what the"
        " same rules say of today's, and some rows may differ from the run's.",
    ),
    "dropped.leg": ("路程", "Leg"),
    "dropped.edit": ("编辑", "edit"),
    "dropped.why": ("为什么？", "why?"),
    "why.title": ("为什么没有……？", "Why is … not in?"),
    "why.words": ("名称的一部分", "A part of the name"),
    "why.search": ("查找", "Search"),
    "why.found": ("这些城市里的地点", "Places of these cities"),
    "why.more": ("按名称的一部分查找", "Search by a part of the name"),
}
