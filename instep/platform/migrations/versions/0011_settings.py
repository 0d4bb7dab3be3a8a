"""What owners of a workspace change in the dashboard: bots, keys, the pause, secrets of visitors."""

from alembic import op

revision = "0011"
down_revision = "0010"

SCHEMA = """
    grant insert (id, workspace_id, slug, name, bot_key, locale, origins),
      update (name, locale, origins, accent, accent_light, accent_dark) on bots to instep_app;
    -- Hashes of keys are written and never read.
    grant insert (id, workspace_id, name, key_hash, last_four, scope, bot_ids, default_bot_id),
      select (name, last_four, scope, created_at, last_used_at), update (revoked_at)
      on api_keys to instep_app;
    grant update (paused_at) on workspaces to instep_app;
    grant insert, update on visitor_secrets to instep_app;

    -- Slugs of bots are unique in the installation, and public as parts of addresses.
    create function slugs_like(p_base text) returns text[]
    language sql stable security definer set search_path = public, pg_temp as $$
      select coalesce(array_agg(slug), '{}') from bots where starts_with(slug, p_base)
    $$;
    revoke execute on function slugs_like from public;
    grant execute on function slugs_like to instep_app;
"""


def upgrade() -> None:
    op.execute(SCHEMA)
