"""The page of the one-time link: it creates the first person and the first bot, or signs someone in."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from instep.accounts.people.actions import InvalidEmail
from instep.accounts.people.cookies import lead_in
from instep.accounts.people.first_person import PATH, FirstSteps, find_setup_link, follow_sign_in_link, set_up
from instep.accounts.people.passwords import WeakPassword
from instep.accounts.people.schemas import SetupLink
from instep.interfaces.dashboard.shell import pages
from instep.platform.core.errors import AppError
from instep.platform.core.slug_rules import SlugTaken
from instep.platform.web.forms import Form, read_form
from instep.platform.web.public import public
from instep.platform.web.signed_in import HOME

# The field that an error is shown at.
FIELDS: tuple[tuple[type[AppError], str], ...] = (
    (WeakPassword, "password"),
    (InvalidEmail, "email"),
    (SlugTaken, "slug"),
)


@public
async def show_setup(request: Request) -> Response:
    """The form for the first person; the link of an existing person signs them in at once."""
    state, token = request.app.state, request.query_params.get("token", "")
    try:
        link = await find_setup_link(state.database, token)
        if link.person_id is not None:
            user_agent = request.headers.get("user-agent", "")
            sign_in = await follow_sign_in_link(state.database, state.cursor_key, token, user_agent)
            return lead_in(request, sign_in, HOME)
    except AppError as refusal:
        return show_unusable_link(request, refusal)
    return show_form(request, token, link, Form())


@public
async def finish_setup(request: Request) -> Response:
    """Create the first person and the first bot, and show the next steps."""
    form, state = await read_form(request), request.app.state
    token = form.get("token", "")
    try:
        link = await find_setup_link(state.database, token)
    except AppError as refusal:
        return show_unusable_link(request, refusal)
    steps = FirstSteps(
        company=form.get("company", ""),
        email=form.get("email", ""),
        password=form.get("password", ""),
        bot_name=form.get("name", ""),
        bot_slug=form.get("slug", "").strip() or None,
        bot_locale=form.get("language", "en"),
    )
    user_agent = request.headers.get("user-agent", "")
    try:
        sign_in, bot = await set_up(state.database, state.cursor_key, token, steps, user_agent)
    except AppError as refusal:
        return show_form(request, token, link, form, refusal)
    return lead_in(request, sign_in, f"/app/{bot.slug}/get-started")


def show_form(
    request: Request, token: str, link: SetupLink, form: Form, refusal: AppError | None = None
) -> Response:
    field = next((name for kind, name in FIELDS if isinstance(refusal, kind)), None)
    message = refusal.message if refusal else None
    return pages.show(
        request,
        "setup/first_run.html",
        refusal.status if refusal else 200,
        token=token,
        form={"company": "" if link.workspace_name == "Workspace" else link.workspace_name, **form},
        errors={field: message} if field else {},
        problem=None if field else message,
    )


def show_unusable_link(request: Request, refusal: AppError) -> Response:
    return pages.show(request, "setup/unusable_link.html", refusal.status, problem=refusal.message)


routes = [
    Route(PATH, show_setup, methods=["GET"]),
    Route(PATH, finish_setup, methods=["POST"]),
]
