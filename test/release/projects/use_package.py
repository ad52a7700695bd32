"""A project with nothing but the installed package: registers a device, applies a profile, and waits for the device."""

import sys

from device_monitoring import Client, wait_until_applied

url, api_key, device_token, serial = sys.argv[1:]
dms = Client(url, api_key)
devices = Client(url, device_token)

asset = dms.register_asset(body={"serialNumber": serial})
factory = {"measurementPeriodBase": 60, "measurementPeriodFactor": 1, "transmissionInterval": 3600}
devices.report_config(serial, body=factory)
applied = dms.apply_profile("vaccine-fridge", body={"serialNumbers": [serial]})
devices.report_config(serial, body={**factory, **devices.fetch_pending_config(serial)["config"]})
job = wait_until_applied(dms, applied["jobId"], poll_seconds=0.05, timeout=30)
print(dms.get_asset(asset["id"])["serialNumber"], job["status"])
