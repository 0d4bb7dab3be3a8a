-- Digests by email, and alerts to an email address.

alter table memberships
  add column digest text not null default 'weekly' check (digest in ('never', 'daily', 'weekly')),
  add column digest_sent_at timestamptz not null default now();
grant update (digest, digest_sent_at) on memberships to instep_app;

-- A digest that was sent before this moment is due. Days and weeks begin at 6:00 UTC; null: never.
create function digest_due_since(p_digest text) returns timestamptz language sql stable as $$
  select date_trunc(case p_digest when 'daily' then 'day' when 'weekly' then 'week' end,
    now() at time zone 'UTC' - interval '6 hours') at time zone 'UTC' + interval '6 hours'
$$;

-- Members who may review, and whose digest is due, for the job that sends it; by workspace.
create function due_digests()
returns table (workspace_id text, person_id text, email text, digest text)
language sql stable security definer set search_path = public, pg_temp as $$
  select m.workspace_id, m.person_id, p.email, m.digest
  from memberships m join people p on p.id = m.person_id
  where m.disabled_at is null and m.role <> 'viewer' and m.digest_sent_at < digest_due_since(m.digest)
  order by m.workspace_id, m.person_id
$$;
revoke execute on function due_digests from public;
grant execute on function due_digests to instep_app;

-- A team's address gets alerts after its owner has opened the link that the confirmation email holds.
alter table alert_targets
  drop constraint alert_targets_tool_check,
  add constraint alert_targets_tool_check
    check (tool in ('slack', 'discord', 'teams', 'mattermost', 'email')),
  add column confirmed_at timestamptz default now();
create or replace function bots_with_alerts(p_kind text)
returns table (workspace_id text, bot_id uuid)
language sql stable security definer set search_path = public, pg_temp as $$
  select distinct t.workspace_id, t.bot_id from alert_targets t
  where p_kind = any(t.alerts) and t.confirmed_at is not null
$$;
