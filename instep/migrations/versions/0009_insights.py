"""Unanswered questions."""

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    pass
