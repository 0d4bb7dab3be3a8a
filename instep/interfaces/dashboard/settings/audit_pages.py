"""The audit: who did what to which resource, when, and by which channel."""

from collections.abc import Collection
from dataclasses import dataclass

from starlette.responses import Response

from instep.accounts.people.actions import list_audit
from instep.interfaces.dashboard.bot_pages import BotPage, PageRouter
from instep.interfaces.dashboard.settings.frame import show_settings
from instep.platform.core import limits
from instep.platform.core.database import Tx
from instep.platform.identity.scopes import Role
from instep.platform.text.characters import whole_number

ARTICLE_TITLE = (
    "(select a.title from articles a where a.workspace_id = t.workspace_id and a.id = t.article_id)"
)
# The tables of resources, each with the SQL of a name and of a path below the dashboard of its bot.
OF_BOTS = {
    "alert_targets": ("tool || ' at ' || host", "'settings/alerts'"),
    "articles": ("title", "case when deleted_at is null then 'articles/' || id else 'articles/deleted' end"),
    "changelog_entries": ("title", "'changelog/' || id"),
    "collections": ("title", "'collections/' || id"),
    "drafts": (f"coalesce(title, {ARTICLE_TITLE})", "'review/' || id"),
    "files": ("name", "'files'"),
    "golden_questions": ("question", "null"),
    "imports": ("name", "'import/' || id"),
    "parts": ("kind || '.' || name", "'parts/' || id"),
    "places": (ARTICLE_TITLE, "'review/' || id"),
    "product_versions": ("name", "'settings/versions'"),
    "redirects": ("path", "'settings/redirects'"),
    "repositories": ("name", "'settings/repositories/' || id"),
    "repository_changes": ("title", "'settings/repositories/' || repository_id"),
    "tasks": ("coalesce(change_title, article->>'title', id)", "'tasks/' || id"),
    "unanswered_questions": ("question", "'questions'"),
    "webhook_endpoints": ("url", "'settings/webhooks/' || id"),
}
# The same for resources of the whole workspace.
OF_WORKSPACES = {
    "api_keys": ("name", "'settings/keys'"),
    "code_hosts": ("url", "null"),
    "invitations": ("email", "'settings/people'"),
    "oauth_grants": ("app_name", "'settings/apps'"),
    "trusts": ("issuer", "'settings/trusts'"),
}
IN_TABLE = """
    select id, {name} as name, {bot} as bot_id, {below} as below
    from {table} t where t.workspace_id = %(workspace)s and t.id = any(%(ids)s)
"""
IN_OTHER_TABLES = """
    select id::text, name, id, 'settings/general'
    from bots where workspace_id = %(workspace)s and id::text = any(%(ids)s)
    union all
    select d.id, w.url, w.bot_id, 'settings/webhooks/' || w.id
    from deliveries d join webhook_endpoints w on w.workspace_id = d.workspace_id and w.id = d.endpoint_id
    where d.workspace_id = %(workspace)s and d.id = any(%(ids)s)
    union all
    select p.id, p.email, null, 'settings/people'
    from people p join memberships m on m.person_id = p.id
    where m.workspace_id = %(workspace)s and p.id = any(%(ids)s)
    union all
    select id, name, null, 'settings/general'
    from workspaces where id = %(workspace)s and id = any(%(ids)s)
"""
router = PageRouter("settings/audit", Role.OWNER)


@dataclass(frozen=True, slots=True)
class AuditedThing:
    """An existing resource: its name, and its path below its bot's dashboard.

    `bot_slug` is None for resources of the whole workspace; `below` is None for resources without a page.
    """

    id: str
    name: str
    bot_slug: str | None
    below: str | None


async def find_names(tx: Tx, workspace_id: str, ids: Collection[str]) -> dict[str, AuditedThing]:
    """Resources by their ids, without purged ones."""
    things = " union all ".join(
        IN_TABLE.format(table=table, name=name, bot=bot, below=below)
        for bot, tables in (("bot_id", OF_BOTS), ("null::uuid", OF_WORKSPACES))
        for table, (name, below) in tables.items()
    )
    rows = await tx.all(
        AuditedThing,
        f"""
        select thing.id, thing.name, bot.slug as bot_slug, thing.below
        from ({things} union all {IN_OTHER_TABLES}) thing
        left join bots bot on bot.workspace_id = %(workspace)s and bot.id = thing.bot_id
        """,
        workspace=workspace_id,
        ids=list(ids),
    )
    return {row.id: row for row in rows}


@router.get()
async def show_audit(page: BotPage) -> Response:
    before = page.query.get("before", "")
    actor, action = page.query.get("actor", "").strip(), page.query.get("action", "").strip()
    rows = await list_audit(
        page.ctx.tx,
        page.ctx.workspace_id,
        limits.AUDIT_PAGE_ROWS + 1,
        whole_number(before, 18),
        actor or None,
        action or None,
    )
    entries = rows[: limits.AUDIT_PAGE_ROWS]
    resources = {entry.resource for entry in entries if entry.resource}
    return await show_settings(
        page,
        "audit",
        entries=entries,
        things=await find_names(page.ctx.tx, page.ctx.workspace_id, resources),
        actor=actor,
        action=action,
        older=entries[-1].id if len(rows) > len(entries) else None,
        is_first=not before,
    )
