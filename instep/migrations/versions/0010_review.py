"""Drafts of new articles; tasks that write one."""

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    pass
