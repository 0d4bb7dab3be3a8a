"""The language of the articles, for answers that say in another one what they say."""

from alembic import op

revision = "0060"
down_revision = "0059"


def upgrade() -> None:
    op.execute("alter table messages add column translated_from text")
