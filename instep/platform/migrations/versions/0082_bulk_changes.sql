-- Changes of many articles at once, with the state of each before and after, so that they can be undone.

create table bulk_changes (
  id text not null,
  workspace_id text not null,
  bot_id uuid not null,
  -- The states of the articles: {before, after} for each.
  states jsonb not null,
  created_at timestamptz not null,
  primary key (id, workspace_id),
  foreign key (workspace_id, bot_id) references bots (workspace_id, id)
);
create index on bulk_changes (workspace_id, bot_id, created_at);
alter table bulk_changes enable row level security;
create policy tenant on bulk_changes to instep_app using (workspace_id collate "C" =
  (select nullif(current_setting('instep.workspace_id', true), '')));
grant select, insert, delete on bulk_changes to instep_app;
