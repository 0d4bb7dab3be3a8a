"""The authorization server for AI clients: the apps it knows, what people let them do, and their tokens."""

from alembic import op

revision = "0019"
down_revision = "0018"

TABLES = """
-- No company's: an app is known before anybody has said who they are.
create table oauth_clients (
  -- Of an app that registered here, an id that was given to it; otherwise the address of its document.
  id text primary key,
  name text not null,
  redirect_uris text[] not null,
  -- Until when the document need not be read again; null: registered here.
  fresh_until timestamptz,
  used_at timestamptz not null default now()
);

-- One consent: with its code, until that is redeemed, and the connection that comes of it.
create table oauth_grants (
  id text primary key,
  workspace_id text not null,
  person_id text not null,
  client_id text not null,
  app_name text not null,
  redirect_uri text not null,
  -- Where the tokens are good for.
  resource text not null,
  scope text not null check (scope in ('content:read', 'content:write')),
  -- null: every bot of the workspace, also those to come
  bot_ids uuid[],
  code_hash bytea not null unique,
  challenge text not null,
  redeemed_at timestamptz,
  -- The code's end; once it is redeemed the connection's, which each use of a refresh token puts off.
  expires_at timestamptz not null,
  revoked_at timestamptz,
  created_at timestamptz not null default now(),
  used_at timestamptz,
  unique (workspace_id, id),
  foreign key (workspace_id, person_id) references people (workspace_id, id) on delete cascade
);
create index on oauth_grants (workspace_id, person_id);

create table oauth_tokens (
  token_hash bytea primary key,
  workspace_id text not null,
  grant_id text not null,
  kind text not null check (kind in ('access', 'refresh')),
  scope text not null check (scope in ('content:read', 'content:write')),
  expires_at timestamptz not null,
  -- When a refresh token was replaced: who comes with it again is not who it was given to, or has lost it.
  used_at timestamptz,
  foreign key (workspace_id, grant_id) references oauth_grants (workspace_id, id) on delete cascade
);
create index on oauth_tokens (grant_id);
"""

SECURITY = """
do $$ declare name text; begin
  foreach name in array array['oauth_grants', 'oauth_tokens'] loop
    execute format('alter table %I enable row level security', name);
    execute format('create policy tenant on %I to instep_app
      using (workspace_id = (select nullif(current_setting(''instep.workspace_id'', true), '''')))', name);
  end loop;
end $$;
grant select, insert, update on oauth_clients, oauth_grants, oauth_tokens to instep_app;
"""

FUNCTIONS = """
-- The one statement that begins a request with an access token, as enter_with_key does for an API key.
create function enter_with_token(p_token_hash bytea, p_resource text, p_bot uuid, p_address text,
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
      g.used_at, p.id as person_id, p.email, p.role
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
    -- Two are enough to know that the caller must choose.
    select b.id, b.slug, b.name, b.locale, count(*) over () as covered
    from token join lateral (
      select b.id, b.slug, b.name, b.locale from bots b
      where b.workspace_id = token.workspace_id and (p_bot is null or b.id = p_bot)
        and (token.bot_ids is null or b.id = any(token.bot_ids))
      limit 2) b on true
  )
  select token.id, token.app_name, token.scope,
    nullif(set_config('instep.workspace_id', coalesce(token.workspace_id, ''), false), ''),
    token.is_paused, hit.hits, hit.seconds_left, bot.id, bot.slug, bot.name, bot.locale,
    token.person_id, token.email, token.role
  from hit left join token on true left join bot on bot.covered = 1;
end $$;

-- Begins a request of an app's own, which shows a code or a token: counts it against the address, and puts
-- the connection into the workspace of the grant that it belongs to, or into none.
create function enter_grant(p_hash bytea, p_address text, p_seconds integer)
returns table (grant_id text, workspace_id text, hits integer, seconds_left integer)
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  return query
  select found.id, nullif(set_config('instep.workspace_id', coalesce(found.workspace_id, ''), false), ''),
    hit.hits, hit.seconds_left
  from count_hit('oauth', p_address, p_seconds) hit left join lateral (
    select g.id, g.workspace_id from oauth_grants g where g.code_hash = p_hash
    union all select t.grant_id, t.workspace_id from oauth_tokens t where t.token_hash = p_hash
    limit 1) found on true;
end $$;

-- Of every company: apps that nobody uses, grants whose time is over, tokens that are good for nothing.
create function prune_oauth(p_apps_kept interval, p_kept interval) returns void
language sql security definer set search_path = public, pg_temp as $$
  delete from oauth_clients c where c.used_at < now() - p_apps_kept;
  delete from oauth_grants where expires_at < now() - p_kept or revoked_at < now() - p_kept;
  delete from oauth_tokens where expires_at < now() - p_kept;
$$;

revoke execute on function enter_with_token, enter_grant, prune_oauth from public;
grant execute on function enter_with_token, enter_grant, prune_oauth to instep_app;
"""


def upgrade() -> None:
    for step in (TABLES, SECURITY, FUNCTIONS):
        op.execute(step)
