"""Product versions in the dashboard: settings, an article's versions, the article list and the review."""

import re

import pytest

from instep.platform.core.database import Database, Tx
from tests.interfaces.dashboard.conftest import Desk
from tests.interfaces.dashboard.test_content_access import form_token
from tests.support.cast import Cast, Client, Company, Json, RunJobs
from tests.support.changes import SETTINGS, publish, send
from tests.support.http import create_article, created, ok
from tests.support.places import TEXT, find_places, new_place, waiting
from tests.support.site_pages import set_article

PAGE = "settings/versions"


async def three_versions(client: Client) -> None:
    for slug, branch in (("1.x", "release/1.*"), ("2.x", "main"), ("3.0", "next")):
        created(await client.post("/v1/product-versions", json={"slug": slug, "branches": [branch]}))
    ok(await client.patch("/v1/product-versions/2.x", json={"isCurrent": True}))


async def version_id(client: Client, slug: str) -> str:
    return str(ok(await client.get(f"/v1/product-versions/{slug}"))["id"])


async def standings(client: Client) -> list[tuple[str, str]]:
    rows = ok(await client.get("/v1/product-versions"))["results"]
    return [(row["name"], row["status"]) for row in rows]


async def test_versions_are_added_changed_moved_and_deleted(editor: Desk, client: Client) -> None:
    for slug in ("1.x", "2.x"):
        added = await editor.follow(
            await editor.send(PAGE, PAGE, slug=slug, name="", branches=f"release/{slug}\n\n main \n"[:14])
        )
        assert slug in added.text
    old, new = await version_id(client, "1.x"), await version_id(client, "2.x")
    assert ok(await client.get("/v1/product-versions/1.x"))["branches"] == ["release/1.x"]

    await editor.send(PAGE, f"{PAGE}/change", id=new, current="yes")
    await editor.send(PAGE, f"{PAGE}/change", id=new, slug="2.0", name="Two", branches="main")
    assert await standings(client) == [("1.x", "older"), ("Two", "current")]
    await editor.send(PAGE, f"{PAGE}/change", id=old, position="1")
    assert await standings(client) == [("Two", "current"), ("1.x", "next")]
    await editor.send(PAGE, f"{PAGE}/remove", id=old)
    assert await standings(client) == [("Two", "current")]


async def test_a_refusal_keeps_what_was_typed_and_viewers_only_read(
    editor: Desk, viewer: Desk, client: Client
) -> None:
    await three_versions(client)

    refused = await editor.send(PAGE, PAGE, slug="1.x", name="Mine", branches="elsewhere")
    seen = await viewer.get(PAGE)

    assert refused.status_code == 400
    assert 'value="Mine"' in refused.text
    assert "elsewhere</textarea>" in refused.text
    assert "Make current" not in seen.text
    assert (await editor.send(PAGE, f"{PAGE}/remove", id=await version_id(client, "2.x"))).status_code == 400


async def test_an_invalid_address_of_a_version_is_refused_on_the_page(editor: Desk) -> None:
    refused = await editor.send(PAGE, PAGE, slug="1 X", name="One", branches="")

    assert refused.status_code == 400
    assert 'value="One"' in refused.text


async def test_a_help_center_without_versions_shows_nothing_of_them(editor: Desk, client: Client) -> None:
    article = await create_article(client, "Install")

    for path in (f"articles/{article['id']}", "articles", f"articles/bulk?id={article['id']}"):
        text = (await editor.get(path)).text
        assert "From version" not in text, path
        assert 'name="version"' not in text, path


async def test_the_versions_of_an_article_are_set_and_a_refusal_changes_nothing(
    editor: Desk, client: Client
) -> None:
    await three_versions(client)
    article = await create_article(client, "Install")
    page = f"articles/{article['id']}"

    await editor.send(page, f"{page}/versions", sinceVersion="2.x", untilVersion="")
    refused = await editor.send(page, f"{page}/versions", sinceVersion="3.0", untilVersion="1.x")

    assert refused.status_code == 400
    assert 'role="alert"' in refused.text
    now = ok(await client.get(f"/v1/articles/{article['id']}"))
    assert (now["sinceVersion"], now["untilVersion"]) == ("2.x", None)
    listed = (await editor.get("articles?version=1.x")).text
    assert article["id"] not in listed
    assert article["id"] in (await editor.get("articles?version=3.0")).text


async def test_a_copy_is_made_for_the_other_versions_and_each_page_leads_to_the_other(
    editor: Desk, client: Client
) -> None:
    await three_versions(client)
    article = await create_article(client, "Install")
    page = f"articles/{article['id']}"
    offered = re.findall(r'<option value="([^"]*)"', (await editor.get(page)).text.split('name="version"')[1])

    copied = await editor.send(page, f"{page}/split", version="2.x")

    assert offered[:2] == ["2.x", "3.0"]
    copy = copied.headers["Location"].rsplit("/", 1)[1]
    assert copy in (await editor.get(page)).text
    assert article["id"] in (await editor.get(f"articles/{copy}")).text


@pytest.mark.parametrize("fields", [{}, {"allVersions": "yes"}])
async def test_a_reviewer_sees_the_version_of_a_draft_and_may_change_all(
    editor: Desk, client: Client, run_jobs: RunJobs, fields: dict[str, str]
) -> None:
    await three_versions(client)
    article = await publish(client, "Settings", SETTINGS)
    await send(client, branch="release/1.4")
    await run_jobs()
    [draft] = ok(await client.get("/v1/drafts"))["results"]
    page = f"review/{draft['id']}"
    shown = (await editor.get(page)).text

    await editor.send(page, f"{page}/apply", **fields)

    assert "for version 1.x" in shown
    assert "2.x and 3.0 keep their text" in shown
    assert "<span>for 1.x</span>" in shown
    text = ok(await client.get(f"/v1/articles/{article['id']}"))["contentMarkdown"]
    assert (text == SETTINGS) is not bool(fields)


async def test_a_reviewer_sees_the_versions_of_the_article_of_a_draft_without_a_branch(
    editor: Desk, client: Client
) -> None:
    await three_versions(client)
    article = await publish(client, "Settings", SETTINGS, sinceVersion="2.x")
    draft = created(
        await client.post(f"/v1/articles/{article['id']}/drafts", json={"contentMarkdown": "New"})
    )

    shown = (await editor.get(f"review/{draft['id']}")).text

    assert re.findall(r">From 2\.x on<", shown) == [">From 2.x on<"] * 2


async def place_for_two(
    client: Client, database: Database, company: Company, title: str = "Exports", **fields: str
) -> tuple[Json, Json]:
    """A place of a change to 2.x that also reaches 3.0, in an article that 1.x has too; and the article."""
    await three_versions(client)
    root = await publish(client, "Exports", TEXT)
    article = await publish(client, title, TEXT, translationOf=root["id"], **fields) if fields else root
    await find_places(client, database, company, new_place(article["id"]), branch="main")
    [place] = await waiting(client)
    return place, article


async def test_words_for_one_version_are_written_in_an_article_of_that_version(
    editor: Desk, client: Client, cast: Cast, database: Database
) -> None:
    place, article = await place_for_two(client, database, cast.acme)
    page = f"review/{place['id']}"
    shown = (await editor.get(page)).text

    written = await editor.send(page, f"places/{place['id']}/write")

    assert place["version"] == "2.x"
    assert "Write for 2.x and 3.0" in shown
    assert "for versions 2.x and 3.0" in shown
    assert "1.x keeps its text" in shown
    assert written.headers["Location"].endswith(f"/articles/{article['id']}/edit?place={place['id']}")
    now = ok(await client.get(f"/v1/articles/{article['id']}"))
    [older] = ok(await client.get("/v1/articles", params={"version": "1.x"}))["results"]
    assert (now["sinceVersion"], older["untilVersion"], older["contentMarkdown"]) == ("2.x", "1.x", TEXT)
    assert "Write for" not in (await editor.get(page)).text


async def count_articles(client: Client) -> int:
    return len(ok(await client.get("/v1/articles"))["results"])


async def test_a_second_press_makes_no_second_copy(
    editor: Desk, client: Client, cast: Cast, database: Database
) -> None:
    place, _ = await place_for_two(client, database, cast.acme)

    answers = [await editor.send(f"review/{place['id']}", f"places/{place['id']}/write") for _ in range(2)]

    assert answers[0].headers["Location"] == answers[1].headers["Location"]
    assert await count_articles(client) == 2


async def test_words_of_a_translation_are_written_in_the_translation_for_that_version(
    editor: Desk, client: Client, cast: Cast, database: Database
) -> None:
    place, german = await place_for_two(client, database, cast.acme, "Exporte", locale="de")

    written = await editor.send(f"review/{place['id']}", f"places/{place['id']}/write")

    assert written.headers["Location"].endswith(f"/articles/{german['id']}/edit?place={place['id']}")
    assert (await editor.follow(written)).status_code == 200
    assert ok(await client.get(f"/v1/articles/{german['id']}"))["sinceVersion"] == "2.x"
    assert await count_articles(client) == 4


@pytest.mark.parametrize(
    ("obstacle", "words"),
    [
        ("settled", "already dismissed by"),
        ("in review", "This article is in review"),
        ("elsewhere", "no longer in the version 2.x"),
    ],
)
async def test_words_for_one_version_that_cant_be_written_change_nothing(
    editor: Desk, client: Client, cast: Cast, database: Database, owner: Tx, obstacle: str, words: str
) -> None:
    place, article = await place_for_two(client, database, cast.acme)
    if obstacle == "settled":
        ok(await client.post(f"/v1/places/{place['id']}/dismiss"))
    elif obstacle == "in review":
        await set_article(owner, article, "status = 'in_review'")
    else:
        ok(await client.patch(f"/v1/articles/{article['id']}", json={"untilVersion": "1.x"}))

    refused = await editor.send(f"review/{place['id']}", f"places/{place['id']}/write")

    assert refused.headers["Location"].endswith(f"/review/{place['id']}")
    assert words in (await editor.follow(refused)).text
    assert await count_articles(client) == 1


async def test_only_editors_of_the_workspace_write_for_one_version_unless_it_is_paused(
    desk: Desk, viewer: Desk, stranger: Desk, client: Client, cast: Cast, database: Database
) -> None:
    place, _ = await place_for_two(client, database, cast.acme)
    path = f"places/{place['id']}/write"

    assert "Write for" not in (await viewer.get(f"review/{place['id']}")).text
    for person, status in ((viewer, 403), (stranger, 404)):
        token = {"form-token": await form_token(person)}
        assert (await person.post(path, token)).status_code == status
    await desk.send("settings/general", "settings/pause")
    paused = await desk.send(f"review/{place['id']}", path)
    await desk.send("settings/general", "settings/resume")

    assert paused.status_code == 402
    assert await count_articles(client) == 1
