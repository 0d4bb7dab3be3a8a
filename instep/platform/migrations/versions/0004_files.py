"""Files of articles: their rows, the objects that hold their bytes, and the texts that refer to them."""

from pathlib import Path

from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.execute(Path(__file__).with_name("0004_files.sql").read_text(encoding="utf-8"))
