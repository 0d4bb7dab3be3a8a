"""The form of the editor: its values, its problems, and both texts of a conflict."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from starlette.responses import Response

from instep.interfaces.dashboard.bot_pages import BotPage
from instep.interfaces.dashboard.field_errors import errors_by_field
from instep.platform.core.errors import AppError
from instep.platform.text.diff import TextDiff, compare, split_lines
from instep.platform.web.forms import Form
from instep.platform.web.notices import Notice, keep_notice
from instep.platform.web.signed_in import wants_json
from instep.visitors.insights.actions import check_links

# The buttons of the form.
PUBLISH, PUBLISH_ANYWAY = "publish", "publish-anyway"
# The fields of the form with another name in the API.
FIELDS = {"contentMarkdown": "content", "collectionId": "collection", "translationOf": "content"}
VISIBILITIES = (("public", "Everyone"), ("authenticated", "Signed-in visitors"))
BAD_REQUEST, CONFLICT = 400, 409


@dataclass(frozen=True, slots=True)
class OtherText:
    """A text that someone saved during the editing of this one, and a diff from theirs to ours."""

    author_name: str | None
    saved_at: datetime
    title: str
    content: str
    diff: TextDiff

    @property
    def lines(self) -> list[tuple[str, str]]:
        """The lines of the diff, without its header and notes about line ends: a sign, and the text."""
        lines = split_lines(self.diff.diff)[2:]
        return [(line[0], line[1:].rstrip("\r\n")) for line in lines if line and line[0] != "\\"]


@dataclass(frozen=True, slots=True)
class EditorForm:
    """The values of the fields by their names, and the messages of the page.

    `errors` are sentences by field, `other` is a text saved in the meantime, `problems` are those
    that publishing would make public.
    """

    values: Mapping[str, str]
    errors: Mapping[str, str] = field(default_factory=dict)
    other: OtherText | None = None
    problems: Sequence[str] = ()

    def value(self, name: str, default: str = "") -> str:
        return self.values.get(name, default)

    def error(self, name: str) -> str | None:
        return self.errors.get(name)

    @property
    def status(self) -> int:
        """The status of the response that shows the form."""
        if self.other is not None or self.problems:
            return CONFLICT
        return BAD_REQUEST if self.errors else 200


def publishes(form: Form) -> bool:
    """True if the button was one that publishes."""
    return form.get("act") in (PUBLISH, PUBLISH_ANYWAY)


async def links_to_correct(
    page: BotPage, locale: str, article_id: str | None = None, *, is_live: bool = False
) -> list[str]:
    """Problems with links in a text that is about to go live, unless it is published anyway.

    With `is_live` every saved text goes live.
    """
    act = page.form.get("act")
    if act == PUBLISH_ANYWAY or not (act == PUBLISH or is_live):
        return []
    content = page.form.get("content", "").replace("\r\n", "\n")
    problems = await check_links(page.ctx, content, locale, article_id)
    return [f"Line {problem.line}: {problem.message}" for problem in problems]


def field_errors(refusal: AppError) -> dict[str, str]:
    """Sentences by field; one that concerns no single field has the key "".

    Raises the refusal again if it is not about the sent values: it gets a separate page.
    """
    if refusal.status != BAD_REQUEST:
        raise refusal
    errors = {FIELDS.get(name, name): sentence for name, sentence in errors_by_field(refusal).items()}
    return errors or {"": refusal.message}


async def compare_with_ours(
    page: BotPage, theirs: str, author_name: str | None, saved_at: datetime, title: str
) -> OtherText:
    """The text that someone else saved in the meantime, compared with the sent one."""
    ours = page.form.get("content", "").replace("\r\n", "\n")
    diff = await compare(theirs.replace("\r\n", "\n"), ours, ("theirs", "yours"))
    return OtherText(author_name, saved_at, title, theirs, diff)


def after_saving(page: BotPage, below: str, notice: Notice | str, **state: Any) -> Response:
    """Redirect to another page of the bot, which says what was done; a script also gets `state`."""
    if not wants_json(page.request):
        return page.leave(below, notice)
    response = page.answer(address=page.path(below), **state)
    keep_notice(page.request, response, Notice(notice) if isinstance(notice, str) else notice)
    return response


def time_of_day(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%H:%M} UTC"
