"""Backups: what keeps erasures in force when an older backup is restored, and how scheduled backups went."""

from alembic import op

revision = "0019"
down_revision = "0018"

SCHEMA = """
    -- Erasures of visitors' data. Each is also written beside the backups, so that a restore of an older one
    -- finds and repeats it. The hashes tell a visitor only to somebody who knows the address.
    create table erasures (
      id text primary key,
      workspace_id text not null references workspaces,
      -- The hash is that of the workspace's id, this salt and the address; null: no address was known.
      salt bytea not null,
      email_hash bytea,
      -- As in conversations: one for each bot.
      visitor_hashes bytea[] not null,
      created_at timestamptz not null default now()
    );
    alter table erasures enable row level security;
    create policy tenant on erasures to instep_app
      using (workspace_id = (select nullif(current_setting('instep.workspace_id', true), '')));
    grant select, insert on erasures to instep_app;

    -- All erasures of the installation, for the job that writes them beside the backups.
    create function list_erasures() returns setof erasures
    language sql stable security definer set search_path = public, pg_temp as $$
      select * from erasures order by id
    $$;
    revoke execute on function list_erasures from public;
    grant execute on function list_erasures to instep_app;

    -- The runs of scheduled backups, which belong to no tenant. Only the owner writes them.
    create table backup_runs (
      began_at timestamptz primary key,
      ended_at timestamptz not null,
      -- What the backup is called where it is stored; null: the run failed.
      name text,
      bytes bigint,
      error text,
      check ((name is null) = (error is not null))
    );
    grant select on backup_runs to instep_app;
"""


def upgrade() -> None:
    op.execute(SCHEMA)
