"""Contents of an export: texts byte for byte, links that work anywhere, nothing about this installation."""

import io
import json
import os
import random
from pathlib import Path

import pytest
from fastapi import FastAPI
from PIL import Image

from instep.content.changelog.actions import delete_changelog_entry
from instep.content.files.storage import open_storages
from instep.operations.ops.prune import Step, delete_expired
from instep.platform.core import limits
from instep.platform.core.config import settings
from instep.platform.core.database import Database, Tx
from instep.platform.core.errors import InvalidRequest, Unusable
from instep.transfer.exports.actions import prepare_export
from instep.transfer.exports.archive import write_export
from tests.interfaces.dashboard.conftest import Desk, desk, editor  # noqa: F401
from tests.support.articles import acting, delete, let_time_pass, put_into_review, save_copy
from tests.support.cast import Api, Cast, Client
from tests.support.exported_library import export_zip, fill, folder_texts, texts_of, unpacked
from tests.support.http import create_article, created, ok
from tests.support.site_pages import publish
from tests.support.uploads import upload


async def test_an_article_is_a_file_and_a_collection_a_folder(
    client: Client, database: Database, cast: Cast
) -> None:
    await fill(client, database, cast.acme)

    texts = await texts_of(database, cast.acme)

    assert sorted(texts) == [
        "01-new-name.md",
        "01-start/01-deeper/01-setup.md",
        "01-start/01-deeper/_collection.md",
        "01-start/01-install-now.de.md",
        "01-start/01-install-now.md",
        "01-start/_collection.md",
        "changelog/csv.md",
        "golden-questions.json",
        "instep.json",
        "parts.json",
        "redirects.json",
    ]
    assert texts["01-start/_collection.md"] == (
        "---\ntitle: Start\ndescription: First steps.\nicon: 🧭\n---\n"
    )
    head, _, body = texts["01-start/01-install-now.md"].partition("\npublished: ")
    assert head == '---\ntitle: "Install: now"\ndescription: How to.'
    [picture] = [
        path for path in unpacked(await export_zip(database, cast.acme)) if path.startswith("files/")
    ]
    assert picture.endswith("/A dashboard (new).png")
    link = "../" + picture.replace(" ", "%20").replace("(", "%28").replace(")", "%29")
    assert body.partition("\n---\n")[2] == (
        f"See [setup](01-deeper/01-setup.md#one) and ![It]({link}).\r\n\n    code\n\tno end"
    )
    assert (
        texts["01-start/01-deeper/01-setup.md"]
        == "---\ntitle: Setup\nstatus: draft\n---\n\n\nOne\n\n{{part.about-limits}}\n"
    )
    assert "slug: installieren\n" in texts["01-start/01-install-now.de.md"]
    assert "[Back](01-start/_collection.md)" in texts["01-new-name.md"]
    assert json.loads(texts["redirects.json"]) == [
        {"from": "/articles/old-name", "to": "01-new-name.md"},
        {"from": "/hc/1", "to": "01-start/01-install-now.md"},
        {"from": "/status", "to": "https://s.example/"},
    ]
    assert json.loads(texts["golden-questions.json"]) == [
        {"question": "How do I install it?", "article": "01-start/01-install-now.md", "section": "One"}
    ]


async def test_the_same_help_center_is_the_same_bytes_and_names_nothing_of_the_installation(
    client: Client, database: Database, cast: Cast
) -> None:
    await fill(client, database, cast.acme)

    data = await export_zip(database, cast.acme)

    assert data == await export_zip(database, cast.acme)
    for content in unpacked(data).values():
        for name in (cast.acme.slug, str(cast.acme.bot_id), "art_", "col_", "chg_", settings().base_url):
            assert name.encode() not in content


async def test_deleted_articles_are_left_out_and_waiting_ones_are_drafts(
    client: Client, database: Database, cast: Cast
) -> None:
    gone = await create_article(client, "Gone")
    ok(await client.delete(f"/v1/articles/{gone['id']}"))
    await put_into_review(database, cast.acme)
    live = await publish(client, "Live", "Public.")
    await save_copy(database, cast.acme, live["id"], content="Not yet public.")

    async with acting(database, cast.acme) as ctx:
        summary = (await prepare_export(ctx)).summary("x.zip", 0)
    texts = await texts_of(database, cast.acme)

    assert [path for path in texts if path.endswith(".md")] == ["01-install.md", "02-live.md"]
    assert "status: draft\n" in texts["01-install.md"]
    assert texts["02-live.md"].endswith("\nPublic.")
    assert (summary.articles, summary.unpublished_changes) == (2, 1)


async def test_a_help_center_in_several_languages_keeps_who_translates_whom(
    client: Client, database: Database, cast: Cast
) -> None:
    german = await publish(client, "Einrichten", locale="de")
    await publish(client, "Set up", locale="fr", translationOf=german["id"])
    long_title = "設" * 120
    await publish(client, long_title)

    texts = await texts_of(database, cast.acme)
    [long_path] = [path for path in texts if path.startswith("02-")]

    assert "translates: de\n" in texts["01-einrichten.fr.md"]
    assert "translates" not in texts["01-einrichten.de.md"]
    assert len(long_path.encode()) < 255
    assert f"slug: {long_title}\n" in texts[long_path]


async def test_a_folder_has_the_same_files_and_replaces_only_an_export(
    client: Client, database: Database, cast: Cast, tmp_path: Path
) -> None:
    await fill(client, database, cast.acme)
    storages, target = open_storages(settings(), database), tmp_path / "docs" / "help"

    async def write(path: Path) -> int:
        async with acting(database, cast.acme) as ctx:
            export = await prepare_export(ctx)
        return await write_export(export, database, storages, path, lambda: None)

    for _ in range(2):
        await write(target)
        assert folder_texts(target) == unpacked(await export_zip(database, cast.acme))
    for foreign, name in ((tmp_path, "notes.txt"), (target, ".git")):
        (foreign / name).mkdir() if name == ".git" else (foreign / name).write_text("mine")
        with pytest.raises(InvalidRequest, match="an earlier export"):
            await write(foreign)
    assert (tmp_path / "notes.txt").read_text() == "mine"
    assert sorted(os.listdir(tmp_path)) == ["docs", "notes.txt"]
    with pytest.raises(Unusable, match=r"notes\.txt/help can't be written: "):
        await write(tmp_path / "notes.txt" / "help")
    assert await write(tmp_path / "help.ZIP") == (tmp_path / "help.ZIP").stat().st_size


async def test_an_owner_downloads_it_and_an_editor_does_not(
    desk: Desk,  # noqa: F811
    editor: Desk,  # noqa: F811
    app: FastAPI,
    api: Api,
    client: Client,
    database: Database,
    cast: Cast,
) -> None:
    await fill(client, database, cast.acme)

    answer = await desk.send("settings/general", "settings/export")
    refusal = await editor.send("settings/redirects", "settings/export")

    assert answer.status_code == 200, answer.text
    assert answer.headers["Content-Type"] == "application/zip"
    assert answer.content == await export_zip(database, cast.acme)
    assert refusal.status_code == 403
    assert "export help center" in (await desk.get("settings/audit")).text


async def test_two_entries_whose_long_slugs_begin_alike_have_two_files(
    client: Client, database: Database, cast: Cast
) -> None:
    for end in ("一", "二", "三"):
        body = {"title": "設" * 70 + end, "contentMarkdown": f"Text {end}.\n"}
        created(await client.post("/v1/changelog/entries", json=body))

    texts = await texts_of(database, cast.acme)

    paths = [path for path in texts if path.startswith("changelog/")]
    assert {texts[path].splitlines()[-1] for path in paths} == {"Text 一.", "Text 二.", "Text 三."}
    assert sorted(path.rpartition("設")[2] for path in paths) == ["-2.md", "-3.md", ".md"]


async def test_a_file_that_the_storage_has_lost_is_named_and_the_rest_is_exported(
    client: Client, database: Database, owner: Tx, cast: Cast, tmp_path: Path
) -> None:
    await fill(client, database, cast.acme)
    before = unpacked(await export_zip(database, cast.acme))
    storages = open_storages(settings(), database)
    async with acting(database, cast.acme) as ctx:
        export = await prepare_export(ctx)
    await owner.execute("delete from object_chunks")

    size = await write_export(export, database, storages, tmp_path / "docs", lambda: None)

    [lost_path] = [path for path in before if path.startswith("files/")]
    after = folder_texts(tmp_path / "docs")
    assert after.pop("missing-files.txt") == f"{lost_path}\n".encode()
    assert after == {path: data for path, data in before.items() if path != lost_path}
    summary = export.summary("docs", size)
    assert (summary.files, summary.missing_files) == (0, [lost_path])
    archive = unpacked(await export_zip(database, cast.acme))
    assert archive == {**after, "missing-files.txt": f"{lost_path}\n".encode()}


async def test_a_file_that_goes_missing_while_it_is_read_is_left_out_whole(
    client: Client, database: Database, owner: Tx, cast: Cast
) -> None:
    noise = Image.frombytes("RGB", (400, 400), random.Random(1).randbytes(400 * 400 * 3))
    data = io.BytesIO()
    noise.save(data, "PNG")
    file = await upload(client, data.getvalue(), "noise.png")
    await publish(client, "Install", f"![It]({file['url']})\n")
    before = unpacked(await export_zip(database, cast.acme))
    # The file's first chunk remains.
    assert await owner.execute("delete from object_chunks where number > 0") > 0

    after = unpacked(await export_zip(database, cast.acme))

    [lost_path] = [path for path in before if path.startswith("files/")]
    assert after.pop("missing-files.txt") == f"{lost_path}\n".encode()
    assert after == {path: data for path, data in before.items() if path != lost_path}


async def test_texts_that_are_deleted_for_good_during_an_export_are_left_out_and_named(
    client: Client, database: Database, owner: Tx, cast: Cast, tmp_path: Path
) -> None:
    await fill(client, database, cast.acme)
    before = unpacked(await export_zip(database, cast.acme))
    storages = open_storages(settings(), database)
    async with acting(database, cast.acme) as ctx:
        export = await prepare_export(ctx)
    await delete(client, "install-now")
    await let_time_pass(owner, cast.acme, limits.DELETED_ARTICLE_RETENTION)
    async with database.enter_workspace("") as tx:
        await delete_expired(tx, Step("purge_deleted_articles", (limits.DELETED_ARTICLE_RETENTION,), 100))
    async with acting(database, cast.acme) as ctx:
        await delete_changelog_entry(ctx, "csv")

    size = await write_export(export, database, storages, tmp_path / "docs", lambda: None)

    gone = sorted(path for path in before if "install" in path or path.startswith("changelog/csv"))
    assert len(gone) == 3
    after = folder_texts(tmp_path / "docs")
    assert after.pop("missing-files.txt").decode().splitlines() == gone
    assert after == {path: data for path, data in before.items() if path not in gone}
    summary = export.summary("docs", size)
    assert summary.missing_files == gone
    assert (summary.articles, summary.translations, summary.changelog_entries) == (2, 0, 0)
