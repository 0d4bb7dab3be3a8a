"""A golden question may name the section that must answer it, and words that the answer must hold."""

from alembic import op

revision = "0056"
down_revision = "0055"


def upgrade() -> None:
    op.execute("alter table golden_questions add column section text, add column says text")
