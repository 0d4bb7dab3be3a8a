"""The queue: by source, newest first, with filters, and its empty state."""

import re

from instep.platform.core import limits
from instep.platform.core.database import Tx
from tests.interfaces.dashboard.conftest import Desk
from tests.support.cast import Client
from tests.support.drafts import propose, write_article
from tests.support.review_desk import Shelf

ROW = re.compile(r'<a class="row"[^>]*><strong><bdi>([^<]*)<')
SOURCE = re.compile(r'<h3 class="source"><a[^>]*><bdi>([^<]*)<')


async def test_drafts_stand_under_their_sources_with_the_newest_first(desk: Desk, shelf: Shelf) -> None:
    await shelf.conflict()
    await shelf.gap()
    await shelf.edit("Upload limits")
    await shelf.edit("Attachments")
    text = (await desk.get("review")).text

    assert ROW.findall(text) == [
        "Attachments",
        "Upload limits",
        "Change the billing address",
        "Roles and what they may do",
    ]
    assert SOURCE.findall(text) == [
        "#482 Raise the upload limit to 50 MB",
        "Asked by visitors",
        "#479 Rename “Members” to “People”",
    ]
    assert '<ul class="rows" aria-label="Drafts">' in text
    assert "no change: 1" in text


async def test_the_queue_is_filtered_and_counts_what_a_filter_would_show(
    desk: Desk, shelf: Shelf, client: Client
) -> None:
    await shelf.conflict()
    await shelf.edit("Upload limits", certainty="likely")
    await shelf.gap()
    await propose(client, await write_article(client, "Mine"))

    async def rows(query: str) -> list[str]:
        return ROW.findall((await desk.get(f"review?{query}")).text)

    assert await rows("certainty=likely") == ["Upload limits"]
    assert await rows("conflict=yes") == ["Roles and what they may do"]
    assert await rows("kind=question") == ["Change the billing address"]
    assert await rows("kind=author") == ["Mine"]
    assert await rows("type=gap_draft") == ["Change the billing address"]
    assert len(await rows("type=nonsense")) == 4
    text = (await desk.get("review")).text
    assert re.search(r'kind=pr"><span>Pull requests</span><span class="count">2<', text)
    nothing = (await desk.get("review?certainty=likely&kind=question")).text
    assert "this filter" in nothing


async def test_a_long_queue_comes_in_pages(desk: Desk, shelf: Shelf, client: Client) -> None:
    article = await write_article(client)
    size = limits.REVIEW_QUEUE_ROWS
    ids = [(await propose(client, article, f"Text {number}.\n"))["id"] for number in range(size + 2)]
    first = (await desk.get("review")).text
    last = (await desk.get("review?page=2")).text

    assert (len(ROW.findall(first)), len(ROW.findall(last))) == (size, 2)
    assert f"{size + 2} of {size + 2}" in (await desk.get(f"review/{ids[0]}")).text
    assert len(ROW.findall((await desk.get(f"review/{ids[0]}")).text)) == 2


async def test_an_empty_queue_says_what_to_do_first(desk: Desk) -> None:
    assert f"/app/{desk.slug}/get-started" in (await desk.get("review")).text


async def test_an_emptied_queue_says_that_all_is_reviewed(desk: Desk, shelf: Shelf) -> None:
    draft = await shelf.edit()
    await desk.send(f"review/{draft['id']}", f"review/{draft['id']}/dismiss")

    assert "Everything is reviewed." in (await desk.get("review")).text


async def test_the_page_of_a_source_tells_what_was_looked_at(desk: Desk, shelf: Shelf) -> None:
    draft = await shelf.edit()
    text = (await desk.get(f"review/{draft['id']}/source")).text

    assert "It names no limit." in text


async def test_a_bundle_of_changes_stands_under_one_heading(desk: Desk, shelf: Shelf, owner: Tx) -> None:
    draft = await shelf.edit("One")
    await shelf.edit("Two", url="https://git.example.com/acme/app/pull/483", change_title="Raise it again")
    await owner.execute(
        "update tasks set bundle = 'Backfill of the last 30 days' where id = any(%(ids)s)",
        ids=list(shelf.tasks.values()),
    )
    heading = "Backfill of the last 30 days: 2 drafts of 2 changes"
    queue, source = (await desk.get("review")).text, (await desk.get(f"review/{draft['id']}/source")).text

    assert SOURCE.findall(queue) == [heading]
    assert "<bdi>#482 Raise the upload limit to 50 MB</bdi>" in queue
    assert f"<h1><bdi>{heading}</bdi></h1>" in source
    assert "<bdi>#483 Raise it again</bdi>" in source
    assert "Apply all certain (2)" in source
    await desk.send(f"review/{draft['id']}/source", f"review/{draft['id']}/apply-certain")
    assert ROW.findall((await desk.get("review")).text) == []


async def test_an_address_of_a_source_that_no_browser_may_follow_is_text(
    desk: Desk, client: Client, owner: Tx
) -> None:
    draft = await propose(client, await write_article(client))
    # Drafts from earlier versions may have any URL.
    await owner.execute(
        "update drafts set source_url = 'javascript:alert(1)' where id = %(id)s", id=draft["id"]
    )
    text = (await desk.get(f"review/{draft['id']}/source")).text

    assert "<span>javascript:alert(1)</span>" in text
    assert 'href="javascript' not in text


async def test_all_certain_drafts_of_a_source_are_applied_at_once(desk: Desk, shelf: Shelf) -> None:
    certain = [await shelf.edit(title) for title in ("One", "Two")]
    likely = await shelf.edit("Three", certainty="likely")
    other = await shelf.conflict()
    page = f"review/{certain[0]['id']}"
    answer = await desk.send(page, f"{page}/apply-certain")

    assert "Applied 2 drafts." in (await desk.follow(answer)).text
    assert await shelf.statuses() == {
        certain[0]["id"]: "applied",
        certain[1]["id"]: "applied",
        likely["id"]: "pending",
        other["id"]: "pending",
    }


async def test_a_conflict_among_the_certain_ones_stays(desk: Desk, shelf: Shelf) -> None:
    conflict = await shelf.conflict()
    page = f"review/{conflict['id']}"
    answer = await desk.send(page, f"{page}/apply-certain")

    assert "Applied 0 drafts. One more needs" in (await desk.follow(answer)).text
    assert await shelf.statuses() == {conflict["id"]: "pending"}


async def test_all_of_a_source_is_approved_for_its_release(desk: Desk, shelf: Shelf) -> None:
    draft = await shelf.edit("One")
    await shelf.edit("Two")
    page = f"review/{draft['id']}"
    await desk.send(page, f"{page}/approve-all")
    text = (await desk.get(f"{page}/source")).text

    assert "waiting for review" in text
    assert "instep release --url https://git.example.com/acme/app/pull/482" in text
