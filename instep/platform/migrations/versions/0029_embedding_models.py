"""Embedding models by language: the bots of one model are those whose locale matches a pattern."""

from alembic import op

revision = "0029"
down_revision = "0028"

SCHEMA = """
    drop function vectors_behind;
    -- Bots of all workspaces whose locale matches, with articles whose last change has no vectors of this
    -- model, the oldest change first. It runs with the owner's rights, because the worker is in no workspace
    -- when it asks.
    create function vectors_behind(p_model text, p_locales text, p_most integer)
    returns table (workspace_id text, id uuid, slug text, name text, locale text)
    language sql stable security definer set search_path = public, pg_temp as $$
      select b.workspace_id, b.id, b.slug, b.name, b.locale
      from bots b left join bot_vectors v on v.bot_id = b.id and v.model = p_model
        cross join lateral (select coalesce(v.seen, '-infinity') as at) as seen
        cross join lateral (select least(
          (select min(a.updated_at) from articles a
            where a.bot_id = b.id and a.deleted_at is null and a.updated_at > seen.at),
          (select min(a.deleted_at) from articles a where a.bot_id = b.id and a.deleted_at > seen.at)) as at
        ) as changed
      where b.locale ~ p_locales
        and (v.bot_id is null or not v.is_complete or b.changed_at > v.seen) and changed.at is not null
      order by changed.at, b.id limit p_most
    $$;
    revoke execute on function vectors_behind from public;
    grant execute on function vectors_behind to instep_app;
"""


def upgrade() -> None:
    op.execute(SCHEMA)
