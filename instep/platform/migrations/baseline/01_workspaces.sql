-- Workspaces, bots, API keys and rate limits; the application's role, and how a request enters a workspace.

do $$ begin
  create role instep_app nologin;
exception when duplicate_object or unique_violation then null;
end $$;
do $$ begin
  execute format('grant instep_app to %I', current_user);
end $$;
grant usage on schema public to instep_app;

create table workspaces (
  id text primary key,
  name text not null,
  paused_at timestamptz,
  created_at timestamptz not null default now()
);

create table bots (
  id uuid primary key,
  workspace_id text not null references workspaces,
  slug text not null unique,
  name text not null,
  bot_key text not null unique,
  locale text not null,
  -- Origins whose pages may call the visitor API: scheme, host and port, in canonical form.
  origins text[] not null default '{}',
  -- The last change stamp that was issued; see stamp_change.
  changed_at timestamptz not null default clock_timestamp(),
  created_at timestamptz not null default now(),
  unique (workspace_id, id)
) with (fillfactor = 50);
create index on bots using gin (origins);

create table api_keys (
  id text primary key,
  workspace_id text not null references workspaces,
  name text not null,
  key_hash bytea not null unique,
  last_four text not null,
  scope text not null check (scope in ('content:read', 'content:write')),
  -- null: every bot of the workspace, future ones included
  bot_ids uuid[],
  -- The only bot that the key covered when it was created; null: there was none, or several.
  default_bot_id uuid,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  foreign key (workspace_id, default_bot_id) references bots (workspace_id, id)
    on delete set null (default_bot_id)
);

-- A crash may lose these counts, so they need no write-ahead log.
create unlogged table rate_windows (
  policy text not null,
  subject text not null,
  started_at timestamptz not null,
  hits integer not null,
  primary key (policy, subject)
) with (fillfactor = 50);
create index on rate_windows (started_at);

-- Counts one hit in a fixed window that begins with its first hit; exact across processes.
create function count_hit(p_policy text, p_subject text, p_seconds integer,
  out hits integer, out seconds_left integer)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_now timestamptz := clock_timestamp();
  v_began timestamptz;
begin
  insert into rate_windows as w (policy, subject, started_at, hits) values (p_policy, p_subject, v_now, 1)
  on conflict (policy, subject) do update set
    hits = case when w.started_at > v_now - make_interval(secs => p_seconds) then w.hits + 1 else 1 end,
    started_at = case when w.started_at > v_now - make_interval(secs => p_seconds)
      then w.started_at else v_now end
  returning w.hits, w.started_at into hits, v_began;
  seconds_left := greatest(1, ceil(p_seconds - extract(epoch from v_now - v_began)));
end $$;

-- The state of a window, without counting a hit.
create function peek_hits(p_policy text, p_subject text, p_seconds integer,
  out hits integer, out seconds_left integer)
language sql stable security definer set search_path = public, pg_temp as $$
  select coalesce(max(w.hits), 0), coalesce(max(greatest(1, ceil(extract(epoch from
    w.started_at + make_interval(secs => p_seconds) - clock_timestamp())))), p_seconds)::integer
  from rate_windows w
  where w.policy = p_policy and w.subject = p_subject
    and w.started_at > clock_timestamp() - make_interval(secs => p_seconds)
$$;

create function prune_rate_windows(p_older_than interval) returns void
language sql security definer set search_path = public, pg_temp as $$
  delete from rate_windows where started_at < clock_timestamp() - p_older_than
$$;

-- The bot that a request is for: the one it names, else the credential's default, else the only one that the
-- credential covers. No row: the caller must name one. PostgreSQL inlines it into the statements that use it.
create function bot_in_force(p_workspace text, p_covered uuid[], p_default uuid, p_named uuid)
returns table (id uuid, slug text, name text, locale text) language sql stable as $$
  select b.id, b.slug, b.name, b.locale from (
    select b.id, b.slug, b.name, b.locale, count(*) over () as candidates from bots b
    where b.workspace_id = p_workspace and (p_covered is null or b.id = any(p_covered))
      and (coalesce(p_named, p_default) is null or b.id = coalesce(p_named, p_default))
    -- Two rows are enough to know that the caller must choose.
    limit 2) b
  where b.candidates = 1
$$;

-- The one statement that begins a request with an API key: it finds the key, counts the request, puts the
-- connection into the key's workspace and resolves the bot. Without a valid key the address is counted.
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

-- Begins a request of the public site. The plan may evaluate a condition for every bot, so the workspace is
-- set in the select list, which PostgreSQL evaluates only for the bot with this slug.
create function enter_site(p_slug text)
returns table (workspace_id text, bot_id uuid, bot_slug text, bot_name text, bot_locale text)
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform set_config('instep.workspace_id', '', false);
  return query select set_config('instep.workspace_id', b.workspace_id, false), b.id, b.slug, b.name, b.locale
    from bots b where b.slug = p_slug;
end $$;

-- Begins a request of the front page. The connection enters the workspace that owns all bots; when several
-- workspaces have bots it enters none, so that strangers learn nothing about other companies' help centers.
create function enter_front_page() returns table (has_bots boolean, workspace_id text)
language plpgsql security definer set search_path = public, pg_temp as $$
declare first_id text; last_id text;
begin
  -- Each is one lookup at an end of an index.
  select min(b.workspace_id), max(b.workspace_id) into first_id, last_id from bots b;
  workspace_id := case when first_id = last_id then first_id else '' end;
  has_bots := first_id is not null;
  perform set_config('instep.workspace_id', workspace_id, false);
  return next;
end $$;

-- Whether the workspace accepts writes; if it does, it stays open until this transaction ends. Advisory locks
-- queue, while row locks would let a waiting pause starve. In a volatile function each statement takes its
-- own snapshot, so the second one sees a pause that committed while the first waited.
create function hold_open(p_workspace text) returns boolean language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended(p_workspace, 0));
  return exists (select from workspaces where id = p_workspace and paused_at is null);
end $$;

-- Change stamps rise in commit order within a bot: the lock on the bot's row lasts until the transaction
-- ends.
create function stamp_change(p_bot uuid) returns timestamptz language sql as $$
  update bots set changed_at = greatest(clock_timestamp(), changed_at + interval '1 microsecond')
  where id = p_bot returning changed_at
$$;

-- A fresh installation serves one company; `instep workspaces create` adds others.
insert into workspaces (id, name)
values ('ws_' || left(replace(gen_random_uuid()::text, '-', ''), 26), 'Workspace');
