"""Waits for a job of configuration changes."""

import math
import time
from typing import Any, Callable

from .client import Client

_UNDER_WAY = {"scheduled", "running"}
_SLOWEST = 10


def wait_until_applied(
    dms: Client,
    job_id: str,
    *,
    on_progress: Callable[[Any], None] = lambda job: None,
    poll_seconds: float = 1.0,
    timeout: float | None = None,
) -> Any:
    """
    Returns the job once it has ended: each device runs the configuration or has refused it, or the deadline has passed.

    `on_progress` is called with the job at first and after each change of its counts. The job is polled every
    `poll_seconds` while counts change, and up to ten times more slowly otherwise. Raises TimeoutError after `timeout`
    seconds; the job continues.
    """
    ends_at = math.inf if timeout is None else time.monotonic() + timeout
    seen, wait = None, poll_seconds
    while True:
        job = dms.get_config_job(job_id)
        state = (job["status"], job["counts"])
        if state != seen:
            on_progress(job)
        if job["status"] not in _UNDER_WAY:
            return job
        wait = min(wait * 1.5, poll_seconds * _SLOWEST) if state == seen else poll_seconds
        seen = state
        left = ends_at - time.monotonic()
        if left <= 0:
            raise TimeoutError(f"job {job_id} is {job['status']}")
        time.sleep(min(wait, left))
