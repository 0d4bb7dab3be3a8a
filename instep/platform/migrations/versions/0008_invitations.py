"""Invitations of people by link, and the one-time link of the first person of an installation."""

from pathlib import Path

from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    op.execute(Path(__file__).with_name("0008_invitations.sql").read_text(encoding="utf-8"))
