"""Names of browsers in the list of sessions, such as `Firefox on Linux`, from `User-Agent` (RFC 9110)."""

# Browsers also name those that they are compatible with, so the more specific names come first.
BROWSERS = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)
SYSTEMS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)


def browser_name(user_agent: str) -> str:
    """The browser and its system, such as `Firefox on Linux`."""
    browser = first_mentioned(BROWSERS, user_agent) or "A browser"
    system = first_mentioned(SYSTEMS, user_agent)
    return f"{browser} on {system}" if system else browser


def first_mentioned(names: tuple[tuple[str, str], ...], user_agent: str) -> str | None:
    return next((name for mark, name in names if mark in user_agent), None)
