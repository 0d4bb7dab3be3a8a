"""A later version of Instep, whose schema has one migration more."""

import shutil
from pathlib import Path

import pytest

from instep.platform import migrations

NEXT_REVISION = "9998"
MIGRATION = """
from alembic import op

revision = "{revision}"
down_revision = "{previous}"


def upgrade() -> None:
    op.execute("{statement}")
"""


def add_migration(monkeypatch: pytest.MonkeyPatch, folder: Path, statement: str) -> None:
    """Let this process have a migration with this statement after the newest one, until the test ends."""
    previous = migrations.head()
    copy = folder / "migrations"
    shutil.copytree(migrations.VERSIONS.parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(migrations, "VERSIONS", copy / "versions")
    text = MIGRATION.format(revision=NEXT_REVISION, previous=previous, statement=statement)
    (migrations.VERSIONS / f"{NEXT_REVISION}_next.py").write_text(text)
