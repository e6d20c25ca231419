"""The door to OpenAI-compatible services, and the only file that imports the SDK.

Requests go through the SDK's `post` with JSON values both ways: its typed method walks over the
whole conversation at every turn, and its types refuse what providers leave out. Its own retries
are off, since they also repeat what cannot succeed.

Puts a service's failure into the product's words, and says whether the same request may succeed.

An empty account, a wrong key and a request that cannot be read stay so: they are told at once.
"""

import asyncio
import datetime as dt
import json
import ssl
from collections.abc import Mapping, Sequence
from email.utils import parsedate_to_datetime
from functools import cache
from types import TracebackType
from typing import Any

import httpx2
import openai

from backend.agent.llm import AttemptError, Hear, Message, ModelError, ModelReply, Retries
from backend.agent.openai_wire import DONE, Gathering, SseLines, read_reply, write_request
from backend.agent.provider_profile import Endpoint
from backend.clock import read_utc
from backend.tools.call import ToolSchema

_QUOTA_WAIT_SECONDS = 3600.0
"""A wait of hours is no rate limit any more: somebody has to act, or the day has to end."""

_LONGEST_MESSAGE = 300

_CODES = {401: "MODEL_AUTH", 402: "MODEL_QUOTA", 403: "MODEL_AUTH", 429: "MODEL_RATE_LIMITED"}
_MAY_PASS = frozenset({408, 409, 425, 429})


def fail(
    code: str, message: str, *, may_pass: bool = False, wait: float | None = None
) -> AttemptError:
    """A failed attempt."""
    return AttemptError(ModelError(message, code=code), may_pass=may_pass, wait=wait)


def explain_status(
    status: int, error: Any, message: str, headers: Mapping[str, str]
) -> AttemptError:
    """An answer with a status of 400 or more; `error` is the body's, whatever its shape."""
    wait = read_wait(headers)
    text = f"the model's service answered {status}: {message[:_LONGEST_MESSAGE]}"
    if status == 429 and (names_quota(error) or (wait or 0) >= _QUOTA_WAIT_SECONDS):
        return fail("MODEL_QUOTA", text)
    may_pass = status in _MAY_PASS or status >= 500
    unnamed = "MODEL_UNAVAILABLE" if may_pass else "MODEL_BAD_REQUEST"
    return fail(_CODES.get(status, unnamed), text, may_pass=may_pass, wait=wait)


def explain_event(error: Any) -> AttemptError:
    """An error that came as an event of a stream."""
    text = error.get("message") if isinstance(error, Mapping) else error
    message = f"the model's service broke off: {str(text)[:_LONGEST_MESSAGE]}"
    if names_quota(error):
        return fail("MODEL_QUOTA", message)
    return fail("MODEL_UNAVAILABLE", message, may_pass=True)


def names_quota(error: Any) -> bool:
    """Whether money is meant: waiting does not help against an empty account."""
    if not isinstance(error, Mapping):
        return False
    words = f"{error.get('code') or ''} {error.get('type') or ''}".lower()
    return "insufficient" in words or "billing" in words or "arrear" in words


def read_wait(headers: Mapping[str, str]) -> float | None:
    """Seconds until the service wants to be asked again: milliseconds, seconds or an HTTP date."""
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


_NO_KEY = "none"
"""Local servers want no key, the SDK wants one."""

_AFTER_DONE_SECONDS = 0.2
"""A stream that is over is read to its end for so long, so that its connection can be used again."""


@cache
def read_trust() -> ssl.SSLContext:
    """The certificates to believe: reading them takes longer than all else of a client."""
    return httpx2.create_ssl_context()


class OpenAiClient:
    """An `LlmClient` over chat completions, streamed where the profile says so.

    `hear` is told how a streamed reply comes along.
    """

    def __init__(
        self, endpoint: Endpoint, retries: Retries | None = None, hear: Hear | None = None
    ) -> None:
        self._endpoint, self._hear = endpoint, hear
        self._retries = retries or Retries()
        times = endpoint.timeouts
        timeout = openai.Timeout(times.answer, connect=times.connect)
        self._client = openai.AsyncOpenAI(
            api_key=endpoint.api_key or _NO_KEY,
            base_url=endpoint.base_url or None,
            timeout=timeout,
            max_retries=0,
            http_client=openai.DefaultAsyncHttpxClient(verify=read_trust(), timeout=timeout),
        )

    async def reply(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> ModelReply:
        """One reply; failures that may pass are tried again a bounded number of times."""
        end = self._endpoint
        body = write_request(end.model, messages, tools, end.profile, end.max_tokens)
        return await self._retries.run(lambda attempt: self._attempt(body, attempt))

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

    async def _attempt(self, body: dict[str, object], attempt: int) -> ModelReply:
        """One request within the time for an answer, which the SDK only keeps between two bytes."""
        try:
            async with asyncio.timeout(self._endpoint.timeouts.answer):
                if self._endpoint.profile.streams:
                    document = await self._stream(body, attempt)
                else:
                    document = await self._client.post(
                        "/chat/completions", cast_to=object, body=body
                    )
            _refuse_error(document)
            return read_reply(document)
        except ModelError as error:
            raise AttemptError(error, may_pass=True) from None
        except _FAILURES as error:
            raise _explain(error) from error

    async def _stream(self, body: dict[str, object], attempt: int) -> object:
        """The gathered document; a service that knows no streams sends its own, which is taken."""
        gathering = Gathering()
        try:
            async with asyncio.timeout(self._endpoint.timeouts.first_byte) as limit:
                stream = await self._client.post(
                    "/chat/completions",
                    cast_to=object,
                    body=body,
                    stream=True,
                    stream_cls=openai.AsyncStream[object],
                )
                async with stream:
                    if _is_document(stream.response):
                        return json.loads(await stream.response.aread())
                    await self._gather(stream.response, gathering, limit, attempt)
        except TimeoutError:
            raise _explain_silence(has_begun=gathering.has_choices) from None
        return gathering.finish_document()

    async def _gather(
        self,
        response: httpx2.Response,
        gathering: Gathering,
        limit: asyncio.Timeout,
        attempt: int,
    ) -> None:
        """All events; after each one the service may be silent for so long."""
        loop = asyncio.get_running_loop()
        lines = SseLines()
        async for line in response.aiter_lines():
            limit.reschedule(loop.time() + self._endpoint.timeouts.silence)
            text = lines.take(line)
            if text is None:
                continue
            if text.startswith(DONE):
                gathering.is_done = True
                limit.reschedule(loop.time() + _AFTER_DONE_SECONDS)
                continue
            gathering.add(_read_event(text))
            if self._hear is not None:
                progress = gathering.show_progress()
                await self._hear(progress.model_copy(update={"attempt": attempt}))


_FAILURES = (
    TimeoutError,
    openai.APIError,
    httpx2.HTTPError,
    json.JSONDecodeError,
    UnicodeDecodeError,
)


def _is_document(response: httpx2.Response) -> bool:
    return "event-stream" not in response.headers.get("content-type", "")


def _read_event(text: str) -> object:
    event = json.loads(text)
    _refuse_error(event)
    return event


def _refuse_error(document: object) -> None:
    """Gateways answer 200 and put the error of the service behind them into the body."""
    if isinstance(document, dict) and document.get("error"):
        raise explain_event(document["error"])


def _explain(error: Exception) -> AttemptError:
    """The failure in the product's words; a timeout is not repeated, it would take as long again."""
    if isinstance(error, openai.APITimeoutError) and _is_connect(error):
        return fail("MODEL_UNAVAILABLE", "the model's service cannot be reached", may_pass=True)
    if isinstance(error, TimeoutError | openai.APITimeoutError | httpx2.TimeoutException):
        return fail("MODEL_TIMEOUT", "the model gave no whole answer in time")
    if isinstance(error, openai.APIStatusError):
        body, headers = error.body, error.response.headers
        return explain_status(error.status_code, body, error.message, headers)
    if isinstance(error, openai.APIConnectionError):
        return fail("MODEL_UNAVAILABLE", "the model's service cannot be reached", may_pass=True)
    if isinstance(error, httpx2.HTTPError):
        return fail("MODEL_UNAVAILABLE", "the model's service broke off", may_pass=True)
    return fail("MODEL_BAD_REPLY", "the model's service sent no JSON", may_pass=True)


def _is_connect(error: Exception) -> bool:
    return isinstance(error.__cause__, httpx2.ConnectTimeout | httpx2.PoolTimeout)


def _explain_silence(*, has_begun: bool) -> AttemptError:
    """No first event: another try would take as long. Silence later on is a connection gone bad."""
    if has_begun:
        return fail("MODEL_TIMEOUT", "the model fell silent in mid-answer", may_pass=True)
    return fail("MODEL_TIMEOUT", "the model's answer did not begin in time")
