"""The page on which readers follow the changelog, an article or a collection: by feed, or by email."""

from starlette.requests import Request
from starlette.responses import Response

from instep.interfaces.site import public_forms
from instep.interfaces.site.contact import INVALID_EMAIL
from instep.interfaces.site.queries import is_paused
from instep.interfaces.site.schemas import article_path, root_path
from instep.interfaces.site.visits import Visit, help_center
from instep.platform.core import limits
from instep.platform.core.email_addresses import is_email_address
from instep.platform.core.errors import NotFound, RateLimited
from instep.platform.email.outgoing import can_send_email
from instep.platform.identity.schemas import Bot
from instep.platform.web.catalogues import message
from instep.platform.web.client_addresses import client_address
from instep.platform.web.forms import Form
from instep.platform.web.public import public
from instep.visitors.subscriptions.actions import find_topic, request_subscription
from instep.visitors.subscriptions.schemas import Topic

TOO_MANY = message("Nothing was sent. Too many readers have asked for emails: try again in an hour.")
FOLLOW_AGAIN = message("Nothing was sent yet: press “Follow by email” again.")
FIELDS = ("article", "collection")


@public
async def show_follow(request: Request) -> Response:
    """The feed and the form; after the form was sent, the next step."""
    query = request.query_params
    async with help_center(request) as visit:
        if "sent" in query:
            return public_forms.private_page(visit, "follow_sent.html", paths={})
        form = Form(query.multi_items())
        return await follow_page(visit, form, await requested_topic(visit, form))


@public
async def send_follow(request: Request) -> Response:
    """Send a link that confirms the subscription; the answer is the same for every address."""
    form = await public_forms.read_public_form(request)
    email = form.get("email", "").strip()
    async with help_center(request) as visit:
        topic = await requested_topic(visit, form)
        if not await offers_email(visit):
            raise NotFound
        if not is_email_address(email) or len(email) > limits.MAX_EMAIL_CHARACTERS:
            return await follow_page(visit, form, topic, 400, error=INVALID_EMAIL)
        if not public_forms.is_from_person(request, form_subject(visit), form):
            return await follow_page(visit, form, topic, 400, notice=FOLLOW_AGAIN)
        await public_forms.count_visitor(request, visit.ctx)
        try:
            async with visit.ctx.tx.transaction():
                await request_subscription(visit.ctx, topic, email, visit.locale, client_address(request))
        except RateLimited as refusal:
            page = await follow_page(visit, form, topic, refusal.status, notice=TOO_MANY)
            page.headers.update(refusal.headers)
            return page
        return public_forms.seen(f"{visit.root}/follow", sent="yes")


async def requested_topic(visit: Visit, form: Form) -> Topic:
    """The topic that a form or a query names; one that is not public is not found (404)."""
    article, collection = [form.get(name, "").replace("\0", "") for name in FIELDS]
    topic = await find_topic(visit.ctx, visit.locale, article, collection)
    if topic is None or not (topic.slug or visit.has_changelog):
        raise NotFound
    return topic


async def offers_email(visit: Visit) -> bool:
    """True if the operator has set an SMTP server, the owner allows it, and the workspace is not paused."""
    is_allowed = can_send_email() and visit.arrival.site_frame.follow_by_email
    return is_allowed and not await is_paused(visit.ctx)


async def follow_page(
    visit: Visit, form: Form, topic: Topic, status: int = 200, *, error: str = "", notice: str = ""
) -> Response:
    bot = visit.ctx.bot
    path = path_of_topic(bot, visit.locale, topic)
    feed = path_of_topic(bot.with_all_versions, visit.locale if topic.slug else bot.locale, topic)
    return public_forms.private_page(
        visit,
        "follow.html",
        status,
        paths={},
        topic=topic,
        path=path,
        feed_path=f"{feed}.atom",
        fields={name: form[name] for name in FIELDS if form.get(name)},
        email=form.get("email", ""),
        offers_email=await offers_email(visit),
        error=error and visit.catalogue.gettext(error),
        notice=notice and visit.catalogue.gettext(notice),
        stamp=public_forms.renewed_stamp(visit.request, form_subject(visit), form),
    )


def path_of_topic(bot: Bot, locale: str, topic: Topic) -> str:
    """The path of the page that is followed."""
    if topic.article_id:
        return article_path(bot, locale, topic.slug)
    if topic.collection_id:
        return f"{root_path(bot, locale)}/collections/{topic.slug}"
    return f"{root_path(bot, locale)}/changelog"


def form_subject(visit: Visit) -> str:
    return f"follow {visit.ctx.bot.id}"
