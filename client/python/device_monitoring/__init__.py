"""Client of the Device Monitoring Service."""

from .client import ApiError, Client
from .jobs import wait_until_applied
from .pages import each
from .webhooks import WebhookVerificationError, verify_webhook

__all__ = ["ApiError", "Client", "WebhookVerificationError", "each", "verify_webhook", "wait_until_applied"]
