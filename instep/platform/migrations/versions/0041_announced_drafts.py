"""Each draft says whether a digest has announced it: one may be committed after a digest that began later."""

from alembic import op

revision = "0041"
down_revision = "0040"


def upgrade() -> None:
    op.execute(
        """
        -- Whether a digest has told the bot's channels of it, or found it settled.
        alter table drafts add column is_announced boolean not null default true;
        alter table drafts alter column is_announced set default false;
        update drafts d set is_announced = false
        where status = 'pending' and not exists (
            select from review_digests r
            where r.workspace_id = d.workspace_id and r.bot_id = d.bot_id and r.sent_at >= d.created_at);
        create index drafts_unannounced on drafts (bot_id) where not is_announced;
        """
    )
