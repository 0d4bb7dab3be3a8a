"""Imports in the dashboard: upload an archive, read the plan, confirm, and see the result."""

import re
from collections.abc import Awaitable, Callable

import pytest

from instep.platform.core.database import Tx
from tests.interfaces.dashboard.conftest import Desk
from tests.support.cast import Cast, Client
from tests.support.file_samples import picture
from tests.support.http import Response, ok
from tests.support.import_sources import archive
from tests.support.limits import SetLimit
from tests.support.sign_in import HERE, TOKEN

RunJobs = Callable[[], Awaitable[int]]
DOCS = archive(
    {
        "docs/index.md": "# Welcome\n\nBegin with [installing](guides/install.md), or [not](gone.md).\n",
        "docs/guides/install.md": "# Install <it>\n\n![The window](../img/window.png)\n",
        "docs/img/window.png": picture(),
    }
)


async def send_archive(desk: Desk, content: bytes, name: str = "docs.zip", **fields: str) -> Response:
    match = re.search(TOKEN, (await desk.get("import")).text)
    assert match is not None
    return await desk.visitor.client.post(
        desk.path("import"),
        data={"form-token": match[1], **fields},
        files={"file": (name, content)},
        headers=HERE,
    )


async def test_an_archive_is_read_shown_imported_and_told(
    desk: Desk, client: Client, run_jobs: RunJobs
) -> None:
    answer = await send_archive(desk, DOCS)
    path = answer.headers["Location"].removeprefix(desk.path(""))
    assert "Reading the archive" in (await desk.follow(answer)).text

    await run_jobs()
    text = (await desk.get(path)).text
    assert "Preview" in text
    assert "2 articles: 2 new" in text
    assert "gone.md" in text
    assert "Install &lt;it&gt;" in text
    assert ok(await client.get("/v1/articles"))["results"] == []

    begun = await desk.send(path, f"{path}/confirm")
    assert "Importing" in (await desk.follow(begun)).text
    await run_jobs()
    text = (await desk.get(path)).text
    assert "Import complete." in text
    articles = ok(await client.get("/v1/articles"))["results"]
    assert sorted(row["title"] for row in articles) == ["Install <it>", "Welcome"]
    assert "imported" in (await desk.get("import")).text


async def test_a_plan_can_be_discarded_and_leaves_nothing(
    desk: Desk, client: Client, run_jobs: RunJobs, owner: Tx, cast: Cast
) -> None:
    path = (await send_archive(desk, DOCS)).headers["Location"].removeprefix(desk.path(""))
    await run_jobs()

    text = (await desk.follow(await desk.send(path, f"{path}/discard"))).text

    assert "Discarded: nothing was imported." in text
    assert (await desk.get(path)).status_code == 404
    count = "select count(*) from stored_objects where workspace_id = %(workspace)s"
    assert await owner.value(count, workspace=cast.acme.workspace_id) == 0


async def test_an_import_that_has_ended_keeps_no_archive(
    desk: Desk, run_jobs: RunJobs, owner: Tx, cast: Cast
) -> None:
    path = (
        (await send_archive(desk, archive({"a.md": "# A\n"}))).headers["Location"].removeprefix(desk.path(""))
    )
    await run_jobs()
    await desk.send(path, f"{path}/confirm")
    await run_jobs()

    count = "select count(*) from stored_objects where workspace_id = %(workspace)s"
    assert await owner.value(count, workspace=cast.acme.workspace_id) == 0


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"no archive", "“docs.zip”"),
        (archive({"../evil.md": "# Evil"}), "“../evil.md”"),
        (archive({"picture.png": picture()}), "nothing"),
    ],
)
async def test_unreadable_archive_fails_with_its_reason(
    desk: Desk, run_jobs: RunJobs, client: Client, content: bytes, words: str
) -> None:
    path = (await send_archive(desk, content)).headers["Location"].removeprefix(desk.path(""))
    await run_jobs()

    text = (await desk.get(path)).text

    assert "Import failed." in text
    assert words in text
    assert ok(await client.get("/v1/articles"))["results"] == []


async def test_invalid_import_is_refused_on_the_page(desk: Desk, set_limit: SetLimit) -> None:
    empty = await send_archive(desk, b"", "")
    assert (empty.status_code, "ZIP archive" in empty.text) == (400, True)
    unknown = await send_archive(desk, DOCS, format="word")
    assert (unknown.status_code, "known format" in unknown.text) == (400, True)
    set_limit("MAX_IMPORT_ARCHIVE_BYTES", 10)
    large = await send_archive(desk, DOCS)
    assert (large.status_code, "instep import" in large.text) == (400, True)


async def test_viewers_import_nothing_and_others_see_nothing(
    desk: Desk, viewer: Desk, run_jobs: RunJobs, cast: Cast
) -> None:
    path = (await send_archive(desk, DOCS)).headers["Location"].removeprefix(desk.path(""))

    assert (await viewer.get("import")).status_code == 403
    assert (await viewer.get(path)).status_code == 403
    assert (await desk.visitor.get(f"/app/{cast.globex.slug}/{path}")).status_code == 404


async def test_the_pages_that_have_no_article_lead_to_the_import(desk: Desk) -> None:
    for page in ("get-started", "articles", "settings/general"):
        assert f'href="{desk.path("import")}"' in (await desk.get(page)).text


async def test_pages_removed_at_the_source_are_archived_on_request(
    desk: Desk, client: Client, run_jobs: RunJobs
) -> None:
    async def bring(contents: dict[str, bytes | str], **fields: str) -> str:
        path = (await send_archive(desk, archive(contents))).headers["Location"].removeprefix(desk.path(""))
        await run_jobs()
        text = (await desk.get(path)).text
        await desk.send(path, f"{path}/confirm", **fields)
        await run_jobs()
        return text

    await bring({"docs/a.md": "# A\n\nStays.\n", "docs/b.md": "# B\n\nGoes.\n"})

    text = await bring({"docs/a.md": "# A\n\nStays.\n"}, prune="true")

    assert "Archive the article" in text
    assert ok(await client.get("/v1/articles/b"))["status"] == "archived"
    assert ok(await client.get("/v1/articles/a"))["status"] == "published"


async def test_links_to_the_old_site_lead_to_articles_if_its_address_is_named(
    desk: Desk, client: Client, run_jobs: RunJobs
) -> None:
    pages = {"docs/a.md": "# A\n\n[B](https://acme.example/docs/b)\n", "docs/b.md": "# B\n\nText.\n"}
    refused = await send_archive(desk, archive(pages), site="ftp://acme.example")
    assert (refused.status_code, "https://example.com/docs" in refused.text) == (400, True)
    assert 'value="ftp://acme.example"' in refused.text

    answer = await send_archive(desk, archive(pages), site="acme.example/docs")
    path = answer.headers["Location"].removeprefix(desk.path(""))
    await run_jobs()
    await desk.send(path, f"{path}/confirm")
    await run_jobs()

    article = ok(await client.get("/v1/articles/a"))
    assert "/articles/b)" in article["contentMarkdown"]
    assert "acme.example" not in article["contentMarkdown"]


async def test_the_address_of_an_api_description_is_followed_updated_and_removed(desk: Desk) -> None:
    url = "https://api.acme.example/openapi.json"
    await desk.send("import", "import/references", url=url)
    text = (await desk.get("import")).text
    assert url in text
    assert "Not checked yet" in text
    match = re.search(r"import/references/(api_\w+)/update", text)
    assert match is not None

    assert (await desk.send("import", f"import/references/{match[1]}/update")).status_code == 303
    refused = await desk.send("import", "import/references", url="ftp://example.com")
    assert refused.status_code == 400
    assert "ftp://example.com" in refused.text
    await desk.send("import", f"import/references/{match[1]}/remove")
    assert url not in (await desk.get("import")).text
