"""Email: whether this installation sends it, and a test that shows the server's own answer."""

from starlette.requests import Request
from starlette.responses import Response

from instep.interfaces.dashboard.bot_pages import BotPage, PageRouter, enter_bot, find_page
from instep.interfaces.dashboard.settings.frame import SECTION, show_settings
from instep.platform.core import limits
from instep.platform.core.config import settings
from instep.platform.core.errors import RateLimited
from instep.platform.core.rate_window import count_hit
from instep.platform.email.letters import envelope_of, trial_letter
from instep.platform.email.outgoing import deliver_now, email_locale
from instep.platform.email.smtp import EmailNotSent
from instep.platform.email.undelivered import list_undelivered
from instep.platform.identity.access import hold_open
from instep.platform.identity.schemas import Ctx, Person
from instep.platform.identity.scopes import Role
from instep.platform.web.signed_in import require_person

router = PageRouter("settings/email", Role.OWNER)


@router.get()
async def show_email(page: BotPage) -> Response:
    return await email_page(page)


async def email_page(page: BotPage, *, is_sent: bool = False, problem: str | None = None) -> Response:
    undelivered = await list_undelivered(page.ctx.tx, page.ctx.workspace_id)
    return await show_settings(
        page,
        "email",
        installation=settings(),
        is_sent=is_sent,
        problem=problem,
        undelivered=undelivered,
    )


@router.route("test", "POST")
@require_person(Role.OWNER)
async def send_test_email(request: Request, person: Person) -> Response:
    """Send the owner a test, and show what the server answers. No database connection is held meanwhile."""
    async with enter_bot(request, person) as ctx:
        await hold_open(ctx.tx, ctx.workspace_id)
        await count_test(ctx, person)
        locale = await email_locale(ctx.tx, ctx.workspace_id, person.email)
    problem = None
    try:
        await deliver_now(settings(), envelope_of(settings(), person.email, trial_letter(locale), locale))
    except EmailNotSent as failure:
        problem = failure.message
    async with request.app.state.database.enter_workspace(person.workspace_id) as tx:
        page = await find_page(request, person, tx, SECTION)
        return await email_page(page, is_sent=problem is None, problem=problem)


async def count_test(ctx: Ctx, person: Person) -> None:
    window = await count_hit(ctx.tx, "test-emails", person.id, limits.HOUR_SECONDS)
    if window.hits > limits.TEST_EMAILS_PER_HOUR:
        raise RateLimited(headers={"Retry-After": str(window.seconds_left)})
