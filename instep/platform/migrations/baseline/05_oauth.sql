-- The authorization server for AI clients: clients, the grants that people give them, and their tokens.

-- Not scoped to a tenant: a client registers before any person is known.
create table oauth_clients (
  -- A generated id for a client that registered here; otherwise the URL of its metadata document.
  id text primary key,
  name text not null,
  redirect_uris text[] not null,
  -- Until when the cached document is fresh; null: registered here.
  fresh_until timestamptz,
  used_at timestamptz not null default now()
);

-- One consent: its authorization code until that is redeemed, then the connection that comes from it.
create table oauth_grants (
  id text not null,
  workspace_id text not null,
  person_id text not null,
  client_id text not null,
  app_name text not null,
  redirect_uri text not null,
  -- The resource that the tokens are valid for (RFC 8707).
  resource text not null,
  scope text not null check (scope in ('content:read', 'content:propose', 'content:write')),
  -- null: every bot of the workspace, future ones included
  bot_ids uuid[],
  -- The only bot that the grant covered when it was given; null: there was none, or several.
  default_bot_id uuid,
  code_hash bytea not null unique,
  challenge text not null,
  redeemed_at timestamptz,
  -- The end of the code; after redemption the end of the connection, which every refresh postpones.
  expires_at timestamptz not null,
  revoked_at timestamptz,
  created_at timestamptz not null default now(),
  used_at timestamptz,
  primary key (id, workspace_id),
  foreign key (workspace_id, default_bot_id) references bots (workspace_id, id)
    on delete set null (default_bot_id),
  foreign key (workspace_id, person_id) references memberships on delete cascade
);
create index on oauth_grants (workspace_id, person_id);

create table oauth_tokens (
  token_hash bytea primary key,
  workspace_id text not null,
  grant_id text not null,
  kind text not null check (kind in ('access', 'refresh')),
  scope text not null check (scope in ('content:read', 'content:propose', 'content:write')),
  expires_at timestamptz not null,
  -- When a refresh token was replaced: another use of it means that it was stolen, or its successor lost.
  used_at timestamptz,
  -- The answer to a used refresh token, sealed with the token itself, which is not stored.
  answer bytea,
  foreign key (workspace_id, grant_id) references oauth_grants (workspace_id, id) on delete cascade
);
create index on oauth_tokens (grant_id);

-- The one statement that begins a request with an access token, as enter_with_key does for an API key. The
-- rights of a token end with the membership in the workspace of its grant.
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
      g.default_bot_id, g.used_at, p.id as person_id, p.email, m.role
    from oauth_tokens t
    join oauth_grants g on g.id = t.grant_id
    join people p on p.id = g.person_id
    join memberships m on m.workspace_id = g.workspace_id and m.person_id = g.person_id
    join workspaces w on w.id = g.workspace_id
    where t.token_hash = p_token_hash and t.kind = 'access' and t.expires_at > now()
      and g.resource = p_resource and g.revoked_at is null and m.disabled_at is null
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
    nullif(set_config('instep.workspace_id', coalesce(token.workspace_id, ''), true), ''),
    token.is_paused, hit.hits, hit.seconds_left, bot.id, bot.slug, bot.name, bot.locale,
    token.person_id, token.email, token.role
  from hit left join token on true left join bot on true;
end $$;

-- Begins a request at the token endpoint, which presents a code or a token: it counts the request against the
-- address and puts the connection into the workspace of the matching grant, or into none.
create function enter_grant(p_hash bytea, p_address text, p_seconds integer)
returns table (grant_id text, workspace_id text, hits integer, seconds_left integer)
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  return query
  select found.id, nullif(set_config('instep.workspace_id', coalesce(found.workspace_id, ''), true), ''),
    hit.hits, hit.seconds_left
  from count_hit('oauth', p_address, p_seconds) hit left join lateral (
    select g.id, g.workspace_id from oauth_grants g where g.code_hash = p_hash
    union all select t.grant_id, t.workspace_id from oauth_tokens t where t.token_hash = p_hash
    limit 1) found on true;
end $$;

-- In all workspaces: unused clients, ended grants, expired tokens.
create function prune_oauth(p_apps_kept interval, p_kept interval) returns void
language sql security definer set search_path = public, pg_temp as $$
  delete from oauth_clients c where c.used_at < now() - p_apps_kept;
  delete from oauth_grants where expires_at < now() - p_kept or revoked_at < now() - p_kept;
  delete from oauth_tokens where expires_at < now() - p_kept;
  update oauth_tokens set answer = null
  where answer is not null and used_at < now() - interval '1 minute';
$$;
