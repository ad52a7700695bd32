"""Verifies requests at a webhook, as Standard Webhooks 1.0.0 describes it."""

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from typing import Any, Mapping


class WebhookVerificationError(Exception):
    """The request does not come from the service, or is too old."""


def verify_webhook(
    headers: Mapping[str, str],
    body: bytes | str,
    secret: str,
    *,
    tolerance_seconds: float = 300,
    now: float | None = None,
) -> Any:
    """
    Returns the event after verifying that the service sent the request within the tolerance.

    `body` is the body as received: JSON that was parsed and written again has another signature. Drop events whose
    `webhook-id` you have seen. Raises WebhookVerificationError for any other request.
    """
    payload = _bytes(body)
    found = {str(name).lower(): value for name, value in _items(headers)}
    identifier, sent_at, signatures = (_header(found, f"webhook-{name}") for name in ("id", "timestamp", "signature"))
    at = time.time() if now is None else now
    if not _SECONDS.fullmatch(sent_at) or abs(at - int(sent_at)) > tolerance_seconds:
        raise WebhookVerificationError("webhook-timestamp is too far from now: a replay, or a wrong clock")
    signed = _bytes(f"{identifier}.{sent_at}.") + payload
    expected = hmac.new(_key(secret), signed, hashlib.sha256).digest()
    # The comparison takes the same time at any difference.
    if not any(hmac.compare_digest(expected, each) for each in map(_signature, signatures.split(" "))):
        raise WebhookVerificationError("webhook-signature does not match: another secret, or another body")
    try:
        return json.loads(payload)
    except (ValueError, RecursionError):
        raise WebhookVerificationError("the body is no JSON") from None


# More digits are no present time, and Python refuses to parse thousands of them.
_SECONDS = re.compile("[0-9]{1,15}")


def _header(found: Mapping[str, Any], name: str) -> str:
    value = found.get(name)
    if not isinstance(value, str):
        raise WebhookVerificationError(f"{name} is missing")
    return value


def _items(headers: Any) -> Any:
    try:
        return list(headers.items())
    except AttributeError:
        raise WebhookVerificationError("the headers are missing") from None


def _bytes(body: Any) -> bytes:
    if isinstance(body, str):
        # Frameworks replace undecodable bytes by halves of surrogate pairs.
        return body.encode(errors="surrogatepass")
    if isinstance(body, (bytes, bytearray, memoryview)):
        return bytes(body)
    raise WebhookVerificationError("the body is neither text nor bytes: give it as it was received")


def _key(secret: str) -> bytes:
    """`whsec_` is followed by base64; any other secret is its UTF-8 bytes."""
    is_encoded = secret.startswith("whsec_")
    key = _decoded(secret.removeprefix("whsec_")) if is_encoded else secret.encode()
    if not key:
        raise WebhookVerificationError("the secret is empty, or no base64 after whsec_")
    return key


def _signature(text: str) -> bytes:
    version, _, encoded = text.partition(",")
    return _decoded(encoded) if version == "v1" else b""


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return b""
