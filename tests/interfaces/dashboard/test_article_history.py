"""An article's history with diffs and restoring, and its translations."""

import re
from html import unescape

from instep.interfaces.dashboard.content.marked_changes import CONTEXT_LINES
from tests.interfaces.dashboard.conftest import Desk
from tests.support.articles import translate
from tests.support.cast import Client, Json
from tests.support.http import Response, all_pages, create_article, ok

ETAG = re.compile(r'name="etag" value="([^"]*)"')
NEW_TRANSLATION = re.compile(r'action="([^"]+)"><input type="hidden" name="([^"]+)" value="([^"]+)">')
REVISION = re.compile(r'name="revision" value="([^"]*)"')


async def rewrite(client: Client, article: Json, *texts: str) -> None:
    for text in texts:
        ok(await client.patch(f"/v1/articles/{article['id']}", json={"contentMarkdown": text}))


async def test_the_history_tells_who_wrote_each_version_and_marks_its_words(
    desk: Desk, client: Client
) -> None:
    article = await create_article(client, "Limits", contentMarkdown="Up to 25 MB each.")
    path = f"articles/{article['id']}/history"
    first = (await desk.get(path)).text
    assert "first revision" in first
    assert "Up to 25 MB each." in first
    await rewrite(client, article, "Up to 50 MB each.", "Up to 80 MB each.")

    page = (await desk.get(path)).text

    assert "From revision 2 to 3" in page
    assert "Up to <del>50</del><ins>80</ins> MB each." in page
    assert page.count("Acme writer") == 3
    assert "Revision 3 · current" in page
    older = (await desk.get(f"{path}?version=2")).text
    assert "Up to <del>25</del><ins>50</ins> MB each." in older
    whole = (await desk.get(f"{path}?version=3&with=1")).text
    assert "Up to <del>25</del><ins>80</ins> MB each." in whole
    assert "From revision 2 to 3" in (await desk.get(f"{path}?version=99&with=x")).text


async def test_a_change_of_the_title_stands_in_the_diff(desk: Desk, client: Client) -> None:
    article = await create_article(client, "Limits of files")
    ok(await client.patch(f"/v1/articles/{article['id']}", json={"title": "Limits of uploads"}))

    assert "# Limits of <del>files</del><ins>uploads</ins>" in await history(desk, article)


async def history(desk: Desk, article: Json) -> str:
    return unescape((await desk.get(f"articles/{article['id']}/history")).text)


async def test_unchanged_lines_are_folded(desk: Desk, client: Client) -> None:
    lines = [f"Line {number}.\n" for number in range(40)]
    article = await create_article(client, "Long", contentMarkdown="".join(lines))
    await rewrite(client, article, "".join([*lines[:20], "New.\n", *lines[20:]]))

    assert (await history(desk, article)).count(f"{20 - CONTEXT_LINES} unchanged lines") == 2


async def test_customers_markup_in_a_diff_stays_text(desk: Desk, client: Client) -> None:
    article = await create_article(client, "Markup", contentMarkdown="<b>bold</b>")
    await rewrite(client, article, "<b>bold</b> <script>alert(1)</script>")

    assert "<script>alert" not in (await desk.get(f"articles/{article['id']}/history")).text


async def test_an_earlier_version_is_restored_and_both_are_kept(desk: Desk, client: Client) -> None:
    article = await create_article(client, "Limits", contentMarkdown="One.")
    await rewrite(client, article, "Two.")
    path = f"articles/{article['id']}/history"

    told = await desk.follow(await send_restoration(desk, path))

    assert "Earlier revision" in told.text
    assert ok(await client.get("/v1/articles/limits"))["contentMarkdown"] == "One."
    assert len(await all_pages(client, "/v1/articles/limits/revisions")) == 2


async def test_a_restoration_that_comes_second_changes_nothing_and_says_so(
    desk: Desk, client: Client
) -> None:
    article = await create_article(client, "Limits", contentMarkdown="One.")
    await rewrite(client, article, "Two.")
    path = f"articles/{article['id']}/history"
    page = (await desk.get(f"{path}?version=1")).text
    await rewrite(client, article, "Three.")

    answer = await desk.send(f"{path}?version=1", f"{path}/restore", **fields_of(page))

    assert answer.status_code == 409
    assert "Not restored." in answer.text
    assert ok(await client.get("/v1/articles/limits"))["contentMarkdown"] == "Three."


async def send_restoration(desk: Desk, path: str) -> Response:
    page = (await desk.get(f"{path}?version=1")).text
    return await desk.send(f"{path}?version=1", f"{path}/restore", **fields_of(page))


def fields_of(page: str) -> dict[str, str]:
    etag, revision = ETAG.search(page), REVISION.search(page)
    assert etag is not None
    assert revision is not None
    return {"etag": unescape(etag[1]), "revision": revision[1]}


async def test_translations_tell_what_the_original_changed_since(desk: Desk, client: Client) -> None:
    article = await create_article(client, "Limits", contentMarkdown="Up to 25 MB each.")
    path = f"articles/{article['id']}/translations"
    assert "one language" in (await desk.get(path)).text
    await rewrite(client, article, "Up to 50 MB each.")
    german = await translate(client, article, "Grenzen", "de")
    assert "up to date" in (await desk.get(path)).text

    await rewrite(client, article, "Up to 80 MB each.", "Up to 90 MB each.")

    assert "outdated" in (await desk.get(path)).text
    page = (await desk.get(f"{path}?show={german['id']}")).text
    assert "Up to <del>50</del><ins>90</ins> MB each." in page
    # The page of the translation shows the same languages.
    same = (await desk.get(f"articles/{german['id']}/translations?show={german['id']}")).text
    assert "Up to <del>50</del><ins>90</ins> MB each." in same


async def test_a_new_translation_begins_beside_its_original(desk: Desk, client: Client) -> None:
    article = await create_article(client, "Limits", contentMarkdown="Up to 25 MB each.")
    page = (await desk.get(f"articles/{article['id']}/translations")).text
    form = NEW_TRANSLATION.search(page)
    assert form is not None
    path, name, value = form.groups()

    editor = (await desk.visitor.get(f"{path}?{name}={value}")).text

    assert ("New translation" in editor, "Up to 25 MB each." in editor) == (True, True)
