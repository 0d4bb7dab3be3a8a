"""Keys and references of tenants' tables carry the workspace, so that they can be distributed by it."""

from pathlib import Path

from alembic import op

revision = "0034"
down_revision = "0033"


def upgrade() -> None:
    op.execute(Path(__file__).with_name("0034_distribution.sql").read_text(encoding="utf-8"))
