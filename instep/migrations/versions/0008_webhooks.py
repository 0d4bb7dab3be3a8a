"""Webhook endpoints with their secrets, events and deliveries."""

from alembic import op

revision = "0008"
down_revision = "0007"

TABLES = """
create table webhook_endpoints (
  id text primary key,
  workspace_id text not null references workspaces,
  -- The one bot that was asked for; null: all that the key covered.
  bot_id uuid,
  -- The bots whose events it gets; null: every bot of the workspace, also those to come.
  bot_ids uuid[],
  url text not null,
  description text,
  events text[] not null,
  status text not null check (status in ('enabled', 'disabled')),
  disabled_reason text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  foreign key (workspace_id, bot_id) references bots (workspace_id, id),
  unique (workspace_id, id)
);
create index on webhook_endpoints (workspace_id, created_at desc, id desc);

-- All that are not over sign; the one without an end is the present one.
create table webhook_secrets (
  id text primary key,
  workspace_id text not null,
  endpoint_id text not null,
  sealed bytea not null,
  ends_at timestamptz,
  created_at timestamptz not null,
  foreign key (workspace_id, endpoint_id) references webhook_endpoints (workspace_id, id) on delete cascade
);
create index on webhook_secrets (workspace_id, endpoint_id);
create unique index webhook_secrets_present on webhook_secrets (endpoint_id) where ends_at is null;

create table events (
  id text primary key,
  workspace_id text not null references workspaces,
  type text not null,
  -- As every attempt at every endpoint sends it.
  body bytea not null,
  created_at timestamptz not null,
  unique (workspace_id, id)
);
create index on events (created_at);

create table deliveries (
  id text primary key,
  workspace_id text not null,
  endpoint_id text not null,
  event_id text not null,
  status text not null check (status in ('pending', 'delivered', 'failed')),
  -- Every attempt so far, in order: at, http_status, duration_ms, error.
  attempts jsonb not null default '[]',
  -- How many of them are of the present round; redelivery begins a new one.
  round_attempts integer not null default 0,
  next_attempt_at timestamptz,
  created_at timestamptz not null,
  foreign key (workspace_id, endpoint_id) references webhook_endpoints (workspace_id, id) on delete cascade,
  foreign key (workspace_id, event_id) references events (workspace_id, id) on delete cascade,
  unique (event_id, endpoint_id),
  check ((status = 'pending') = (next_attempt_at is not null))
) with (fillfactor = 80);
create index deliveries_log on deliveries (workspace_id, endpoint_id, created_at desc, id desc);
create index deliveries_due on deliveries (next_attempt_at, id) where status = 'pending';
"""

SECURITY = """
do $$ declare name text; begin
  foreach name in array array['webhook_endpoints', 'webhook_secrets', 'events', 'deliveries'] loop
    execute format('alter table %I enable row level security', name);
    execute format('create policy tenant on %I to instep_app
      using (workspace_id = (select nullif(current_setting(''instep.workspace_id'', true), '''')))', name);
    execute format('grant select, insert, update, delete on %I to instep_app', name);
  end loop;
end $$;
"""


def upgrade() -> None:
    for step in (TABLES, SECURITY):
        op.execute(step)
