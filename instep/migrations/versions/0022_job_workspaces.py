"""Whose a job is, so that workspaces have their turns; and when visitors' leads are pruned."""

from alembic import op

revision = "0022"
down_revision = "0021"

JOBS = """
-- Made from the payload, so that what an older version defers has it too; empty: the installation's own.
alter table jobs add column workspace_id text not null
  generated always as (coalesce(payload ->> 'workspace', '')) stored;
create index jobs_of_workspace on jobs (workspace_id, run_at, id) where run_at is not null;
"""


def upgrade() -> None:
    op.execute(JOBS)
