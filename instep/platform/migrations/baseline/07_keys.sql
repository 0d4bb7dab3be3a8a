-- API keys, and trusts of CI jobs, which get short-lived keys.

create table trusts (
  id text not null,
  workspace_id text not null references workspaces,
  issuer text not null,
  audience text not null,
  -- The value or glob that each named claim of a token must have.
  claims jsonb not null,
  -- null: every bot of the workspace, future ones included
  bot_ids uuid[],
  scope text not null check (scope in ('content:read', 'content:propose', 'content:write')),
  created_at timestamptz not null default now(),
  used_at timestamptz,
  revoked_at timestamptz,
  primary key (workspace_id, id)
);
create index on trusts (issuer) where revoked_at is null;

create table api_keys (
  id text not null,
  workspace_id text not null references workspaces,
  name text not null,
  key_hash bytea not null unique,
  last_four text not null,
  scope text not null check (scope in ('content:read', 'content:propose', 'content:write')),
  -- null: every bot of the workspace, future ones included
  bot_ids uuid[],
  -- The only bot that the key covered when it was created; null: there was none, or several.
  default_bot_id uuid,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  -- The trust that the key has come of; null: someone has created it.
  trust_id text,
  -- The hash of the ID token that was exchanged for it.
  subject_hash bytea,
  primary key (id, workspace_id),
  foreign key (workspace_id, default_bot_id) references bots (workspace_id, id)
    on delete set null (default_bot_id),
  foreign key (workspace_id, trust_id) references trusts
);
create index on api_keys (trust_id) where trust_id is not null;
create index on api_keys (subject_hash) where subject_hash is not null;

-- The one statement that begins a request with an API key: it finds the key, counts the request, puts the
-- connection into the key's workspace and resolves the bot. Without a valid key the address is counted.
-- Requests with the keys of one trust count together: a job can get any number of keys.
create function enter_with_key(p_key_hash bytea, p_bot uuid, p_address text, p_seconds integer)
returns table (
  key_id text, key_name text, scope text, workspace_id text, is_paused boolean,
  hits integer, seconds_left integer, bot_id uuid, bot_slug text, bot_name text, bot_locale text
)
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  return query
  with key as (
    select k.id, k.name, k.scope, k.workspace_id, w.paused_at is not null as is_paused, k.bot_ids,
      k.default_bot_id, k.last_used_at, coalesce(k.trust_id, k.id) as counted
    from api_keys k join workspaces w on w.id = k.workspace_id
    where k.key_hash = p_key_hash and k.revoked_at is null
      and (k.expires_at is null or k.expires_at > now())
  ), used as (
    update api_keys k set last_used_at = now() from key
    where k.id = key.id and coalesce(key.last_used_at < now() - interval '1 minute', true)
  ), hit as (
    insert into rate_windows as w (policy, subject, started_at, hits)
    select case when key.id is null then 'anonymous' else 'api' end, coalesce(key.counted, p_address),
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
    nullif(set_config('instep.workspace_id', coalesce(key.workspace_id, ''), true), ''),
    key.is_paused, hit.hits, hit.seconds_left, bot.id, bot.slug, bot.name, bot.locale
  from hit left join key on true left join bot on true;
end $$;

-- The trusts in an issuer that a job means. Anyone with a workspace can trust any repository, so the job
-- names the trust or its workspace, except in an installation of one workspace.
create function find_trusts(p_issuer text, p_named text) returns setof trusts
language sql stable security definer set search_path = public, pg_temp as $$
  select * from trusts where issuer = p_issuer and revoked_at is null
    and coalesce(p_named, (select min(id) from workspaces)) in (id, workspace_id)
  order by created_at, id
$$;

create function prune_trust_keys(p_kept interval) returns void
language sql security definer set search_path = public, pg_temp as $$
  delete from api_keys where trust_id is not null and expires_at < now() - p_kept
$$;
