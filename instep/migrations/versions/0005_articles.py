"""Deleting and restoring articles; the working copy of the editor."""

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    pass
