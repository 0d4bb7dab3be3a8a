"""Ages in the words of the dashboard."""

from datetime import UTC, datetime, timedelta

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
# Older times are shown as a date.
MAX_AGE = timedelta(days=30)


def age_in_words(moment: datetime, now: datetime) -> str:
    """`just now`, `5 min ago`, `3 h ago`, `2 days ago`, or the date in UTC: `Mar 2, 2026`."""
    age = now - moment
    if age >= MAX_AGE:
        return day_in_words(moment)
    if age < MINUTE:
        return "just now"
    if age < HOUR:
        return f"{age // MINUTE} min ago"
    if age < DAY:
        return f"{age // HOUR} h ago"
    return "yesterday" if age < 2 * DAY else f"{age // DAY} days ago"


def day_in_words(moment: datetime) -> str:
    """The date in UTC: `Mar 2, 2026`."""
    return f"{moment.astimezone(UTC):%b %-d, %Y}"
