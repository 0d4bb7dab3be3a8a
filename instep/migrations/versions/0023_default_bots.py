"""The bot that a key or a connected app goes on working with once its workspace gets a second one."""

from alembic import op

revision = "0023"
down_revision = "0022"

TABLES = """
-- The only bot that the credential covered when it was made; null: there was none, or several.
alter table api_keys add column default_bot_id uuid;
alter table api_keys add foreign key (workspace_id, default_bot_id)
  references bots (workspace_id, id) on delete set null (default_bot_id);
alter table oauth_grants add column default_bot_id uuid;
alter table oauth_grants add foreign key (workspace_id, default_bot_id)
  references bots (workspace_id, id) on delete set null (default_bot_id);
grant select (default_bot_id) on api_keys to instep_app;
"""

RULE = """
-- The bot that a request is for: the one it names, else the credential's default, else the only one that the
-- credential covers. No row: the caller must name one. It is inlined into the statements that use it.
create function bot_in_force(p_workspace text, p_covered uuid[], p_default uuid, p_named uuid)
returns table (id uuid, slug text, name text, locale text) language sql stable as $$
  select b.id, b.slug, b.name, b.locale from (
    select b.id, b.slug, b.name, b.locale, count(*) over () as candidates from bots b
    where b.workspace_id = p_workspace and (p_covered is null or b.id = any(p_covered))
      and (coalesce(p_named, p_default) is null or b.id = coalesce(p_named, p_default))
    -- Two are enough to know that the caller must choose.
    limit 2) b
  where b.candidates = 1
$$;
"""

PRESENT_CREDENTIALS = """
update api_keys k
set default_bot_id = (select b.id from bot_in_force(k.workspace_id, k.bot_ids, null, null) b);
update oauth_grants g
set default_bot_id = (select b.id from bot_in_force(g.workspace_id, g.bot_ids, null, null) b);
"""

ENTRANCES = """
create or replace function enter_with_key(p_key_hash bytea, p_bot uuid, p_address text, p_seconds integer)
returns table (
  key_id text, key_name text, scope text, workspace_id text, is_paused boolean,
  hits integer, seconds_left integer, bot_id uuid, bot_slug text, bot_name text, bot_locale text
)
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  return query
  with key as (
    select k.id, k.name, k.scope, k.workspace_id, w.paused_at is not null as is_paused, k.bot_ids,
      k.default_bot_id, k.last_used_at
    from api_keys k join workspaces w on w.id = k.workspace_id
    where k.key_hash = p_key_hash and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
  ), used as (
    update api_keys k set last_used_at = now() from key
    where k.id = key.id and coalesce(key.last_used_at < now() - interval '1 minute', true)
  ), hit as (
    insert into rate_windows as w (policy, subject, started_at, hits)
    select case when key.id is null then 'anonymous' else 'api' end, coalesce(key.id, p_address),
      clock_timestamp(), 1
    from (values (true)) as one (row) left join key on true
    on conflict (policy, subject) do update set
      hits = case when w.started_at > excluded.started_at - make_interval(secs => p_seconds)
        then w.hits + 1 else 1 end,
      started_at = case when w.started_at > excluded.started_at - make_interval(secs => p_seconds)
        then w.started_at else excluded.started_at end
    returning w.hits, greatest(1, ceil(extract(epoch from
      w.started_at + make_interval(secs => p_seconds) - clock_timestamp())))::integer as seconds_left
  ), bot as (
    select b.id, b.slug, b.name, b.locale
    from key cross join lateral bot_in_force(key.workspace_id, key.bot_ids, key.default_bot_id, p_bot) b
  )
  select key.id, key.name, key.scope,
    nullif(set_config('instep.workspace_id', coalesce(key.workspace_id, ''), false), ''),
    key.is_paused, hit.hits, hit.seconds_left, bot.id, bot.slug, bot.name, bot.locale
  from hit left join key on true left join bot on true;
end $$;

create or replace function enter_with_token(p_token_hash bytea, p_resource text, p_bot uuid, p_address text,
  p_seconds integer)
returns table (
  key_id text, key_name text, scope text, workspace_id text, is_paused boolean,
  hits integer, seconds_left integer, bot_id uuid, bot_slug text, bot_name text, bot_locale text,
  person_id text, email text, role text
)
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  return query
  with token as (
    select g.id, g.app_name, t.scope, g.workspace_id, w.paused_at is not null as is_paused, g.bot_ids,
      g.default_bot_id, g.used_at, p.id as person_id, p.email, p.role
    from oauth_tokens t
    join oauth_grants g on g.id = t.grant_id
    join people p on p.id = g.person_id
    join workspaces w on w.id = g.workspace_id
    where t.token_hash = p_token_hash and t.kind = 'access' and t.expires_at > now()
      and g.resource = p_resource and g.revoked_at is null and p.disabled_at is null
  ), used as (
    update oauth_grants g set used_at = now() from token
    where g.id = token.id and coalesce(token.used_at < now() - interval '1 minute', true)
  ), hit as (
    insert into rate_windows as w (policy, subject, started_at, hits)
    select case when token.id is null then 'anonymous' else 'api' end, coalesce(token.id, p_address),
      clock_timestamp(), 1
    from (values (true)) as one (row) left join token on true
    on conflict (policy, subject) do update set
      hits = case when w.started_at > excluded.started_at - make_interval(secs => p_seconds)
        then w.hits + 1 else 1 end,
      started_at = case when w.started_at > excluded.started_at - make_interval(secs => p_seconds)
        then w.started_at else excluded.started_at end
    returning w.hits, greatest(1, ceil(extract(epoch from
      w.started_at + make_interval(secs => p_seconds) - clock_timestamp())))::integer as seconds_left
  ), bot as (
    select b.id, b.slug, b.name, b.locale
    from token cross join lateral
      bot_in_force(token.workspace_id, token.bot_ids, token.default_bot_id, p_bot) b
  )
  select token.id, token.app_name, token.scope,
    nullif(set_config('instep.workspace_id', coalesce(token.workspace_id, ''), false), ''),
    token.is_paused, hit.hits, hit.seconds_left, bot.id, bot.slug, bot.name, bot.locale,
    token.person_id, token.email, token.role
  from hit left join token on true left join bot on true;
end $$;
"""


def upgrade() -> None:
    for step in (TABLES, RULE, PRESENT_CREDENTIALS, ENTRANCES):
        op.execute(step)
