"""Verifies requests at a webhook, as Standard Webhooks 1.0.0 describes it."""

import base64
import binascii
import hashlib
import hmac
import json
import time
from typing import Any, Mapping


class WebhookVerificationError(Exception):
    """The request was not sent by the service, or not lately."""


def verify_webhook(
    headers: Mapping[str, str],
    body: bytes | str,
    secret: str,
    *,
    tolerance_seconds: float = 300,
    now: float | None = None,
) -> Any:
    """
    Proves that the service sent the request lately, and answers its event.

    `body` is as it was received: JSON that was parsed and written again has another signature. Drop events whose
    `webhook-id` you have seen.
    """
    found = {name.lower(): value for name, value in headers.items()}
    try:
        identifier, sent_at, signatures = (
            found[f"webhook-{name}"] for name in ("id", "timestamp", "signature")
        )
    except KeyError as missing:
        raise WebhookVerificationError(f"{missing.args[0]} is missing") from None
    at = time.time() if now is None else now
    if not (sent_at.isascii() and sent_at.isdigit()) or abs(at - int(sent_at)) > tolerance_seconds:
        raise WebhookVerificationError("webhook-timestamp is too far from now: a replay, or a wrong clock")
    payload = body.encode() if isinstance(body, str) else body
    signed = f"{identifier}.{sent_at}.".encode() + payload
    expected = hmac.new(_key(secret), signed, hashlib.sha256).digest()
    # The comparison takes the same time wherever they differ.
    if not any(hmac.compare_digest(expected, each) for each in map(_signature, signatures.split(" "))):
        raise WebhookVerificationError("webhook-signature does not match: another secret, or another body")
    return json.loads(payload)


def _key(secret: str) -> bytes:
    """`whsec_` is followed by base64; any other secret is its UTF-8 bytes."""
    if not secret.startswith("whsec_"):
        return secret.encode()
    key = _decoded(secret.removeprefix("whsec_"))
    if not key:
        raise WebhookVerificationError("the secret is no base64 after whsec_")
    return key


def _signature(text: str) -> bytes:
    version, _, encoded = text.partition(",")
    return _decoded(encoded) if version == "v1" else b""


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return b""
