-- Backups, and numbers and statistics of the whole installation.

-- Erasures of visitors' data. Each is also written next to the backups, so that a restore of an older one
-- finds and repeats it. Only someone who knows a visitor's address can recognize it by its hash.
create table erasures (
  id text not null,
  workspace_id text not null references workspaces,
  -- The hash is that of the workspace's id, this salt and the address; null: no address was known.
  salt bytea not null,
  email_hash bytea,
  -- As in conversations: one for each bot.
  visitor_hashes bytea[] not null,
  created_at timestamptz not null default now(),
  primary key (id, workspace_id)
);

-- All erasures of the installation, for the job that writes them next to the backups.
create function list_erasures() returns setof erasures
language sql stable security definer set search_path = public, pg_temp as $$
  select * from erasures order by id
$$;

-- The runs of scheduled backups, which belong to no tenant. Only the owner writes them.
create table backup_runs (
  began_at timestamptz primary key,
  ended_at timestamptz not null,
  -- The name of the stored backup; null: the run failed.
  name text,
  bytes bigint,
  error text,
  check ((name is null) = (error is not null))
);

-- The number of waiting jobs in the whole installation, by queue and kind, and for how many seconds the oldest
-- has been due. It shows numbers alone, of no workspace, and runs with the owner's rights to see all.
create function waiting_work(p_few integer)
returns table (queue text, kind text, number bigint, oldest_seconds float8)
language sql stable security definer set search_path = public, pg_temp as $$
  select 'jobs', j.kind, count(*), extract(epoch from now() - min(j.run_at))::float8
  from jobs j where j.run_at <= now() group by j.kind
  union all
  select 'dead_jobs', j.kind, count(*), extract(epoch from now() - min(j.created_at))::float8
  from jobs j where j.run_at is null group by j.kind
  union all
  select 'deliveries', '', count(*),
    coalesce(extract(epoch from now() - min(d.next_attempt_at)), 0)::float8
  from deliveries d
  where d.status = 'pending' and d.next_attempt_at <= now()
    and (d.leased_until is null or d.leased_until <= now())
  union all
  select 'search_indexes', '', count(*),
    coalesce(extract(epoch from now() - min(b.changed_at)), 0)::float8
  from search_behind(p_few, 1000) s join bots b on b.id = s.id
$$;

-- Renews the statistics of tables, which otherwise only their owner may.
create function renew_statistics(p_rows integer) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare name text;
begin
  for name in
    select relname from pg_class
    where relnamespace = 'public'::regnamespace and relowner = current_user::regrole and relkind = 'r'
      and reltuples < 10.0 * p_rows
  loop
    execute format('analyze (skip_locked) public.%I', name);
  end loop;
end $$;
