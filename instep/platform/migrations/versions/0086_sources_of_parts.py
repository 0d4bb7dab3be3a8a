"""The source of an imported part, its reference there, and the digest of its text there."""

from alembic import op

revision = "0086"
down_revision = "0085"


def upgrade() -> None:
    op.execute(
        "alter table parts add column import_source text, add column import_key text,"
        " add column import_digest text"
    )
