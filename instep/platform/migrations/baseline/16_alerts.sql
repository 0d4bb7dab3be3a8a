-- Channels of chat tools that Instep posts to about hand-offs, leads and reviews.

create table alert_targets (
  id text not null,
  workspace_id text not null references workspaces,
  bot_id uuid not null,
  tool text not null check (tool in ('slack', 'discord', 'teams', 'mattermost')),
  -- The visible part of the address, which is a secret.
  host text not null,
  last_four text not null,
  sealed bytea not null,
  alerts text[] not null check (cardinality(alerts) > 0 and alerts <@ array['handoff', 'lead', 'review']),
  -- null: the last message was accepted, or none was sent
  last_error text,
  sent_at timestamptz,
  created_at timestamptz not null,
  primary key (id, workspace_id),
  foreign key (workspace_id, bot_id) references bots (workspace_id, id)
);
create index on alert_targets (workspace_id, bot_id, created_at, id);
