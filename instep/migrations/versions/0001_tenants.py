"""Workspaces, bots, API keys, rate windows; the application's role and how a connection enters a tenant."""

from alembic import op

revision = "0001"
down_revision = None

ROLE = """
do $$ begin
  create role instep_app nologin;
exception when duplicate_object or unique_violation then null;
end $$;
do $$ begin
  execute format('grant instep_app to %I', current_user);
end $$;
grant usage on schema public to instep_app;
"""

TABLES = """
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
  -- The last change stamp given out; see stamp_change.
  changed_at timestamptz not null default clock_timestamp(),
  created_at timestamptz not null default now(),
  unique (workspace_id, id)
) with (fillfactor = 50);

create table api_keys (
  id text primary key,
  workspace_id text not null references workspaces,
  name text not null,
  key_hash bytea not null unique,
  last_four text not null,
  scope text not null check (scope in ('content:read', 'content:write')),
  -- null: every bot of the workspace, also those to come
  bot_ids uuid[],
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz
);

-- Counts may be lost in a crash, so they need no write-ahead log.
create unlogged table rate_windows (
  policy text not null,
  subject text not null,
  started_at timestamptz not null,
  hits integer not null,
  primary key (policy, subject)
) with (fillfactor = 50);
create index on rate_windows (started_at);
"""

# Written out in each policy: a function would be called, not inlined, and cost more than the query itself.
TENANT = "(select nullif(current_setting('instep.workspace_id', true), ''))"
SECURITY = f"""
alter table workspaces enable row level security;
create policy tenant on workspaces to instep_app using (id = {TENANT});
alter table bots enable row level security;
create policy tenant on bots to instep_app using (workspace_id = {TENANT});
alter table api_keys enable row level security;
create policy tenant on api_keys to instep_app using (workspace_id = {TENANT});

grant select on workspaces, bots to instep_app;
grant select (id, workspace_id, bot_ids) on api_keys to instep_app;
grant update (changed_at) on bots to instep_app;
"""

FUNCTIONS = """
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

-- What is left of a window, without counting.
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

-- The one statement that begins a request with an API key: finds the key, counts the request, puts the
-- connection into the key's workspace, resolves the bot. Without a valid key it counts against the address.
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
      k.last_used_at
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
    -- Two are enough to know that the caller must choose.
    select b.id, b.slug, b.name, b.locale, count(*) over () as covered
    from key join lateral (
      select b.id, b.slug, b.name, b.locale from bots b
      where b.workspace_id = key.workspace_id and (p_bot is null or b.id = p_bot)
        and (key.bot_ids is null or b.id = any(key.bot_ids))
      limit 2) b on true
  )
  select key.id, key.name, key.scope,
    nullif(set_config('instep.workspace_id', coalesce(key.workspace_id, ''), false), ''),
    key.is_paused, hit.hits, hit.seconds_left, bot.id, bot.slug, bot.name, bot.locale
  from hit left join key on true left join bot on bot.covered = 1;
end $$;

-- Begins a request of the public site: the help center's slug decides the workspace.
create function enter_site(p_slug text)
returns table (workspace_id text, bot_id uuid, bot_slug text, bot_name text, bot_locale text)
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform set_config('instep.workspace_id', '', false);
  return query select b.workspace_id, b.id, b.slug, b.name, b.locale from bots b
    where b.slug = p_slug and set_config('instep.workspace_id', b.workspace_id, false) is not null;
end $$;

-- Whether the workspace takes writes; if so it stays open until this transaction ends. Advisory locks queue,
-- while lockers of a row would pass a waiting pause for ever. Each statement of a function looks anew, so the
-- second one sees what was paused while the first waited.
create function hold_open(p_workspace text) returns boolean language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended(p_workspace, 0));
  return exists (select from workspaces where id = p_workspace and paused_at is null);
end $$;

-- Change stamps rise in commit order per bot: the lock on the bot's row is held until the transaction ends.
create function stamp_change(p_bot uuid) returns timestamptz language sql as $$
  update bots set changed_at = greatest(clock_timestamp(), changed_at + interval '1 microsecond')
  where id = p_bot returning changed_at
$$;

revoke execute on function count_hit, peek_hits, prune_rate_windows, enter_with_key, enter_site from public;
grant execute on function count_hit, peek_hits, prune_rate_windows, enter_with_key, enter_site to instep_app;
"""


# A fresh installation serves one company; more workspaces are made by command.
FIRST_WORKSPACE = """
insert into workspaces (id, name)
values ('ws_' || left(replace(gen_random_uuid()::text, '-', ''), 26), 'Workspace');
"""


def upgrade() -> None:
    for step in (ROLE, TABLES, SECURITY, FUNCTIONS, FIRST_WORKSPACE):
        op.execute(step)
