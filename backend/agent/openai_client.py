"""The door to OpenAI-compatible services, and the only file that imports the SDK.

Requests go through the SDK's `post` with JSON values both ways: its typed method walks over the
whole conversation at every turn, and its types refuse what providers leave out. Its own retries
are off, since they also repeat what cannot succeed.
"""

import asyncio
import datetime as dt
import json
from collections.abc import Sequence
from email.utils import parsedate_to_datetime
from types import TracebackType

import openai

from backend.agent.llm import Message, ModelError, ModelReply
from backend.agent.openai_wire import read_reply, write_request
from backend.agent.provider_profile import find_profile
from backend.agent.retrying import AttemptError, Retries
from backend.clock import read_utc
from backend.tools.call import ToolSchema

_QUOTA_WAIT_SECONDS = 3600.0
"""A wait of hours is no rate limit any more: somebody has to act, or the day has to end."""

_NO_KEY = "none"
"""Local servers want no key, the SDK wants one."""

_LONGEST_MESSAGE = 300

_CODES = {401: "MODEL_AUTH", 402: "MODEL_QUOTA", 403: "MODEL_AUTH", 429: "MODEL_RATE_LIMITED"}
_MAY_PASS = frozenset({408, 409, 425, 429})


class OpenAiClient:
    """An `LlmClient` over chat completions; `timeout` bounds each answer, in seconds."""

    def __init__(
        self,
        model: str,
        base_url: str | None,
        api_key: str | None,
        timeout: float,
        retries: Retries | None = None,
    ) -> None:
        self._model = model
        self._profile = find_profile(model)
        self._timeout = timeout
        self._retries = retries or Retries()
        self._client = openai.AsyncOpenAI(
            api_key=api_key or _NO_KEY, base_url=base_url or None, timeout=timeout, max_retries=0
        )

    async def reply(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> ModelReply:
        """One reply; failures that may pass are tried again a bounded number of times."""
        body = write_request(self._model, messages, tools, self._profile)
        return await self._retries.run(lambda: self._attempt(body))

    async def close(self) -> None:
        """Give the connections back."""
        await self._client.close()

    async def __aenter__(self) -> "OpenAiClient":
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()

    async def _attempt(self, body: dict[str, object]) -> ModelReply:
        """One request within the time for an answer, which the SDK only keeps between two bytes."""
        try:
            async with asyncio.timeout(self._timeout):
                document = await self._client.post("/chat/completions", cast_to=object, body=body)
            return read_reply(document)
        except ModelError as error:
            raise AttemptError(error, may_pass=True) from None
        except (TimeoutError, openai.APIError, json.JSONDecodeError, UnicodeDecodeError) as error:
            raise _explain(error) from error


def _explain(error: Exception) -> AttemptError:
    """The failure in the product's words; a timeout is not repeated, it would take as long again."""
    if isinstance(error, TimeoutError | openai.APITimeoutError):
        return _fail("MODEL_TIMEOUT", "the model gave no answer in time")
    if isinstance(error, openai.APIStatusError):
        return _explain_status(error)
    if isinstance(error, openai.APIConnectionError):
        return _fail("MODEL_UNAVAILABLE", "the model's service cannot be reached", may_pass=True)
    return _fail("MODEL_BAD_REPLY", "the model's service sent no JSON", may_pass=True)


def _explain_status(error: openai.APIStatusError) -> AttemptError:
    status, wait = error.status_code, _read_wait(error)
    message = f"the model's service answered {status}: {error.message[:_LONGEST_MESSAGE]}"
    if status == 429 and (_names_quota(error) or (wait or 0) >= _QUOTA_WAIT_SECONDS):
        return _fail("MODEL_QUOTA", message)
    may_pass = status in _MAY_PASS or status >= 500
    unnamed = "MODEL_UNAVAILABLE" if may_pass else "MODEL_BAD_REQUEST"
    return _fail(_CODES.get(status, unnamed), message, may_pass=may_pass, wait=wait)


def _fail(
    code: str, message: str, *, may_pass: bool = False, wait: float | None = None
) -> AttemptError:
    return AttemptError(ModelError(message, code=code), may_pass=may_pass, wait=wait)


def _names_quota(error: openai.APIStatusError) -> bool:
    """Whether money is meant: waiting does not help against an empty account."""
    words = f"{error.code or ''} {error.type or ''}".lower()
    return "insufficient" in words or "billing" in words


def _read_wait(error: openai.APIStatusError) -> float | None:
    """Seconds until the service wants to be asked again: milliseconds, seconds or an HTTP date."""
    headers = error.response.headers
    try:
        if "retry-after-ms" in headers:
            return max(0.0, float(headers["retry-after-ms"]) / 1000)
        return max(0.0, float(headers["retry-after"]))
    except KeyError:
        return None
    except ValueError:
        return _read_date(headers["retry-after"]) if "retry-after" in headers else None


def _read_date(text: str) -> float | None:
    try:
        then = parsedate_to_datetime(text)
    except ValueError:
        return None
    if then.tzinfo is None:
        then = then.replace(tzinfo=dt.UTC)
    return max(0.0, (then - read_utc()).total_seconds())
