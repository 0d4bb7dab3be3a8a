"""Pages about one help center: their access, their context, and their responses."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from instep.interfaces.dashboard import queries
from instep.interfaces.dashboard.notices import Notice, keep_notice, take_notice
from instep.interfaces.dashboard.shell import pages, section_links
from instep.platform.core import limits
from instep.platform.core.clock import utc_now
from instep.platform.core.config import settings
from instep.platform.core.database import Tx
from instep.platform.core.errors import NotFound
from instep.platform.core.paging import PageRequest
from instep.platform.core.restarts import restartable
from instep.platform.identity.access import hold_open
from instep.platform.identity.access_tokens import resource_of
from instep.platform.identity.schemas import Bot, Ctx, Person
from instep.platform.identity.scopes import Role
from instep.platform.web.forms import Form, cookie_name, set_cookie
from instep.platform.web.recent_sign_in import SignInTooOld
from instep.platform.web.signed_in import (
    SAFE,
    ask_to_verify,
    form_of,
    private_headers,
    require_person,
    see_other,
)

# The cookie with the bot whose pages were open last, for `/app/`.
LAST_BOT = "bot"
LAST_BOT_SECONDS = 365 * 86_400
# The notice after a proof of identity: the form that needed it was not accepted.
NOT_DONE_YET = Notice("Almost done: check your entries and press the button again.", asks_again=True)


@dataclass(frozen=True, slots=True)
class BotPage:
    """One request of a signed-in person for a page about a bot of their workspace.

    A request that changes something runs in a transaction, which ends with the page.
    """

    request: Request
    person: Person
    ctx: Ctx
    section: str

    @property
    def bot(self) -> Bot:
        return self.ctx.bot

    @property
    def form(self) -> Form:
        """The fields of the sent form."""
        return form_of(self.request)

    @property
    def query(self) -> dict[str, str]:
        return dict(self.request.query_params)

    @property
    def can_write(self) -> bool:
        return self.person.permissions.can_write

    @property
    def mcp_address(self) -> str:
        """The URL of the workspace's MCP server."""
        return resource_of(settings())

    def rows_at_cursor(self, number: int = limits.DASHBOARD_PAGE_ROWS) -> PageRequest:
        """The rows of a list after the cursor in the URL, or its first ones."""
        return PageRequest(self.request.app.state.cursor_key, number, self.query.get("cursor") or None)

    def first_rows(self, number: int) -> PageRequest:
        """The first rows of a list, whatever cursor the URL has."""
        return PageRequest(self.request.app.state.cursor_key, number)

    def path(self, below: str) -> str:
        """The path of a page of this bot: `review` is `/app/{botSlug}/review`."""
        return f"/app/{self.bot.slug}/{below}"

    async def show(self, template: str, status: int = 200, **values: Any) -> Response:
        """A whole page, in the frame with the sections and their numbers of waiting items."""
        counts = await queries.count_what_waits(self.ctx)
        bots = await queries.list_bots(self.ctx.tx, self.ctx.workspace_id)
        notice = take_notice(self.request)
        response = self.show_part(
            template,
            status,
            sections=section_links(self.bot.slug, self.section, counts),
            bots=bots,
            notice=notice,
            **values,
        )
        if notice is not None:
            set_cookie(response, self.request.app.state.settings, Notice.COOKIE, "", 0)
        self.remember(response)
        return response

    def show_part(self, template: str, status: int = 200, **values: Any) -> Response:
        """A part of a page, for htmx."""
        return pages.show(
            self.request,
            template,
            status,
            person=self.person,
            bot=self.bot,
            root=f"/app/{self.bot.slug}",
            can_write=self.can_write,
            is_owner=self.person.permissions.changes_settings,
            now=self.ctx.now,
            **values,
        )

    def answer(self, status: int = 200, **values: Any) -> Response:
        """An answer to one of our scripts."""
        return JSONResponse(values, status, private_headers())

    def leave(self, below: str, notice: Notice | str | None = None) -> Response:
        """Redirect to another page of this bot, which shows the notice once."""
        return self.leave_to_bot(self.bot.slug, below, notice)

    def leave_to_bot(self, slug: str, below: str, notice: Notice | str | None = None) -> Response:
        """Redirect to a page of another bot of the workspace."""
        response = see_other(f"/app/{slug}/{below}")
        if notice is not None:
            keep_notice(self.request, response, Notice(notice) if isinstance(notice, str) else notice)
        return response

    def remember(self, response: Response) -> None:
        """Make `/app/` lead to this bot from now on."""
        slug = self.bot.slug
        set_cookie(response, self.request.app.state.settings, LAST_BOT, slug, LAST_BOT_SECONDS)


PageOfBot = Callable[[BotPage], Awaitable[Response]]


def bot_page(
    section: str,
    role: Role = Role.VIEWER,
    *,
    form_bytes: int = limits.MAX_FORM_BYTES,
    takes_files: bool = False,
    open_while_paused: bool = False,
) -> Callable[[PageOfBot], Callable[[Request], Awaitable[Response]]]:
    """Declare a page below `/app/{botSlug}/`, and the role that it needs.

    `section` is the path of its section; `form_bytes` is the maximum size of its form,
    `takes_files` whether the form may contain files. A bot of another workspace is
    answered like one that does not exist. Forms are refused while the workspace is paused, except those with
    `open_while_paused`: they change no content, or end someone's access.
    """

    def register(page: PageOfBot) -> Callable[[Request], Awaitable[Response]]:
        @require_person(role, form_bytes=form_bytes, takes_files=takes_files)
        async def enter(request: Request, person: Person) -> Response:
            database = request.app.state.database

            async def attempt() -> Response:
                async with database.enter_workspace(person.workspace_id) as tx:
                    if request.method in SAFE:
                        return await page(await find_page(request, person, tx, section))
                    async with tx.transaction():
                        opened = await find_page(request, person, tx, section)
                        if not open_while_paused:
                            await hold_open(tx, person.workspace_id)
                        return await page(opened)

            try:
                return await restartable(attempt)
            except SignInTooOld:
                return ask_again(request)

        return enter

    return register


async def find_page(request: Request, person: Person, tx: Tx, section: str) -> BotPage:
    bot = await queries.find_bot(tx, person.workspace_id, request.path_params["bot_slug"])
    if bot is None:
        raise NotFound("Your workspace has no help center at this address.")
    return BotPage(request, person, Ctx(tx, bot, person.as_actor("page"), utc_now()), section)


@asynccontextmanager
async def enter_bot(request: Request, person: Person) -> AsyncIterator[Ctx]:
    """A context of the bot in the URL, for a page that holds no connection in between."""
    async with request.app.state.database.enter_workspace(person.workspace_id) as tx:
        yield (await find_page(request, person, tx, "")).ctx


def ask_again(request: Request) -> Response:
    """Redirect to the page that asks for a proof; afterwards a notice says to send the form again."""
    response = ask_to_verify(request)
    if request.method not in SAFE:
        seconds = int(limits.RECENT_SIGN_IN_TTL.total_seconds())
        keep_notice(request, response, NOT_DONE_YET, seconds)
    return response


def show_without_bot(request: Request, template: str, person: Person, **values: Any) -> Response:
    """A page in the dashboard's frame that is not about a help center."""
    return pages.show(request, template, person=person, sections=[], bots=[], bot=None, notice=None, **values)


@require_person()
async def show_home(request: Request, person: Person) -> Response:
    """Redirect to the review of the bot that was open last, or else of the first one."""
    async with request.app.state.database.enter_workspace(person.workspace_id) as tx:
        bots = await queries.list_bots(tx, person.workspace_id)
    last = request.cookies.get(cookie_name(request.app.state.settings, LAST_BOT))
    slugs = [bot.slug for bot in bots]
    if not slugs:
        is_owner = person.permissions.changes_settings
        return show_without_bot(request, "no_bot.html", person, is_owner=is_owner)
    return see_other(f"/app/{last if last in slugs else slugs[0]}/review")
