"""Memberships: one person may belong to several workspaces, with a role in each."""

from pathlib import Path

from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    op.execute(Path(__file__).with_name("0007_memberships.sql").read_text(encoding="utf-8"))
