-- Durable jobs: one row per job; its `run_at` is also its lease.

-- Not scoped to a tenant: workers take jobs of all workspaces.
create table jobs (
  id bigint generated always as identity primary key,
  kind text not null,
  payload jsonb not null,
  -- Generated from the payload; empty: a job of the installation itself.
  workspace_id text not null generated always as (coalesce(payload ->> 'workspace', '')) stored,
  dedupe text,
  -- When the job is due; while a worker holds it, when the lease ends; null: dead.
  run_at timestamptz default now(),
  -- Counts the attempts, and fences off a worker whose lease was taken over by a later attempt.
  attempts integer not null default 0,
  worker text,
  error text,
  created_at timestamptz not null default now(),
  -- The request that the job came of.
  request_id text
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
create index jobs_due on jobs (run_at, id) where run_at is not null;
create index jobs_of_workspace on jobs (workspace_id, run_at, id) where run_at is not null;
create unique index jobs_waiting on jobs (kind, dedupe) where dedupe is not null and attempts = 0;
