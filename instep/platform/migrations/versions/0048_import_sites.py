"""The address at which a source was served, and whether an import archives what the source no longer has."""

from alembic import op

revision = "0048"
down_revision = "0047"

SCHEMA = """
    -- As the importing person named it; the newest one of a source holds for its next imports.
    alter table imports add column site text, add column prunes boolean not null default false;

    -- An article that is archived leaves its former addresses to the page that took its place.
    grant update (article_id) on redirects to instep_app;

    create or replace function prune_imports(p_age interval, p_most integer) returns integer
    language sql security definer set search_path = public, pg_temp as $$
      with old as (
        select id from imports i where updated_at < now() - p_age
          and (site is null or exists (
            select from imports later
            where later.workspace_id = i.workspace_id and later.bot_id = i.bot_id
              and later.source = i.source and later.site is not null and later.created_at > i.created_at))
        order by updated_at limit p_most
      ), removed as (
        delete from imports i using old where i.id = old.id returning 1
      ) select count(*)::integer from removed
    $$;
"""


def upgrade() -> None:
    op.execute(SCHEMA)
