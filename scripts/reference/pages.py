"""All pages that are made from the code."""

import re
from collections.abc import Callable
from pathlib import Path

from scripts.reference import commands, limits, settings

ROOT = Path(__file__).parents[2]
HELP = Path("docs/help")
BEFORE = Path("instep/demo/before")
# Settings that the change of the demo renamed: the demo begins with the articles as they were before.
RENAMED = {"REQUESTS_PER_MINUTE": "API_RATE_LIMIT", "TASKS_PER_HOUR": "TASK_RATE_LIMIT"}


def settings_text() -> str:
    return settings.settings_page((ROOT / HELP / settings.PAGE).read_text())


def rate_limits() -> str:
    return (ROOT / HELP / "03-api/03-rate-limits.md").read_text()


def before_the_change(text: str) -> str:
    for name, old_name in RENAMED.items():
        text = re.sub(rf"\bINSTEP_{name}\b", f"INSTEP_{old_name}", text)
        text = re.sub(rf"\b{name.lower()}\b", old_name.lower(), text)
    return text


# Each page by its path in the repository, with the function that makes its text.
PAGES: dict[Path, Callable[[], str]] = {
    HELP / settings.PAGE: settings_text,
    HELP / commands.PAGE: commands.commands_page,
    HELP / limits.PAGE: limits.limits_page,
    BEFORE / "settings.md": lambda: before_the_change(settings_text()),
    BEFORE / "rate-limits.md": lambda: before_the_change(rate_limits()),
}
