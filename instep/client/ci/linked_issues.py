"""The issues that a pull request names in its title and its description."""

import re
from collections.abc import Iterator
from typing import Any

from instep.client.ci.checkout import task_text, task_title
from instep.client.ci.environment import text_or_none
from instep.platform.core import limits

# Templates of descriptions hold examples in comments.
COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
NUMBER = r"(\d{1,9})(?![\w/])"
MENTION = re.compile(rf"(?<![\w/&#])#{NUMBER}|/(?:-/)?(?:issues|work_items)/{NUMBER}")

# The address and the text of an issue in the JSON of hosts.
PAGE = (("html_url",), ("web_url",), ("links", "html", "href"))
TEXT = (("body",), ("description",), ("content", "raw"))


def issue_numbers(text: str, home: str) -> list[int]:
    """The numbers of the first issues that a text names, of the repository with the web address `home`.

    Issues of other repositories are left out: the token may read more than the people who see the drafts.
    """
    numbers = dict.fromkeys(numbers_in(COMMENT.sub(" ", text), home.casefold()))
    return list(numbers)[: limits.MAX_LINKED_ISSUES]


def numbers_in(text: str, home: str) -> Iterator[int]:
    for match in MENTION.finditer(text):
        address = text[max(0, match.start() - len(home)) : match.start()]
        if match[1] or (home and address.casefold() == home):
            yield int(match[1] or match[2])


def issue_of(row: Any, home: str) -> dict[str, str] | None:
    """The title and text of an issue, by the JSON of any code host; None for what is no issue of `home`.

    GitHub and Gitea also number pull requests as issues, and redirect to moved issues. Confidential issues of
    GitLab are left out.
    """
    if not isinstance(row, dict) or row.get("pull_request") or row.get("confidential"):
        return None
    page, text = (
        next(filter(None, (text_or_none(row, *path) for path in paths)), "") for paths in (PAGE, TEXT)
    )
    title = task_title(text_or_none(row, "title"))
    if not title or not page.casefold().startswith(f"{home}/".casefold()):
        return None
    return {"title": title, "body": (task_text(text) or "")[: limits.MAX_ISSUE_CHARACTERS]}
