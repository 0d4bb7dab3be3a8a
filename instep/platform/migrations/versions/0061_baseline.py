"""The whole schema, one file of SQL for each area, in the order of their numbers."""

from pathlib import Path

from alembic import op

revision = "0061"
down_revision = None

AREAS = Path(__file__).parents[1] / "baseline"


def upgrade() -> None:
    for area in sorted(AREAS.glob("*.sql")):
        op.execute(area.read_text(encoding="utf-8"))
