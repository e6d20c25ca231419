"""What each parameter and tool is, for whoever tunes it: Chinese, English."""

from backend.params.registry import PARAMS

_PARAMS_IN_CHINESE = {
    "POOL_POI_SIZE": "排序后每个城市保留的地点数。",
    "POOL_KNOWN_SIZE": "其中必定保留的最知名景点数。",
    "POOL_FOOD_SIZE": "其中餐饮类地点的上限（其他地点不足时可超出）。",
    "POOL_HOTEL_SIZE": "每个城市候选池中的酒店数。",
    "POOL_TRAIN_SIZE": "每段路程的车次数，按全天时间分布选取。",
    "POOL_RESERVE_SIZE": "每个城市另外留给重放用的地点数。",
    "POOL_ALLOW_SYNTHETIC": "允许编造的数据进入候选池（规模测试用）。",
    "POI_PRICE_CAP_ECONOMY": "经济档的票价上限。",
    "POI_PRICE_CAP_COMFORT": "舒适档的票价上限。",
    "POI_PRICE_CAP_QUALITY": "品质档的票价上限。",
    "HOTEL_STARS_ECONOMY": "经济档的酒店星级，用逗号分隔。",
    "HOTEL_STARS_COMFORT": "舒适档的酒店星级，用逗号分隔。",
    "HOTEL_STARS_QUALITY": "品质档的酒店星级，用逗号分隔。",
    "AGENT_MAX_TURNS": "一次运行中模型最多回复几次。",
    "AGENT_MAX_TOOL_CALLS": "一次运行中最多调用几次工具。",
    "AGENT_MAX_TOKENS": "一次运行的输入与输出 token 总数。",
    "AGENT_MAX_SECONDS": "一次运行中规划者的时间（秒）。",
    "CONTEXT_TOKEN_BUDGET": "发给模型的一次请求最多多少 token；需要更多的运行会停下并说明。",
    "TENANT_DAILY_COST_LIMIT": "一个租户一天（UTC）的模型费用上限，币种与价格相同。",
    "RESULT_TTL_SECONDS": "存储的结果在最后一次读取后保留多久（秒）。",
    "RESULT_QUOTA_RUN_BYTES": "一次运行所有存储结果的内容总量。",
    "RESULT_QUOTA_TENANT_BYTES": "一个租户所有存储结果的内容总量。",
    "TENANT_MAX_RUNNING": "一个租户同时进行或即将开始的运行数。",
    "TENANT_MAX_QUEUED": "一个租户等待中的运行数；再多就会被拒绝。",
    "RUN_DEADLINE_SECONDS": "从提出请求到结束的时限（秒），含等待。",
    "RUN_RETENTION_DAYS": "未置顶的已结束运行保留多少天。",
}

TEXTS: dict[str, tuple[str, str]] = {
    **{f"about.{p.key}": (_PARAMS_IN_CHINESE[p.key], p.description) for p in PARAMS},
    "about.list_pois": ("分页列出一个城市候选池中的地点。", "Lists the places of a city's pool."),
    "about.list_hotels": (
        "分页列出一个城市候选池中的酒店。",
        "Lists the hotels of a city's pool.",
    ),
    "about.list_trains": ("分页列出一段路程的车次。", "Lists the trains of a leg."),
    "about.get_poi": ("打开一个地点的全部信息。", "Opens one place in full."),
    "about.get_hotel": ("打开一家酒店的全部信息。", "Opens one hotel in full."),
    "about.get_train": ("打开一个车次的全部信息。", "Opens one train in full."),
    "about.put_visit": ("把一个地点放进某一天。", "Puts a place into a day."),
    "about.choose_hotel": ("为一个城市选定酒店。", "Chooses a city's hotel."),
    "about.choose_train": ("为一段路程选定车次。", "Chooses a leg's train."),
    "about.remove_item": ("从行程中去掉一项。", "Takes an item out."),
    "about.arrange": ("由程序安排一组地点。", "Arranges a set of places by code."),
    "about.view_itinerary": ("查看目前的行程。", "Shows the itinerary as it stands."),
    "about.submit_itinerary": ("提交行程。", "Hands the itinerary in."),
    "about.result_query": ("查询存放在句柄后的大结果。", "Asks a large result behind its handle."),
}
