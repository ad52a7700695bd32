"""What test/client/python.test.ts runs, against the real service. The test gives addresses and keys as JSON."""

import base64
import hashlib
import hmac
import json
import os
import sys
import unittest
import unittest.mock
import uuid
from datetime import datetime, timezone
from types import SimpleNamespace

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../client/python"))
from device_monitoring import (  # noqa: E402
    ApiError,
    Client,
    WebhookVerificationError,
    each,
    verify_webhook,
    wait_until_applied,
)
from device_monitoring.http_fields import parse_retry_after  # noqa: E402

GIVEN = json.loads(os.environ["GIVEN"])
FACTORY = {"measurementPeriodBase": 60, "measurementPeriodFactor": 1, "transmissionInterval": 3600}
FRIDGE = {
    "name": "Vaccine fridge",
    "temperatureAlerts": [{"type": "range", "channel": "probe", "lowC": 2, "highC": 8}],
    "intervals": {"measurementIntervalMinutes": 5, "transmissionIntervalSeconds": 3600},
}


def _signed(headers, body, secret):
    """The headers with a signature of another body."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    text = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.{body}".encode()
    mac = base64.b64encode(hmac.new(key, text, hashlib.sha256).digest()).decode()
    return {**headers, "webhook-signature": f"v1,{mac}"}


def serial():
    return f"282C{uuid.uuid4().hex[:8].upper()}"


NOW = datetime(2026, 3, 2, 8, tzinfo=timezone.utc)


class HttpFields(unittest.TestCase):
    def test_reads_retry_after_as_seconds_or_as_one_of_three_dates_and_ignores_the_rest(self):
        for text, seconds in {
            "40": 40,
            "9" * 5000: 86400,
            "Mon, 02 Mar 2026 08:00:40 GMT": 40,
            "Monday, 02-Mar-26 08:00:40 GMT": 40,
            "Mon Mar  2 08:00:40 2026": 40,
            "Mon, 02 Mar 2026 07:59:20 GMT": 0,
            **dict.fromkeys(["40.5", "-40", '"40"', "", "soon", "\u00b2", "\u0663", "\u00a040", "2026-03-02"]),
            **dict.fromkeys(["Mon, 30 Feb 2026 08:00:40 GMT", "Mon, 02 Mar 2026 08:00:40 +0000"]),
        }.items():
            self.assertEqual(parse_retry_after(text, NOW), seconds, text[:40])


class Wait(unittest.TestCase):
    def test_looks_at_a_job_until_the_timeout_is_over(self):
        for ends_at, looks_at in ((8, [0, 5, 10]), (11, [0, 5, 10, TimeoutError])):
            clock, seen = Clock(), []

            def look(_):
                seen.append(clock.now)
                return {"status": "succeeded" if clock.now >= ends_at else "running", "counts": {}}

            with unittest.mock.patch("device_monitoring.jobs.time", clock):
                try:
                    wait_until_applied(SimpleNamespace(get_config_job=look), "1", poll_seconds=5, timeout=10)
                except TimeoutError:
                    seen.append(TimeoutError)
            self.assertEqual(seen, looks_at)


class Clock:
    """Stands still but for its sleeps."""

    now = 0

    def monotonic(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds


class PythonClient(unittest.TestCase):
    def setUp(self):
        self.dms = Client(GIVEN["url"], GIVEN["apiKey"])
        self.devices = Client(GIVEN["url"], GIVEN["deviceToken"])

    def test_applies_a_profile_and_waits_until_the_device_has_confirmed_it(self):
        number = serial()
        self.dms.register_asset(body={"serialNumber": number})
        slug = self.dms.create_profile(body={**FRIDGE, "slug": f"fridge-{number.lower()}"})["profile"]["slug"]
        applied = self.dms.apply_profile(slug, body={"serialNumbers": [number]})
        self.devices.report_config(number, body=FACTORY)
        pending = self.devices.fetch_pending_config(number)

        def answer(job):
            if job["counts"]["applied"] == 0:
                self.devices.report_config(number, body={**FACTORY, **pending["config"]})

        job = wait_until_applied(self.dms, applied["jobId"], on_progress=answer, poll_seconds=0.05, timeout=30)
        self.assertEqual(job["status"], "succeeded")
        self.assertIsNone(self.devices.fetch_pending_config(number))

    def test_reads_all_items_of_a_list_whatever_the_size_of_its_pages(self):
        for _ in range(5):
            self.dms.register_asset(body={"serialNumber": serial()})
        ids = {asset["id"] for asset in each(self.dms.list_assets, limit=2)}
        self.assertEqual(len(ids), self.dms.list_assets()["totalItems"])

    def test_goes_on_with_a_list_from_a_cursor(self):
        for _ in range(5):
            self.dms.register_asset(body={"serialNumber": serial()})
        first = self.dms.list_assets(limit=2)
        rest = list(each(self.dms.list_assets, limit=2, cursor=first["nextCursor"]))
        self.assertEqual(len(first["items"]) + len(rest), first["totalItems"])

    def test_raises_the_message_of_the_service_with_its_status(self):
        with self.assertRaises(ApiError) as raised:
            self.dms.get_asset(str(uuid.uuid4()))
        self.assertEqual(raised.exception.status, 404)
        self.assertTrue(raised.exception.request_id)

    def test_creates_once_when_the_answer_is_lost(self):
        losing = Client(GIVEN["losingUrl"], GIVEN["apiKey"])
        number = serial()
        asset = losing.register_asset(body={"serialNumber": number})
        self.assertEqual(self.dms.get_asset(asset["id"])["serialNumber"], number)

    def test_returns_the_job_that_a_change_of_a_group_has_begun_when_the_answer_is_lost(self):
        number = serial()
        self.dms.register_asset(body={"serialNumber": number})
        slug = self.dms.create_profile(body={**FRIDGE, "slug": f"group-{number.lower()}"})["profile"]["slug"]
        group = self.dms.create_group(body={"name": number})["id"]
        self.dms.add_group_members(group, body={"serialNumbers": [number]})
        losing = Client(GIVEN["losingGroupUrl"], GIVEN["apiKey"])
        changed = losing.update_group(group, body={"profileSlug": slug})
        self.assertEqual(self.dms.get_config_job(changed["jobId"])["total"], 1)

    def test_takes_a_deletion_for_done_whose_answer_is_lost_and_not_one_that_found_nothing(self):
        group = self.dms.create_group(body={"name": serial()})["id"]
        self.assertIsNone(Client(GIVEN["losingDeletionUrl"], GIVEN["apiKey"]).delete_group(group))
        with self.assertRaises(ApiError) as raised:
            Client(GIVEN["refusingDeletionUrl"], GIVEN["apiKey"]).delete_group(group)
        self.assertEqual(raised.exception.status, 404)

    def test_repeats_what_is_safe_to_repeat_until_an_answer_comes_whole(self):
        self.assertEqual(Client(GIVEN["brokenUrl"], GIVEN["apiKey"]).list_assets()["totalItems"], 0)

    def test_waits_for_a_call_that_still_runs_keeps_its_retries_for_failures_and_does_not_wait_for_ever(self):
        number = {"serialNumber": serial()}
        running = Client(GIVEN["runningUrl"], GIVEN["apiKey"])
        self.assertEqual(running.register_asset(body=number)["id"], "registered")
        with self.assertRaises(ApiError) as raised:
            Client(GIVEN["endlessUrl"], GIVEN["apiKey"]).register_asset(body=number)
        self.assertEqual(raised.exception.status, 409)

    def test_raises_an_answer_that_asks_to_wait_for_more_than_a_minute(self):
        with self.assertRaises(ApiError) as raised:
            Client(GIVEN["laterUrl"], GIVEN["apiKey"]).list_assets()
        self.assertEqual((raised.exception.status, raised.exception.retry_after), (503, 61))

    def test_raises_a_connection_error_for_an_answer_that_stays_cut_off(self):
        with self.assertRaises(ConnectionError) as raised:
            Client(GIVEN["cutOffUrl"], GIVEN["apiKey"], retries=0).list_assets()
        self.assertIn(f"No answer from {GIVEN['cutOffUrl']}: ", str(raised.exception))

    def test_raises_an_api_error_with_its_status_for_every_answer_that_is_no_json_of_the_service(self):
        for url, status in GIVEN["wrongUrls"]:
            with self.assertRaises(ApiError) as raised:
                Client(url, GIVEN["apiKey"]).list_assets()
            self.assertEqual(raised.exception.status, status)

    def test_answers_files_as_they_are_streamed(self):
        asset = self.dms.register_asset(body={"serialNumber": serial()})
        with self.dms.list_measurements(asset["id"], headers={"Accept": "text/csv"}) as csv:
            self.assertTrue(csv.readline().startswith(b"channel,"))

    def test_reads_names_of_headers_in_any_case(self):
        table = f"serialNumber\n{serial()}\n".encode()
        headers = {"content-type": "text/csv", "idempotency-key": serial()}
        # The second answer is that of the first call.
        for _ in range(2):
            self.assertEqual(self.dms.import_assets(body=table, headers=headers)["created"], 1)

    def test_sends_bytes_of_json_unchanged_and_encodes_a_value_also_where_the_media_type_has_parameters(self):
        for kind, encode in (
            ("application/json", lambda rows: json.dumps(rows).encode()),
            ("application/json; charset=utf-8", lambda rows: rows),
        ):
            body = encode([{"serialNumber": serial()}])
            self.assertEqual(self.dms.import_assets(body=body, headers={"Content-Type": kind})["created"], 1)

    def test_does_not_take_its_key_to_another_host(self):
        with self.assertRaises(ApiError) as raised:
            Client(GIVEN["redirectingUrl"], GIVEN["apiKey"]).list_assets()
        self.assertEqual(raised.exception.status, 302)

    def test_verifies_what_the_service_sent_and_refuses_what_it_did_not_send(self):
        sent = GIVEN["webhook"]
        headers, body, secret = sent["headers"], sent["body"], sent["secret"]
        self.assertEqual(verify_webhook(headers, body, secret)["type"], "webhook.test")
        self.assertEqual(verify_webhook(headers, body.encode(), secret)["type"], "webhook.test")
        for wrong in (
            (headers, body + " ", secret, {}),
            (headers, body, "another secret of 20", {}),
            ({**headers, "webhook-id": "another"}, body, secret, {}),
            ({}, body, secret, {}),
            (headers, body, secret, {"now": int(headers["webhook-timestamp"]) + 600}),
            *(({**headers, "webhook-timestamp": "9" * digits}, body, secret, {}) for digits in (10, 400, 5000)),
            ({**headers, "webhook-timestamp": "\u0663"}, body, secret, {}),
            ({**headers, "webhook-id": "\udcff"}, body, secret, {}),
            ({**headers, "webhook-signature": "v1,\udcff v1 \u00e9"}, body, secret, {}),
            ({**headers, "webhook-signature": None}, body, secret, {}),
            (headers, b"\xff\xfe{", secret, {}),
            (headers, "\udcff", secret, {}),
            *((headers, unread, secret, {}) for unread in (None, json.loads(body), 7, [])),
            (None, body, secret, {}),
            (_signed(headers, "[" * 200_000, secret), "[" * 200_000, secret, {}),
        ):
            with self.assertRaises(WebhookVerificationError):
                verify_webhook(*wrong[:3], **wrong[3])


if __name__ == "__main__":
    unittest.main(verbosity=2)
