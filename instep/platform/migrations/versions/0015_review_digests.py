"""A digest of new drafts in a team's chat, at most once an hour."""

from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    op.execute(
        """
        alter table alert_targets drop constraint alert_targets_alerts_check;
        alter table alert_targets add constraint alert_targets_alerts_check
          check (cardinality(alerts) > 0 and alerts <@ array['handoff', 'lead', 'review']);

        -- When a bot's channels were last told what waits for review.
        create table review_digests (
          workspace_id text not null,
          bot_id uuid primary key,
          sent_at timestamptz not null,
          foreign key (workspace_id, bot_id) references bots (workspace_id, id)
        );
        alter table review_digests enable row level security;
        create policy tenant on review_digests to instep_app
          using (workspace_id = (select nullif(current_setting('instep.workspace_id', true), '')));
        grant select, insert, update, delete on review_digests to instep_app;
        """
    )
