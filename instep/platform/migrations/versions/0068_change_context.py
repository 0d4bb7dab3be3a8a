"""The context of a task's change: linked issues, the code around its hunks, the next version."""

from alembic import op

revision = "0068"
down_revision = "0067"


def upgrade() -> None:
    op.execute("alter table tasks add column context jsonb check (context is null or article is null)")
