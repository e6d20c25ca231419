"""The words of statistics and findings: Chinese, English."""

TEXTS: dict[str, tuple[str, str]] = {
    "stats.title": ("统计与发现", "Statistics"),
    "stats.lead": (
        "这段时间内结束的运行：每个数字、期间的改动，以及从中得出的发现。",
        "Runs that ended in this time: their figures, what was changed meanwhile, and what follows.",
    ),
    "stats.since": ("从（UTC）", "From (UTC)"),
    "stats.until": ("到（UTC，不填为现在）", "To (UTC; empty: now)"),
    "stats.by": ("分组", "By"),
    "stats.by.city": ("城市", "City"),
    "stats.by.model": ("模型", "Model"),
    "stats.by.tenant": ("租户", "Tenant"),
    "stats.by.tool": ("工具", "Tool"),
    "stats.against": ("与前一段时间对比", "Beside the span before"),
    "stats.go": ("查看", "Show"),
    "stats.spans": ("常用时间段", "Usual spans"),
    "stats.span.1": ("最近 1 天", "Last day"),
    "stats.span.7": ("最近 7 天", "Last 7 days"),
    "stats.span.30": ("最近 30 天", "Last 30 days"),
    "stats.empty": ("这段时间内没有运行结束。", "No run ended in this time."),
    "stats.truncated": (
        "只统计了最新的 {n} 次运行。",
        "Only the newest {n} runs are counted.",
    ),
    "stats.findings": ("发现", "Findings"),
    "stats.findings.none": (
        "没有发现异常：规则没有找到值得改动的地方。",
        "Nothing stands out: no rule finds anything to change.",
    ),
    "stats.findings.more": ("全部统计与发现", "All statistics and findings"),
    "stats.try": ("预览 {name} = {value}", "Preview {name} = {value}"),
    "stats.look": ("预览 {name}", "Preview {name}"),
    "stats.runs": ("运行 {n}", "runs: {n}"),
    "stats.chart": (
        "时间轴：{runs} 次运行，{changes} 处改动",
        "Time axis: {runs} runs, {changes} changes",
    ),
    "stats.timeline": ("运行与改动", "Runs and changes"),
    "stats.good": ("有可行方案", "valid plan"),
    "stats.bad": ("没有可行方案", "no valid plan"),
    "stats.other": ("其他", "others"),
    "stats.changes": ("期间的改动", "Changes in this time"),
    "stats.changes.none": ("期间没有改动参数或返回上限。", "No parameter or limit was changed."),
    "stats.changes.more": (
        "另有 {n} 处改动未标出，见修改记录。",
        "{n} more changes are not marked; the changes' own page has them.",
    ),
    "stats.groups": ("数字", "Figures"),
    "stats.key": ("分组", "Group"),
    "stats.col.runs": ("运行", "Runs"),
    "stats.col.succeeded": ("成功", "Valid plan"),
    "stats.col.without_plan": ("无方案", "No plan"),
    "stats.col.cancelled": ("取消", "Cancelled"),
    "stats.col.stopped_by_limit": ("触及上限", "Stopped"),
    "stats.col.fell_back": ("改由内置", "Fell back"),
    "stats.col.seconds": ("秒/次", "Seconds"),
    "stats.col.turns": ("轮/次", "Turns"),
    "stats.col.tool_calls": ("调用/次", "Calls"),
    "stats.col.invalid_calls": ("无效调用", "Invalid"),
    "stats.col.input_tokens": ("输入 token", "Tokens in"),
    "stats.col.cached_tokens": ("缓存", "Cached"),
    "stats.col.output_tokens": ("输出", "Out"),
    "stats.col.cost": ("费用", "Cost"),
    "stats.col.rating": ("评分", "Rating"),
    "stats.funnel": ("城市漏斗（每次运行平均）", "Funnel by city (average of a run)"),
    "stats.col.places": ("地点", "Places"),
    "stats.col.size": ("上限", "Size"),
    "stats.col.pool": ("候选池", "Pool"),
    "stats.col.listed": ("列出", "Listed"),
    "stats.col.opened": ("细看", "Opened"),
    "stats.col.selected": ("选中", "Selected"),
    "stats.col.rejected": ("被筛掉", "Dropped"),
    "stats.tools": ("工具", "Tools"),
    "stats.col.calls": ("调用", "Calls"),
    "stats.col.calls_a_run": ("每次运行", "A run"),
    "stats.col.has_more_share": ("未列完", "Has more"),
    "stats.col.empty_share": ("空", "Empty"),
    "stats.col.repeat_share": ("重复", "Repeats"),
    "stats.col.error_share": ("出错", "Errors"),
    # findings
    "finding.POOL_SHORT": (
        "{city}有 {share} 的运行没有得到可行方案，候选池 {size} 个名额只有 {pool} 个地点："
        "{tier}档因“{reason}”筛掉 {rejects} 个；放宽它或补充地点。",
        "{share} of runs in {city} end without a valid plan and their pool held {pool} of {size}"
        " places: in the tier {tier}, ‘{reason}’ drops {rejects}; raise it or add places.",
    ),
    "finding.POOL_IDLE": (
        "{city}的运行平均只列出 {pool_a_run} 个候选地点中的 {listed_a_run} 个，最多 {most} 个："
        "可以缩小候选池，或让 list_pois 多给一些。",
        "Runs in {city} list {listed_a_run} of {pool_a_run} places on average, {most} at most:"
        " the pool could be smaller, or list_pois show more.",
    ),
    "finding.STOPPED_BY_LIMIT": (
        "{runs} 次运行中有 {share} 因上限而停下，多数是 {stop}。",
        "{share} of {runs} runs end by a stop limit, most by {stop}.",
    ),
    "finding.PAGES_TOO_SHORT": (
        "{tool} 有 {has_more_share} 的页没有列完，每次运行要调用 {calls_a_run} 次："
        "提高返回上限可以少调用几次。",
        "{has_more_share} of the pages of {tool} leave something out and a run calls it"
        " {calls_a_run} times: a higher return limit would save calls.",
    ),
    "finding.REPEATS": (
        "{tool} 的调用有 {repeat_share} 是重复的：模型找不到路。",
        "{repeat_share} of the calls of {tool} are repeats: the model does not see its way.",
    ),
    "finding.EMPTY_ANSWERS": (
        "{tool} 的回答有 {empty_share} 是空的：筛选条件与候选池不合。",
        "{empty_share} of the answers of {tool} are empty: the filters do not fit the pool.",
    ),
    "finding.LOW_RATINGS": (
        "{ratings} 份被评分的行程中有 {low} 份不高于 2 分。",
        "{low} of {ratings} rated plans have 2 or less.",
    ),
}
