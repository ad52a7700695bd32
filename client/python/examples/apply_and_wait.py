"""Applies a profile to all devices, and waits until each of them runs it or has refused it, or the deadline is over."""

import os

from device_monitoring import Client, wait_until_applied

dms = Client(os.environ.get("DMS_URL", "http://127.0.0.1:8080"), os.environ["DMS_KEY"])

answer = dms.apply_profile(slug=os.environ.get("PROFILE", "vaccine-fridge"), body={"applyToAll": True})
if answer["jobId"] is None:
    print("every device runs it already")
else:
    job = wait_until_applied(
        dms,
        answer["jobId"],
        on_progress=lambda seen: print(f"{seen['counts']['applied']} of {seen['total']} devices", flush=True),
    )
    print(job["status"] if job["reason"] is None else f'{job["status"]}: {job["reason"]}')
