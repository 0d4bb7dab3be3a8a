-- Workspaces, bots and rate limits; the application's role, and how a request enters a workspace.

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
  created_at timestamptz not null default now(),
  -- The owners of the workspace don't end a pause that an operator made.
  paused_by text check (paused_by in ('operator', 'owner'))
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
  -- The color as it was chosen, and the readable colors that were made of it for each color scheme, as
  -- `#rrggbb`; null: the product's blue.
  accent text,
  accent_light text check (accent_light ~ '^#[0-9a-f]{6}$'),
  accent_dark text check (accent_dark ~ '^#[0-9a-f]{6}$'),
  -- `logo`: an address, or null; `header` and `footer`: lists of {label, url}; `legal`: a text.
  frame jsonb not null default '{}',
  -- A host name in lower case and in ASCII, such as help.example.com; no two help centers have the same.
  domain text,
  claimed_domain text,
  domain_claimed_at timestamptz,
  -- When the record of a claim, or of a proved name, was looked up last, and when it was last there.
  domain_checked_at timestamptz,
  domain_seen_at timestamptz,
  -- The proof of `domain`: the word of the operator, or a DNS record.
  domain_proof text check (domain_proof in ('operator', 'dns')),
  unique (workspace_id, id),
  constraint bots_accent_is_complete check (num_nulls(accent, accent_light, accent_dark) in (0, 3))
) with (fillfactor = 50);
create index on bots using gin (origins);
create unique index bots_domain on bots (domain);

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

-- A help center is named by its slug, which has no dots, or by its host name, which has.
create function enter_site(p_slug text)
returns table (workspace_id text, bot_id uuid, bot_slug text, bot_name text, bot_locale text)
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform set_config('instep.workspace_id', '', true);
  return query
    select set_config('instep.workspace_id', b.workspace_id, true), b.id, b.slug, b.name, b.locale
    from bots b where b.slug = p_slug or b.domain = p_slug;
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
  perform set_config('instep.workspace_id', workspace_id, true);
  return next;
end $$;

-- Slugs of bots are unique in the installation, and public as parts of addresses.
create function slugs_like(p_base text) returns text[]
language sql stable security definer set search_path = public, pg_temp as $$
  select coalesce(array_agg(slug), '{}') from bots where starts_with(slug, p_base)
$$;

create function has_several_workspaces() returns boolean
language sql stable security definer set search_path = public, pg_temp as $$
  select count(*) > 1 from (select from workspaces limit 2) w
$$;

-- Whether the workspace accepts writes; if it does, it stays open until this transaction ends. Advisory locks
-- queue, while row locks would let a waiting pause starve. In a volatile function each statement takes its
-- own snapshot, so the second one sees a pause that committed while the first waited.
create function hold_open(p_workspace text) returns boolean language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended(p_workspace, 0));
  return exists (select from workspaces where id = p_workspace and paused_at is null);
end $$;

-- Change stamps rise in commit order within a bot: the lock on the bot's row lasts until the transaction
-- ends. A transaction gets one stamp for a bot: each is a new version of the bot's row, and foreign keys walk
-- the versions that their transaction has made. The setting ends with the transaction, and a savepoint that
-- is rolled back takes its stamp along.
create function stamp_change(p_bot uuid) returns timestamptz language plpgsql as $$
declare
  last_stamp constant text := coalesce(current_setting('instep.change_stamp', true), '');
  stamp timestamptz;
begin
  if starts_with(last_stamp, p_bot::text) then
    return substr(last_stamp, 38)::timestamptz;
  end if;
  update bots set changed_at = greatest(clock_timestamp(), changed_at + interval '1 microsecond')
  where id = p_bot returning changed_at into stamp;
  perform set_config('instep.change_stamp', p_bot || ' ' || stamp, true);
  return stamp;
end $$;

-- A fresh installation serves one company; `instep workspaces create` adds others.
insert into workspaces (id, name)
values ('ws_' || left(replace(gen_random_uuid()::text, '-', ''), 26), 'Workspace');
