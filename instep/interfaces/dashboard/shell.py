"""The frame of every dashboard page: its sections, its headers, and the shared values of its templates."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from instep.interfaces.dashboard.offered_languages import LANGUAGES, name_with_code
from instep.platform.web.signed_in import PrivatePages

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
# Older times are shown as a date.
MAX_AGE = timedelta(days=30)
# Scripts are built files only. The one Trusted Types policy lets htmx parse HTML; none allows code.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; font-src 'self'; "
    "connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types instep"
)
# The path of each section below `/app/{botSlug}/`, its name, and its key after `g`.
SECTIONS = (
    ("review", "Review", "r"),
    ("inbox", "Inbox", "i"),
    ("articles", "Articles", "a"),
    ("collections", "Collections", None),
    ("changelog", "Changelog", "c"),
    ("tasks", "Tasks", "t"),
    ("questions", "Questions", "q"),
    ("conversations", "Conversations", None),
    ("health", "Health", "h"),
    ("files", "Files", None),
    ("settings", "Settings", "s"),
)


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


pages = PrivatePages.below(Path(__file__).parent / "templates", policy=POLICY)
pages.pages.environment.filters.update(
    age=age_in_words,
    instant=datetime.fromisoformat,
    day=day_in_words,
    number=lambda number: f"{number:,}",
    language=name_with_code,
    minute=lambda moment: f"{moment:%Y-%m-%d %H:%M} UTC",
)
pages.pages.environment.globals["LANGUAGES"] = LANGUAGES


@dataclass(frozen=True, slots=True)
class SectionLink:
    """A link of the navigation."""

    name: str
    href: str
    key: str | None
    is_current: bool
    # The number of waiting items; None shows nothing.
    count: int | None


def section_links(slug: str, current: str, counts: Mapping[str, int]) -> list[SectionLink]:
    """The sections of a bot's dashboard; `counts` are the numbers of waiting things, by path."""
    return [
        SectionLink(name, f"/app/{slug}/{path}", key and f"g {key}", path == current, counts.get(path))
        for path, name, key in SECTIONS
    ]
