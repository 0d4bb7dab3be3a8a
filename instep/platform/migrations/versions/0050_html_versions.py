"""Stored HTML knows which version of the renderer made it; the worker renders older HTML again."""

from alembic import op

revision = "0050"
down_revision = "0049"


def upgrade() -> None:
    op.execute(
        """
        -- 0: before there were versions; some of that HTML has code without colors.
        alter table articles add column html_version smallint not null default 0;
        alter table changelog_entries add column html_version smallint not null default 0;
        create index articles_html on articles (html_version);
        create index changelog_entries_html on changelog_entries (html_version);
        -- Texts of all workspaces whose HTML an earlier version made. It runs with the owner's rights,
        -- because the worker is in no workspace when it asks.
        create function html_behind(p_version integer, p_most integer)
        returns table (
          "table" text, id text, workspace_id text, bot_id uuid, slug text, name text, locale text)
        language sql stable security definer set search_path = public, pg_temp as $$
          select t.kind, t.id, b.workspace_id, b.id, b.slug, b.name, b.locale
          from (
            (select 'articles' as kind, a.id, a.bot_id from articles a
              where a.html_version < p_version limit p_most)
            union all
            (select 'changelog_entries', e.id, e.bot_id from changelog_entries e
              where e.html_version < p_version limit p_most)
          ) t join bots b on b.id = t.bot_id
          limit p_most
        $$;
        revoke execute on function html_behind from public;
        grant execute on function html_behind to instep_app;
        """
    )
