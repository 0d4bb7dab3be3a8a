"""The look of the help center, and the pages that may use the widget."""

from collections.abc import Mapping

from starlette.requests import Request
from starlette.responses import Response

from instep.accounts.workspaces import actions, domain_claims
from instep.accounts.workspaces.actions import find_bot_by_reference
from instep.accounts.workspaces.domain_claims import DomainState
from instep.accounts.workspaces.site_frame import SiteFrame, links_of
from instep.content.files.actions import upload_logo
from instep.content.files.schemas import path_of_file
from instep.content.files.storage import Storages
from instep.interfaces.dashboard.bot_pages import BotPage, PageRouter, find_page
from instep.interfaces.dashboard.settings.frame import show_secret_next, show_settings
from instep.platform.core import limits
from instep.platform.core.colours import PRODUCT_BLUE
from instep.platform.core.config import settings
from instep.platform.core.errors import AppError
from instep.platform.core.rate_window import count_hit
from instep.platform.email.outgoing import can_send_email
from instep.platform.identity.access import hold_open
from instep.platform.identity.audit import record
from instep.platform.identity.schemas import Person
from instep.platform.identity.scopes import Role
from instep.platform.web.custom_domains import own_host
from instep.platform.web.errors import body_from
from instep.platform.web.forms import Form, FormFile
from instep.platform.web.signed_in import require_person
from instep.platform.web.visitors.cors import list_refused_origins
from instep.visitors.answers.visitor_tokens import visitor_secret
from instep.visitors.subscriptions.queries import count_subscribers

PROVED = "DNS record found: visitors are now redirected to the new address."
MISSING = "The DNS record is not there yet. New records can take from minutes to an hour: check again later."
DOMAIN_NOTICES: dict[DomainState, str] = {
    "proved": PROVED,
    "kept": PROVED,
    "missing": MISSING,
    "lost": MISSING,
    "taken": "This host name also has a DNS record for another help center: remove that record.",
    "unknown": "The name servers of this name could not be reached: check again in a minute.",
}
router = PageRouter("settings")


@router.get("site")
async def show_look(page: BotPage, refusal: AppError | None = None) -> Response:
    row = await find_bot_by_reference(page.ctx.tx, page.ctx.workspace_id, str(page.bot.id))
    return await show_settings(
        page,
        "site",
        refusal,
        row=row,
        frame=row.site_frame,
        subscribers=await count_subscribers(page.ctx),
        can_send_email=can_send_email(),
        help_url=page.bot.help_url,
        own_host=own_host(settings()),
        record_name=domain_claims.record_name(row.claimed_domain or ""),
        record_value=domain_claims.record_value(row.id),
        claim_ends_at=row.domain_claimed_at and row.domain_claimed_at + limits.DOMAIN_CLAIM_TTL,
        product_blue=PRODUCT_BLUE,
    )


@router.post("site", Role.OWNER, refused=show_look)
async def save_accent(page: BotPage) -> Response:
    """Save the accent color; an empty one restores Instep blue."""
    ctx, colour = page.ctx, page.form.get("accent", "").strip()
    await actions.change_accent(ctx.tx, ctx.workspace_id, ctx.bot.id, colour or None, ctx.actor)
    return page.leave("settings/site", "Saved: visitors see the change now.")


@router.post(
    "site/frame", Role.OWNER, refused=show_look, form_bytes=limits.MAX_FILE_FORM_BYTES, takes_files=True
)
async def save_frame(page: BotPage) -> Response:
    """Save the logos, the icon, the links, one per line, and the legal lines."""
    ctx = page.ctx
    pictures = {name: await picture_of(page, name) for name in ("logo", "logo_dark", "icon")}
    frame = read_frame(page.form, pictures)
    await actions.change_frame(ctx.tx, ctx.workspace_id, ctx.bot.id, frame, ctx.actor)
    return page.leave("settings/site", "Saved: visitors see the change now.")


# The owner of the host name gets the visitors, and their sign-in.
@router.post("site/domain", Role.OWNER, recent_sign_in=True, refused=show_look)
async def save_domain(page: BotPage) -> Response:
    """Save the host name; an empty one leaves the help center on the installation's own host."""
    ctx, domain = page.ctx, page.form.get("domain", "").strip()
    bot = await domain_claims.change_domain(ctx.tx, ctx.workspace_id, ctx.bot.id, domain or None, ctx.actor)
    page.request.app.state.known_hosts.clear()
    if bot.claimed_domain is not None:
        return page.leave("settings/site", "Saved: now create the DNS record shown here.")
    return page.leave("settings/site", "Saved: visitors are now redirected to the new address.")


@router.route("site/domain/check", "POST")
@require_person(Role.OWNER)
async def check_domain(request: Request, person: Person) -> Response:
    """Look up the DNS record of the claimed host name; no connection is held in the meantime."""
    state = request.app.state
    async with state.database.enter_workspace(person.workspace_id) as tx, tx.transaction():
        page = await find_page(request, person, tx, "settings")
        await hold_open(tx, person.workspace_id)
        row = await find_bot_by_reference(tx, person.workspace_id, str(page.bot.id))
        window = await count_hit(tx, "domain-checks", str(row.id), limits.REQUEST_WINDOW_SECONDS)
    if window.hits > limits.DOMAIN_CHECKS_PER_MINUTE or row.claimed_domain is None:
        return page.leave("settings/site", DOMAIN_NOTICES["unknown"])
    outcome = await domain_claims.check_domain(
        state.database, row.workspace_id, row.id, row.claimed_domain, state.find_texts, page.ctx.actor
    )
    state.known_hosts.clear()
    return page.leave("settings/site", DOMAIN_NOTICES[outcome])


async def picture_of(page: BotPage, name: str) -> str | None:
    """The URL of the image chosen in the form, or else the typed one."""
    chosen = page.form.files.get(f"{name}-file", FormFile("", b""))
    if not chosen.name:
        return page.form.get(name, "").strip() or None
    storages: Storages = page.request.app.state.storages
    file = (await upload_logo(page.ctx, storages.for_new_files, chosen.name, chosen.content)).file
    return path_of_file(page.bot, file.sha256, file.kind)


def read_frame(form: Form, pictures: Mapping[str, str | None]) -> SiteFrame:
    fields = {
        **pictures,
        "header": links_of(form.get("header", "")),
        "footer": links_of(form.get("footer", "")),
        "legal": form.get("legal", "").strip(),
        "shows_checks": bool(form.get("shows_checks")),
        "shows_untranslated": bool(form.get("shows_untranslated")),
        "follow_by_email": bool(form.get("follow_by_email")),
    }
    return body_from(SiteFrame, fields)


@router.get("widget")
async def show_widget_settings(page: BotPage, refusal: AppError | None = None) -> Response:
    row = await find_bot_by_reference(page.ctx.tx, page.ctx.workspace_id, str(page.bot.id))
    return await show_settings(
        page,
        "widget",
        refusal,
        row=row,
        refused_origins=await list_refused_origins(page.ctx),
        script=f"{settings().base_url}/widget.js",
    )


@router.get("widget/demo")
async def show_widget_demo(page: BotPage) -> Response:
    """The widget as visitors see it, in all its possible positions."""
    row = await find_bot_by_reference(page.ctx.tx, page.ctx.workspace_id, str(page.bot.id))
    return await show_settings(page, "widget/widget_demo", row=row)


# Scripts of the origin may ask, and read answers, in the name of their pages' visitors.
@router.post("widget/origins", Role.OWNER, recent_sign_in=True, refused=show_widget_settings)
async def add_origin(page: BotPage) -> Response:
    return await change_origins(page, [page.form.get("origin", "").strip()], [])


@router.post("widget/origins/remove", Role.OWNER, refused=show_widget_settings)
async def remove_origin(page: BotPage) -> Response:
    return await change_origins(page, [], [page.form.get("remove", "")])


async def change_origins(page: BotPage, add: list[str], remove: list[str]) -> Response:
    ctx = page.ctx
    await actions.change_origins(ctx.tx, ctx.workspace_id, ctx.bot.id, add, remove, ctx.actor)
    return page.leave("settings/widget", "Saved.")


@router.post("widget/secret", Role.OWNER, recent_sign_in=True)
async def show_visitor_secret(page: BotPage) -> Response:
    return await visitor_secret_page(page, rotate=False)


@router.post("widget/secret/rotate", Role.OWNER, recent_sign_in=True)
async def rotate_visitor_secret(page: BotPage) -> Response:
    return await visitor_secret_page(page, rotate=True)


async def visitor_secret_page(page: BotPage, *, rotate: bool) -> Response:
    ctx = page.ctx
    action = "rotate_visitor_secret" if rotate else "read_visitor_secret"
    await record(ctx.tx, ctx.workspace_id, ctx.actor, action, str(ctx.bot.id), ctx.bot.id)
    return show_secret_next(page, "widget", await visitor_secret(ctx, rotate))
