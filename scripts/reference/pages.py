"""All pages that are made from the code."""

import re
from pathlib import Path

from scripts.reference import commands, limits, settings

ROOT = Path(__file__).parents[2]
HELP = Path("docs/help")
BEFORE = Path("instep/demo/before")
# What the change of the demo renamed: the demo begins with the articles as they were before.
RENAMED = {"REQUESTS_PER_MINUTE": "API_RATE_LIMIT", "TASKS_PER_HOUR": "TASK_RATE_LIMIT"}


def written_pages() -> dict[Path, str]:
    """The text of each page by its path in the repository."""
    settings_text = settings.settings_page((ROOT / HELP / settings.PAGE).read_text())
    rate_limits = (ROOT / HELP / "03-api/03-rate-limits.md").read_text()
    return {
        HELP / settings.PAGE: settings_text,
        HELP / commands.PAGE: commands.commands_page(),
        HELP / limits.PAGE: limits.limits_page(),
        BEFORE / "settings.md": before_the_change(settings_text),
        BEFORE / "rate-limits.md": before_the_change(rate_limits),
    }


def before_the_change(text: str) -> str:
    for name, old_name in RENAMED.items():
        text = re.sub(rf"\bINSTEP_{name}\b", f"INSTEP_{old_name}", text)
        text = re.sub(rf"\b{name.lower()}\b", old_name.lower(), text)
    return text
