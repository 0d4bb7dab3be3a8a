"""The reason for which an article still shows the text from before a change of its parts."""

from alembic import op

revision = "0087"
down_revision = "0086"


def upgrade() -> None:
    op.execute("alter table articles add column part_problem text, add column part_problem_at timestamptz")
