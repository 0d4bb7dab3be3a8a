"""Chat tools that are told of hand-offs and leads."""

from alembic import op

revision = "0013"
down_revision = "0012"

TABLES = """
create table alert_targets (
  id text primary key,
  workspace_id text not null references workspaces,
  bot_id uuid not null,
  tool text not null check (tool in ('slack', 'discord', 'teams', 'mattermost')),
  -- What is shown of the address, which is a secret.
  host text not null,
  last_four text not null,
  sealed bytea not null,
  alerts text[] not null check (cardinality(alerts) > 0 and alerts <@ array['handoff', 'lead']),
  -- Null after a message that was taken.
  last_error text,
  sent_at timestamptz,
  created_at timestamptz not null,
  foreign key (workspace_id, bot_id) references bots (workspace_id, id)
);
create index on alert_targets (workspace_id, bot_id, created_at, id);
"""

SECURITY = """
alter table alert_targets enable row level security;
create policy tenant on alert_targets to instep_app
  using (workspace_id = (select nullif(current_setting('instep.workspace_id', true), '')));
grant select, insert, update, delete on alert_targets to instep_app;
"""


def upgrade() -> None:
    for step in (TABLES, SECURITY):
        op.execute(step)
