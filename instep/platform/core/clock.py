"""The current time, and timestamps in JSON: ISO 8601, UTC, milliseconds."""

from datetime import UTC, datetime


def utc_now() -> datetime:
    return datetime.now(UTC)


def isoformat(moment: datetime) -> str:
    text = moment.isoformat(timespec="milliseconds")
    # PostgreSQL's sessions return UTC, and converting from UTC takes as long as the rest.
    return text[:-6] + "Z" if text.endswith("+00:00") else isoformat(moment.astimezone(UTC))
