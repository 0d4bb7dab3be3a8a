"""Pages about one help center: their access, their context, and their responses."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import wraps
from typing import Any, TypeVar

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from instep.interfaces.dashboard import queries
from instep.interfaces.dashboard.shell import pages, section_links
from instep.platform.core import limits
from instep.platform.core.clock import utc_now
from instep.platform.core.config import settings
from instep.platform.core.database import Tx
from instep.platform.core.errors import AppError, NotFound, Unavailable
from instep.platform.core.paging import PageRequest
from instep.platform.core.restarts import restartable
from instep.platform.identity.access import hold_open
from instep.platform.identity.access_tokens import resource_of
from instep.platform.identity.schemas import Bot, Ctx, Person
from instep.platform.identity.scopes import Role
from instep.platform.web import signed_in
from instep.platform.web.forms import Form, cookie_name, set_cookie
from instep.platform.web.notices import Notice, keep_notice, take_notice
from instep.platform.web.signed_in import SignInTooOld, require_recent_sign_in

Result = TypeVar("Result")
# The cookie with the bot whose pages were open last, for `/app/`.
LAST_BOT = "bot"
LAST_BOT_SECONDS = 365 * 86_400


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
        return signed_in.form_of(self.request)

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

    def param(self, name: str) -> str:
        """A part of the requested path, such as an id."""
        return str(self.request.path_params[name])

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
        return JSONResponse(values, status, signed_in.private_headers())

    def leave(self, below: str, notice: Notice | str | None = None) -> Response:
        """Redirect to another page of this bot, which shows the notice once."""
        return self.leave_to_bot(self.bot.slug, below, notice)

    def leave_to_bot(self, slug: str, below: str, notice: Notice | str | None = None) -> Response:
        """Redirect to a page of another bot of the workspace."""
        response = signed_in.see_other(f"/app/{slug}/{below}")
        if notice is not None:
            keep_notice(self.request, response, Notice(notice) if isinstance(notice, str) else notice)
        return response

    def remember(self, response: Response) -> None:
        """Make `/app/` lead to this bot from now on."""
        slug = self.bot.slug
        set_cookie(response, self.request.app.state.settings, LAST_BOT, slug, LAST_BOT_SECONDS)


Endpoint = Callable[[Request], Awaitable[Response]]
PageFunction = TypeVar("PageFunction", bound=Callable[..., Awaitable[Response]])
RefusalPage = Callable[[BotPage, AppError], Awaitable[Response]]


class PageRouter:
    """The pages and forms below one path of each bot, and the lowest role that each needs.

    `path` is below `/app/{botSlug}/`; its first part is the section, unless another one is given. A bot of
    another workspace is answered like one that does not exist. With `recent_sign_in`, people whose last proof
    of identity is too old are asked for another first.
    """

    def __init__(self, path: str, role: Role = Role.VIEWER, *, section: str | None = None) -> None:
        self.path = f"/app/{{bot_slug}}/{path}".rstrip("/")
        self.role = role
        self.section = section or path.partition("/")[0]
        self.routes = list[Route]()

    def get(
        self, below: str = "", role: Role | None = None, *, recent_sign_in: bool = False
    ) -> Callable[[PageFunction], PageFunction]:
        """Declare a page."""

        def register(show: PageFunction) -> PageFunction:
            @signed_in.require_person(role or self.role)
            @wraps(show)
            async def enter(request: Request, person: Person) -> Response:
                async def attempt_once() -> Response:
                    async with request.app.state.database.enter_workspace(person.workspace_id) as tx:
                        page = await find_page(request, person, tx, self.section)
                        if recent_sign_in:
                            require_recent_sign_in(request)
                        return await show(page)

                return await restartable(attempt_once)

            self.route(below, "GET")(enter)
            return show

        return register

    def post(
        self,
        below: str = "",
        role: Role | None = None,
        *,
        refused: RefusalPage | None = None,
        recent_sign_in: bool = False,
        form_bytes: int = limits.MAX_FORM_BYTES,
        takes_files: bool = False,
        open_while_paused: bool = False,
    ) -> Callable[[PageFunction], PageFunction]:
        """Declare the receiver of a form, which runs in a transaction.

        `refused` shows a refusal, after which the form has changed nothing. `form_bytes` is the maximum size
        of the form, `takes_files` whether it may contain files. Forms are refused while the workspace is
        paused, except those with `open_while_paused`: they change no content, or end someone's access.
        """

        def register(receive: PageFunction) -> PageFunction:
            @signed_in.require_person(role or self.role, form_bytes=form_bytes, takes_files=takes_files)
            @wraps(receive)
            async def enter(request: Request, person: Person) -> Response:
                async def attempt_once() -> Response:
                    database = request.app.state.database
                    async with database.enter_workspace(person.workspace_id) as tx, tx.transaction():
                        page = await find_page(request, person, tx, self.section)
                        if not open_while_paused:
                            await hold_open(tx, person.workspace_id)
                        if recent_sign_in:
                            require_recent_sign_in(request)
                        if refused is None:
                            return await receive(page)
                        outcome = await attempt(page, receive(page))
                        return await refused(page, outcome) if isinstance(outcome, AppError) else outcome

                return await restartable(attempt_once)

            self.route(below, "POST")(enter)
            return receive

        return register

    def route(self, below: str, *methods: str) -> Callable[[Endpoint], Endpoint]:
        """Declare a page that enters the bot by itself, so that it holds no connection while it waits."""

        def register(endpoint: Endpoint) -> Endpoint:
            path = f"{self.path}/{below}" if below else self.path
            self.routes.append(Route(path, endpoint, methods=list(methods)))
            return endpoint

        return register


async def attempt(page: BotPage, act: Awaitable[Result]) -> Result | AppError:
    """Run the action in a transaction; return its result, or its refusal, which rolls it back."""
    try:
        async with page.ctx.tx.transaction():
            return await act
    except (Unavailable, SignInTooOld):
        raise
    except AppError as refusal:
        return refusal


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


def show_without_bot(request: Request, template: str, person: Person, **values: Any) -> Response:
    """A page in the dashboard's frame that is not about a help center."""
    return pages.show(request, template, person=person, sections=[], bots=[], bot=None, notice=None, **values)


@signed_in.require_person()
async def show_home(request: Request, person: Person) -> Response:
    """Redirect to the review of the bot that was open last, or else of the first one."""
    async with request.app.state.database.enter_workspace(person.workspace_id) as tx:
        bots = await queries.list_bots(tx, person.workspace_id)
    last = request.cookies.get(cookie_name(request.app.state.settings, LAST_BOT))
    slugs = [bot.slug for bot in bots]
    if not slugs:
        is_owner = person.permissions.changes_settings
        return show_without_bot(request, "no_bot.html", person, is_owner=is_owner)
    return signed_in.see_other(f"/app/{last if last in slugs else slugs[0]}/review")
