"""A damaged, truncated or malicious backup is refused before anything is changed."""

import hashlib
import json
import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import psycopg
import pytest

from instep.operations.backups.backup_file import BLANK_DIGEST, COMMENT, open_archive
from instep.operations.backups.errors import BackupRefused, RestoreRefused
from instep.operations.backups.restoring import check_backup
from instep.operations.backups.snapshot import make_backup
from instep.platform.core.errors import Unusable
from tests.operations.backups.conftest import BackUp
from tests.support.cast import Client, Json
from tests.support.commands import Operator
from tests.support.http import create_article

# Bytes in the middle that are damaged, one at a time; `make test-backups` damages all of them.
SAMPLES = 150
Parts = dict[str, bytes]


@pytest.fixture(scope="session")
def made_once(database_url: str, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    file = tmp_path_factory.mktemp("backups") / "made-once.zip"
    make_backup(database_url, None, file)
    return file.read_bytes()


@pytest.fixture
def backup(made_once: bytes, tmp_path: Path) -> Path:
    file = tmp_path / "backup.zip"
    file.write_bytes(made_once)
    return file


def with_digest(path: Path, parts: list[tuple[str, bytes]]) -> Path:
    """A file with a valid digest, whatever its parts contain."""
    with warnings.catch_warnings(action="ignore"), ZipFile(path, "w", ZIP_DEFLATED) as contents:
        contents.comment = COMMENT + BLANK_DIGEST
        for name, data in parts:
            contents.writestr(name, data)
    data = path.read_bytes()
    path.write_bytes(data[: -len(BLANK_DIGEST)] + hashlib.sha256(data).hexdigest().encode())
    return path


def parts_of(path: Path) -> tuple[Parts, Json]:
    with ZipFile(path) as contents:
        parts = {name: contents.read(name) for name in contents.namelist()}
    return parts, json.loads(parts.pop("manifest.json"))


def refusal_of(path: Path) -> str:
    with pytest.raises(Unusable) as refusal, open_archive(path):
        pass
    return str(refusal.value)


def damaged_copies(path: Path, step: int) -> Iterator[tuple[int, Path]]:
    """Copies with one damaged byte each; they cover every structure at both ends of the file."""
    data = path.read_bytes()
    places = {*range(200), *range(200, len(data) - 300, step), *range(len(data) - 300, len(data))}
    copy = path.with_name("damaged.zip")
    for place in sorted(places):
        copy.write_bytes(data[:place] + bytes([data[place] ^ 0x55]) + data[place + 1 :])
        yield place, copy


async def test_the_file_is_a_zip_without_secrets_that_others_may_not_read(
    client: Client, back_up: BackUp
) -> None:
    await create_article(client)
    backup = await back_up()

    parts, manifest = parts_of(backup)
    assert backup.stat().st_mode & 0o777 == 0o600
    assert b"Run it." in parts["tables/articles"]
    assert manifest["format"] == 1
    assert {path.name for path in backup.parent.iterdir() if path.is_file()} == {backup.name}
    assert "tables/sessions" not in parts
    assert b"what seals secrets while tests run" not in b"".join(parts.values())


def test_a_byte_that_changed_anywhere_is_noticed(backup: Path) -> None:
    step = max(1, (backup.stat().st_size - 500) // SAMPLES)
    for _, copy in damaged_copies(backup, step):
        assert "use another one" in refusal_of(copy)


@pytest.mark.backups
def test_every_byte_that_changed_is_noticed(backup: Path) -> None:
    for place, copy in damaged_copies(backup, 1):
        with pytest.raises(BackupRefused), open_archive(copy):
            pytest.fail(f"the damage at {place} went unnoticed")


def test_a_file_that_was_cut_off_anywhere_is_noticed(backup: Path) -> None:
    data = backup.read_bytes()
    for length in [0, 1, 21, 22, *range(100, len(data), len(data) // 50), len(data) - 1]:
        backup.write_bytes(data[:length])
        assert "use another one" in refusal_of(backup)


def test_bytes_after_its_end_are_noticed(backup: Path) -> None:
    backup.write_bytes(backup.read_bytes() + b"\n")

    assert "not a backup" in refusal_of(backup)


def test_a_part_that_unpacks_to_more_than_it_says_is_not_unpacked(backup: Path, tmp_path: Path) -> None:
    parts, manifest = parts_of(backup)
    bomb = b"\0" * 50_000_000
    changed = {**parts, "objects": bomb}

    file = with_digest(
        tmp_path / "bomb.zip", [*changed.items(), ("manifest.json", json.dumps(manifest).encode())]
    )

    assert file.stat().st_size < 1_000_000
    assert "the manifest" in refusal_of(file)


@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "tables/more", "manifest.json"])
def test_a_part_that_the_manifest_does_not_name_is_refused(backup: Path, tmp_path: Path, name: str) -> None:
    parts, manifest = parts_of(backup)
    entries = [*parts.items(), ("manifest.json", json.dumps(manifest).encode())]
    file = with_digest(tmp_path / "more.zip", [*entries, (name, b"x")])

    assert "damaged" in refusal_of(file)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"format": 2}, "format 2"),
        ({"revision": "9999"}, "schema 9999"),
        ({"revision": "../x"}, "its manifest"),
        ({"more": 1}, "its manifest"),
        ({"tables": []}, "its manifest"),
    ],
)
def test_a_manifest_that_says_something_else_is_refused(
    backup: Path, tmp_path: Path, change: Json, reason: str
) -> None:
    parts, manifest = parts_of(backup)
    entries = [*parts.items(), ("manifest.json", json.dumps({**manifest, **change}).encode())]
    file = with_digest(tmp_path / "other.zip", entries)

    with pytest.raises((BackupRefused, RestoreRefused), match=reason):
        check_backup(file)


def test_rows_that_are_missing_are_noticed(backup: Path, tmp_path: Path) -> None:
    parts, manifest = parts_of(backup)
    for table in manifest["tables"]:
        table["rows"] += 1
    file = with_digest(
        tmp_path / "rows.zip", [*parts.items(), ("manifest.json", json.dumps(manifest).encode())]
    )

    assert "the rows" in refusal_of(file)


def test_a_pipe_is_refused() -> None:
    reader, writer = os.pipe()
    os.close(writer)

    assert "name a file" in refusal_of(Path(f"/dev/fd/{reader}"))

    os.close(reader)


async def test_nothing_is_touched_when_a_backup_is_refused(
    backup: Path, elsewhere: Operator, empty_url: str, tmp_path: Path
) -> None:
    data = backup.read_bytes()
    backup.write_bytes(data[: len(data) // 2])

    refusal = await elsewhere.refused("restore", str(backup))
    missing = await elsewhere.refused("restore", str(tmp_path / "none.zip"))

    assert "not a backup" in refusal
    assert "No such file" in missing
    assert not (tmp_path / "elsewhere").exists()
    with psycopg.connect(empty_url) as connection:
        tables = connection.execute("select from pg_tables where schemaname = 'public'")
        assert tables.rowcount == 0


async def test_a_backup_can_be_checked_and_is_not_written_over(
    backup: Path, operator: Operator, elsewhere: Operator, tmp_path: Path
) -> None:
    before = backup.read_bytes()

    refusal = await operator.refused("backup", str(backup))
    no_folder = await operator.refused("backup", str(tmp_path / "none" / "a.zip"))
    contents = await elsewhere.json("restore", str(backup), "--check")

    assert "exists" in refusal
    assert "No such file" in no_folder
    assert backup.read_bytes() == before
    assert contents["rows"] > 0
