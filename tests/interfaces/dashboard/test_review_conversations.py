"""Draft assignees, comments on drafts, and each person's inbox."""

import html
import re

from playwright.async_api import Page, expect

from instep.platform.core.database import Tx
from tests.interfaces.dashboard.conftest import Desk
from tests.interfaces.dashboard.test_review_queue_page import ROW
from tests.support.cast import Cast
from tests.support.chromium import Complaints
from tests.support.review_desk import Shelf

UNREAD = re.compile(r'/inbox"[^>]*><span>Inbox</span><span class="count">(\d+)')


async def text_of(desk: Desk, below: str) -> str:
    return html.unescape((await desk.get(below)).text)


async def unread(desk: Desk) -> int:
    count = UNREAD.search((await desk.get("review")).text)
    return int(count[1]) if count else 0


async def test_a_draft_is_assigned_filtered_and_announced_to_the_person(
    desk: Desk, editor: Desk, shelf: Shelf
) -> None:
    draft = await shelf.edit("Upload limits")
    await shelf.edit("Plans")
    path = f"review/{draft['id']}"

    after = await desk.follow(await desk.send(path, f"{path}/assign", person=editor.user.id))
    assert f"Assigned to {editor.user.email}." in html.unescape(after.text)

    assert ROW.findall((await editor.get("review?mine=yes")).text) == ["Upload limits"]
    assert ROW.findall((await editor.get("review?unassigned=yes")).text) == ["Plans"]
    assert ROW.findall((await desk.get("review?mine=yes")).text) == []
    assert await unread(editor) == 1
    assert f"{desk.user.email}</bdi> asked you to review “<bdi>Upload limits" in await text_of(
        editor, "inbox"
    )

    await desk.send(path, f"{path}/assign", person="")
    assert ROW.findall((await editor.get("review?mine=yes")).text) == []


async def test_an_edit_is_assigned_to_the_owner_of_its_article(
    desk: Desk, editor: Desk, shelf: Shelf, owner: Tx
) -> None:
    first = await shelf.edit("Upload limits")
    await owner.execute(
        "update articles set owner_id = %(person)s where id = %(id)s",
        person=editor.user.id,
        id=first["articleId"],
    )
    await desk.send(f"review/{first['id']}", f"review/{first['id']}/dismiss")
    body = {"title": "Upload limits", "contentMarkdown": "Another text."}
    await desk.send(f"review/{first['id']}", f"review/{first['id']}/propose", **body)

    assert ROW.findall((await editor.get("review?mine=yes")).text) == ["Upload limits"]


async def test_a_conversation_about_a_draft_reaches_those_who_take_part(
    desk: Desk, editor: Desk, shelf: Shelf
) -> None:
    draft = await shelf.edit("Upload limits")
    path, name = f"review/{draft['id']}", editor.user.email.partition("@")[0]

    sent = await desk.send(
        path, f"comments/{draft['id']}", body=f"@{name} Is 50 MB for all plans?", block="50 MB"
    )
    assert "<blockquote><bdi>50 MB</bdi>" in (await desk.follow(sent)).text
    assert await unread(editor) == 1

    page = await editor.get("inbox")
    [notice] = re.findall(r"inbox/(ntc_\w+)/open", page.text)
    opened = await editor.send("inbox", f"inbox/{notice}/open")
    assert opened.headers["Location"].endswith(f"{path}#comments")
    assert await unread(editor) == 0

    [thread] = set(re.findall(r'id="(cmt_\w+)"', (await editor.get(path)).text))
    await editor.send(path, f"comments/{draft['id']}", body="For all.", replyTo=thread)
    assert await unread(desk) == 1

    done = await desk.follow(await desk.send(path, f"comments/{draft['id']}/{thread}/resolve"))
    assert f"Resolved by {desk.user.email}" in html.unescape(done.text)
    await desk.send("inbox", "inbox/read")
    assert await unread(desk) == 0


async def test_author_of_a_draft_learns_its_outcome(desk: Desk, editor: Desk, shelf: Shelf) -> None:
    first = await shelf.edit("Upload limits")
    await desk.send(f"review/{first['id']}", f"review/{first['id']}/dismiss")
    body = {"title": "Upload limits", "contentMarkdown": "Another text."}
    answer = await editor.send(f"review/{first['id']}", f"review/{first['id']}/propose", **body)
    draft_id = answer.headers["Location"].rpartition("/")[2]

    await desk.send(f"review/{draft_id}", f"review/{draft_id}/dismiss", comment="We keep the old limit.")

    text = await text_of(editor, "inbox")
    assert "dismissed your draft of “<bdi>Upload limits" in text
    assert "We keep the old limit." in text


async def test_people_delete_only_their_comments(desk: Desk, editor: Desk, shelf: Shelf) -> None:
    draft = await shelf.edit("Upload limits")
    path = f"review/{draft['id']}"
    await desk.send(path, f"comments/{draft['id']}", body="<script>alert(1)</script>")
    page = await editor.get(path)
    [comment] = set(re.findall(r'id="(cmt_\w+)"', page.text))
    assert "<script>alert" not in page.text
    assert f"{comment}/delete" not in page.text

    await editor.send(path, f"comments/{draft['id']}/{comment}/delete")
    assert comment in (await desk.get(path)).text

    await desk.send(path, f"comments/{draft['id']}/{comment}/delete")
    assert comment not in (await desk.get(path)).text


async def test_the_inbox_is_each_persons_own(desk: Desk, editor: Desk, viewer: Desk, shelf: Shelf) -> None:
    draft = await shelf.edit("Upload limits")
    path = f"review/{draft['id']}"
    await desk.send(path, f"{path}/assign", person=editor.user.id)
    [notice] = re.findall(r"inbox/(ntc_\w+)/open", (await editor.get("inbox")).text)

    assert notice not in (await viewer.get("inbox")).text
    assert (await desk.send(path, f"inbox/{notice}/open")).status_code == 404
    assert await unread(editor) == 1


async def test_a_viewer_reads_comments_and_writes_none(desk: Desk, viewer: Desk, shelf: Shelf) -> None:
    draft = await shelf.edit("Upload limits")
    path = f"review/{draft['id']}"
    await desk.send(path, f"comments/{draft['id']}", body="For all plans?")

    page = await viewer.get(path)
    assert "For all plans?" in page.text
    assert "New comment" not in page.text
    token = re.search(r'name="form-token" value="([^"]+)"', page.text)
    assert token is not None
    answer = await viewer.post(f"comments/{draft['id']}", {"form-token": token[1], "body": "Me too."})
    assert answer.status_code == 403


async def test_words_that_are_selected_become_the_words_of_the_comment(
    signed_in_tab: Page, complaints: Complaints, cast: Cast, shelf: Shelf
) -> None:
    draft = await shelf.edit("Upload limits")
    page = signed_in_tab
    await page.goto(f"/app/{cast.acme.slug}/review/{draft['id']}")

    comments = page.get_by_role("region", name="Comments")
    await comments.get_by_text("Add a comment").click()
    await page.get_by_text("Larger files are refused").first.select_text()
    field = page.get_by_label("About these words")
    await expect(field).to_have_value(re.compile("Larger files are refused"))
    await page.get_by_label("New comment").fill("Is this so?")
    await page.get_by_role("button", name="Comment", exact=True).click()

    await expect(comments.locator("bdi", has_text="Is this so?")).to_be_visible()
    await expect(comments.get_by_role("blockquote")).to_contain_text("Larger files are refused")
    assert complaints.lines == []
