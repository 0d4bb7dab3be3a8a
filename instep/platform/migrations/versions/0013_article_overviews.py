"""An index from which the dashboard counts the articles of each collection and language."""

from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    op.execute(
        """
        create index articles_counted on articles (bot_id, collection_id, locale, translation_of)
        where deleted_at is null
        """
    )
