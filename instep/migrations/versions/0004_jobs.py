"""Durable jobs: one row a job, whose `run_at` is also its lease."""

from alembic import op

revision = "0004"
down_revision = "0003"

JOBS = """
-- No tenant's table: what a job is about stands in its payload.
create table jobs (
  id bigint generated always as identity primary key,
  kind text not null,
  payload jsonb not null,
  dedupe text,
  -- When it is due; once taken, when its lease ends; null: given up.
  run_at timestamptz default now(),
  -- Counts the attempts, and fences off whoever comes back after the next one has begun.
  attempts integer not null default 0,
  worker text,
  error text,
  created_at timestamptz not null default now()
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
create index jobs_due on jobs (run_at, id) where run_at is not null;
create unique index jobs_waiting on jobs (kind, dedupe) where dedupe is not null and attempts = 0;
grant select, insert, update, delete on jobs to instep_app;
grant select on alembic_version to instep_app;
"""


def upgrade() -> None:
    op.execute(JOBS)
