"""People mark contact details and conversations as done once they have answered them."""

from alembic import op

revision = "0042"
down_revision = "0041"


def upgrade() -> None:
    op.execute(
        """
        -- When somebody said that it needs no answer any more, and who; null: it waits.
        alter table leads add column done_at timestamptz, add column done_by_name text;
        alter table conversations add column done_at timestamptz, add column done_by_name text;
        create index leads_open on leads (bot_id, created_at desc, id desc) where done_at is null;
        -- Those that wait for a person come first, in the list and by their number.
        drop index conversations_list;
        create index conversations_list
            on conversations (
                bot_id, (status = 'escalated' and done_at is null) desc, created_at desc, id desc);
        """
    )
