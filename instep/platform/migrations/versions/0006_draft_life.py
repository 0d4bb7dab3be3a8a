"""The life of drafts: certainty, approval, settlement, what is not proposed again, and who looks at them."""

from pathlib import Path

from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.execute(Path(__file__).with_name("0006_draft_life.sql").read_text(encoding="utf-8"))
