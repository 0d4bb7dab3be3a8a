"""The page on which a visitor writes to the people of a help center; it creates a lead like the widget's."""

from starlette.requests import Request
from starlette.responses import Response

from instep.interfaces.site import public_forms
from instep.interfaces.site.public_forms import AT_MOST_CHARACTERS, SEND_AGAIN
from instep.interfaces.site.visits import Visit, help_center
from instep.platform.core import limits
from instep.platform.core.email_addresses import is_email_address
from instep.platform.core.errors import AppError, PlanInactive, RateLimited
from instep.platform.web.catalogues import Catalogue, message
from instep.platform.web.forms import Form
from instep.platform.web.public import public
from instep.visitors.answers.actions import create_lead
from instep.visitors.answers.schemas import LeadCreate

PAUSED = message("This help center can't accept messages right now. Nothing was sent: try again later.")
NOT_SENT = message("Nothing was sent. Too many messages came from your network: try again in a minute.")
INVALID_EMAIL = message("Enter an email address such as ann@example.com.")
NO_MESSAGE = message("Enter a message.")
FIELDS = ("email", "name", "message")


@public
async def show_contact(request: Request) -> Response:
    """The form, with the unanswered question if there is one; after it was sent, the next steps."""
    query = request.query_params
    async with help_center(request) as visit:
        if "sent" in query:
            return public_forms.private_page(visit, "contacted.html")
        about = query.get("about", "")[: limits.MAX_VISITOR_MESSAGE_CHARACTERS]
        return contact_page(visit, Form([("message", about)]))


@public
async def send_contact(request: Request) -> Response:
    """Store the message, or show the form with the text and its errors."""
    sent = await public_forms.read_public_form(request)
    form = Form([(name, clean(value)) for name, value in sent.items()])
    async with help_center(request) as visit:
        errors = errors_of(form, visit.catalogue)
        if errors:
            return contact_page(visit, form, 400, errors=errors)
        if not public_forms.is_from_person(request, contact_subject(visit), form):
            return contact_page(visit, form, 400, notice=SEND_AGAIN)
        try:
            await public_forms.count_visitor(request, visit.ctx)
            async with visit.ctx.tx.transaction():
                await create_lead(visit.ctx, lead_of(visit, form))
        except PlanInactive as refusal:
            return contact_page(visit, form, refusal.status, notice=PAUSED)
        except RateLimited as refusal:
            return refused_page(visit, form, refusal)
        return public_forms.seen(f"{visit.root}/contact", sent="yes")


def clean(text: str) -> str:
    return text.replace("\0", "").replace("\r\n", "\n").strip()


def errors_of(form: Form, catalogue: Catalogue) -> dict[str, str]:
    """Sentences on what to correct, by the names of fields."""
    longest, name_length = limits.MAX_VISITOR_MESSAGE_CHARACTERS, limits.MAX_NAME_CHARACTERS
    email, text = form.get("email", ""), form.get("message", "")
    wrong = {
        "email": (
            not is_email_address(email) or len(email) > limits.MAX_EMAIL_CHARACTERS,
            catalogue.gettext(INVALID_EMAIL),
        ),
        "name": (len(form.get("name", "")) > name_length, at_most(name_length, catalogue)),
        "message": (
            not text or len(text) > longest,
            at_most(longest, catalogue) if text else catalogue.gettext(NO_MESSAGE),
        ),
    }
    return {name: sentence for name, (is_wrong, sentence) in wrong.items() if is_wrong}


def at_most(length: int, catalogue: Catalogue) -> str:
    return catalogue.gettext(AT_MOST_CHARACTERS, number=catalogue.number(length))


def lead_of(visit: Visit, form: Form) -> LeadCreate:
    fields = {name: form[name] for name in FIELDS if form.get(name)}
    return LeadCreate.model_validate({**fields, "botId": str(visit.ctx.bot.id), "botKey": ""})


def refused_page(visit: Visit, form: Form, refusal: AppError) -> Response:
    page = contact_page(visit, form, refusal.status, notice=NOT_SENT)
    page.headers.update(refusal.headers)
    return page


def contact_page(
    visit: Visit, form: Form, status: int = 200, *, errors: dict[str, str] | None = None, notice: str = ""
) -> Response:
    return public_forms.private_page(
        visit,
        "contact.html",
        status,
        **{name: form.get(name, "") for name in FIELDS},
        errors=errors or {},
        notice=notice and visit.catalogue.gettext(notice),
        stamp=public_forms.renewed_stamp(visit.request, contact_subject(visit), form),
        longest_message=limits.MAX_VISITOR_MESSAGE_CHARACTERS,
    )


def contact_subject(visit: Visit) -> str:
    return f"contact {visit.ctx.bot.id}"
