"""Files in the dashboard: previews, the articles that show them, uploading and deleting."""

import re
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from instep.platform.core.database import Tx
from tests.interfaces.dashboard.conftest import Desk
from tests.support.cast import Cast, Client
from tests.support.chromium import Complaints
from tests.support.file_samples import picture
from tests.support.http import Response, ok
from tests.support.limits import SetLimit
from tests.support.sign_in import HERE, TOKEN
from tests.support.uploads import show_in_article, upload


async def send_file(desk: Desk, name: str, content: bytes, token: str | None = None) -> Response:
    """Submit the page's form with a file, as a browser without scripts does."""
    if token is None:
        match = re.search(TOKEN, (await desk.get("files")).text)
        token = match[1] if match else ""
    return await desk.visitor.client.post(
        desk.path("files"), data={"form-token": token}, files={"file": (name, content)}, headers=HERE
    )


async def test_a_file_is_uploaded_without_scripts_and_shown(desk: Desk, client: Client) -> None:
    answer = await send_file(desk, "Büro & Hof.png", picture())
    text = (await desk.follow(answer)).text

    assert "Uploaded “Büro &amp; Hof.png”." in text
    [file] = ok(await client.get("/v1/files"))["results"]
    assert (file["name"], file["width"], file["height"]) == ("Büro & Hof.png", 6, 4)
    [preview] = re.findall(r'<img class="thumbnail" src="([^"]+)"', text)
    assert (await desk.visitor.get(preview)).headers["Content-Type"] == "image/png"
    assert "6 \N{MULTIPLICATION SIGN} 4 pixels" in text
    assert "Not used." in text


async def test_the_same_file_again_is_told_and_not_stored_twice(desk: Desk, client: Client) -> None:
    for name in ("a.png", "b.png"):
        answer = await send_file(desk, name, picture())

    assert "“a.png” already exists." in (await desk.follow(answer)).text
    assert len(ok(await client.get("/v1/files"))["results"]) == 1


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("page.html", b"<!doctype html><title>A</title>", "looks like HTML"),
        ("", b"", "Choose a file first."),
    ],
)
async def test_invalid_file_is_refused_on_the_page(
    desk: Desk, client: Client, name: str, content: bytes, words: str
) -> None:
    answer = await send_file(desk, name, content)

    assert (answer.status_code, words in answer.text) == (400, True)
    assert ok(await client.get("/v1/files"))["results"] == []


async def test_a_file_that_is_too_large_is_refused(desk: Desk, set_limit: SetLimit) -> None:
    set_limit("MAX_FILE_BYTES", 10)
    answer = await send_file(desk, "a.png", picture())

    assert (answer.status_code, "larger than 10 bytes" in answer.text) == (400, True)


async def test_the_list_says_where_a_file_is_shown_and_a_shown_one_stays(desk: Desk, client: Client) -> None:
    file = await upload(client)
    article = await show_in_article(client, file, "Install <it>")

    refused = await desk.send("files", f"files/{file['id']}/delete")

    link = f'<a href="{desk.path("articles/" + article["id"])}"><bdi>Install &lt;it&gt;</bdi></a>'
    assert link in (await desk.get("files")).text
    assert (refused.status_code, "was not deleted" in refused.text, link in refused.text) == (400, True, True)
    assert [row["id"] for row in ok(await client.get("/v1/files"))["results"]] == [file["id"]]


async def test_a_file_that_nothing_shows_is_deleted(desk: Desk, client: Client) -> None:
    file = await upload(client)
    answer = await desk.send("files", f"files/{file['id']}/delete")

    assert "Deleted “dashboard.png”." in (await desk.follow(answer)).text
    assert ok(await client.get("/v1/files"))["results"] == []


async def test_downloads_show_their_kind_and_the_list_goes_on(desk: Desk, client: Client) -> None:
    await upload(client, b"a,b\n1,2\n", "oldest.csv")
    for shade in range(20):
        await upload(client, picture(shade=shade), f"{shade}.png")

    first = (await desk.get("files")).text
    [following] = re.findall(r'rel="next" href="([^"]+)"', first)
    second = (await desk.visitor.get(following.replace("&amp;", "&"))).text

    assert (first.count('<h2 id="file_'), second.count('<h2 id="file_')) == (20, 1)
    assert '<span class="thumbnail" aria-hidden="true">csv</span>' in second
    assert "8 bytes" in second


async def test_viewers_and_strangers_neither_upload_nor_delete(
    desk: Desk, viewer: Desk, stranger: Desk, client: Client, globex: Client
) -> None:
    file, foreign = await upload(client), await upload(globex)

    assert (await send_file(viewer, "a.png", picture(shade=1))).status_code == 403
    assert (await send_file(desk, "a.png", picture(shade=1), token="wrong")).status_code == 403
    assert (await send_file(stranger, "a.png", picture(shade=1), token="wrong")).status_code == 403
    assert (await viewer.send("files", f"files/{file['id']}/delete")).status_code == 403
    assert (await desk.send("files", f"files/{foreign['id']}/delete")).status_code == 404
    assert len(ok(await client.get("/v1/files"))["results"]) == 1
    assert "multipart" not in (await viewer.get("files")).text


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        ("multipart/form-data", b"--a--"),
        ("multipart/form-data; boundary=a", b"nonsense"),
        ("multipart/form-data; boundary=a", b'--a\r\nContent-Disposition: form-data; name="file"\r\n\r\n'),
        ("text/plain", b"file=a"),
    ],
)
async def test_a_form_that_can_not_be_read_is_refused(desk: Desk, content_type: str, body: bytes) -> None:
    headers = HERE | {"Content-Type": content_type}
    answer = await desk.visitor.client.post(desk.path("files"), content=body, headers=headers)

    assert answer.status_code in (400, 403)


async def test_forms_without_files_take_none(desk: Desk) -> None:
    answer = await desk.visitor.client.post(
        desk.path("tasks"), data={"about": "article"}, files={"file": ("a", b"a")}, headers=HERE
    )

    assert (answer.status_code, "urlencoded" in answer.text) == (400, True)


async def test_an_upload_over_the_quota_leaves_nothing(
    desk: Desk, cast: Cast, owner: Tx, set_limit: SetLimit
) -> None:
    set_limit("MAX_BOT_FILES_BYTES", 1)
    answer = await send_file(desk, "a.png", picture())

    assert (answer.status_code, "delete" in answer.text) == (400, True)
    count = "select count(*) from files where bot_id = %(bot)s"
    assert await owner.value(count, bot=cast.acme.bot_id) == 0


async def test_a_picture_is_chosen_uploaded_and_seen(
    signed_in_tab: Page, development_server: str, desk: Desk, tmp_path: Path
) -> None:
    (tmp_path / "office.png").write_bytes(picture(width=60, height=40))
    await signed_in_tab.goto(development_server + desk.path("files"))
    await signed_in_tab.get_by_label("File", exact=True).set_input_files(tmp_path / "office.png")
    await signed_in_tab.get_by_role("button", name="Upload").click()
    await expect(signed_in_tab.get_by_role("heading", name="office.png")).to_be_visible()

    await signed_in_tab.wait_for_function("() => document.querySelector('img.thumbnail').naturalWidth === 60")


async def test_a_file_field_shows_the_chosen_file_and_its_size_and_works_by_keyboard(
    signed_in_tab: Page, cast: Cast, development_server: str, complaints: Complaints, tmp_path: Path
) -> None:
    tab = signed_in_tab
    await tab.goto(f"{development_server}/app/{cast.acme.slug}/files")
    field = tab.get_by_label("File", exact=True)
    await expect(field).to_have_accessible_description(re.compile("up to 20 MB.*No file chosen"))

    async with tab.expect_file_chooser() as chooser:
        # A busy page may handle a key before the request to intercept the chooser, but not before a response.
        await field.focus()
        await tab.keyboard.press("Space")
    file = tmp_path / "notes of a release.txt"
    file.write_bytes(b"n" * 1_536)
    await (await chooser.value).set_files(file)

    await expect(tab.get_by_text("notes of a release.txt, 1.5 KB")).to_be_visible()
    await tab.get_by_role("button", name="Upload").click()
    await expect(tab.get_by_role("list", name="Files")).to_contain_text("notes of a release.txt")
    assert complaints.lines == []
