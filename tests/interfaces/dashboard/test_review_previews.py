"""A link shows a draft, or all drafts of a source, on the help center to anyone who has the link."""

import re

from instep.platform.core.database import Tx
from tests.interfaces.dashboard.conftest import Desk
from tests.support.cast import Api, Cast, Client, Json
from tests.support.http import created, ok
from tests.support.review_desk import Shelf
from tests.support.site_pages import Page

LINK = re.compile(r'href="http://[^/]+(/preview/[^"]+)"')


async def preview_path(desk: Desk, draft: Json, of: str = "draft") -> str:
    page = f"review/{draft['id']}"
    made = await desk.follow(await desk.send(page, f"{page}/preview", of=of))
    path = LINK.search(made.text)
    assert path is not None, made.text
    return path[1]


async def test_a_draft_is_shown_on_the_site_before_it_is_live(desk: Desk, shelf: Shelf, api: Api) -> None:
    draft = await shelf.edit()
    path = await preview_path(desk, draft)
    answer = await api(None).get(path)

    assert answer.status_code == 200
    assert "<strong>50 MB</strong>" in answer.text
    assert "<strong>Preview.</strong>" in answer.text
    assert answer.headers["X-Robots-Tag"] == "noindex, nofollow"
    assert (answer.headers["Cache-Control"], answer.headers["Referrer-Policy"]) == ("no-store", "no-referrer")
    assert "ETag" not in answer.headers
    live = await api(None).get(f"/help/{desk.slug}/articles/sending-attachments-by-email")
    assert "<strong>25 MB</strong>" in live.text


async def test_a_whole_source_is_shown_and_links_stay_within_it(desk: Desk, shelf: Shelf, api: Api) -> None:
    draft = await shelf.edit("One")
    await shelf.edit("Two")
    await shelf.write("Three")
    path = await preview_path(desk, draft, "source")
    first = await api(None).get(path)
    second = await api(None).get(f"{path}/articles/two")
    third = await api(None).get(f"{path}/articles/three")

    assert f'href="{path}/articles/two"' in first.text
    assert f'href="{path}/articles/three"' in first.text
    assert "<strong>50 MB</strong>" in second.text
    assert "<strong>25 MB</strong>" in third.text
    assert "no changes" in third.text


async def test_a_preview_is_in_the_version_of_its_article_or_change(
    desk: Desk, shelf: Shelf, api: Api, client: Client, owner: Tx
) -> None:
    for slug in ("1.x", "2.x"):
        created(await client.post("/v1/product-versions", json={"slug": slug, "isCurrent": slug == "2.x"}))
    older, whole = await shelf.edit("Older"), await shelf.edit("Whole")
    for article_id in (older["articleId"], await shelf.write("Telnet")):
        ok(await client.patch(f"/v1/articles/{article_id}", json={"untilVersion": "1.x"}))
    newer = await shelf.write("Orbit")
    ok(await client.patch(f"/v1/articles/{newer}", json={"sinceVersion": "2.x"}))

    async def titles(draft: Json, below: str = "") -> set[str]:
        page = Page((await api(None).get(await preview_path(desk, draft) + below)).text)
        assert not [link for link in page.links if "/versions/" in link and "/articles/" in link]
        return {each for each in ("Version 1.x", "Version 2.x", "Telnet", "Orbit") if each in page.text}

    assert await titles(older) == {"Version 1.x", "Telnet"}
    assert await titles(older, "/articles/whole") == {"Version 2.x", "Orbit"}
    assert await titles(whole) == {"Version 2.x", "Orbit"}
    await owner.execute(
        """
        update tasks t set version_id = v.id from product_versions v
        where t.bot_id = %(bot)s and v.bot_id = t.bot_id and v.slug = '1.x'
        """,
        bot=shelf.company.bot_id,
    )
    assert await titles(whole) == {"Version 1.x", "Telnet"}


async def test_a_new_article_has_a_preview(desk: Desk, shelf: Shelf, api: Api) -> None:
    path = await preview_path(desk, {"id": await shelf.gap()})

    assert "Choose Billing." in (await api(None).get(path)).text


async def test_a_revoked_link_leads_nowhere(desk: Desk, shelf: Shelf, api: Api) -> None:
    draft = await shelf.edit()
    path = await preview_path(desk, draft)
    preview_id = path.removeprefix("/preview/").partition(".")[0]
    page = f"review/{draft['id']}"
    await desk.send(page, f"{page}/revoke-preview", preview=preview_id)

    assert (await api(None).get(path)).status_code == 404


async def test_the_audit_names_the_draft_of_a_link_that_is_gone(desk: Desk, shelf: Shelf) -> None:
    draft = await shelf.edit("Attachments")
    preview_id = (await preview_path(desk, draft, "source")).removeprefix("/preview/").partition(".")[0]
    page = f"review/{draft['id']}"
    await desk.send(page, f"{page}/revoke-preview", preview=preview_id)
    audit = (await desk.get("settings/audit?action=preview")).text

    assert ("create preview" in audit, "revoke preview" in audit) == (True, True)
    assert audit.count("<bdi>Attachments</bdi></a>") == 2
    assert preview_id not in audit


async def test_a_link_ends_after_seven_days(desk: Desk, shelf: Shelf, api: Api, owner: Tx) -> None:
    path = await preview_path(desk, await shelf.edit())
    left = await owner.value(
        "select (expires_at - created_at)::text from previews where bot_id = %(bot)s",
        bot=shelf.company.bot_id,
    )
    await owner.execute(
        "update previews set expires_at = now() where bot_id = %(bot)s", bot=shelf.company.bot_id
    )

    assert left == "7 days"
    assert (await api(None).get(path)).status_code == 404


async def test_only_a_signed_link_works(desk: Desk, shelf: Shelf, api: Api) -> None:
    path = await preview_path(desk, await shelf.edit())
    forged = path[:-1] + ("0" if path[-1] != "0" else "1")

    for wrong in (forged, path.partition(".")[0], "/preview/.", "/preview/x.y"):
        assert (await api(None).get(wrong)).status_code == 404


async def test_a_link_of_one_draft_shows_no_other(desk: Desk, shelf: Shelf, api: Api) -> None:
    path = await preview_path(desk, await shelf.edit("One"))
    await shelf.edit("Two")

    assert "<strong>25 MB</strong>" in (await api(None).get(f"{path}/articles/two")).text


async def test_another_workspace_can_revoke_no_link(
    desk: Desk, shelf: Shelf, stranger: Desk, api: Api, cast: Cast
) -> None:
    draft = await shelf.edit()
    path = await preview_path(desk, draft)
    preview_id = path.removeprefix("/preview/").partition(".")[0]
    own = stranger.visitor
    token = re.search(
        r'name="form-token" value="([^"]*)"', (await own.get(f"/app/{cast.globex.slug}/review")).text
    )
    assert token is not None
    fields: dict[str, str | list[str]] = {"form-token": token[1], "preview": preview_id}
    answer = await stranger.post(f"review/{draft['id']}/revoke-preview", fields)

    assert answer.status_code == 404
    assert (await api(None).get(path)).status_code == 200
