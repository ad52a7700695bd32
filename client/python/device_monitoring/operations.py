# Generated from openapi.json by `npm run client`.
"""A method for each operation of the service."""

from typing import Any, Mapping
from urllib.parse import quote


class Operations:
    """Methods that a client inherits; its `_call` sends the request."""

    def _call(self, method: str, path: str, query: Mapping[str, Any], **how: Any) -> Any:
        raise NotImplementedError

    def list_profiles(
        self,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """List configuration profiles."""
        return self._call("GET", "/devices/config-profiles", {}, headers=headers)

    def create_profile(
        self,
        *,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Create a configuration profile."""
        return self._call("POST", "/devices/config-profiles", {}, body=body, content_type="application/json", takes_key=True, headers=headers)

    def get_profile(
        self,
        slug: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Get a configuration profile."""
        return self._call("GET", f"/devices/config-profiles/{quote(slug, safe='')}", {}, headers=headers)

    def update_profile(
        self,
        slug: str,
        *,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Change a configuration profile."""
        return self._call("PUT", f"/devices/config-profiles/{quote(slug, safe='')}", {}, body=body, content_type="application/json", headers=headers)

    def apply_profile(
        self,
        slug: str,
        *,
        dry_run: bool | None = None,
        omit_applied: bool | None = None,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Apply a profile to devices."""
        return self._call("PUT", f"/devices/config-profiles/{quote(slug, safe='')}/apply", {"dryRun": dry_run, "omitApplied": omit_applied}, body=body, content_type="application/json", takes_key=True, headers=headers)

    def list_config_jobs(
        self,
        *,
        status: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """List configuration jobs, newest first."""
        return self._call("GET", "/devices/config-jobs", {"status": status, "limit": limit, "cursor": cursor}, headers=headers)

    def get_config_job(
        self,
        job_id: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Get a configuration job."""
        return self._call("GET", f"/devices/config-jobs/{quote(job_id, safe='')}", {}, headers=headers)

    def list_config_job_targets(
        self,
        job_id: str,
        *,
        state: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """List the devices of a job and where each stands."""
        return self._call("GET", f"/devices/config-jobs/{quote(job_id, safe='')}/targets", {"state": state, "limit": limit, "cursor": cursor}, headers=headers)

    def cancel_config_job(
        self,
        job_id: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Cancel a scheduled or running job."""
        return self._call("POST", f"/devices/config-jobs/{quote(job_id, safe='')}/cancel", {}, takes_key=True, headers=headers)

    def proceed_config_job(
        self,
        job_id: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Begin the next stage of a rollout now."""
        return self._call("POST", f"/devices/config-jobs/{quote(job_id, safe='')}/proceed", {}, takes_key=True, headers=headers)

    def extend_config_job(
        self,
        job_id: str,
        *,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Move the deadline of a scheduled or running job."""
        return self._call("POST", f"/devices/config-jobs/{quote(job_id, safe='')}/extend", {}, body=body, content_type="application/json", takes_key=True, headers=headers)

    def retry_config_job(
        self,
        job_id: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Send the same change again to failed and timed-out devices."""
        return self._call("POST", f"/devices/config-jobs/{quote(job_id, safe='')}/retry", {}, takes_key=True, headers=headers)

    def withdraw_device_config(
        self,
        serial: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Withdraw all that waits for a device."""
        return self._call("POST", f"/devices/{quote(serial, safe='')}/config/withdraw", {}, takes_key=True, headers=headers)

    def get_device_config(
        self,
        serial: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Get what a device runs and what waits for it."""
        return self._call("GET", f"/devices/{quote(serial, safe='')}/config", {}, headers=headers)

    def fetch_pending_config(
        self,
        serial: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Fetch the change that waits for a device."""
        return self._call("GET", f"/devices/{quote(serial, safe='')}/pending-config", {}, headers=headers)

    def report_config(
        self,
        serial: str,
        *,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Report the configuration that a device runs."""
        return self._call("POST", f"/devices/{quote(serial, safe='')}/config-reports", {}, body=body, content_type="application/json", headers=headers)

    def list_unregistered_devices(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """List serial numbers that sent and are not registered."""
        return self._call("GET", "/unregistered-devices", {"limit": limit, "cursor": cursor}, headers=headers)

    def remove_unregistered_device(
        self,
        serial: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Forget a serial number that is not registered."""
        return self._call("DELETE", f"/unregistered-devices/{quote(serial, safe='')}", {}, headers=headers)

    def send_measurements(
        self,
        serial: str,
        *,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Send readings of a device."""
        return self._call("POST", f"/devices/{quote(serial, safe='')}/measurements", {}, body=body, content_type="application/json", headers=headers)

    def list_measurements(
        self,
        asset_id: str,
        *,
        from_: str | None = None,
        to: str | None = None,
        channel: int | None = None,
        resolution: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Read what a device has measured."""
        return self._call("GET", f"/assets/{quote(asset_id, safe='')}/measurements", {"from": from_, "to": to, "channel": channel, "resolution": resolution, "limit": limit, "cursor": cursor}, headers=headers)

    def export_measurements(
        self,
        *,
        from_: str,
        to: str,
        asset_ids: str | None = None,
        group_id: str | None = None,
        all: bool | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Export what many devices have measured."""
        return self._call("GET", "/measurements", {"from": from_, "to": to, "assetIds": asset_ids, "groupId": group_id, "all": all}, headers=headers)

    def list_settings(
        self,
        asset_id: str,
        *,
        from_: str | None = None,
        to: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """List the settings that a device ran, and when."""
        return self._call("GET", f"/assets/{quote(asset_id, safe='')}/settings", {"from": from_, "to": to, "limit": limit, "cursor": cursor}, headers=headers)

    def get_statistics(
        self,
        asset_id: str,
        *,
        from_: str,
        to: str,
        timezone: str | None = None,
        with_: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Statistics of what a device has measured."""
        return self._call("GET", f"/assets/{quote(asset_id, safe='')}/statistics", {"from": from_, "to": to, "timezone": timezone, "with": with_}, headers=headers)

    def list_assets(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        model: str | None = None,
        model_name: str | None = None,
        q: str | None = None,
        serial_number: str | None = None,
        status: str | None = None,
        battery_status: str | None = None,
        sync_status: str | None = None,
        had_profile: bool | None = None,
        profile_slug: str | None = None,
        group_id: str | None = None,
        last_reading_before: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """List active devices."""
        return self._call("GET", "/assets", {"limit": limit, "cursor": cursor, "model": model, "model-name": model_name, "q": q, "serialNumber": serial_number, "status": status, "batteryStatus": battery_status, "syncStatus": sync_status, "hadProfile": had_profile, "profileSlug": profile_slug, "groupId": group_id, "lastReadingBefore": last_reading_before}, headers=headers)

    def register_asset(
        self,
        *,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Register a device."""
        return self._call("POST", "/assets", {}, body=body, content_type="application/json", takes_key=True, headers=headers)

    def import_assets(
        self,
        *,
        dry_run: bool | None = None,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Register many devices."""
        return self._call("POST", "/assets/import", {"dryRun": dry_run}, body=body, content_type="application/json", takes_key=True, headers=headers)

    def change_asset(
        self,
        asset_id: str,
        *,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Change a device."""
        return self._call("PATCH", f"/assets/{quote(asset_id, safe='')}", {}, body=body, content_type="application/json", headers=headers)

    def get_asset(
        self,
        asset_id: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Get a device."""
        return self._call("GET", f"/assets/{quote(asset_id, safe='')}", {}, headers=headers)

    def archive_asset(
        self,
        asset_id: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Take a device out of service."""
        return self._call("DELETE", f"/assets/{quote(asset_id, safe='')}", {}, takes_key=True, headers=headers)

    def replace_hardware(
        self,
        asset_id: str,
        *,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Put another logger in the place of this one."""
        return self._call("POST", f"/assets/{quote(asset_id, safe='')}/replace-hardware", {}, body=body, content_type="application/json", takes_key=True, headers=headers)

    def issue_device_token(
        self,
        asset_id: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Issue a token for this device alone."""
        return self._call("POST", f"/assets/{quote(asset_id, safe='')}/device-token", {}, takes_key=True, headers=headers)

    def delete_device_token(
        self,
        asset_id: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """End the token of this device."""
        return self._call("DELETE", f"/assets/{quote(asset_id, safe='')}/device-token", {}, headers=headers)

    def mute_asset(
        self,
        asset_id: str,
        *,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Mute a device for the time of its maintenance."""
        return self._call("POST", f"/assets/{quote(asset_id, safe='')}/mute", {}, body=body, content_type="application/json", takes_key=True, headers=headers)

    def unmute_asset(
        self,
        asset_id: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """End the maintenance of a device."""
        return self._call("DELETE", f"/assets/{quote(asset_id, safe='')}/mute", {}, headers=headers)

    def mute_group(
        self,
        group_id: str,
        *,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Mute the members of a group for the time of their maintenance."""
        return self._call("POST", f"/groups/{quote(group_id, safe='')}/mute", {}, body=body, content_type="application/json", takes_key=True, headers=headers)

    def unmute_group(
        self,
        group_id: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """End the maintenance of a group."""
        return self._call("DELETE", f"/groups/{quote(group_id, safe='')}/mute", {}, headers=headers)

    def list_groups(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """List groups, newest first."""
        return self._call("GET", "/groups", {"limit": limit, "cursor": cursor}, headers=headers)

    def create_group(
        self,
        *,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Create a group."""
        return self._call("POST", "/groups", {}, body=body, content_type="application/json", takes_key=True, headers=headers)

    def get_group(
        self,
        group_id: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Get a group."""
        return self._call("GET", f"/groups/{quote(group_id, safe='')}", {}, headers=headers)

    def update_group(
        self,
        group_id: str,
        *,
        dry_run: bool | None = None,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Change a group, or bring its profile to all members."""
        return self._call("PATCH", f"/groups/{quote(group_id, safe='')}", {"dryRun": dry_run}, body=body, content_type="application/json", takes_key=True, headers=headers)

    def delete_group(
        self,
        group_id: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Delete a group."""
        return self._call("DELETE", f"/groups/{quote(group_id, safe='')}", {}, headers=headers)

    def add_group_members(
        self,
        group_id: str,
        *,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Let devices join a group."""
        return self._call("POST", f"/groups/{quote(group_id, safe='')}/add-members", {}, body=body, content_type="application/json", takes_key=True, headers=headers)

    def remove_group_members(
        self,
        group_id: str,
        *,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Let devices leave a group."""
        return self._call("POST", f"/groups/{quote(group_id, safe='')}/remove-members", {}, body=body, content_type="application/json", takes_key=True, headers=headers)

    def get_fleet(
        self,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Count devices, alerts and webhooks by state."""
        return self._call("GET", "/fleet", {}, headers=headers)

    def get_calibration_certificate(
        self,
        asset_id: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Download the calibration certificate of a device."""
        return self._call("GET", f"/assets/{quote(asset_id, safe='')}/calibration-certificate", {}, headers=headers)

    def upload_calibration_certificate(
        self,
        asset_id: str,
        *,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Upload the calibration certificate of a device."""
        return self._call("PUT", f"/assets/{quote(asset_id, safe='')}/calibration-certificate", {}, body=body, content_type="application/pdf", headers=headers)

    def list_alerts(
        self,
        *,
        status: str | None = None,
        type: str | None = None,
        severity: str | None = None,
        late: bool | None = None,
        asset_id: str | None = None,
        group_id: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """List alerts, newest first."""
        return self._call("GET", "/alerts", {"status": status, "type": type, "severity": severity, "late": late, "assetId": asset_id, "groupId": group_id, "limit": limit, "cursor": cursor}, headers=headers)

    def get_alert(
        self,
        alert_id: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Get an alert."""
        return self._call("GET", f"/alerts/{quote(alert_id, safe='')}", {}, headers=headers)

    def acknowledge_alert(
        self,
        alert_id: str,
        *,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Acknowledge an alert."""
        return self._call("PATCH", f"/alerts/{quote(alert_id, safe='')}", {}, body=body, content_type="application/json", takes_key=True, headers=headers)

    def comment_alert(
        self,
        alert_id: str,
        *,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Comment on an alert."""
        return self._call("POST", f"/alerts/{quote(alert_id, safe='')}/comments", {}, body=body, content_type="application/json", takes_key=True, headers=headers)

    def list_cellular_webhooks(
        self,
        *,
        status: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """List cellular webhooks, newest last."""
        return self._call("GET", "/cellular-webhooks", {"status": status}, headers=headers)

    def create_cellular_webhook(
        self,
        *,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Create a cellular webhook."""
        return self._call("POST", "/cellular-webhooks", {}, body=body, content_type="application/json", takes_key=True, headers=headers)

    def get_cellular_webhook(
        self,
        webhook_id: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Get a cellular webhook."""
        return self._call("GET", f"/cellular-webhooks/{quote(webhook_id, safe='')}", {}, headers=headers)

    def update_cellular_webhook(
        self,
        webhook_id: str,
        *,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Change a cellular webhook."""
        return self._call("PATCH", f"/cellular-webhooks/{quote(webhook_id, safe='')}", {}, body=body, content_type="application/json", headers=headers)

    def delete_cellular_webhook(
        self,
        webhook_id: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Delete a cellular webhook."""
        return self._call("DELETE", f"/cellular-webhooks/{quote(webhook_id, safe='')}", {}, headers=headers)

    def retry_cellular_webhook(
        self,
        webhook_id: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Retry what waits for a cellular webhook now."""
        return self._call("POST", f"/cellular-webhooks/{quote(webhook_id, safe='')}/retry", {}, takes_key=True, headers=headers)

    def list_webhooks(
        self,
        *,
        status: str | None = None,
        limit: int | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """List event webhooks, newest last."""
        return self._call("GET", "/webhooks", {"status": status, "limit": limit}, headers=headers)

    def create_webhook(
        self,
        *,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Create an event webhook."""
        return self._call("POST", "/webhooks", {}, body=body, content_type="application/json", takes_key=True, headers=headers)

    def get_webhook(
        self,
        webhook_id: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Get an event webhook."""
        return self._call("GET", f"/webhooks/{quote(webhook_id, safe='')}", {}, headers=headers)

    def update_webhook(
        self,
        webhook_id: str,
        *,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Change an event webhook."""
        return self._call("PATCH", f"/webhooks/{quote(webhook_id, safe='')}", {}, body=body, content_type="application/json", headers=headers)

    def delete_webhook(
        self,
        webhook_id: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Delete an event webhook."""
        return self._call("DELETE", f"/webhooks/{quote(webhook_id, safe='')}", {}, headers=headers)

    def retry_webhook(
        self,
        webhook_id: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Retry what waits for an event webhook now."""
        return self._call("POST", f"/webhooks/{quote(webhook_id, safe='')}/retry", {}, takes_key=True, headers=headers)

    def list_cellular_webhook_deliveries(
        self,
        webhook_id: str,
        *,
        state: str | None = None,
        event_type: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """List deliveries, newest first."""
        return self._call("GET", f"/cellular-webhooks/{quote(webhook_id, safe='')}/deliveries", {"state": state, "eventType": event_type, "limit": limit, "cursor": cursor}, headers=headers)

    def get_cellular_webhook_delivery(
        self,
        webhook_id: str,
        delivery_id: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Get a delivery with its payload and its attempts."""
        return self._call("GET", f"/cellular-webhooks/{quote(webhook_id, safe='')}/deliveries/{quote(delivery_id, safe='')}", {}, headers=headers)

    def resend_cellular_webhook_delivery(
        self,
        webhook_id: str,
        delivery_id: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Send a delivery again, with the same webhook-id."""
        return self._call("POST", f"/cellular-webhooks/{quote(webhook_id, safe='')}/deliveries/{quote(delivery_id, safe='')}/resend", {}, takes_key=True, headers=headers)

    def replay_cellular_webhook(
        self,
        webhook_id: str,
        *,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Send all deliveries of a span of time again."""
        return self._call("POST", f"/cellular-webhooks/{quote(webhook_id, safe='')}/replay", {}, body=body, content_type="application/json", takes_key=True, headers=headers)

    def test_cellular_webhook(
        self,
        webhook_id: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Send one webhook.test now and tell what came of it."""
        return self._call("POST", f"/cellular-webhooks/{quote(webhook_id, safe='')}/test", {}, headers=headers)

    def rotate_cellular_webhook_secret(
        self,
        webhook_id: str,
        *,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Replace the secret; the old one signs along for a while."""
        return self._call("POST", f"/cellular-webhooks/{quote(webhook_id, safe='')}/rotate-secret", {}, body=body, content_type="application/json", takes_key=True, headers=headers)

    def list_webhook_deliveries(
        self,
        webhook_id: str,
        *,
        state: str | None = None,
        event_type: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """List deliveries, newest first."""
        return self._call("GET", f"/webhooks/{quote(webhook_id, safe='')}/deliveries", {"state": state, "eventType": event_type, "limit": limit, "cursor": cursor}, headers=headers)

    def get_webhook_delivery(
        self,
        webhook_id: str,
        delivery_id: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Get a delivery with its payload and its attempts."""
        return self._call("GET", f"/webhooks/{quote(webhook_id, safe='')}/deliveries/{quote(delivery_id, safe='')}", {}, headers=headers)

    def resend_webhook_delivery(
        self,
        webhook_id: str,
        delivery_id: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Send a delivery again, with the same webhook-id."""
        return self._call("POST", f"/webhooks/{quote(webhook_id, safe='')}/deliveries/{quote(delivery_id, safe='')}/resend", {}, takes_key=True, headers=headers)

    def replay_webhook(
        self,
        webhook_id: str,
        *,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Send all deliveries of a span of time again."""
        return self._call("POST", f"/webhooks/{quote(webhook_id, safe='')}/replay", {}, body=body, content_type="application/json", takes_key=True, headers=headers)

    def test_webhook(
        self,
        webhook_id: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Send one webhook.test now and tell what came of it."""
        return self._call("POST", f"/webhooks/{quote(webhook_id, safe='')}/test", {}, headers=headers)

    def rotate_webhook_secret(
        self,
        webhook_id: str,
        *,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Replace the secret; the old one signs along for a while."""
        return self._call("POST", f"/webhooks/{quote(webhook_id, safe='')}/rotate-secret", {}, body=body, content_type="application/json", takes_key=True, headers=headers)

    def list_notification_channels(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """List notification channels, newest first."""
        return self._call("GET", "/notification-channels", {"limit": limit, "cursor": cursor}, headers=headers)

    def create_notification_channel(
        self,
        *,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Create a notification channel."""
        return self._call("POST", "/notification-channels", {}, body=body, content_type="application/json", takes_key=True, headers=headers)

    def get_notification_channel(
        self,
        channel_id: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Get a notification channel."""
        return self._call("GET", f"/notification-channels/{quote(channel_id, safe='')}", {}, headers=headers)

    def update_notification_channel(
        self,
        channel_id: str,
        *,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Change a notification channel."""
        return self._call("PATCH", f"/notification-channels/{quote(channel_id, safe='')}", {}, body=body, content_type="application/json", headers=headers)

    def delete_notification_channel(
        self,
        channel_id: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Delete a notification channel."""
        return self._call("DELETE", f"/notification-channels/{quote(channel_id, safe='')}", {}, headers=headers)

    def test_notification_channel(
        self,
        channel_id: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Send one test message now and tell what came of it."""
        return self._call("POST", f"/notification-channels/{quote(channel_id, safe='')}/test", {}, headers=headers)

    def confirm_notification_channel_again(
        self,
        channel_id: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Send the link that confirms an e-mail address again."""
        return self._call("POST", f"/notification-channels/{quote(channel_id, safe='')}/confirm-again", {}, takes_key=True, headers=headers)

    def list_escalations(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """List escalations, newest first."""
        return self._call("GET", "/escalations", {"limit": limit, "cursor": cursor}, headers=headers)

    def create_escalation(
        self,
        *,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Create an escalation."""
        return self._call("POST", "/escalations", {}, body=body, content_type="application/json", takes_key=True, headers=headers)

    def get_escalation(
        self,
        escalation_id: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Get an escalation."""
        return self._call("GET", f"/escalations/{quote(escalation_id, safe='')}", {}, headers=headers)

    def update_escalation(
        self,
        escalation_id: str,
        *,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Change an escalation."""
        return self._call("PATCH", f"/escalations/{quote(escalation_id, safe='')}", {}, body=body, content_type="application/json", headers=headers)

    def delete_escalation(
        self,
        escalation_id: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Delete an escalation."""
        return self._call("DELETE", f"/escalations/{quote(escalation_id, safe='')}", {}, headers=headers)

    def list_keys(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """List API keys, newest first."""
        return self._call("GET", "/keys", {"limit": limit, "cursor": cursor}, headers=headers)

    def create_key(
        self,
        *,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Create an API key."""
        return self._call("POST", "/keys", {}, body=body, content_type="application/json", takes_key=True, headers=headers)

    def delete_key(
        self,
        key_id: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Delete an API key."""
        return self._call("DELETE", f"/keys/{quote(key_id, safe='')}", {}, headers=headers)

    def list_audit(
        self,
        *,
        actor: str | None = None,
        subject: str | None = None,
        from_: str | None = None,
        to: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """List who changed what, newest first."""
        return self._call("GET", "/audit", {"actor": actor, "subject": subject, "from": from_, "to": to, "limit": limit, "cursor": cursor}, headers=headers)

    def create_operator_link(
        self,
        *,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Make a link that signs in to the operators' page."""
        return self._call("POST", "/operator-links", {}, body=body, content_type="application/json", takes_key=True, headers=headers)

    def list_operator_sessions(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """List who is signed in to the operators' page, newest first."""
        return self._call("GET", "/operator-sessions", {"limit": limit, "cursor": cursor}, headers=headers)

    def end_operator_session(
        self,
        session_id: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """End a session, as if the person had signed out."""
        return self._call("DELETE", f"/operator-sessions/{quote(session_id, safe='')}", {}, headers=headers)
