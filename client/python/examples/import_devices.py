"""Registers devices, with a result for each. May be run again: devices that are registered already stay as they are."""

import os

from device_monitoring import Client

DEVICES = [
    {"serialNumber": "282C02424EED", "name": "Vaccine fridge 1"},
    {"serialNumber": "282C02424EEE", "name": "Vaccine fridge 2"},
]

dms = Client(os.environ.get("DMS_URL", "http://127.0.0.1:8080"), os.environ["DMS_KEY"])
answer = dms.import_assets(body=DEVICES)
print(f"{answer['created']} registered, {answer['unchanged']} already there")
for result in answer["results"]:
    if result["error"] is not None:
        print(f"row {result['row']}: {result['error']}")
