"""Requests to the service, with safe retries."""

import http.client
import json
import random
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from datetime import datetime, timezone
from typing import Any, Mapping

from .http_fields import parse_retry_after
from .operations import Operations

# The service did nothing: it or a dependency was overloaded or unavailable.
_REFUSED = {429, 503}
# The service, or a proxy between client and service, failed, so the service may have done its work.
_LOST = {408, 500, 502, 504}
# How often the answer of a request is asked for whose first attempt is still running, a second apart.
_RUNNING_MAX = 100
_FIRST_SECONDS = 0.25
_LONGEST_SECONDS = 10.0
# With a longer Retry-After, the failure is raised at once.
_RETRY_AFTER_LONGEST_SECONDS = 60.0


class ApiError(Exception):
    """An answer of the service other than success."""

    def __init__(self, message: str, status: int, request_id: str | None, retry_after: float | None):
        super().__init__(message)
        self.status = status
        #: The id of the request in the log of the service; include it in reports to its operators.
        self.request_id = request_id
        #: Seconds, when the service asked to wait.
        self.retry_after = retry_after


class Client(Operations):
    """
    A method for each operation. `api_key` is a customer key, or a device token for the operations of devices.

    Methods raise ApiError for an answer other than success, and ConnectionError without a complete answer.
    """

    def __init__(self, base_url: str, api_key: str, *, timeout: float = 30.0, retries: int = 4):
        self._base_url = base_url.rstrip("/")
        self._api_key = api_key
        self._timeout = timeout
        self._retries = retries
        # Another host must not get the key, and its answers do not come from the service.
        self._opener = urllib.request.build_opener(_NoRedirects)

    def _call(
        self,
        method: str,
        path: str,
        query: Mapping[str, Any],
        *,
        body: Any = None,
        content_type: str | None = None,
        takes_key: bool = False,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        # Names of headers have no case.
        sent = {name.title(): value for name, value in (headers or {}).items()}
        key = sent.get("Idempotency-Key") or (str(uuid.uuid4()) if takes_key else None)
        if key:
            sent["Idempotency-Key"] = key
        if body is not None and content_type:
            sent.setdefault("Content-Type", content_type)
        media_type = sent.get("Content-Type", "").partition(";")[0].strip().lower()
        is_value = body is not None and not isinstance(body, bytes) and media_type == "application/json"
        data = json.dumps(body).encode() if is_value else body
        request = urllib.request.Request(self._url(path, query), data=data, method=method, headers=sent)
        request.add_unredirected_header("Authorization", f"Bearer {self._api_key}")
        # Without a key, a repeat finds nothing where the first attempt has done its work.
        is_deletion = method == "DELETE" and not takes_key
        return self._send(request, is_repeatable=method != "POST" or key is not None, is_deletion=is_deletion)

    def _url(self, path: str, query: Mapping[str, Any]) -> str:
        given = {name: _text(value) for name, value in query.items() if value is not None}
        return self._base_url + path + (f"?{urllib.parse.urlencode(given)}" if given else "")

    def _send(self, request: urllib.request.Request, *, is_repeatable: bool, is_deletion: bool) -> Any:
        failures = waits = 0
        may_be_done = False
        while True:
            try:
                return _result(self._opener.open(request, timeout=self._timeout))
            except urllib.error.HTTPError as answer:
                error = _api_error(answer)
                if error.status == 404 and is_deletion and may_be_done:
                    return None
                if (error.retry_after or 0.0) > _RETRY_AFTER_LONGEST_SECONDS:
                    raise error from None
                is_running = is_repeatable and error.status == 409 and error.retry_after is not None
                if is_running and self._retries > 0 and waits < _RUNNING_MAX:
                    waits += 1
                    time.sleep(error.retry_after)
                    continue
                may_help = error.status in _REFUSED or (is_repeatable and error.status in _LOST)
                if not may_help or failures >= self._retries:
                    raise error from None
                may_be_done = may_be_done or error.status in _LOST
                wait = error.retry_after or 0.0
            except (OSError, http.client.HTTPException) as error:
                if not is_repeatable or failures >= self._retries:
                    raise ConnectionError(f"No answer from {self._base_url}: {_reason(error)}") from error
                may_be_done = True
                wait = 0.0
            failures += 1
            time.sleep(max(wait, _backoff(failures)))


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _backoff(attempt: int) -> float:
    return min(_LONGEST_SECONDS, _FIRST_SECONDS * 2 ** (attempt - 1)) * (0.5 + random.random() / 2)


def _reason(error: Exception) -> str:
    """The message of the underlying error, because `urlopen error` says nothing by itself."""
    return str(getattr(error, "reason", error)) or type(error).__name__


def _result(answer: Any) -> Any:
    if answer.status == 204:
        answer.close()
        return None
    if answer.headers.get_content_type() != "application/json":
        return answer
    with answer:
        text = answer.read()
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise ApiError("The answer is no JSON", answer.status, answer.headers.get("Request-Id"), None) from None


def _api_error(answer: urllib.error.HTTPError) -> ApiError:
    with answer:
        try:
            message = json.load(answer)["message"]
        except (ValueError, KeyError, TypeError, RecursionError, OSError, http.client.HTTPException):
            message = f"The service answered {answer.code}"
    retry_after = parse_retry_after(answer.headers.get("Retry-After"), datetime.now(timezone.utc))
    return ApiError(message, answer.code, answer.headers.get("Request-Id"), retry_after)
