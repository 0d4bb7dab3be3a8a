-- The addresses of OpenAPI documents that help centers follow.

create table api_references (
  id text not null,
  workspace_id text not null,
  bot_id uuid not null,
  url text not null,
  -- The Markdown of each operation in the last document.
  descriptions jsonb,
  error text,
  author_name text not null,
  checked_at timestamptz,
  changed_at timestamptz,
  created_at timestamptz not null,
  primary key (id, workspace_id),
  foreign key (workspace_id, bot_id) references bots (workspace_id, id)
);
create index on api_references (workspace_id, bot_id);
alter table api_references enable row level security;
create policy tenant on api_references to instep_app using (workspace_id collate "C" =
  (select nullif(current_setting('instep.workspace_id', true), '')));
grant select, insert, update, delete on api_references to instep_app;
