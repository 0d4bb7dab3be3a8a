"""Freshness in the dashboard: filters, the button, the people responsible for articles, and due articles."""

from datetime import timedelta

from playwright.async_api import Page, expect

from instep.drafting.places.schemas import PlaceSource
from instep.drafting.places.storing import store_places
from instep.platform.core.clock import utc_now
from instep.platform.core.database import Database, Tx
from tests.interfaces.dashboard.conftest import Desk
from tests.interfaces.dashboard.test_articles import titles
from tests.support.articles import acting
from tests.support.cast import Api, Cast, Client, Json
from tests.support.changes import send
from tests.support.chromium import Complaints
from tests.support.http import create_collection, created, ok
from tests.support.places import new_place
from tests.support.site_pages import publish, visit

COMMIT = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"


async def grow_old(owner: Tx, article: Json) -> None:
    await owner.execute(
        "update articles set text_changed_at = %(at)s where id = %(id)s",
        at=utc_now() - timedelta(days=181),
        id=article["id"],
    )


async def freshness(client: Client, article: Json) -> Json | None:
    row: Json | None = ok(await client.get(f"/v1/articles/{article['id']}"))["freshness"]
    return row


async def test_a_person_confirms_an_article_from_its_page_and_from_health(
    desk: Desk, client: Client, owner: Tx
) -> None:
    articles = [await publish(client, title, "Run it.") for title in ("Install", "Update")]
    for article in articles:
        await grow_old(owner, article)
    assert "stale" in (await desk.get(f"articles/{articles[0]['id']}")).text

    pages = (f"articles/{articles[0]['id']}", "health?by=due")
    for article, page, fields in zip(articles, pages, ({}, {"due": "yes"}), strict=True):
        answer = await desk.send(page, f"articles/{article['id']}/verify", **fields)
        assert answer.headers["Location"].endswith(page)
        assert await freshness(client, article) == {
            **(await freshness(client, article) or {}),
            "state": "verified",
            "verifiedBy": "person",
        }
    assert "Nothing is due" in (await desk.get("health?by=due")).text


async def test_owner_and_next_look_are_set_for_an_article_and_for_a_collection(
    desk: Desk, client: Client
) -> None:
    guides = await create_collection(client, "Guides")
    article = await publish(client, "Install", "Run it.", collectionId=guides["id"])
    page = f"collections/{guides['id']}"
    fields = {"title": "Guides", "visibility": "public", "parentId": "none", "reviewBy": "2027-01-31"}
    answer = await desk.send(page, page, owner=desk.user.email, **fields)
    assert answer.status_code == 303

    page = f"articles/{article['id']}"
    assert f"{desk.user.email}, like its collection" in (await desk.get(page)).text
    await desk.send(page, f"{page}/care", owner="", reviewBy="2026-12-31")
    shown = ok(await client.get(f"/v1/{page}"))
    assert (shown["owner"], shown["reviewBy"]) == ({"name": desk.user.email}, "2026-12-31")
    refused = await desk.send(page, f"{page}/care", owner="nobody@acme.example", reviewBy="")
    assert refused.status_code == 400
    assert ok(await client.get(f"/v1/{page}")) == shown


async def test_the_list_is_narrowed_by_state_and_owner(desk: Desk, client: Client, owner: Tx) -> None:
    old, kept = [await publish(client, title, "Run it.") for title in ("Old", "Kept")]
    await grow_old(owner, old)
    ok(await client.patch(f"/v1/articles/{kept['id']}", json={"owner": desk.user.email}))

    assert titles(await desk.get("articles?freshness=stale")) == ["Old"]
    assert titles(await desk.get("articles?freshness=verified")) == []
    assert titles(await desk.get(f"articles?owner={desk.user.email}")) == ["Kept"]
    assert titles(await desk.get("articles?owner=nobody")) == ["Old"]
    assert len(titles(await desk.get("articles?freshness=no-such-state"))) == 2


async def test_health_names_what_is_due_with_its_reason(desk: Desk, client: Client, owner: Tx) -> None:
    old, edited, _ = [await publish(client, title, "Run it.") for title in ("Old", "Edited", "New")]
    await grow_old(owner, old)
    created(await client.post(f"/v1/articles/{edited['id']}/drafts", json={"contentMarkdown": "Other."}))

    text = (await desk.get("health?by=due")).text

    assert "180 days" in text
    assert "edit is waiting" in text
    assert text.index("Old") < text.index("Edited")
    assert "New</bdi>" not in text


async def test_viewers_only_look_and_other_companies_see_nothing(
    desk: Desk, viewer: Desk, stranger: Desk, client: Client, owner: Tx
) -> None:
    article = await publish(client, "Install", "Run it.")
    await grow_old(owner, article)
    page = f"articles/{article['id']}"

    for path in (page, "health?by=due"):
        assert "Still correct" not in (await viewer.get(path)).text
        assert (await stranger.get(path)).status_code == 404
    for action in ("verify", "care"):
        assert (await viewer.send("articles", f"{page}/{action}")).status_code == 403
    assert await freshness(client, article) != {"state": "verified"}


async def test_readers_see_the_day_only_if_the_help_center_shows_it(
    desk: Desk, client: Client, api: Api, cast: Cast
) -> None:
    await publish(client, "Install", "Run it.")
    ok(await client.post("/v1/articles/install/verify"))
    address = f"{cast.acme.slug}/articles/install"
    assert "Checked on" not in (await visit(api, address)).text

    await desk.send("settings/site", "settings/site/frame", shows_checks="yes")

    assert "Checked on" in (await visit(api, address)).text
    ok(await client.patch("/v1/articles/install", json={"contentMarkdown": "Another."}))
    assert "Checked on" not in (await visit(api, address)).text


async def test_drift_shows_the_last_check_and_what_waits_by_article(
    desk: Desk, client: Client, database: Database, cast: Cast
) -> None:
    assert "No recent check" in (await desk.get("health?by=drift")).text
    body: Json = {"commit": COMMIT, "changes": [], "goneNames": [], "absentKeys": []}
    ok(await client.post("/v1/drift/checks", json=body))
    assert "Nothing that the last check found" in (await desk.get("health?by=drift")).text
    article = await publish(client, "Exports", "CSV.\n\n## Schedule exports\n\nAt night.\n")
    task = await send(client, url=None, diff=None)
    async with acting(database, cast.acme) as ctx:
        source = PlaceSource("drift", "Check against 4b825dc64", None)
        await store_places(
            ctx, task["id"], source, [new_place(article["id"], reason="`--pause` is gone.")], ()
        )

    text = (await desk.get("health?by=drift")).text

    assert COMMIT[:12] in text
    assert "<code>--pause</code> is gone." in text
    [place] = ok(await client.get("/v1/places"))["results"]
    assert f"{desk.path('review')}/{place['id']}" in text
    assert "app/export.html:2" in text


async def test_an_editor_finds_what_is_stale_and_confirms_it(
    signed_in_tab: Page,
    client: Client,
    owner: Tx,
    cast: Cast,
    development_server: str,
    complaints: Complaints,
) -> None:
    old, _ = [await publish(client, title, "Run it.") for title in ("Old", "New")]
    await grow_old(owner, old)
    tab = signed_in_tab
    await tab.goto(f"{development_server}/app/{cast.acme.slug}/articles")

    await tab.get_by_label("Freshness").select_option(label="Stale")
    await expect(tab.get_by_role("link", name="New", exact=True)).to_be_hidden()
    await tab.get_by_role("link", name="Old", exact=True).click()
    await tab.get_by_role("button", name="Still correct").click()

    await expect(tab.get_by_role("status")).to_contain_text("Verified “Old”.")
    await expect(tab.get_by_role("complementary")).to_contain_text("Verified just now")
    assert complaints.lines == []
