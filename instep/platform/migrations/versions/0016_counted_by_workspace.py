"""Indexes from which the dashboard counts without reading rows: they hold what row-level security needs."""

from alembic import op

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    op.execute(
        """
        drop index articles_counted;
        create index articles_counted
        on articles (bot_id, workspace_id, collection_id, locale, translation_of) where deleted_at is null;
        create index unanswered_questions_waiting on unanswered_questions (bot_id, workspace_id)
        where dismissed_at is null and drafted_at is null and merged_into is null;
        """
    )
