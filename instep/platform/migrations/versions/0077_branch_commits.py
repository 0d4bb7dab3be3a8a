"""Approved edits are committed to the branch of a pull request whose repository contains the docs."""

from alembic import op

revision = "0077"
down_revision = "0076"


def upgrade() -> None:
    # The synced folder whose edits are committed; null: approved edits go live in Instep alone.
    op.execute("alter table repositories add column docs_folder text")
