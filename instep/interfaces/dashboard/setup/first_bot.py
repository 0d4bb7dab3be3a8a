"""The page on which an owner whose workspace has no help center creates one."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from instep.accounts.workspaces.actions import create_bot
from instep.interfaces.dashboard.shell import pages
from instep.platform.core.errors import AppError
from instep.platform.identity.access import hold_open
from instep.platform.identity.schemas import Person
from instep.platform.identity.scopes import Role
from instep.platform.web.forms import Form
from instep.platform.web.signed_in import form_of, require_person, see_other

PATH = "/app/new-help-center"


@require_person(Role.OWNER)
async def show_first_bot(request: Request, person: Person) -> Response:
    return show_form(request, person, Form())


@require_person(Role.OWNER)
async def make_first_bot(request: Request, person: Person) -> Response:
    """Create the help center, and show the next steps."""
    form = form_of(request)
    name, slug, language = form.get("name", ""), form.get("slug", "").strip(), form.get("language", "en")
    database, actor = request.app.state.database, person.as_actor("page")
    try:
        async with database.enter_workspace(person.workspace_id) as tx, tx.transaction():
            await hold_open(tx, person.workspace_id)
            bot = await create_bot(tx, person.workspace_id, name, slug or None, language, actor=actor)
    except AppError as refusal:
        return show_form(request, person, form, refusal)
    return see_other(f"/app/{bot.slug}/get-started")


def show_form(request: Request, person: Person, form: Form, refusal: AppError | None = None) -> Response:
    slug_error = dict(refusal.details).get("slug") if refusal else None
    return pages.show(
        request,
        "setup/first_bot.html",
        refusal.status if refusal else 200,
        person=person,
        form=form,
        slug_error=slug_error,
        problem=refusal.message if refusal and slug_error is None else None,
    )


routes = [
    Route(PATH, show_first_bot, methods=["GET"]),
    Route(PATH, make_first_bot, methods=["POST"]),
]
