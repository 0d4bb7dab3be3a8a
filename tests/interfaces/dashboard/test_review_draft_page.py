"""A draft's page: what would change, why, and what stays."""

import re

from instep.interfaces.dashboard.review.proof import Fold, ProofBlock, prove_now
from instep.platform.core.database import Database, Tx
from instep.platform.core.outbound.allowed import AllowList
from instep.platform.core.outbound.client import OutboundClient
from instep.platform.llm.protocol import Model
from instep.platform.text.diff import compare_now
from instep.runtime import worker_of
from tests.interfaces.dashboard.conftest import Desk
from tests.support.cast import Cast, Client, RunJobs
from tests.support.changes import DIFF, get, publish, send, write, write_articles
from tests.support.drafts import BEFORE, propose, write_article
from tests.support.review_desk import LIMITS, NEW_LIMITS, TITLE, Shelf
from tests.support.scripted_model import Scripted


def proof(before: str, after: str) -> list[ProofBlock | Fold]:
    diff = compare_now(before, after, ("live", "proposed")).diff
    return prove_now(before, after, diff, is_unfolded=False).parts


async def test_the_page_shows_changed_words_and_their_evidence(desk: Desk, shelf: Shelf) -> None:
    draft = await shelf.edit()
    text = (await desk.get(f"review/{draft['id']}")).text

    assert "<del>25</del><ins>50</ins> MB" in text
    assert f"#482 {TITLE}" in text
    assert "config/limits.py:14" in text
    assert "MAX_UPLOAD = 50 * MB" in text
    assert re.search(r"<h1[^>]*><bdi>Sending attachments by email</bdi></h1>", text)
    assert 'aria-current="true"><strong><bdi>Sending attachments by email' in text
    assert "certain" in text


async def test_the_text_is_in_its_language_and_direction(desk: Desk, client: Client) -> None:
    article = await publish(client, "التثبيت", "نزّل البرنامج.\n", locale="ar")
    draft = await propose(client, article, "نزّل البرنامج الجديد.\n")

    page = (await desk.get(f"review/{draft['id']}")).text
    assert re.search(r'<h1[^>]* lang="ar"', page)
    assert re.search(r'<div class="prose block changed" lang="ar" dir="rtl"', page)
    assert '<tbody lang="ar">' in (await desk.get(f"review/{draft['id']}?view=text")).text


async def test_violations_of_the_style_in_new_lines_are_shown_and_fixed_in_the_draft(
    editor: Desk, client: Client, cast: Cast
) -> None:
    article = await write_article(client, text="You can log in.\n\nWait.\n")
    draft = await propose(client, article, "You can log in.\n\nSimply log in again.\n")
    style = {"terms": [{"term": "sign in", "neverSay": ["log in"]}], "avoidWords": ["simply"]}
    await client.patch("/v1/style", json=style)
    page, fix = f"review/{draft['id']}", f"review/{draft['id']}/style"

    shown = (await editor.get(page)).text
    seen = re.search(r'name="seen" value="([^"]+)"', shown)
    assert seen is not None
    await editor.follow(await editor.send(page, fix, seen="other"))
    late = await get(client, f"drafts/{draft['id']}")
    fixed = await editor.follow(await editor.send(page, fix, seen=seen[1]))

    assert re.findall(r"<li>Line (\d+), ([a-z ]+):", shown) == [("3", "avoided word"), ("3", "term")]
    assert late["contentMarkdown"].endswith("log in again.\n")
    text = (await get(client, f"drafts/{draft['id']}"))["contentMarkdown"]
    assert text == "You can log in.\n\nSimply sign in again.\n"
    assert re.findall(r"<li>Line (\d+), ([a-z ]+):", fixed.text) == [("3", "avoided word")]


async def test_a_note_shows_what_the_line_of_the_code_was_before(desk: Desk, shelf: Shelf, owner: Tx) -> None:
    draft = await shelf.edit()
    page = f"review/{draft['id']}"
    diff = """diff --git a/config/limits.py b/config/limits.py
--- a/config/limits.py
+++ b/config/limits.py
@@ -13,2 +13,3 @@
 MB = 1024 * 1024
-    MAX_UPLOAD = 25 * MB
+    MAX_UPLOAD = 50 * MB
+    MAX_MESSAGE = 200 * MB
"""
    change_task = (
        "update tasks set diff = %(diff)s where id = (select task_id from drafts where id = %(draft)s)"
    )
    await owner.execute(change_task, diff=diff, draft=draft["id"])
    text = (await desk.get(page)).text

    assert "<del>MAX_UPLOAD = 25 * MB\n</del><ins>MAX_UPLOAD = 50 * MB\n</ins>" in text
    await owner.execute(change_task, diff=diff.replace("+13,3", "+17,3"), draft=draft["id"])
    assert "MAX_UPLOAD = 25 * MB" not in (await desk.get(page)).text


async def test_every_changed_block_has_a_note_or_says_that_it_has_none(desk: Desk, shelf: Shelf) -> None:
    draft = await shelf.edit()
    text = (await desk.get(f"review/{draft['id']}")).text

    changed_blocks = text.split("data-change ")[1:]
    assert len(changed_blocks) == 2
    assert "Note 1" in changed_blocks[0]
    assert "by Instep." in changed_blocks[1]


async def test_code_in_the_reason_of_a_draft_is_shown_as_code(desk: Desk, client: Client) -> None:
    reason = "Says `RATE_LIMIT` and `<b>`; <i>the change</i> renames it."
    draft = await propose(client, await write_article(client), reason=reason)
    text = (await desk.get(f"review/{draft['id']}")).text

    assert "Says <code>RATE_LIMIT</code> and <code>&lt;b&gt;</code>; &lt;i&gt;the change&lt;/i&gt;" in text


async def test_other_drafts_of_the_article_are_links_without_their_ids(desk: Desk, client: Client) -> None:
    article = await write_article(client)
    first = await propose(client, article)
    second = await propose(client, article, BEFORE.replace("install`", "other`"))

    text = (await desk.get(f"review/{first['id']}")).text

    link = f'<a href="{desk.path("review")}/{second["id"]}">draft 1</a>'
    assert f"1 more draft of this article waits: {link}." in text
    assert f"same lines as {link}" in text


async def test_a_proposal_of_a_person_names_the_person(desk: Desk, client: Client) -> None:
    draft = await propose(client, await write_article(client))

    assert "by Acme writer." in (await desk.get(f"review/{draft['id']}")).text


async def test_blocks_that_a_person_edited_name_the_person(desk: Desk, shelf: Shelf) -> None:
    draft = await shelf.edit(before=LIMITS, after=LIMITS.replace("25 MB**", "50 MB**"))
    edited = LIMITS.replace("25 MB**", "50 MB**").replace("Larger files", "Files above that")
    edited = edited.replace("What is scanned", "Scanning").replace("You can", "Anybody can")
    page = f"review/{draft['id']}/edit"
    seen = re.findall(r'name="seen" value="([^"]*)"', (await desk.get(page)).text)[0]
    await desk.send(page, page, title="Sending attachments by email", content=edited, seen=seen, act="save")
    text = (await desk.get(f"review/{draft['id']}")).text

    first, with_note, *rest = text.split("data-change ")[1:]
    assert f"Edited by {desk.user.email}." in first
    assert "config/limits.py:14" in with_note
    assert f"Edited by {desk.user.email}." in with_note
    assert all(f"Edited by {desk.user.email}." in block for block in rest)
    assert "See note" not in text
    assert f"edited by {desk.user.email}</span>" in text
    assert "likely" not in text.split("<main")[1]


async def test_an_article_that_was_put_together_without_a_model_says_so(
    desk: Desk, client: Client, database: Database
) -> None:
    text = await page_of_written_article(desk, client, database, None)

    assert "without a model" in text
    assert "written by the model" not in text


async def test_an_article_that_a_model_wrote_names_the_model(
    desk: Desk, client: Client, database: Database
) -> None:
    reply = {"text": "Exports are made at night.", "missing": []}
    text = await page_of_written_article(desk, client, database, Scripted(lambda data: reply))

    assert "scripted:1" in text


async def page_of_written_article(desk: Desk, client: Client, database: Database, model: Model | None) -> str:
    """The page of the draft of an article written on request."""
    task = await write(client, title="Exports", instructions="Exports are made at night. They hold articles.")
    await worker_of(database, OutboundClient(AllowList()), model).run_due()
    [draft] = (await get(client, f"tasks/{task['id']}"))["drafts"]
    return (await desk.get(f"review/{draft['id']}")).text


async def test_the_views_of_the_text_mark_words_and_whole_lines_only_where_nothing_is_shared(
    desk: Desk, shelf: Shelf
) -> None:
    after = LIMITS.replace("25 MB**", "50 MB**").replace("1. It is unpacked.\n", "")
    draft = await shelf.edit(after=after)
    for view in ("text", "sides"):
        text = (await desk.get(f"review/{draft['id']}?view={view}")).text

        assert "up to **<del>25</del> MB**, and" in text
        assert "up to **<ins>50</ins> MB**, and" in text
        assert '<code class="whole"><del>1. It is unpacked.</del></code>' in text


async def test_text_and_both_sides_number_the_changes(desk: Desk, shelf: Shelf) -> None:
    draft = await shelf.edit()
    for view in ("text", "sides"):
        text = (await desk.get(f"review/{draft['id']}?view={view}")).text
        assert text.count('<h2 id="hunk-') == 2
        assert "| A file | <del>25</del> MB |" in text
        assert "| A file | <ins>50</ins> MB |" in text


async def test_customers_html_stays_text(desk: Desk, shelf: Shelf) -> None:
    hostile = "<script>alert(1)</script><img src=x onerror=alert(1)> [x](javascript:alert(1)) ![](https://a.example/x.png)"
    draft = await shelf.edit("<b>Bold</b>", after=f"{LIMITS}\n{hostile}\n")
    for view in ("page", "text", "sides"):
        text = (await desk.get(f"review/{draft['id']}?view={view}")).text
        assert "<script>alert" not in text
        assert "onerror=alert(1)>" not in text.replace("&gt;", "").replace("&lt;", "")
        assert "<b>Bold" not in text
        assert 'src="https://a.example' not in text


async def test_a_new_article_is_shown_with_the_questions_behind_it(desk: Desk, shelf: Shelf) -> None:
    text = (await desk.get(f"review/{await shelf.gap()}")).text

    assert "Where is my billing address?" in text
    assert "<li>Choose Billing.</li>" in text


async def test_a_draft_whose_place_another_took_leads_to_it(
    desk: Desk, client: Client, run_jobs: RunJobs
) -> None:
    await write_articles(client)
    await send(client)
    await run_jobs()
    [first] = (await get(client, "drafts"))["results"]
    editor = (await desk.get(f"review/{first['id']}/edit")).text
    await send(client, title="Push", diff=DIFF.replace("REQUEST_TIMEOUT", "HTTP_TIMEOUT"))
    await run_jobs()
    [second] = (await get(client, "drafts"))["results"]

    page = (await desk.get(f"review/{first['id']}")).text
    fields = dict(re.findall(r'name="(seen|form-token)" value="([^"]*)"', editor))
    form = {"title": "Settings", "content": "Mine.", **fields}
    refused = (await desk.post(f"review/{first['id']}/edit", form)).text

    for text in (page, refused):
        assert f"/review/{second['id']}" in text
        assert "A later version" in text
    assert "Mine." in refused


async def test_unchanged_blocks_are_folded_and_open(desk: Desk, shelf: Shelf) -> None:
    paragraphs = "".join(f"Paragraph {number}.\n\n" for number in range(60))
    draft = await shelf.edit("Long", f"First 1.\n\n{paragraphs}", f"First 2.\n\n{paragraphs}")
    folded = (await desk.get(f"review/{draft['id']}")).text
    unfolded = (await desk.get(f"review/{draft['id']}?unfolded=1")).text

    assert "59 unchanged blocks" in folded
    assert "Paragraph 40." not in folded
    assert "Paragraph 40." in unfolded


def test_an_item_of_a_list_and_a_row_of_a_table_change_by_themselves() -> None:
    parts = proof(LIMITS, NEW_LIMITS)
    changes = [part for part in parts if isinstance(part, ProofBlock) and part.kind == "changed"]

    assert [change.hunks for change in changes] == [(1,), (2,)]
    assert "<td><del>25</del><ins>50</ins> MB</td>" in changes[1].html


def test_directives_are_shown_by_their_titles() -> None:
    tabs = ":::tab[macOS]\nOpen it.\n\nThen wait.\n:::\n:::tab[Linux]\nRun it.\n:::\n"
    text = f"::::tabs\n{tabs}::::\n\n~~~\n:::tab\n~~~\n"
    html = "".join(part.html or "" for part in proof(text, text.replace("Run it", "Start it")))

    assert "<strong>macOS</strong>" in html
    assert re.findall(":::.*", html) == [":::tab"]


def test_a_block_that_goes_and_one_that_comes_are_told_apart() -> None:
    parts = proof("One.\n\nWhat goes away.\n\nTwo.\n", "One.\n\nTwo.\n\n- Something quite new\n")
    kinds = [part.kind for part in parts if isinstance(part, ProofBlock)]

    assert kinds == ["same", "removed", "same", "added"]


def test_a_change_of_blank_lines_alone_can_still_be_left_out() -> None:
    [*_, last] = proof("One.\n\nTwo.\n", "One.\n\n\nTwo.\n")

    assert isinstance(last, ProofBlock)
    assert (last.kind, last.hunks) == ("blank", (1,))


def test_references_of_links_work_in_every_block() -> None:
    parts = proof("See [here][a].\n\n[a]: https://a.example\n", "Look [here][a].\n\n[a]: https://a.example\n")

    assert 'href="https://a.example"' in (parts[0].html or "")


async def test_a_person_of_another_workspace_finds_nothing(stranger: Desk, shelf: Shelf) -> None:
    draft = await shelf.edit()
    for below in ("", f"/{draft['id']}", f"/{draft['id']}/source", f"/{draft['id']}/edit"):
        assert (await stranger.get(f"review{below}")).status_code == 404


async def test_a_draft_of_another_bot_is_not_found(
    desk: Desk, database: Database, owner: Tx, cast: Cast
) -> None:
    draft = await Shelf(database, owner, cast.globex).edit()

    assert (await desk.get(f"review/{draft['id']}")).status_code == 404
