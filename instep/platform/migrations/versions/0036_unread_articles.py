"""A task tells how many articles of a large help center it did not read: it is no comparison with them."""

from alembic import op

revision = "0036"
down_revision = "0035"

# Pages say with which change an article was compared, and many tasks of a large help center do not count.
SCHEMA = """
    alter table tasks add unread_articles integer not null default 0;
    create index tasks_compared on tasks (bot_id, created_at desc, id desc)
      where type = 'document_change' and status = 'completed' and unread_articles = 0;
"""


def upgrade() -> None:
    op.execute(SCHEMA)
