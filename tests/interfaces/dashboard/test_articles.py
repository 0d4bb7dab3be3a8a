"""The list of articles and an article's page: their content and their actions."""

import re
from html import unescape

import pytest

from instep.content.files.picture_sizes import HTML_VERSION
from instep.platform.core import limits
from instep.platform.core.database import Database, Tx
from tests.interfaces.dashboard.conftest import Desk
from tests.support.articles import put_into_review, save_copy, translate
from tests.support.cast import Cast, Client, Json
from tests.support.http import Response, create_article, create_collection, created, ok

TITLE = re.compile(r'<a class="title"[^>]*><bdi>([^<]*)</bdi>')
ETAG = re.compile(r'name="etag" value="([^"]*)"')
NEXT = re.compile(r'rel="next" href="/app/[^/]*/([^"]*)"')


def titles(page: Response) -> list[str]:
    assert page.status_code == 200, page.text
    return [unescape(title) for title in TITLE.findall(page.text)]


async def etag_on(desk: Desk, page: str) -> str:
    tag = ETAG.search((await desk.get(page)).text)
    assert tag is not None, "no form of the page tells what it was made for"
    return unescape(tag[1])


async def act(desk: Desk, article: Json, action: str) -> Response:
    """Press a button on the article's page."""
    page = f"articles/{article['id']}"
    return await desk.send(page, f"{page}/{action}", etag=await etag_on(desk, page))


async def publish(client: Client, article: Json) -> Json:
    return ok(await client.post(f"/v1/articles/{article['id']}/publish"))


async def test_an_empty_help_center_says_what_to_do_first(desk: Desk, viewer: Desk) -> None:
    assert "Write the first one" in (await desk.get("articles")).text
    assert "An editor" in (await viewer.get("articles")).text


async def test_the_list_shows_originals_with_their_states_newest_change_first(
    desk: Desk, client: Client, cast: Cast, database: Database
) -> None:
    first = await create_article(client, "First")
    await translate(client, first, "Erster", "de")
    second = await publish(client, await create_article(client, "Second & last"))
    await save_copy(database, cast.acme, second["id"], content="Better.")
    created(await client.post(f"/v1/articles/{second['id']}/drafts", json={"contentMarkdown": "New."}))

    page = await desk.get("articles")

    assert titles(page) == ["Second & last", "First"]
    assert "unpublished changes" in page.text
    assert "1 draft<" in page.text
    assert "Edda" in page.text
    assert titles(await desk.get("articles?locale=de")) == ["Erster"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("q=CSV", ["Exports as CSV"]),
        ("q=exports-as", ["Exports as CSV"]),
        ("q=100%25", ["100% sure"]),
        ("q=better+csv", ["Exports as CSV"]),
        ("q=better+sure", []),
        ("q=_", []),
        ("status=published", ["Exports as CSV"]),
        ("status=no-such-status", ["100% sure", "Exports as CSV"]),
        ("visibility=authenticated", ["100% sure"]),
        ("changed=yes", ["Exports as CSV"]),
        ("drafts=yes", ["Exports as CSV"]),
        ("q=nothing+like+it", []),
    ],
)
async def test_a_filter_narrows_the_list(
    desk: Desk, client: Client, cast: Cast, database: Database, query: str, expected: list[str]
) -> None:
    article = await publish(client, await create_article(client, "Exports as CSV"))
    await save_copy(database, cast.acme, article["id"], content="Better.")
    created(await client.post(f"/v1/articles/{article['id']}/drafts", json={"contentMarkdown": "New."}))
    await create_article(client, "100% sure", visibility="authenticated")

    assert titles(await desk.get(f"articles?{query}")) == expected


async def test_pages_follow_each_other_and_keep_the_filter(
    desk: Desk, client: Client, owner: Tx, cast: Cast
) -> None:
    await fill(owner, cast, limits.DASHBOARD_PAGE_ROWS + 1)
    first = await desk.get("articles?q=Article")
    address = NEXT.search(first.text)
    assert address is not None
    second = await desk.get(unescape(address[1]))

    assert len(titles(first)) == limits.DASHBOARD_PAGE_ROWS
    assert len({*titles(first), *titles(second)}) == limits.DASHBOARD_PAGE_ROWS + 1
    assert "First page" in second.text
    assert "First page" not in first.text


async def fill(owner: Tx, cast: Cast, count: int) -> None:
    """Insert thousands of articles directly: the API would be slow, and no job needs to render them."""
    await owner.execute(
        """
        insert into articles (id, workspace_id, bot_id, slug, locale, title, content_markdown, content_html,
            html_version, visibility, position, status, version, origin, author_type, author_name,
            text_changed_at, created_at, updated_at)
        select 'art_' || left(replace(gen_random_uuid()::text, '-', ''), 26), %(workspace)s, %(bot)s,
            'article-' || n, 'en', 'Article ' || n, 'Text', '<p>Text</p>', %(html)s, 'public', n, 'draft', 1,
            'create', 'person', 'Ada', now(), now(), now() + n * interval '1 microsecond'
        from generate_series(1, %(count)s) n
        """,
        workspace=cast.acme.workspace_id,
        bot=cast.acme.bot_id,
        html=HTML_VERSION,
        count=count,
    )


async def test_a_collection_lists_its_own_articles_in_the_order_of_the_help_center(
    desk: Desk, client: Client
) -> None:
    guides = await create_collection(client, "Guides")
    inner = await create_collection(client, "Inner", parentId=guides["id"])
    for title in ("One", "Two"):
        await create_article(client, title, collectionId=guides["id"])
    await create_article(client, "Deep", collectionId=inner["id"])
    await create_article(client, "Outside")

    page = await desk.get(f"articles?collection={guides['id']}")

    assert titles(page) == ["One", "Two"]
    assert "<h1>Guides</h1>" in page.text
    assert titles(await desk.get("articles?collection=none")) == ["Outside"]
    assert (await desk.get("articles?collection=nothing")).status_code == 404


async def test_an_article_moves_up_and_down_and_the_help_center_follows(desk: Desk, client: Client) -> None:
    guides = await create_collection(client, "Guides")
    articles = [
        await create_article(client, title, collectionId=guides["id"], position=0)
        for title in ("A", "B", "C")
    ]
    here = f"collection={guides['id']}"

    answer = await desk.send(f"articles?{here}", f"articles/{articles[2]['id']}/move/up", here=here)
    assert titles(await desk.follow(answer)) == ["A", "C", "B"]
    answer = await desk.send(f"articles?{here}", f"articles/{articles[0]['id']}/move/down", here=here)
    assert titles(await desk.follow(answer)) == ["C", "A", "B"]
    answer = await desk.send(f"articles?{here}", f"articles/{articles[1]['id']}/move/down", here=here)
    assert titles(await desk.follow(answer)) == ["C", "A", "B"]
    assert (await desk.send(f"articles?{here}", f"articles/{articles[1]['id']}/move/far")).status_code == 404


async def test_an_article_moves_to_another_collection(desk: Desk, client: Client) -> None:
    guides = await create_collection(client, "Guides")
    article = await create_article(client, "Install")
    page = f"articles/{article['id']}/move"

    told = await desk.follow(await desk.send(page, page, collection=guides["id"]))
    assert "Moved “Install” to Guides." in told.text
    assert ok(await client.get("/v1/articles/install"))["collectionId"] == guides["id"]
    told = await desk.follow(await desk.send(page, page, collection="none"))
    assert "no longer in" in told.text


async def test_the_page_shows_the_text_as_readers_see_it_and_nothing_from_elsewhere(
    desk: Desk, client: Client
) -> None:
    text = '# Keys\n\n**Bold** ![Map "x"](https://elsewhere.test/map.png) <script>alert(1)</script>\n'
    article = await create_article(client, "Install", contentMarkdown=text, description="The lead.")

    page = (await desk.get(f"articles/{article['id']}")).text

    assert "<strong>Bold</strong>" in page
    assert "The lead." in page
    assert "Image on elsewhere.test: Map &#34;x&#34;" in page.replace("&quot;", "&#34;")
    assert 'src="https://elsewhere.test' not in page
    assert "alert(1)" not in page


async def test_an_article_goes_live_and_comes_down_and_each_act_can_be_undone(
    desk: Desk, client: Client
) -> None:
    article = await create_article(client, "Install")

    told = await desk.follow(await act(desk, article, "publish"))
    assert "“Install” is published." in told.text
    told = await desk.follow(await act(desk, article, "archive"))
    assert "“Install” is archived." in told.text
    assert ok(await client.get("/v1/articles/install"))["status"] == "archived"
    assert f'action="{desk.path("articles/" + article["id"] + "/unpublish")}"' in told.text
    told = await desk.follow(await act(desk, article, "unpublish"))
    assert "“Install” is unpublished." in told.text
    assert ok(await client.get("/v1/articles/install"))["status"] == "draft"


async def test_article_of_the_service_in_review_is_not_archived(
    desk: Desk, cast: Cast, database: Database, client: Client
) -> None:
    await put_into_review(database, cast.acme)
    article = ok(await client.get("/v1/articles/install"))

    answer = await act(desk, article, "archive")

    assert (answer.status_code, "a published article" in answer.text) == (400, True)


async def test_stale_page_gets_409_and_changes_nothing(desk: Desk, client: Client) -> None:
    article = await create_article(client, "Install")
    page = f"articles/{article['id']}"
    etag = await etag_on(desk, page)
    ok(await client.patch(f"/v1/articles/{article['id']}", json={"contentMarkdown": "Other words."}))

    for action, outcome in (("publish", "published"), ("archive", "archived")):
        answer = await desk.send(page, f"{page}/{action}", etag=etag)
        assert answer.status_code == 409
        assert f"<strong>Not {outcome}" in answer.text
        assert "Acme writer" in answer.text
        assert "Other words." in answer.text
    assert ok(await client.get("/v1/articles/install"))["status"] == "draft"


async def test_unpublished_changes_are_shown_and_published_or_discarded(
    desk: Desk, client: Client, cast: Cast, database: Database
) -> None:
    article = await publish(client, await create_article(client, "Install"))
    path = f"articles/{article['id']}"
    await save_copy(database, cast.acme, article["id"], content="Run it twice.")

    page = (await desk.get(path)).text
    assert "Unpublished changes" in page
    assert "Edda" in page
    assert "<ins> twice</ins>" in (await desk.get(f"{path}/changes")).text
    answer = await desk.send(f"{path}/changes", f"{path}/discard", etag=await etag_on(desk, path))
    assert "unpublished changes" in (await desk.follow(answer)).text
    assert (await desk.get(f"{path}/changes")).headers["Location"] == desk.path(path)
    await save_copy(database, cast.acme, article["id"], content="Run it twice.")
    await act(desk, article, "publish")
    assert ok(await client.get("/v1/articles/install"))["contentMarkdown"] == "Run it twice."


async def test_a_deleted_article_waits_and_comes_back(desk: Desk, client: Client) -> None:
    article = await create_article(client, "Install")
    await translate(client, article, "Installieren", "de")
    page = f"articles/{article['id']}/delete"

    assert "with its translation." in (await desk.get(page)).text
    told = await desk.follow(await desk.send(page, page))
    assert "with 1 translation" in told.text
    assert f'action="{desk.path("articles/" + article["id"] + "/restore")}"' in told.text
    waiting = (await desk.get("articles/deleted")).text
    assert "29 days left" in waiting
    assert "Installieren" not in waiting
    back = await desk.send("articles/deleted", f"articles/{article['id']}/restore")
    assert "Restored “Install”" in (await desk.follow(back)).text
    assert "No deleted articles." in (await desk.get("articles/deleted")).text
    assert ok(await client.get("/v1/articles/install"))["status"] == "draft"


async def test_golden_questions_are_added_asked_and_removed(desk: Desk, client: Client) -> None:
    article = await publish(
        client,
        await create_article(client, "Export", contentMarkdown="Export invoices as CSV under Billing."),
    )
    page = f"articles/{article['id']}"

    told = await desk.follow(await desk.send(page, f"{page}/questions", question="How do I export invoices?"))
    assert "How do I export invoices?" in told.text
    await desk.send(page, f"{page}/questions", question="Which colour has the moon?")
    fields = {"question": "Where do I export?", "section": "Billing", "says": "as PDF"}
    await desk.send(page, f"{page}/questions", **fields)
    asked = (await desk.get(f"{page}?check=yes")).text
    assert "from “Billing”" in asked
    assert "with “as PDF”" in asked
    assert "not from “Billing”" in asked
    assert ">answered<" in asked
    assert ">fails<" in asked
    assert "The question is not answered." in asked
    again = await desk.send(page, f"{page}/questions", question="How do I export invoices?")
    assert "already has this" in again.text
    [first, *_] = re.findall(r"questions/(\w+)/remove", again.text)
    told = await desk.follow(await desk.send(page, f"{page}/questions/{first}/remove"))
    assert "How do I export invoices?" not in told.text
    assert (await desk.send(page, f"{page}/questions/{first}/remove")).status_code == 404


async def test_a_refused_question_stays_in_its_field(desk: Desk, client: Client) -> None:
    article = await create_article(client, "Export")
    page = f"articles/{article['id']}"
    question = "why " * limits.MAX_QUESTION_CHARACTERS

    answer = await desk.send(page, f"{page}/questions", question=question)

    assert answer.status_code == 400
    assert question in answer.text
    assert f"{limits.MAX_QUESTION_CHARACTERS} characters" in answer.text


async def test_publishing_tells_what_golden_questions_it_loses(
    desk: Desk, client: Client, cast: Cast, database: Database
) -> None:
    text = "Export invoices as CSV under Billing.\n"
    article = await publish(client, await create_article(client, "Export", contentMarkdown=text))
    page = f"articles/{article['id']}"
    await desk.send(page, f"{page}/questions", question="How do I export invoices?")
    await save_copy(database, cast.acme, article["id"], content="Ask us.")

    told = await desk.follow(await act(desk, article, "publish"))

    assert "may lose" in told.text


async def test_former_addresses_and_pending_drafts_stand_beside_the_text(desk: Desk, client: Client) -> None:
    article = await create_article(client, "Install")
    ok(await client.patch("/v1/articles/install", json={"slug": "set-up"}))
    draft = created(await client.post("/v1/articles/set-up/drafts", json={"contentMarkdown": "New."}))

    page = (await desk.get(f"articles/{article['id']}")).text

    assert "<code>set-up</code>" in page
    assert "<code>install</code>" in page
    assert f'href="{desk.path("review/" + draft["id"])}"' in page


async def test_only_public_articles_link_to_their_page(desk: Desk, client: Client) -> None:
    hidden = await create_collection(client, visibility="authenticated")
    article = await publish(client, await create_article(client, "Install"))
    page = f"articles/{article['id']}"

    assert f'href="{article["url"]}"' in (await desk.get(page)).text
    ok(await client.patch("/v1/articles/install", json={"collectionId": hidden["id"]}))
    text = (await desk.get(page)).text
    assert article["url"] not in text
    assert "like its collection" in text


async def test_a_viewer_reads_everything_and_is_offered_nothing(viewer: Desk, client: Client) -> None:
    article = await publish(client, await create_article(client, "Install"))
    for page in ("articles", f"articles/{article['id']}", f"articles/{article['id']}/history"):
        text = (await viewer.get(page)).text
        main = text[text.index("<main") : text.index("</main>")]
        assert 'method="post"' not in main
        assert "New article" not in main
        assert "Edit" not in main
