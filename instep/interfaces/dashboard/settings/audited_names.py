"""The names and pages of resources in the audit."""

from collections.abc import Collection
from dataclasses import dataclass

from instep.platform.core.database import Tx


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
    rows = await tx.all(
        AuditedThing,
        """
        select thing.id, thing.name, bot.slug as bot_slug, thing.below
        from (
            select id, title as name, bot_id,
                case when deleted_at is null then 'articles/' || id else 'articles/deleted' end as below
            from articles where workspace_id = %(workspace)s and id = any(%(ids)s)
            union all
            select d.id, coalesce(d.title, a.title), d.bot_id, 'review/' || d.id
            from drafts d join articles a on a.workspace_id = d.workspace_id and a.id = d.article_id
            where d.workspace_id = %(workspace)s and d.id = any(%(ids)s)
            union all
            select p.id, a.title, p.bot_id, 'review/' || p.id
            from places p join articles a on a.workspace_id = p.workspace_id and a.id = p.article_id
            where p.workspace_id = %(workspace)s and p.id = any(%(ids)s)
            union all
            select id, title, bot_id, 'collections/' || id
            from collections where workspace_id = %(workspace)s and id = any(%(ids)s)
            union all
            select id, kind || '.' || name, bot_id, 'parts/' || id
            from parts where workspace_id = %(workspace)s and id = any(%(ids)s)
            union all
            select id, title, bot_id, 'changelog/' || id
            from changelog_entries where workspace_id = %(workspace)s and id = any(%(ids)s)
            union all
            select id, coalesce(change_title, article->>'title', id), bot_id, 'tasks/' || id
            from tasks where workspace_id = %(workspace)s and id = any(%(ids)s)
            union all
            select id, name, bot_id, 'import/' || id
            from imports where workspace_id = %(workspace)s and id = any(%(ids)s)
            union all
            select id, name, bot_id, 'files'
            from files where workspace_id = %(workspace)s and id = any(%(ids)s)
            union all
            select id, name, bot_id, 'settings/versions'
            from product_versions where workspace_id = %(workspace)s and id = any(%(ids)s)
            union all
            select id, path, bot_id, 'settings/redirects'
            from redirects where workspace_id = %(workspace)s and id = any(%(ids)s)
            union all
            select id, question, bot_id, 'questions'
            from unanswered_questions where workspace_id = %(workspace)s and id = any(%(ids)s)
            union all
            select id, question, bot_id, null
            from golden_questions where workspace_id = %(workspace)s and id = any(%(ids)s)
            union all
            select id, tool || ' at ' || host, bot_id, 'settings/alerts'
            from alert_targets where workspace_id = %(workspace)s and id = any(%(ids)s)
            union all
            select id, name, bot_id, 'settings/repositories/' || id
            from repositories where workspace_id = %(workspace)s and id = any(%(ids)s)
            union all
            select id, url, null, null
            from code_hosts where workspace_id = %(workspace)s and id = any(%(ids)s)
            union all
            select id, title, bot_id, 'settings/repositories/' || repository_id
            from repository_changes where workspace_id = %(workspace)s and id = any(%(ids)s)
            union all
            select id::text, name, id, 'settings/general'
            from bots where workspace_id = %(workspace)s and id::text = any(%(ids)s)
            union all
            select id, url, bot_id, 'settings/webhooks/' || id
            from webhook_endpoints where workspace_id = %(workspace)s and id = any(%(ids)s)
            union all
            select d.id, w.url, w.bot_id, 'settings/webhooks/' || w.id
            from deliveries d join webhook_endpoints w
              on w.workspace_id = d.workspace_id and w.id = d.endpoint_id
            where d.workspace_id = %(workspace)s and d.id = any(%(ids)s)
            union all
            select id, name, null, 'settings/keys'
            from api_keys where workspace_id = %(workspace)s and id = any(%(ids)s)
            union all
            select id, app_name, null, 'settings/apps'
            from oauth_grants where workspace_id = %(workspace)s and id = any(%(ids)s)
            union all
            select id, issuer, null, 'settings/trusts'
            from trusts where workspace_id = %(workspace)s and id = any(%(ids)s)
            union all
            select id, email, null, 'settings/people'
            from invitations where workspace_id = %(workspace)s and id = any(%(ids)s)
            union all
            select p.id, p.email, null, 'settings/people'
            from people p join memberships m on m.person_id = p.id
            where m.workspace_id = %(workspace)s and p.id = any(%(ids)s)
            union all
            select id, name, null, 'settings/general'
            from workspaces where id = %(workspace)s and id = any(%(ids)s)
        ) thing
        left join bots bot on bot.workspace_id = %(workspace)s and bot.id = thing.bot_id
        """,
        workspace=workspace_id,
        ids=list(ids),
    )
    return {row.id: row for row in rows}
