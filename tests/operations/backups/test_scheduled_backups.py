"""Daily backups to a folder or bucket: creation, retention, and reports of missed ones."""

import os
import shutil
import time
from datetime import timedelta
from pathlib import Path

import pytest
from obstore.store import MemoryStore

from instep.operations.backups import destinations
from instep.operations.backups.backup_file import open_archive
from instep.operations.backups.destinations import SETTING, Destination, scheduled_destination
from instep.operations.backups.errors import BackupFailed
from instep.operations.backups.jobs import BACK_UP, back_up, schedule_backups
from instep.platform.core.config import SettingsError, read_settings, settings
from instep.platform.core.database import Database, Tx
from instep.platform.core.jobs import Job
from tests.support.commands import Operator
from tests.support.limits import SetSetting

JOB = Job(1, BACK_UP, {}, 1)
NEXT = "select run_at - now() from jobs where kind = 'back_up' and attempts = 0"
NO_FILE = Path("there-is-no-such-file.toml")


@pytest.fixture
async def folder(set_setting: SetSetting, tmp_path: Path, owner: Tx) -> Path:
    """The folder for scheduled backups, before the first one."""
    set_setting("INSTEP_BACKUPS", str(tmp_path / "daily"))
    set_setting("INSTEP_DATA_DIR", str(tmp_path / "data"))
    await owner.execute("delete from backup_runs")
    return tmp_path / "daily"


async def let_a_day_pass(owner: Tx) -> None:
    await owner.execute("update backup_runs set began_at = began_at - interval '1 day'")


async def test_a_backup_is_made_at_once_and_then_every_day(
    folder: Path, database: Database, database_url: str, owner: Tx
) -> None:
    await schedule_backups(database)
    first = await owner.value(NEXT)
    await back_up(database, database_url, JOB)
    await back_up(database, database_url, JOB)

    [file] = folder.glob("*.zip")
    with open_archive(file) as archive:
        assert archive.manifest.rows > 0
    assert file.stat().st_mode & 0o777 == 0o600
    assert folder.stat().st_mode & 0o777 == 0o700
    assert first <= timedelta()
    await owner.execute("delete from jobs")
    await schedule_backups(database)
    assert timedelta(hours=23) < await owner.value(NEXT) <= timedelta(hours=24)


async def test_the_newest_are_kept_and_other_files_too(
    folder: Path, database: Database, database_url: str, owner: Tx, set_setting: SetSetting
) -> None:
    set_setting("INSTEP_BACKUP_KEEP", "2")
    folder.mkdir()
    for name in ("instep-20260101T000000Z.zip", "instep-20260102T000000Z.zip", "by-hand.zip"):
        (folder / name).write_bytes(b"")

    await back_up(database, database_url, JOB)

    names = sorted(file.name for file in folder.glob("*.zip"))
    assert names[:2] == ["by-hand.zip", "instep-20260102T000000Z.zip"]
    assert len(names) == 3


async def test_a_failure_is_told_and_tried_again_after_an_hour(
    folder: Path, database: Database, database_url: str, owner: Tx, operator: Operator
) -> None:
    none_yet = await operator.run("doctor", INSTEP_BACKUPS=str(folder))
    folder.rmdir()
    folder.write_text("This is no folder.")

    await back_up(database, database_url, JOB)

    assert "No scheduled" in none_yet.out
    assert timedelta(minutes=59) < await owner.value(NEXT) <= timedelta(minutes=60)
    report = await operator.run("doctor", INSTEP_BACKUPS=str(folder))
    assert "PROBLEM: INSTEP_BACKUPS" in report.out
    folder.unlink()
    report = await operator.run("doctor", INSTEP_BACKUPS=str(folder))
    assert "last attempt failed" in report.out


async def test_a_backup_that_is_too_old_is_a_problem(
    folder: Path, database: Database, database_url: str, owner: Tx, operator: Operator
) -> None:
    await back_up(database, database_url, JOB)
    good = await operator.run("doctor", INSTEP_BACKUPS=str(folder))
    for _ in range(3):
        await let_a_day_pass(owner)

    late = await operator.run("doctor", INSTEP_BACKUPS=str(folder))

    assert "backup" not in "".join(line for line in good.out.splitlines() if "PROBLEM" in line)
    assert "last backup is" in late.out


@pytest.mark.backups
async def test_a_bucket_takes_them_too(
    s3_server: str,
    folder: Path,
    database: Database,
    database_url: str,
    set_setting: SetSetting,
    tmp_path: Path,
) -> None:
    for name, value in (
        ("AWS_ENDPOINT_URL", s3_server),
        ("AWS_ACCESS_KEY_ID", "testing"),
        ("AWS_SECRET_ACCESS_KEY", "testing"),
        ("AWS_REGION", "us-east-1"),
    ):
        set_setting(name, value)
    set_setting("INSTEP_BACKUPS", "s3://help-center/backups")
    (tmp_path / "data").mkdir()

    await back_up(database, database_url, JOB)

    destination = scheduled_destination(settings())
    [name] = destination.list_names()
    copy = tmp_path / "copy.zip"
    copy.write_bytes(destination.get(name))
    with open_archive(copy) as archive:
        assert archive.manifest.rows > 0
    assert list((tmp_path / "data").glob("*.zip")) == []
    with pytest.raises(BackupFailed, match="INSTEP_BACKUPS can't be read"):
        destination.get("none")


async def test_files_of_a_killed_upload_are_deleted(
    folder: Path,
    database: Database,
    database_url: str,
    owner: Tx,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    data, copies = tmp_path / "data", tmp_path / "copies"
    data.mkdir()
    store = MemoryStore()
    monkeypatch.setattr(destinations, "scheduled_destination", lambda _: Destination(store, None, SETTING))
    put = Destination.put

    def put_backup(destination: Destination, path: str, content: bytes | Path) -> None:
        shutil.copytree(data, copies, dirs_exist_ok=True)
        put(destination, path, content)

    monkeypatch.setattr(Destination, "put", put_backup)
    await back_up(database, database_url, JOB)
    left_over = list(copies.iterdir())
    for file in left_over:
        shutil.move(file, data)
        os.utime(data / file.name, (time.time() - timedelta(days=3).total_seconds(),) * 2)
    await let_a_day_pass(owner)

    await back_up(database, database_url, JOB)

    assert len(left_over) == 1
    assert list(data.iterdir()) == []
    assert Destination(store, None, SETTING).list_names() != []


async def test_without_the_setting_none_is_made(database: Database, database_url: str, owner: Tx) -> None:
    await schedule_backups(database)
    await back_up(database, database_url, JOB)

    assert await owner.value(NEXT) is None


@pytest.mark.parametrize("value", ["backups", "ftp://example.com", "s3://", "file://relative"])
def test_invalid_destination_is_refused(value: str) -> None:
    with pytest.raises(SettingsError, match="INSTEP_BACKUPS"):
        read_settings({"INSTEP_BACKUPS": value}, NO_FILE)


def test_a_path_is_a_folder() -> None:
    read = read_settings({"INSTEP_BACKUPS": "/var/back ups"}, NO_FILE)

    assert scheduled_destination(read.model_copy(update={"backups": "file:///tmp"})).folder == Path("/tmp")
    assert read.backups == "file:///var/back%20ups"
