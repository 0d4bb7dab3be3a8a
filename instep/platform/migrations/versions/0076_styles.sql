-- The style of a help center: rules, a glossary, and checks.

create table bot_styles (
  workspace_id text not null,
  bot_id uuid not null,
  -- As in the API: `GET /style`.
  style jsonb not null,
  updated_at timestamptz not null,
  primary key (workspace_id, bot_id),
  foreign key (workspace_id, bot_id) references bots (workspace_id, id)
);
alter table bot_styles enable row level security;
create policy tenant on bot_styles to instep_app using (workspace_id collate "C" =
  (select nullif(current_setting('instep.workspace_id', true), '')));
grant select, insert, update, delete on bot_styles to instep_app;
