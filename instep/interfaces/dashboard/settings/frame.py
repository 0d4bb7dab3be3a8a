"""Parts shared by all settings: their navigation, and errors that keep the typed values."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import accumulate
from typing import Any, Protocol
from uuid import UUID

from starlette.responses import Response

from instep.interfaces.dashboard import queries
from instep.interfaces.dashboard.bot_pages import BotPage
from instep.interfaces.dashboard.field_errors import field_sentence
from instep.platform.core.errors import AppError, InvalidRequest
from instep.platform.core.ids import NO_UUID, as_uuid
from instep.platform.identity.schemas import WorkspaceCtx
from instep.platform.identity.scopes import VERBS, Role, Scope
from instep.platform.web.notices import forget_secret, keep_secret, take_secret

SECTION = "settings"
NO_LABELS: Mapping[str, str] = {}
# The path of each page below `settings/`, its name, and the least role that may see it.
SUBSECTIONS = (
    ("general", "General", Role.VIEWER),
    ("site", "Help center", Role.VIEWER),
    ("widget", "Widget and visitors", Role.VIEWER),
    ("keys", "API keys", Role.OWNER),
    ("repositories", "Repositories", Role.OWNER),
    ("reviews", "Reviews", Role.OWNER),
    ("webhooks", "Webhooks", Role.OWNER),
    ("alerts", "Alerts", Role.OWNER),
    ("email", "Email", Role.OWNER),
    ("model", "Language model", Role.OWNER),
    ("people", "People", Role.OWNER),
    ("trusts", "CI without keys", Role.OWNER),
    ("apps", "Connected apps", Role.OWNER),
    ("versions", "Versions", Role.VIEWER),
    ("redirects", "Redirects", Role.VIEWER),
    ("style", "Style", Role.VIEWER),
    ("synonyms", "Synonyms", Role.VIEWER),
    ("suppressed", "Not proposed again", Role.VIEWER),
    ("audit", "Audit", Role.OWNER),
)
# The choices of a form for access.
SCOPES = (
    (Scope.WRITE, "Read and write", "Also publishes, applies drafts and syncs with git."),
    (
        Scope.PROPOSE,
        "Read and propose",
        "Sends code changes and proposes edits for people to review. Best for CI.",
    ),
    (Scope.READ, "Read", None),
)


class Ending(Protocol):
    """Access that can be revoked."""

    @property
    def revoked_at(self) -> datetime | None: ...


async def show_settings(
    page: BotPage,
    path: str,
    refusal: AppError | None = None,
    labels: Mapping[str, str] = NO_LABELS,
    /,
    **values: Any,
) -> Response:
    """A settings page; after a refusal it shows the message and the typed values.

    `path` names the page: `webhooks/webhook` is the page `webhook` below the page `webhooks`.
    `labels` are the names on the page of fields that have another one in the API.
    """
    name, _, below = path.partition("/")
    subsections = [
        (page.path(f"{SECTION}/{subsection}"), words, subsection == name)
        for subsection, words, role in SUBSECTIONS
        if role != Role.OWNER or page.person.permissions.changes_settings
    ]
    secret = take_secret(page.request, name)
    # Only a page with a refusal repeats what was typed, if a form was sent.
    sent_form = page.form if refusal and page.request.method == "POST" else None
    response = await page.show(
        f"settings/{below or name}.html",
        refusal.status if refusal else 200,
        subsections=subsections,
        new_secret=secret,
        refusal=labeled_message(refusal, labels) if refusal else None,
        typed=defaultdict(str, sent_form or {}),
        ticked=sent_form.all if sent_form else lambda name: [],
        **values,
    )
    if secret is not None:
        forget_secret(page.request, response)
    return response


def labeled_message(refusal: AppError, labels: Mapping[str, str]) -> str:
    """Every fault, after the label of its field; of an entry without one, after the label of the list."""
    faults = [
        message if message == refusal.message else field_sentence(f"{label_of(field, labels)}: {message}")
        for field, message in refusal.details
    ]
    return " ".join(dict.fromkeys(faults)) or refusal.message


def label_of(field: str, labels: Mapping[str, str]) -> str:
    """The label of a field or of its longest prefix with one; without any, the field itself."""
    prefixes = accumulate(field.split("."), "{}.{}".format)
    return next((labels[name] for name in reversed(list(prefixes)) if name in labels), f"`{field}`")


async def show_access(
    page: BotPage, name: str, rows: Sequence[Ending], refusal: AppError | None, **values: Any
) -> Response:
    """A page of credentials for help centers: valid ones, ended ones, and a form for a new one."""
    bots = await queries.list_bots(page.ctx.tx, page.ctx.workspace_id)
    return await show_settings(
        page,
        name,
        refusal,
        live=[row for row in rows if row.revoked_at is None],
        ended=[row for row in rows if row.revoked_at is not None],
        names={bot.id: bot.name for bot in bots},
        options=[(str(bot.id), bot.name, None) for bot in bots],
        verbs=VERBS,
        scopes=SCOPES,
        **values,
    )


def chosen_bot_ids(page: BotPage) -> list[UUID]:
    """The bots that a form names; an invalid id becomes one that no bot has, so that it is refused."""
    return [as_uuid(text) or NO_UUID for text in page.form.all("bots")]


def chosen_scope(page: BotPage) -> Scope:
    """The scope in a form; raises `InvalidRequest`."""
    try:
        return Scope(page.form.get("scope", ""))
    except ValueError:
        raise InvalidRequest("Choose a scope under “Permissions”.") from None


def show_secret_next(
    page: BotPage, name: str, secret: str, below: str = "", notice: str | None = None
) -> Response:
    """Redirect to the subsection with this name, or to a page below it, which shows the secret once."""
    response = page.leave(f"{SECTION}/{name}{below}", notice)
    keep_secret(page.request, response, name, secret)
    return response


async def workspace_ctx(page: BotPage) -> WorkspaceCtx:
    """The context of an action on the whole workspace, with all of its bots."""
    ctx = page.ctx
    bots = await queries.list_bots(ctx.tx, ctx.workspace_id)
    return WorkspaceCtx(ctx.tx, ctx.workspace_id, tuple(bots), True, ctx.actor, ctx.now)
