"""The editor for language models that were set before owners could choose it, and have all other purposes."""

from alembic import op

revision = "0061"
down_revision = "0060"


def upgrade() -> None:
    op.execute(
        """
        update language_models set purposes = purposes || array['editor']
        where purposes @> array['drafts', 'new_articles', 'answers'] and not purposes @> array['editor']
        """
    )
