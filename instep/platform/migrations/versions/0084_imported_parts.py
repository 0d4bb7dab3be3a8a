"""The text that the last import of a part wrote, to recognize parts that people have changed since."""

from alembic import op

revision = "0084"
down_revision = "0083"


def upgrade() -> None:
    op.execute("alter table parts add column imported_text text")
