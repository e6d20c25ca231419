"""All parameters in one tuple, with their defaults; a row in the database overrides a default."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Literal

from backend.errors import NotFoundError, OutOfBoundsError
from backend.text import quote, suggest

ParamValue = int | bool | str | list[int] | None
ParamType = Literal["integer", "boolean", "amount", "stars"]

_WHOLE = re.compile(r"-?[0-9]{1,18}")
_TRUE_FALSE = {"true": True, "on": True, "1": True, "false": False, "off": False, "0": False}


@dataclass(frozen=True)
class Param:
    """A parameter: `amount` is a decimal string or None (no cap), `stars` a list of 1 to 5.

    `in_snapshot` says that the value decides what a run does, so it is frozen with the run.
    """

    key: str
    type: ParamType
    default: ParamValue
    description: str
    minimum: int = 0
    maximum: int = 0
    in_snapshot: bool = True


PARAMS: tuple[Param, ...] = (
    Param("POOL_POI_SIZE", "integer", 60, "Places per city that stay after ranking.", 1, 500),
    Param("POOL_KNOWN_SIZE", "integer", 10, "Best-known sights always among them.", 0, 500),
    Param("POOL_FOOD_SIZE", "integer", 20, "Food places among them, if others are left.", 0, 500),
    Param("POOL_HOTEL_SIZE", "integer", 12, "Hotels per city in the pool.", 1, 200),
    Param("POOL_TRAIN_SIZE", "integer", 8, "Trains per leg, spread over the day.", 1, 200),
    Param("POOL_RESERVE_SIZE", "integer", 200, "Places per city kept for replay.", 0, 2000),
    Param("POOL_ALLOW_SYNTHETIC", "boolean", False, "Let made-up rows into pools (scale tests)."),
    Param("POI_PRICE_CAP_ECONOMY", "amount", "150.00", "Dearest ticket, economy.", 0, 1_000_000),
    Param("POI_PRICE_CAP_COMFORT", "amount", "300.00", "Dearest ticket, comfort.", 0, 1_000_000),
    Param("POI_PRICE_CAP_QUALITY", "amount", None, "Dearest ticket, quality.", 0, 1_000_000),
    Param("HOTEL_STARS_ECONOMY", "stars", [2, 3], "Star band, economy.", 1, 5),
    Param("HOTEL_STARS_COMFORT", "stars", [3, 4], "Star band, comfort.", 1, 5),
    Param("HOTEL_STARS_QUALITY", "stars", [4, 5], "Star band, quality.", 1, 5),
    Param("AGENT_MAX_TURNS", "integer", 60, "Model replies in one run.", 1, 1000),
    Param("AGENT_MAX_TOOL_CALLS", "integer", 200, "Tool calls in one run.", 1, 10_000),
    Param("AGENT_MAX_TOKENS", "integer", 1_000_000, "Tokens in and out.", 1000, 100_000_000),
    Param("AGENT_MAX_SECONDS", "integer", 600, "Wall time of one run's agent.", 1, 86_400),
    Param(
        "CONTEXT_TOKEN_BUDGET",
        "integer",
        100_000,
        "Tokens of one request to the model; a run that needs more stops and says so.",
        1000,
        100_000_000,
    ),
    Param(
        "TENANT_DAILY_COST_LIMIT",
        "amount",
        None,
        "What the models may cost a tenant in a day (UTC), in the currency of the prices.",
        0,
        1_000_000,
        in_snapshot=False,
    ),
    Param(
        "RESULT_TTL_SECONDS",
        "integer",
        86_400,
        "Life of a stored result after its last read.",
        1,
        31_536_000,
        in_snapshot=False,
    ),
    Param(
        "RESULT_QUOTA_RUN_BYTES",
        "integer",
        1_000_000_000,
        "Content of all stored results of a run.",
        1,
        1_000_000_000_000,
        in_snapshot=False,
    ),
    Param(
        "RESULT_QUOTA_TENANT_BYTES",
        "integer",
        10_000_000_000,
        "Content of all stored results of a tenant.",
        1,
        1_000_000_000_000,
        in_snapshot=False,
    ),
    Param(
        "TENANT_MAX_RUNNING",
        "integer",
        16,
        "Runs of one tenant that are at work, or next in line, at a time.",
        1,
        10_000,
        in_snapshot=False,
    ),
    Param(
        "TENANT_MAX_QUEUED",
        "integer",
        1000,
        "Waiting runs of one tenant; one more is refused.",
        1,
        1_000_000,
        in_snapshot=False,
    ),
    Param(
        "RUN_DEADLINE_SECONDS",
        "integer",
        86_400,
        "From a run's request to its end, waiting included.",
        1,
        2_592_000,
        in_snapshot=False,
    ),
    Param(
        "NEEDS_INPUT_HOURS",
        "integer",
        24,
        "How long a run waits for answers to its questions; then it ends as cancelled.",
        1,
        720,
        in_snapshot=False,
    ),
    Param(
        "RUN_RETENTION_DAYS",
        "integer",
        30,
        "How long an ended run is kept that nobody has pinned.",
        1,
        36_500,
        in_snapshot=False,
    ),
)

_BY_KEY = {param.key: param for param in PARAMS}


def find_param(key: str) -> Param:
    """The parameter with this key; a `NotFoundError` names near ones."""
    try:
        return _BY_KEY[key]
    except KeyError:
        near = suggest(key, _BY_KEY)
        raise NotFoundError(f"no parameter {quote(key)}; near: {near}") from None


def check_value(param: Param, value: object) -> ParamValue:
    """`value` as the parameter's type within its bounds, or an `OutOfBoundsError` that says both."""
    checks = {
        "integer": _check_integer,
        "boolean": _check_boolean,
        "amount": _check_amount,
        "stars": _check_stars,
    }
    return checks[param.type](param, value)


def parse_value(param: Param, text: str) -> ParamValue:
    """The value that a command line gives as text (`60`, `true`, `150.50`, `none`, `2,3`)."""
    text = text.strip()
    if param.type == "boolean":
        if text.lower() not in _TRUE_FALSE:
            raise OutOfBoundsError(f"{param.key} must be true or false, not {quote(text)}")
        return _TRUE_FALSE[text.lower()]
    if param.type == "stars":
        return check_value(param, [_read_whole(part.strip()) for part in text.split(",")])
    if param.type == "amount":
        return check_value(param, None if text.lower() in {"none", "null", ""} else text)
    return check_value(param, _read_whole(text))


def _read_whole(text: str) -> int | str:
    """The number, where it is one that anybody would write; `int` fails on thousands of digits."""
    return int(text) if _WHOLE.fullmatch(text) else text


def default_values() -> dict[str, ParamValue]:
    """All defaults by key."""
    return {param.key: param.default for param in PARAMS}


def snapshot_values(values: Mapping[str, ParamValue]) -> dict[str, ParamValue]:
    """Those of `values` that decide what a run does.

    The values of an older snapshot lack newer parameters, and stay without them.
    """
    kept = (param.key for param in PARAMS if param.in_snapshot)
    return {key: values[key] for key in kept if key in values}


def get_number(values: Mapping[str, ParamValue], key: str) -> int:
    """The value of an integer parameter."""
    value = values[key]
    assert isinstance(value, int)
    return value


def _refuse(param: Param, value: object, kind: str) -> OutOfBoundsError:
    return OutOfBoundsError(
        f"{param.key} must be {kind} from {param.minimum} to {param.maximum}, not {quote(value)}"
    )


def _check_integer(param: Param, value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise _refuse(param, value, "a whole number")
    if not param.minimum <= value <= param.maximum:
        raise _refuse(param, value, "a whole number")
    return value


def _check_boolean(param: Param, value: object) -> bool:
    if not isinstance(value, bool):
        raise OutOfBoundsError(f"{param.key} must be true or false, not {quote(value)}")
    return value


def _check_amount(param: Param, value: object) -> str | None:
    if value is None:
        return None
    kind = "an amount with at most two decimals, or none for no cap,"
    if isinstance(value, bool) or not isinstance(value, int | float | str | Decimal):
        raise _refuse(param, value, kind)
    try:
        amount = Decimal(str(value))
        cents = amount.quantize(Decimal("0.01"))
    except InvalidOperation:
        raise _refuse(param, value, kind) from None
    if cents != amount or not param.minimum <= amount <= param.maximum:
        raise _refuse(param, value, kind)
    return str(cents)


def _check_stars(param: Param, value: object) -> list[int]:
    kind = "a list of star counts"
    if not isinstance(value, list | tuple) or not value:
        raise _refuse(param, value, kind)
    stars = []
    for star in value:
        if not isinstance(star, int) or isinstance(star, bool):
            raise _refuse(param, value, kind)
        if not param.minimum <= star <= param.maximum:
            raise _refuse(param, value, kind)
        stars.append(star)
    return sorted(set(stars))
