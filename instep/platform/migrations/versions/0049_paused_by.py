"""A pause knows whether an operator made it: the owners of the workspace don't end that."""

from alembic import op

revision = "0049"
down_revision = "0048"


def upgrade() -> None:
    op.execute(
        """
        alter table workspaces add column paused_by text check (paused_by in ('operator', 'owner'));
        -- The audit log says who paused a workspace; without an entry it was an operator.
        update workspaces w set paused_by = case when (
            select e.actor_type from audit_entries e
            where e.workspace_id = w.id and e.action = 'pause_workspace' order by e.id desc limit 1
          ) = 'person' then 'owner' else 'operator' end
        where paused_at is not null;
        grant update (paused_by) on workspaces to instep_app;
        """
    )
