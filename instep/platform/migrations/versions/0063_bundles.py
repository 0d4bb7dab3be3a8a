"""The bundle of changes that a task belongs to: the review queue shows their drafts together."""

from alembic import op

revision = "0063"
down_revision = "0062"


def upgrade() -> None:
    op.execute("alter table tasks add column bundle text check (bundle is null or article is null)")
    op.execute("create index tasks_bundle on tasks (bot_id, bundle) where bundle is not null")
