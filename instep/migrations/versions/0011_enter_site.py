"""A visit enters the workspace of its own help center only, whichever way the bot is found."""

from alembic import op

revision = "0011"
down_revision = "0010"

# In the condition it could be called for every bot before the slug is compared: the last workspace stayed.
ENTER_SITE = """
create or replace function enter_site(p_slug text)
returns table (workspace_id text, bot_id uuid, bot_slug text, bot_name text, bot_locale text)
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform set_config('instep.workspace_id', '', false);
  return query select set_config('instep.workspace_id', b.workspace_id, false), b.id, b.slug, b.name, b.locale
    from bots b where b.slug = p_slug;
end $$;
"""


def upgrade() -> None:
    op.execute(ENTER_SITE)
