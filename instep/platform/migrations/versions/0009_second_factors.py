"""Second factors of people: codes of an app, recovery codes, passkeys; and what a sign-in has to show."""

from pathlib import Path

from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    op.execute(Path(__file__).with_name("0009_second_factors.sql").read_text(encoding="utf-8"))
