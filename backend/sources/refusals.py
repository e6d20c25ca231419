"""The errors of sources, in both languages; the model reads one and goes on without the source."""

from collections.abc import Sequence

from backend.results.refusals import ResultError, shorten


class SourceError(ResultError):
    """A source that gives no answer; the run goes on without it."""


def refuse_change(source: str, what: str) -> SourceError:
    """The response has not the shape that the projection was written for; nothing of it is used."""
    return SourceError(
        "SOURCE_CHANGED",
        f"{source} answers in a changed shape ({shorten_reason(what)}); nothing of it is used,"
        " go on without it",
        translated=f"{source} 返回的格式已改变（{shorten_reason(what)}），未采用任何内容；请继续，不要依赖它",
    )


def refuse_gap(source: str, what: str, translated: str, allowed: Sequence[str] = ()) -> SourceError:
    """The source says nothing about what was asked, which is not the same as none."""
    return SourceError(
        "NOT_COVERED",
        f"{source} has no data for this: {what}",
        allowed,
        translated=f"{source} 没有相应的数据：{translated}",
    )


def refuse_untyped_date(source: str, column: str) -> SourceError:
    """As text, `02-01-2026` comes after `01-12-2026`: such an order would be wrong in silence."""
    shown = shorten(column)
    return SourceError(
        "UNTYPED_DATE",
        f"{source}: column {shown!r} holds dates as text and cannot be ordered or compared;"
        " give it a date format in the projection",
        translated=f"{source}：列 {shown!r} 是文本形式的日期，不能排序或比较；请在投影中给出日期格式",
    )


def shorten_reason(what: str) -> str:
    """A reason fit to be shown; what a response holds may be long."""
    line = " ".join(what.split())
    return line if len(line) <= 200 else line[:199] + "…"


def refuse_size(source: str, limit: int) -> SourceError:
    """More than may be read; a part of it would be an answer that nobody could trust."""
    return SourceError(
        "SOURCE_TOO_LARGE",
        f"{source} answers with more than {limit} bytes; nothing of it is used, go on without it",
        translated=f"{source} 的返回超过 {limit} 字节，未采用任何内容；请继续，不要依赖它",
    )


def refuse_time(source: str, seconds: float) -> SourceError:
    """Too slow."""
    return SourceError(
        "SOURCE_SLOW",
        f"{source} did not answer within {seconds:g} seconds; go on without it",
        translated=f"{source} 在 {seconds:g} 秒内没有返回；请继续，不要依赖它",
    )


def refuse_failure(source: str, what: str) -> SourceError:
    """Down, or not willing."""
    return SourceError(
        "SOURCE_DOWN",
        f"{source} cannot be reached or refuses ({shorten_reason(what)}); go on without it",
        translated=f"{source} 无法访问或拒绝请求（{shorten_reason(what)}）；请继续，不要依赖它",
    )


def refuse_type(source: str, what: str) -> SourceError:
    """Something else than data of the source's format."""
    return SourceError(
        "SOURCE_WRONG_TYPE",
        f"{source} answers with something else than its data ({shorten_reason(what)}); nothing"
        " of it is used, go on without it",
        translated=f"{source} 返回的类型不对（{shorten_reason(what)}），未采用任何内容；请继续，不要依赖它",
    )


def refuse_host(source: str, what: str) -> SourceError:
    """A place from which nothing is fetched."""
    return SourceError(
        "SOURCE_FORBIDDEN",
        f"{source} is at a place from which nothing is fetched ({shorten_reason(what)}); go on"
        " without it",
        translated=f"{source} 的地址不允许访问（{shorten_reason(what)}）；请继续，不要依赖它",
    )
