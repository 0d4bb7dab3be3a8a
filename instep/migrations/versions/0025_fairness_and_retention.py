"""Whose a job is, so that workspaces have their turns; the pruning of leads and escalated conversations."""

from alembic import op

revision = "0025"
down_revision = "0024"

JOBS = """
-- Made from the payload, so that what an older version defers has it too; empty: the installation's own.
alter table jobs add column workspace_id text not null
  generated always as (coalesce(payload ->> 'workspace', '')) stored;
create index jobs_of_workspace on jobs (workspace_id, run_at, id) where run_at is not null;
"""

# No index on the times: a pass once an hour reads less than every insert would pay for.
PRUNE = """
create function prune_leads(p_age interval, p_most integer) returns integer
language plpgsql security definer set search_path = public, pg_temp as $$
declare v_count integer;
begin
  delete from leads where id in (
    select l.id from leads l where l.created_at < now() - p_age limit p_most for update skip locked);
  get diagnostics v_count = row_count;
  return v_count;
end $$;

-- Forgets what was asked so long ago; a conversation that a person was asked into by an age of its own. One
-- that a lead came from stays with the lead. Processes of the version before call it with two parameters.
create function prune_conversations(p_age interval, p_escalated_age interval, p_most integer) returns integer
language plpgsql security definer set search_path = public, pg_temp as $$
declare v_count integer;
begin
  delete from conversations where id in (
    select c.id from conversations c
    cross join lateral (
      select now() - case c.status when 'escalated' then p_escalated_age else p_age end as before) r
    where greatest(c.created_at, c.escalated_at) < r.before
      and not exists (select from leads l where l.bot_id = c.bot_id and l.conversation_id = c.id)
      and not exists (select from messages m where m.bot_id = c.bot_id and m.conversation_id = c.id
        and m.created_at >= r.before)
    limit p_most for update of c skip locked);
  get diagnostics v_count = row_count;
  return v_count;
end $$;
revoke execute on function prune_leads, prune_conversations(interval, interval, integer) from public;
grant execute on function prune_leads, prune_conversations(interval, interval, integer) to instep_app;
"""


def upgrade() -> None:
    for step in (JOBS, PRUNE):
        op.execute(step)
