"""Conversations with visitors, their contact details, and the export and erasure of their data."""

from urllib.parse import quote

from starlette.responses import Response

from instep.interfaces.dashboard.bot_pages import BotPage, PageRouter
from instep.interfaces.dashboard.running.listing import address, chosen, filter_tabs, links_between
from instep.interfaces.dashboard.shell import pages
from instep.platform.core import limits
from instep.platform.core.errors import InvalidRequest
from instep.platform.core.markdown import render_answer
from instep.platform.identity.scopes import Role
from instep.platform.web.forms import Form
from instep.platform.web.pages import sanitised
from instep.visitors.answers import inbox
from instep.visitors.answers.schemas import ConversationFilter, Lead, LeadFilter, VisitorMessage
from instep.visitors.privacy.visitor_data import Subject, erase_visitor, export_visitor, summarize_visitor

FILTERS: dict[ConversationFilter, str] = {
    "all": "All",
    "escalated": "Asked for a person",
    "unanswered": "Unanswered",
}
TABS: dict[str, str] = dict([*FILTERS.items(), ("leads", "Contact details")])
LEAD_FILTERS: dict[LeadFilter, str] = {"open": "Open", "all": "All"}
LEADS_BELOW = "conversations?status=leads"
MESSAGES_PER_PAGE = 50
NEWEST_LEADS = 3
router = PageRouter("conversations")


@router.get()
async def show_conversations(page: BotPage) -> Response:
    if page.query.get("status") == "leads":
        return await show_leads(page)
    status = chosen(page, "status", FILTERS)
    rows = await inbox.list_conversations(page.ctx, status, page.rows_at_cursor(limits.DEFAULT_PAGE_SIZE))
    is_first = status == "all" and "cursor" not in page.query
    return await page.show(
        "running/conversations.html",
        conversations=rows.rows,
        # Messages of the contact form belong to no conversation, so they appear above all of them.
        newest_leads=await find_newest_leads(page) if is_first else [],
        filter=status,
        tabs_shown=filter_tabs(page, "conversations", TABS, status),
        links=links_between(page, "conversations", rows.next_cursor, status=page.query.get("status")),
    )


async def find_newest_leads(page: BotPage) -> list[Lead]:
    return (await inbox.list_leads(page.ctx, "open", page.first_rows(NEWEST_LEADS))).rows


async def show_leads(page: BotPage) -> Response:
    status = chosen(page, "show", LEAD_FILTERS)
    rows = await inbox.list_leads(page.ctx, status, page.rows_at_cursor(limits.DEFAULT_PAGE_SIZE))
    return await page.show(
        "running/leads.html",
        leads=rows.rows,
        lead_status=status,
        tabs_shown=filter_tabs(page, "conversations", TABS, "leads"),
        lead_tabs=[
            (address(page, "conversations", status="leads", show=name), words, name == status)
            for name, words in LEAD_FILTERS.items()
        ],
        links=links_between(page, "conversations", rows.next_cursor, status="leads", show=status),
    )


@router.post("leads/{lead_id}", Role.EDITOR)
async def settle_lead(page: BotPage) -> Response:
    """Mark contact details as done, or as open again."""
    lead_id, is_done = page.param("lead_id"), page.form.get("done") == "yes"
    lead = await (inbox.finish_lead if is_done else inbox.reopen_lead)(page.ctx, lead_id)
    below = (
        f"conversations/{lead.conversation_id}" if page.form.get("from") == "conversation" else LEADS_BELOW
    )
    return page.leave(below, f"{'Marked as done' if is_done else 'Reopened'}: {lead.email}.")


@router.post("{conversation_id}/done", Role.EDITOR)
async def settle_conversation(page: BotPage) -> Response:
    """Mark a conversation as done, or as open again."""
    conversation_id, is_done = page.param("conversation_id"), page.form.get("done") == "yes"
    await (inbox.finish_conversation if is_done else inbox.reopen_conversation)(page.ctx, conversation_id)
    return page.leave(f"conversations/{conversation_id}", "Done." if is_done else "Reopened.")


@router.get("{conversation_id}")
async def show_conversation(page: BotPage) -> Response:
    conversation = await inbox.get_conversation(page.ctx, page.param("conversation_id"))
    rows = await inbox.list_messages(page.ctx, conversation.id, page.rows_at_cursor(MESSAGES_PER_PAGE))
    return await page.show(
        "running/conversation.html",
        conversation=conversation,
        turns=[(message, await answer_html(message)) for message in rows.rows],
        leads=await inbox.list_leads_of_conversation(page.ctx, conversation.id),
        links=links_between(page, f"conversations/{conversation.id}", rows.next_cursor),
    )


async def answer_html(message: VisitorMessage) -> str:
    return sanitised(await render_answer(message.answer))


@router.get("visitor", Role.OWNER, recent_sign_in=True)
async def show_visitor_data(page: BotPage) -> Response:
    """The visitor and how much is stored about them; exporting and erasing are on this page."""
    fields = Form([(name, value) for name, value in page.query.items() if value.strip()])
    summary = None
    if fields.keys() & {"email", "visitor", "conversation"}:
        summary = await summarize_visitor(page.ctx.tx, page.ctx.workspace_id, await subject_of(page, fields))
    return await page.show("running/visitor_data.html", fields=fields, summary=summary)


@router.post("visitor/export", Role.OWNER, recent_sign_in=True, open_while_paused=True)
async def export_visitor_data(page: BotPage) -> Response:
    """All of a visitor's data as a download, so that no other page follows."""
    export = await export_visitor(
        page.ctx.tx, page.ctx.workspace_id, await subject_of(page, page.form), page.ctx.actor
    )
    return Response(
        export.model_dump_json(by_alias=True, indent=2),
        media_type="application/json",
        headers={"Content-Disposition": 'attachment; filename="visitor.json"', "Cache-Control": "no-store"},
    )


@router.post("visitor/erase", Role.OWNER, recent_sign_in=True)
async def erase_visitor_data(page: BotPage) -> Response:
    if page.form.get("confirmed") != "yes":
        raise InvalidRequest("Nothing was erased: check the box to confirm that this can't be undone.")
    erasure = await erase_visitor(
        page.ctx.tx, page.ctx.workspace_id, await subject_of(page, page.form), page.ctx.actor
    )
    return page.leave(
        "conversations",
        f"Erased. Conversations: {erasure.conversations}; questions in them: {erasure.messages}; "
        f"contact details: {erasure.leads}.",
    )


async def subject_of(page: BotPage, fields: Form) -> Subject:
    """The visitor that a form names; a conversation includes the address that was left in it."""
    if fields.get("conversation"):
        conversation = await inbox.get_conversation(page.ctx, fields["conversation"])
        return Subject(email=conversation.email, conversation=conversation.id)
    return Subject.of(fields.get("email"), fields.get("visitor"))


def mailto(email: str) -> str:
    """A link that starts an email; a `?` in an address adds no header to it (RFC 6068, section 2)."""
    return f"mailto:{quote(email, safe='@')}"


pages.pages.environment.filters["mailto"] = mailto
