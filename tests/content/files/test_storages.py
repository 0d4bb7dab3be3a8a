"""PostgreSQL, an S3 server and a folder store files alike, even if uploads fail or settings change."""

import json
from pathlib import Path

import obstore
import pytest
from fastapi import FastAPI

from instep.content.files.actions import SWEEP_FILES
from instep.content.files.jobs import sweep_files
from instep.content.files.storage import BACKUP_LOCK, Storages, open_bucket, open_storages
from instep.platform.core.config import SettingsError, read_settings, settings
from instep.platform.core.database import Database, Tx
from instep.platform.core.errors import Unusable
from instep.platform.core.jobs import Job
from tests.support.cast import Api, Cast
from tests.support.commands import Operator
from tests.support.file_samples import KINDS, picture
from tests.support.http import at_once, body_of, error, ok
from tests.support.uploads import FILES, count_objects, open_file, send, show_in_article, upload

EVERYWHERE = pytest.mark.parametrize("place", ["database", "bucket", "folder"])
OUTSIDE = pytest.mark.parametrize("place", ["bucket", "folder"])
LARGE = bytes(range(32, 127)) * 30_000


async def paths_in(storages: Storages) -> list[str]:
    """The paths of all objects in the bucket."""
    assert storages.bucket is not None
    return [item["path"] async for page in obstore.list(storages.bucket.bucket) for item in page]


@EVERYWHERE
async def test_a_file_comes_back_whole_and_in_parts(app: FastAPI, api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    file = await upload(client, LARGE, "large.txt")
    await show_in_article(client, file)

    whole = await open_file(app, file)
    part = await open_file(app, file, Range="bytes=1000000-2500000")

    assert whole.content == LARGE
    assert part.content == LARGE[1_000_000:2_500_001]


@EVERYWHERE
async def test_every_kind_is_stored(app: FastAPI, api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    for name, data, kind, _, is_shown in KINDS:
        file = await upload(client, data, name)
        await show_in_article(client, file)
        answer = await open_file(app, file)
        assert answer.headers["Content-Type"].startswith(kind)
        assert is_shown or answer.content == data


@EVERYWHERE
async def test_identical_uploads_at_once_make_one_file_with_one_object(
    app: FastAPI, api: Api, cast: Cast, owner: Tx
) -> None:
    client = api(cast.acme.write_key)

    answers = await at_once(5, lambda _: send(client, picture()))

    assert sorted(answer.status_code for answer in answers) == [200, 200, 200, 200, 201]
    assert await count_objects(owner, body_of(answers[0])) == 1


@OUTSIDE
async def test_the_bytes_are_in_the_bucket_and_leave_it_with_the_file(
    api: Api, cast: Cast, storages: Storages, database: Database, owner: Tx
) -> None:
    client = api(cast.acme.write_key)
    file = await upload(client)
    [path] = await paths_in(storages)
    assert path.startswith(f"{cast.acme.workspace_id}/obj_")
    in_database = "select count(*) from object_chunks where workspace_id = %(id)s"
    assert await owner.value(in_database, id=cast.acme.workspace_id) == 0

    ok(await client.delete(f"{FILES}/{file['id']}"))
    await sweep_files(database, storages, Job(1, SWEEP_FILES, {}, 1))

    assert await paths_in(storages) == []
    assert await count_objects(owner, file) == 0


@OUTSIDE
async def test_the_leftovers_of_an_upload_are_removed_after_a_day(
    api: Api, cast: Cast, storages: Storages, database: Database, owner: Tx
) -> None:
    """This happens if the process dies after it writes to the bucket and before it stores the file's row."""
    assert storages.bucket is not None
    await storages.bucket.put(cast.acme.workspace_id, b"left behind")
    await sweep_files(database, storages, Job(1, SWEEP_FILES, {}, 1))
    assert len(await paths_in(storages)) == 1

    await owner.execute("update stored_objects set removable_at = removable_at - interval '1 day'")
    await sweep_files(database, storages, Job(1, SWEEP_FILES, {}, 1))

    assert await paths_in(storages) == []


@OUTSIDE
async def test_the_objects_of_a_removed_help_center_are_removed_too(
    api: Api, cast: Cast, storages: Storages, database: Database, owner: Tx
) -> None:
    """The sweep removes the objects of deleted rows, whatever deleted the rows."""
    await upload(api(cast.acme.write_key))
    other = await upload(api(cast.globex.write_key))

    await owner.execute("delete from files where bot_id = %(bot)s", bot=cast.acme.bot_id)
    await sweep_files(database, storages, Job(1, SWEEP_FILES, {}, 1))

    [path] = await paths_in(storages)
    assert path.startswith(cast.globex.workspace_id)
    assert await count_objects(owner, other) == 1


@OUTSIDE
async def test_a_file_whose_object_is_lost_is_404(
    app: FastAPI, api: Api, cast: Cast, storages: Storages
) -> None:
    client = api(cast.acme.write_key)
    file = await upload(client)
    await show_in_article(client, file)
    assert storages.bucket is not None
    await obstore.delete_async(storages.bucket.bucket, await paths_in(storages))

    assert (await open_file(app, file)).status_code == 404


@OUTSIDE
async def test_files_in_the_database_are_served_after_a_bucket_is_set(
    app: FastAPI, api: Api, cast: Cast, storages: Storages
) -> None:
    client = api(cast.acme.write_key)
    app.state.storages = Storages(storages.database, None)
    file = await upload(client)
    app.state.storages = storages
    other = await upload(client, picture(shade=1))
    for shown in (file, other):
        await show_in_article(client, shown)
        assert (await open_file(app, shown)).status_code == 200

    app.state.storages = Storages(storages.database, None)
    assert (await open_file(app, file)).status_code == 200
    assert (await open_file(app, other)).status_code == 503


@pytest.mark.parametrize("place", ["database"])
async def test_an_unreachable_storage_loses_nothing(
    app: FastAPI, api: Api, cast: Cast, database: Database, owner: Tx, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing listens at the endpoint."""
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    away = open_storages(settings().model_copy(update={"files": "s3://nowhere"}), database)
    app.state.storages = away
    client = api(cast.acme.write_key)
    app.state.storages = away

    refused = await send(client, picture())

    assert error(refused) == (503, "unavailable")
    assert refused.headers["Retry-After"]
    assert ok(await client.get(FILES))["results"] == []
    app.state.storages = Storages(away.database, None)
    assert (await send(client, picture())).status_code == 201


@OUTSIDE
async def test_the_doctor_writes_an_object_and_leaves_none(
    operator: Operator, storages: Storages, files_setting: str
) -> None:
    # Secrets that other tests sealed with another key would count as problems too.
    report = json.loads((await operator.run("doctor", "--json", INSTEP_FILES=files_setting)).out)

    assert report["settings"]["INSTEP_FILES"] == files_setting
    assert [problem for problem in report["problems"] if "INSTEP_FILES" in problem] == []
    assert await paths_in(storages) == []


async def test_the_doctor_tells_that_a_storage_takes_no_files(operator: Operator, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")

    report = await operator.run("doctor", INSTEP_FILES=f"file://{tmp_path}/file")

    assert report.code == 1
    assert "PROBLEM: INSTEP_FILES can't be " in report.out


@pytest.mark.parametrize(
    "url",
    [
        "ftp://files",
        "s3://",
        "files",
        "file://relative",
        "https://bucket.example",
        "s3://key@bucket",
        "s3://b?x=1",
    ],
)
def test_a_setting_that_names_no_storage_is_refused(url: str) -> None:
    with pytest.raises(SettingsError, match="it must be s3://"):
        read_settings({"INSTEP_FILES": url}, Path("no-such.toml"))


def test_a_bucket_without_its_account_is_refused_with_the_reason(
    place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AZURE_STORAGE_ACCOUNT_NAME", raising=False)
    with pytest.raises(Unusable, match=r"INSTEP_FILES.*[Aa]ccount"):
        open_bucket("az://container/files")


@OUTSIDE
async def test_nothing_leaves_the_bucket_while_a_backup_is_made(
    api: Api, cast: Cast, storages: Storages, database: Database, owner: Tx
) -> None:
    """The backup needs the objects that its snapshot refers to."""
    client = api(cast.acme.write_key)
    file = await upload(client)
    await owner.execute("select pg_advisory_lock_shared(%(lock)s)", lock=BACKUP_LOCK)
    ok(await client.delete(f"{FILES}/{file['id']}"))

    await sweep_files(database, storages, Job(1, SWEEP_FILES, {}, 1))
    meanwhile = await paths_in(storages)
    await owner.execute("select pg_advisory_unlock_shared(%(lock)s)", lock=BACKUP_LOCK)
    await sweep_files(database, storages, Job(1, SWEEP_FILES, {}, 1))

    assert len(meanwhile) == 1
    assert await paths_in(storages) == []
