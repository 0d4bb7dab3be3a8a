-- Webhook endpoints with their secrets, events, and deliveries with the queue that sends them.

create table webhook_endpoints (
  id text not null,
  workspace_id text not null references workspaces,
  -- The one bot that the request named; null: all that the key covered.
  bot_id uuid,
  -- The bots whose events the endpoint gets; null: every bot of the workspace, future ones included.
  bot_ids uuid[],
  url text not null,
  description text,
  events text[] not null,
  status text not null check (status in ('enabled', 'disabled')),
  disabled_reason text,
  -- Since when every attempt has failed; null: the last attempt succeeded, or there was none.
  failing_since timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (id, workspace_id),
  foreign key (workspace_id, bot_id) references bots (workspace_id, id)
);
create index on webhook_endpoints (workspace_id, created_at desc, id desc);

-- Every secret that has not ended signs deliveries; the one without an end is the current one.
create table webhook_secrets (
  id text not null,
  workspace_id text not null,
  endpoint_id text not null,
  sealed bytea not null,
  ends_at timestamptz,
  created_at timestamptz not null,
  primary key (id, workspace_id),
  foreign key (workspace_id, endpoint_id) references webhook_endpoints (workspace_id, id) on delete cascade
);
create index on webhook_secrets (workspace_id, endpoint_id);
create unique index webhook_secrets_present on webhook_secrets (endpoint_id, workspace_id)
  where ends_at is null;

create table events (
  id text not null,
  workspace_id text not null references workspaces,
  type text not null,
  -- The request body, byte for byte, of every attempt at every endpoint.
  body bytea not null,
  created_at timestamptz not null,
  -- The request that the event came of.
  request_id text,
  primary key (workspace_id, id)
);
create index on events (created_at);

create table deliveries (
  id text not null,
  workspace_id text not null,
  endpoint_id text not null,
  event_id text not null,
  status text not null check (status in ('pending', 'delivered', 'failed')),
  attempts jsonb not null default '[]',
  -- Attempts of the present round; redelivery begins a new round.
  round_attempts integer not null default 0,
  -- Attempts that have begun. The number of the present one sets its outcome apart from a later one's.
  attempts_begun integer not null default 0,
  began_at timestamptz,
  -- Until then one sender holds the delivery; after that the attempt counts as lost.
  leased_until timestamptz,
  next_attempt_at timestamptz,
  -- Whether the delivery was due at the last claim: claims skip what waits for a retry.
  is_due boolean not null default true,
  created_at timestamptz not null,
  primary key (id, workspace_id),
  constraint deliveries_event_id_endpoint_id_key unique (event_id, workspace_id, endpoint_id),
  foreign key (workspace_id, endpoint_id) references webhook_endpoints (workspace_id, id) on delete cascade,
  foreign key (workspace_id, event_id) references events on delete cascade,
  check ((status = 'pending') = (next_attempt_at is not null))
) with (fillfactor = 80);
comment on column deliveries.attempts is
  'The latest attempts, in order: number, at, http_status, duration_ms, error, answer.';
create index deliveries_log on deliveries (workspace_id, endpoint_id, created_at desc, id desc);
create index deliveries_ripe on deliveries (endpoint_id, next_attempt_at, id)
  where status = 'pending' and is_due;
create index deliveries_waiting on deliveries (next_attempt_at) where status = 'pending' and not is_due;
create index deliveries_leased on deliveries (leased_until) where leased_until is not null;

create function with_attempt(log jsonb, attempt jsonb, kept integer) returns jsonb
language sql immutable as $$
  select jsonb_path_query_array(log || attempt, '$[last - $n to last]', jsonb_build_object('n', kept - 1))
$$;

-- Claims of all senders run one after another, so that each sees everything that is in flight at an endpoint.
-- A claim jumps in the index from one endpoint with due deliveries to the next: neither a long backlog of one
-- endpoint nor many pending retries cost the others anything. All times are the database's.
-- Deliveries in flight are looked up by key: the planner has no statistics on rows this recent, and would
-- choose a bad join. The result is small, because the next claim waits until it has been sent and would wait
-- for a sender that has stopped reading; read_deliveries fetches the bodies afterwards.
create function claim_deliveries(
  most integer, at_one_endpoint integer, of_one_workspace integer, lease interval, kept integer
) returns table (id text, number integer, at timestamptz)
language plpgsql volatile security definer set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  moment timestamptz;
  at_endpoints jsonb;
  of_workspaces jsonb;
begin
  perform pg_advisory_xact_lock(hashtextextended('claim_deliveries', 0));
  moment := clock_timestamp();
  -- The array makes PostgreSQL run the subquery once, whatever the planner estimates.
  update deliveries d set is_due = true
  where d.id = any (array(
    select w.id from deliveries w
    where w.status = 'pending' and not w.is_due and w.next_attempt_at <= moment
    order by w.next_attempt_at limit 1000 for no key update skip locked));
  select coalesce(jsonb_object_agg(b.endpoint_id, b.number), '{}') into at_endpoints from (
    select d.endpoint_id, count(*) as number from deliveries d where d.leased_until > moment group by 1) b;
  select coalesce(jsonb_object_agg(b.workspace_id, b.number), '{}') into of_workspaces from (
    select d.workspace_id, count(*) as number from deliveries d where d.leased_until > moment group by 1) b;
  return query
  with recursive heads as (
    (select d.endpoint_id from deliveries d where d.status = 'pending' and d.is_due
      order by d.endpoint_id limit 1)
    union all
    select n.endpoint_id from heads h cross join lateral (
      select d.endpoint_id from deliveries d
      where d.status = 'pending' and d.is_due and d.endpoint_id > h.endpoint_id
      order by d.endpoint_id limit 1) n
  -- Materialized, or the planner may look for deliveries of every endpoint before it knows which have some.
  ), open as materialized (
    select e.id, e.workspace_id, coalesce((at_endpoints ->> e.id)::integer, 0) as under_way
    from heads h join webhook_endpoints e on e.id = h.endpoint_id
    where e.status = 'enabled'
  ), due as (
    select c.id, c.next_attempt_at, coalesce((of_workspaces ->> o.workspace_id)::integer, 0)
      + row_number() over (partition by o.workspace_id order by c.place, c.next_attempt_at, c.id) as place
    from open o cross join lateral (
      select f.id, f.next_attempt_at,
        o.under_way + row_number() over (order by f.next_attempt_at, f.id) as place
      from (
        select d.id, d.next_attempt_at from deliveries d
        where d.endpoint_id = o.id and d.status = 'pending' and d.is_due and d.next_attempt_at <= moment
          and (d.leased_until is null or d.leased_until <= moment)
        order by d.next_attempt_at, d.id limit greatest(at_one_endpoint - o.under_way, 0)) f) c
  ), chosen as (
    select due.id from due where due.place <= of_one_workspace
    order by due.place, due.next_attempt_at limit most
  ), free as (
    select d.id from deliveries d
    where d.id in (select chosen.id from chosen) and d.status = 'pending'
      and (d.leased_until is null or d.leased_until <= moment)
    for no key update skip locked
  ), taken as (
    update deliveries d set
      attempts = case when d.leased_until is null then d.attempts
        else with_attempt(d.attempts, jsonb_build_object(
          'number', d.attempts_begun, 'at', d.began_at, 'http_status', null,
          'duration_ms', round(extract(epoch from d.leased_until - d.began_at) * 1000),
          'error', 'The sender was stopped during this attempt.', 'answer', null), kept) end,
      attempts_begun = d.attempts_begun + 1, began_at = moment, leased_until = moment + lease
    from free where d.id = free.id
    returning d.id, d.attempts_begun
  )
  select t.id, t.attempts_begun, moment from taken t;
end $$;

-- Events are found by their workspace and id.
create function read_deliveries(wanted text[]) returns table (
  id text, workspace_id text, endpoint_id text, url text, kind text, body bytea, request_id text,
  secret_ids text[], sealed_secrets bytea[]
) language sql stable security definer set search_path = public, pg_temp as $$
  select d.id, d.workspace_id, d.endpoint_id, e.url, v.type, v.body, v.request_id, s.ids, s.sealed
  from deliveries d
  join webhook_endpoints e on e.workspace_id = d.workspace_id and e.id = d.endpoint_id
  join events v on v.workspace_id = d.workspace_id and v.id = d.event_id
  cross join lateral (
    select array_agg(w.id order by w.ends_at desc nulls first) as ids,
      array_agg(w.sealed order by w.ends_at desc nulls first) as sealed
    from webhook_secrets w
    where w.workspace_id = d.workspace_id and w.endpoint_id = d.endpoint_id
      and (w.ends_at is null or w.ends_at > now())) s
  where d.id = any (wanted)
$$;

-- It locks endpoints before deliveries, each in the order of their ids, as every statement here does.
create function record_attempts(outcomes jsonb, waits interval[], patience interval, kept integer)
returns table (endpoint_id text, disabled_reason text)
language plpgsql volatile security definer set search_path = public, pg_temp as $$
#variable_conflict use_column
declare moment timestamptz;
begin
  perform e.id from webhook_endpoints e
  where e.id in (
    select d.endpoint_id from deliveries d
    join jsonb_to_recordset(outcomes) as o (id text) on o.id = d.id)
  order by e.id for key share;
  moment := clock_timestamp();
  return query
  with told as (
    select d.endpoint_id, bool_or(o.delivered) as delivered, bool_or(o.is_gone) as gone
    from jsonb_to_recordset(outcomes) as o (id text, number integer, delivered boolean, is_gone boolean)
    join deliveries d on d.id = o.id and d.attempts_begun = o.number and d.leased_until is not null
    group by d.endpoint_id
  ), concerned as (
    select e.id, t.delivered, t.gone,
      e.status = 'enabled' and (t.gone
        or (not t.delivered and coalesce(e.failing_since <= moment - patience, false))) as ends
    from webhook_endpoints e join told t on t.endpoint_id = e.id
    where t.gone or (t.delivered and e.failing_since is not null)
      or (not t.delivered and coalesce(e.failing_since <= moment - patience, true))
    order by e.id for no key update of e
  ), changed as (
    update webhook_endpoints e set
      failing_since = case when not c.delivered then coalesce(e.failing_since, moment) end
    from concerned c where e.id = c.id and not c.ends
  )
  update webhook_endpoints e set
    status = 'disabled',
    disabled_reason = case when c.gone then 'The endpoint answered 410 Gone.'
      else 'Every attempt has failed since '
        || to_char(e.failing_since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z".') end,
    updated_at = greatest(e.updated_at, moment)
  from concerned c where e.id = c.id and c.ends
  returning e.id, e.disabled_reason;

  perform d.id from deliveries d
  join jsonb_to_recordset(outcomes) as o (id text) on o.id = d.id
  order by d.id for no key update of d;
  update deliveries d set
    attempts = with_attempt(d.attempts, jsonb_build_object(
      'number', o.number, 'at', d.began_at, 'http_status', o.http_status, 'duration_ms', o.duration_ms,
      'error', o.error, 'answer', o.answer), kept),
    round_attempts = d.round_attempts + 1,
    leased_until = null, began_at = null, is_due = false,
    status = case when o.delivered then 'delivered'
      when o.is_gone or d.round_attempts >= cardinality(waits) then 'failed' else 'pending' end,
    next_attempt_at = case when o.delivered or o.is_gone or d.round_attempts >= cardinality(waits) then null
      else moment + waits[d.round_attempts + 1] end
  from jsonb_to_recordset(outcomes) as o (
    id text, number integer, http_status integer, duration_ms integer, error text, answer text,
    delivered boolean, is_gone boolean)
  where d.id = o.id and d.attempts_begun = o.number and d.leased_until is not null;
end $$;

-- Deleting an event deletes its deliveries in an arbitrary order, so they are locked beforehand in the order
-- of their ids.
create function prune_events(age interval, most integer) returns integer
language plpgsql volatile security definer set search_path = public, pg_temp as $$
declare
  old text[];
  workspaces_of_old text[];
begin
  select coalesce(array_agg(o.id), '{}'), coalesce(array_agg(o.workspace_id), '{}')
  into old, workspaces_of_old from (
    select e.id, e.workspace_id from events e where e.created_at < now() - age
    order by e.created_at limit most for update skip locked) o;
  perform w.id from webhook_endpoints w
  where w.id in (select d.endpoint_id from deliveries d where d.event_id = any (old))
  order by w.id for key share;
  perform d.id from deliveries d where d.event_id = any (old) order by d.id for update;
  delete from events e using unnest(workspaces_of_old, old) as o (workspace_id, id)
  where e.workspace_id = o.workspace_id and e.id = o.id;
  return cardinality(old);
end $$;
