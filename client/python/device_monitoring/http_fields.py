"""Values of header fields, by their grammar in RFC 9110."""

import re
from datetime import datetime, timezone

# Longer waits are read as this one.
RETRY_AFTER_MAX_SECONDS = 24 * 3600.0

_MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
_DAY = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
_LONG_DAY = "(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day"
_MONTH = f"(?P<month>{'|'.join(_MONTHS)})"
_TIME = "(?P<hour>[01][0-9]|2[0-3]):(?P<minute>[0-5][0-9]):(?P<second>[0-5][0-9]|60)"
# Section 5.6.7, in its order: IMF-fixdate, RFC 850, asctime, which is in GMT too.
_DATES = [
    f"{_DAY}, (?P<day>[0-9]{{2}}) {_MONTH} (?P<year>[0-9]{{4}}) {_TIME} GMT",
    f"{_LONG_DAY}, (?P<day>[0-9]{{2}})-{_MONTH}-(?P<year>[0-9]{{2}}) {_TIME} GMT",
    f"{_DAY} {_MONTH} (?P<day>[0-9]{{2}}| [0-9]) {_TIME} (?P<year>[0-9]{{4}})",
]


def parse_retry_after(value: str | None, now: datetime) -> float | None:
    """
    Retry-After (section 10.2.3) in seconds from now: a number, or a date, which is 0 when it has passed. None when it is
    neither: such a field is ignored.
    """
    text = (value or "").strip(" \t")
    if re.fullmatch("[0-9]+", text):
        # Python refuses to read thousands of digits.
        return RETRY_AFTER_MAX_SECONDS if len(text.lstrip("0")) > 5 else min(float(text), RETRY_AFTER_MAX_SECONDS)
    at = parse_http_date(text, now)
    return None if at is None else min(max((at - now).total_seconds(), 0.0), RETRY_AFTER_MAX_SECONDS)


def parse_http_date(text: str, now: datetime) -> datetime | None:
    """None for a text that is none of the three forms, or a day that the month does not have."""
    for form in _DATES:
        found = re.fullmatch(form, text)
        if found:
            return _to_date(found.groupdict(), now)
    return None


def _to_date(parts: dict[str, str], now: datetime) -> datetime | None:
    day, hour, minute, second = (int(parts[name]) for name in ("day", "hour", "minute", "second"))
    year = _full_year(int(parts["year"]), now) if len(parts["year"]) == 2 else int(parts["year"])
    try:
        # A leap second is read as the second before it.
        return datetime(
            year, _MONTHS.index(parts["month"]) + 1, day, hour, minute, min(second, 59), tzinfo=timezone.utc
        )
    except ValueError:
        return None


def _full_year(last_digits: int, now: datetime) -> int:
    """Two digits that seem more than 50 years ahead are of the century before."""
    year = now.year - now.year % 100 + last_digits
    return year - 100 if year > now.year + 50 else year
