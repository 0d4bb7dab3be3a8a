"""Simulates a later version of Instep with one more migration."""

import shutil
from pathlib import Path

import pytest

from instep.platform import migrations

NEXT_REVISION = "9998"


def add_migration(monkeypatch: pytest.MonkeyPatch, folder: Path, statement: str) -> None:
    """Add a migration with this statement after the newest one, in this process and until the test ends."""
    copy = folder / "migrations"
    shutil.copytree(migrations.VERSIONS.parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(migrations, "VERSIONS", copy / "versions")
    (migrations.VERSIONS / f"{NEXT_REVISION}_next.sql").write_text(f"{statement};")
