"""Parts and variables: the list, and the form that names what a change touches before it is saved."""

from starlette.responses import Response

from instep.content.parts import actions
from instep.content.parts.schemas import PartCreate, PartUpdate, SharedPart
from instep.interfaces.dashboard.bot_pages import BotPage, PageRouter
from instep.interfaces.dashboard.content.article_page import CONFLICT, etag_to_send, sent_etag
from instep.interfaces.dashboard.field_errors import errors_by_field
from instep.interfaces.dashboard.offered_languages import LANGUAGES, first_missing_language
from instep.interfaces.dashboard.running.listing import links_between
from instep.platform.core.errors import AppError, Conflict, InvalidRequest, InvalidState
from instep.platform.core.etags import refuse_stale
from instep.platform.identity.scopes import Role
from instep.platform.text.line_ends import with_line_ends_of
from instep.platform.web.errors import body_from

FIELDS = ("kind", "name", "locale", "text")
router = PageRouter("parts", section="articles")


@router.get()
async def show_parts(page: BotPage) -> Response:
    rows = await actions.list_parts(page.ctx, page.rows_at_cursor())
    links = links_between(page, "parts", rows.next_cursor)
    holder_counts = await actions.count_holders(page.ctx)
    return await page.show("content/parts.html", parts=rows.rows, links=links, holder_counts=holder_counts)


@router.get("new", Role.EDITOR)
async def show_new_part(page: BotPage) -> Response:
    sent = {name: page.query.get(name, "") for name in FIELDS}
    if not sent["locale"]:
        taken = await actions.list_part_locales(page.ctx, sent["kind"], sent["name"]) if sent["name"] else []
        sent["locale"] = await first_missing_language(page.ctx, taken) if taken else page.bot.locale
    return await part_form(page, sent)


@router.post("new", Role.EDITOR)
async def add_new_part(page: BotPage) -> Response:
    sent = sent_fields(page)
    try:
        async with page.ctx.tx.transaction():
            part = await actions.create_part(page.ctx, body_from(PartCreate, sent))
    except (InvalidRequest, InvalidState) as error:
        return await part_form(page, sent, error=error)
    return page.leave("parts", f"Created {{{{{part.reference}}}}}.")


@router.get("{id}")
async def show_part_page(page: BotPage) -> Response:
    part = await actions.get_part(page.ctx, page.param("id"))
    return await part_form(page, fields_of(part), part=part)


@router.post("{id}", Role.EDITOR)
async def change_part_text(page: BotPage) -> Response:
    """Save the text; the first time, if texts contain the part, show them and ask.

    If someone else has saved it since the form was opened, the page shows both texts instead.
    """
    part = await actions.get_part(page.ctx, page.param("id"))
    text = with_line_ends_of(part.text, sent_fields(page)["text"])
    sent = {**fields_of(part), "text": text}
    try:
        refuse_stale(sent_etag(page), part.etag)
        if part.uses and text != part.text and not page.form.get("confirmed"):
            return await part_form(page, sent, part=part, asks=True)
        async with page.ctx.tx.transaction():
            body = body_from(PartUpdate, {"text": text})
            await actions.update_part(page.ctx, part.id, body, sent_etag(page))
    except (InvalidRequest, Conflict) as error:
        return await part_form(page, sent, part=part, error=error)
    return page.leave("parts", f"Saved. The articles with {{{{{part.reference}}}}} follow in a moment.")


@router.post("{id}/delete", Role.EDITOR)
async def remove_part(page: BotPage) -> Response:
    part = await actions.get_part(page.ctx, page.param("id"))
    try:
        async with page.ctx.tx.transaction():
            await actions.delete_part(page.ctx, part.id)
    except InvalidState as error:
        return await part_form(page, fields_of(part), part=part, error=error)
    return page.leave("parts", f"Deleted {{{{{part.reference}}}}} in {part.locale}.")


def sent_fields(page: BotPage) -> dict[str, str]:
    sent = {name: page.form.get(name, "").strip() for name in FIELDS[:3]}
    return {**sent, "text": page.form.get("text", "").replace("\r\n", "\n")}


def fields_of(part: SharedPart) -> dict[str, str]:
    return {name: str(getattr(part, name)) for name in FIELDS}


async def part_form(
    page: BotPage,
    fields: dict[str, str],
    *,
    part: SharedPart | None = None,
    error: AppError | None = None,
    asks: bool = False,
) -> Response:
    """The form with the typed values; with `asks` its button changes the texts that it names."""
    is_conflict = isinstance(error, Conflict)
    faults = errors_by_field(error) if isinstance(error, InvalidRequest) else {}
    return await page.show(
        "content/part.html",
        CONFLICT if is_conflict else error.status if error else 200,
        part=part,
        etag=etag_to_send(page, part.etag, error) if part else None,
        fields=fields,
        faults=faults,
        message=None if error is None or faults else error.message,
        is_conflict=is_conflict,
        asks=asks,
        uses=await actions.list_part_uses(page.ctx, part.id) if part else [],
        former_texts=await actions.list_former_texts(page.ctx, part.id) if part else [],
        languages=languages_of(fields["locale"]),
    )


def languages_of(locale: str) -> list[tuple[str, str]]:
    offered = [(code, f"{name} ({code})") for code, name in LANGUAGES]
    return offered if locale in dict(LANGUAGES) else [(locale, locale or "Choose a language"), *offered]
