-- People who are asked for a review: rules, authors of changes, reminders, and the expiry of drafts.

alter table bots
  -- Days after which people are reminded of what waits for them; null: never.
  add column reminder_days integer default 7 check (reminder_days > 0),
  -- Days without a change after which a draft of the service is dismissed; null: never.
  add column expiry_days integer check (expiry_days > 0);
grant update (reminder_days, expiry_days) on bots to instep_app;

alter table tasks
  -- Labels of the pull request, and the member who made the change.
  add column labels text[] not null default '{}',
  add column author_id text,
  add constraint tasks_author foreign key (workspace_id, author_id) references memberships
    on delete set null (author_id);
create index tasks_author on tasks (author_id) where author_id is not null;

-- When the assignee was asked or reminded last, and when the expiry was announced.
alter table drafts
  add column asked_at timestamptz not null default now(),
  add column expiry_announced_at timestamptz;
alter table places add column asked_at timestamptz not null default now();

-- People who are asked in turn about the drafts and places of a collection; or a label of pull requests
-- whose drafts and places are not assigned.
create table assignment_rules (
  id text not null,
  workspace_id text not null,
  bot_id uuid not null,
  collection_id text,
  label text,
  person_ids text[] not null default '{}',
  created_at timestamptz not null,
  primary key (id, workspace_id),
  foreign key (workspace_id, bot_id) references bots (workspace_id, id),
  foreign key (bot_id, collection_id, workspace_id) references collections (bot_id, id, workspace_id)
    on delete cascade,
  check (num_nonnulls(collection_id, label) = 1),
  check ((label is null) = (cardinality(person_ids) > 0))
);
create unique index assignment_rules_once
  on assignment_rules (bot_id, coalesce(collection_id, ''), coalesce(lower(label), ''), workspace_id);
create index on assignment_rules (collection_id) where collection_id is not null;
alter table assignment_rules enable row level security;
create policy tenant on assignment_rules to instep_app using (workspace_id collate "C" =
  (select nullif(current_setting('instep.workspace_id', true), '')));
grant select, insert, delete on assignment_rules to instep_app;

alter table notices
  drop constraint notices_kind_check,
  add constraint notices_kind_check check (kind in (
    'assigned', 'mentioned', 'commented', 'applied', 'dismissed', 'waiting', 'expiring', 'conflict')),
  -- The number of further drafts and places that the notice is about.
  add column others integer not null default 0;
create index notices_unread on notices (bot_id, person_id) where read_at is null;

-- Bots whose drafts and places may need a reminder or expire, for the job that looks.
create function bots_to_follow_up()
returns table (workspace_id text, bot_id uuid)
language sql stable security definer set search_path = public, pg_temp as $$
  select b.workspace_id, b.id from bots b join workspaces w on w.id = b.workspace_id
  where w.paused_at is null and (
    b.expiry_days is not null and exists (
      select from drafts d where d.workspace_id = b.workspace_id and d.bot_id = b.id
        and d.status = 'pending')
    or exists (
      select from drafts d where d.workspace_id = b.workspace_id and d.bot_id = b.id
        and d.status = 'pending' and d.assignee_id is not null
        and d.asked_at < now() - make_interval(days => b.reminder_days))
    or exists (
      select from places p where p.workspace_id = b.workspace_id and p.bot_id = b.id
        and p.status = 'open' and p.assignee_id is not null
        and p.asked_at < now() - make_interval(days => b.reminder_days)))
$$;
revoke execute on function bots_to_follow_up from public;
grant execute on function bots_to_follow_up to instep_app;
