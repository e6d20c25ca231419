"""The words of the frame around every page, signing in, and faults: Chinese, English."""

TEXTS: dict[str, tuple[str, str]] = {
    "title": ("Waypool 控制台", "Waypool console"),
    "skip": ("跳到正文", "Skip to content"),
    "nav.ask": ("规划行程", "Ask"),
    "nav.runs": ("运行记录", "Runs"),
    "nav.tune": ("调参", "Tune"),
    "nav.stats": ("统计", "Statistics"),
    "nav.catalogue": ("目录", "Catalogue"),
    "nav.label": ("主导航", "Main"),
    "nav.out": ("退出", "Sign out"),
    "language": ("English", "中文"),
    "back": ("返回", "Back"),
    "page.none": ("无", "none"),
    # sign in
    "sign_in.title": ("登录", "Sign in"),
    "sign_in.key": ("API 密钥", "API key"),
    "sign_in.hint": (
        "用 waypool keys create --scope user --scope admin --scope developer 可生成一把。",
        "'waypool keys create --scope user --scope admin --scope developer' makes one.",
    ),
    "sign_in.go": ("登录", "Sign in"),
    "sign_in.wrong": ("密钥未知或已被吊销。", "This key is unknown or revoked."),
    "sign_in.ended": ("登录已过期，请重新登录。", "Your session has ended. Sign in again."),
    "sign_in.used": (
        "这个链接已用过或已过期，请用密钥登录。",
        "This link was used already or is too old. Sign in with a key.",
    ),
    # faults
    "fault.400": ("表单无效", "This form cannot be used"),
    "fault.403": ("无权访问", "Not allowed"),
    "fault.404": ("没有找到", "Not found"),
    "fault.405": ("不支持的操作", "Not possible here"),
    "fault.409": ("与当前状态冲突", "Not possible now"),
    "fault.412": ("已被他人修改", "Changed by somebody else"),
    "fault.422": ("输入有误", "Something is wrong with this input"),
    "fault.429": ("请求太多", "Too many at once"),
    "fault.503": ("暂时不可用，请稍后再试", "Away for the moment, try again shortly"),
    "fault.500": ("内部错误", "An error of Waypool's own"),
    "fault.500.text": ("已写入服务器日志。", "It is in the server's log."),
    "fault.on": ("去首页", "Go to the first page"),
}
