"""Pages lead to the languages of live articles, which this index tells without reading all articles."""

from alembic import op

revision = "0027"
down_revision = "0025"

SCHEMA = """
    create index articles_locales on articles (bot_id, locale)
      where status = 'published' and deleted_at is null and visibility = 'public';
"""


def upgrade() -> None:
    op.execute(SCHEMA)
