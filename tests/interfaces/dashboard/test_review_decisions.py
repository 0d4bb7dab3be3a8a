"""A reviewer's decisions on a draft, by forms alone."""

import re

import pytest

from instep.platform.core.database import Tx
from tests.interfaces.dashboard.conftest import Desk
from tests.support.cast import Client, Json
from tests.support.http import Response
from tests.support.review_desk import LIMITS, NEW_LIMITS, Shelf

WRITES = (
    *("apply", "dismiss", "reopen", "resolve", "edit", "propose"),
    *("apply-certain", "approve-all", "apply-all", "dismiss-all", "preview", "revoke-preview"),
)
SEEN = re.compile(r'name="seen" value="([^"]*)"')


async def decide(desk: Desk, draft: Json, act: str, **fields: str) -> Response:
    return await desk.send(f"review/{draft['id']}", f"review/{draft['id']}/{act}", **fields)


async def test_applying_goes_on_to_the_next_draft_and_can_be_undone(desk: Desk, shelf: Shelf) -> None:
    below, draft = await shelf.edit("Upload limits"), await shelf.edit()
    answer = await decide(desk, draft, "apply", out="", hunks="2", baseVersion="1")

    assert answer.headers["Location"] == desk.path(f"review/{below['id']}")
    page = (await desk.follow(answer)).text
    assert "Applied “Sending attachments" in page
    assert f'action="{desk.path("review/" + draft["id"] + "/reopen")}"' in page
    assert await shelf.text_of(draft) == NEW_LIMITS

    undone = await decide(desk, draft, "reopen")
    assert undone.headers["Location"] == desk.path(f"review/{draft['id']}")
    assert await shelf.text_of(draft) == LIMITS


async def test_a_change_that_is_left_out_is_not_applied(desk: Desk, shelf: Shelf) -> None:
    draft = await shelf.edit()
    page = (await desk.get(f"review/{draft['id']}?out=2")).text
    assert "Include" in page
    assert "data-left-out" in page
    await decide(desk, draft, "apply", out="2", hunks="2", baseVersion="1")

    first = LIMITS.replace("**25 MB**", "**50 MB**").replace("100 MB in all", "200 MB in all")
    assert await shelf.text_of(draft) == first


async def test_leaving_out_everything_is_refused(desk: Desk, shelf: Shelf) -> None:
    draft = await shelf.edit()
    answer = await decide(desk, draft, "apply", out="1,2", hunks="2", baseVersion="1")

    assert "dismiss the draft instead" in (await desk.follow(answer)).text
    assert await shelf.statuses() == {draft["id"]: "pending"}


async def test_a_choice_for_an_older_text_is_not_applied(desk: Desk, shelf: Shelf) -> None:
    draft = await shelf.edit()
    await shelf.change(draft["articleId"], f"{LIMITS}\nMore.\n")
    answer = await decide(desk, draft, "apply", out="2", hunks="2", baseVersion="1")

    assert "The article changed" in (await desk.follow(answer)).text
    assert await shelf.statuses() == {draft["id"]: "pending"}


async def test_a_proposal_that_somebody_changed_meanwhile_is_not_applied(
    desk: Desk, shelf: Shelf, client: Client
) -> None:
    draft = await shelf.edit()
    seen = SEEN.search((await desk.get(f"review/{draft['id']}")).text)
    assert seen
    changed = await client.patch(
        f"/v1/drafts/{draft['id']}", json={"contentMarkdown": f"Unseen.\n\n{NEW_LIMITS}"}
    )
    assert changed.status_code == 200
    for out in ("", "2"):
        answer = await decide(desk, draft, "apply", out=out, hunks="2", baseVersion="1", seen=seen[1])

        assert "changed this proposal" in (await desk.follow(answer)).text
    assert await shelf.statuses() == {draft["id"]: "pending"}


async def test_a_long_text_is_saved_and_applied_in_one_step(desk: Desk, shelf: Shelf) -> None:
    """The text is rendered in a separate process, and then the request starts over."""
    draft = await shelf.edit()
    page = f"review/{draft['id']}/edit"
    seen = SEEN.search((await desk.get(page)).text)
    assert seen is not None
    long_text = NEW_LIMITS + "\nOne more line of a long page.\n" * 3_000
    answer = await desk.send(page, page, seen=seen[1], title="Limits", content=long_text, act="apply")

    assert answer.status_code == 303
    assert await shelf.text_of(draft) == long_text


async def test_a_dismissal_keeps_its_reason(desk: Desk, shelf: Shelf, owner: Tx) -> None:
    draft = await shelf.edit()
    await decide(desk, draft, "dismiss", reason="wrong_text", comment="It is an internal name.")
    row = await owner.value(
        "select dismissal_reason || ': ' || dismissal_comment from drafts where id = %(id)s", id=draft["id"]
    )

    assert row == "wrong_text: It is an internal name."


async def test_an_approved_draft_waits_for_its_release(desk: Desk, shelf: Shelf) -> None:
    draft = await shelf.edit()
    await decide(desk, draft, "apply", when="release", out="", hunks="2", baseVersion="1")

    assert f"by {desk.user.email}" in (await desk.get(f"review/{draft['id']}")).text
    assert await shelf.text_of(draft) == LIMITS


async def test_a_proposal_is_edited_and_applied_at_once(desk: Desk, shelf: Shelf) -> None:
    draft = await shelf.edit()
    page = f"review/{draft['id']}/edit"
    seen = SEEN.search((await desk.get(page)).text)
    assert seen is not None
    await desk.send(page, page, seen=seen[1], title="Files", content="Mine.\r\n", act="apply")

    assert await shelf.text_of(draft) == "Mine.\n"


async def test_saving_an_edit_makes_nothing_live(desk: Desk, shelf: Shelf) -> None:
    draft = await shelf.edit()
    page = f"review/{draft['id']}/edit"
    seen = SEEN.search((await desk.get(page)).text)
    assert seen is not None
    answer = await desk.send(page, page, seen=seen[1], title="Files", content="Mine.\n", act="save")

    assert "Nothing is live yet." in (await desk.follow(answer)).text
    assert await shelf.text_of(draft) == LIMITS


async def test_a_text_that_is_refused_stays_in_the_form(desk: Desk, shelf: Shelf) -> None:
    draft = await shelf.edit()
    page = f"review/{draft['id']}/edit"
    seen = SEEN.search((await desk.get(page)).text)
    assert seen is not None
    nothing = await desk.send(page, page, seen=seen[1], title=" ", content="Mine.", act="apply")
    title = "Sending attachments by email"
    same = await desk.send(page, page, seen=seen[1], title=title, content=LIMITS, act="save")

    assert nothing.status_code == 400
    assert re.search(r'id="title-error">.*?<span>It is empty\.</span>', nothing.text)
    assert "Value error" not in nothing.text
    assert "Mine." in nothing.text
    assert 'role="alert"' in nothing.text
    assert same.status_code == 400
    assert "nothing to review" in same.text
    assert await shelf.statuses() == {draft["id"]: "pending"}


async def test_odd_numbers_in_a_form_apply_nothing(desk: Desk, shelf: Shelf) -> None:
    draft = await shelf.edit()
    await decide(desk, draft, "apply", out="1", hunks="1,2", baseVersion="x")

    assert await shelf.statuses() == {draft["id"]: "pending"}


async def test_the_second_of_two_who_edit_keeps_the_text(desk: Desk, editor: Desk, shelf: Shelf) -> None:
    draft = await shelf.edit()
    page = f"review/{draft['id']}/edit"
    seen = SEEN.search((await desk.get(page)).text)
    assert seen is not None
    await editor.send(page, page, seen=seen[1], title="Files", content="Theirs.\n", act="save")
    answer = await desk.send(page, page, seen=seen[1], title="Files", content="Mine & yours.\n", act="apply")

    assert answer.status_code == 409
    assert f"{editor.user.email} changed" in answer.text
    assert "Mine &amp; yours." in answer.text
    assert "Theirs." in answer.text


async def test_editor_of_a_settled_draft_learns_who_decided(desk: Desk, editor: Desk, shelf: Shelf) -> None:
    draft = await shelf.edit()
    page = f"review/{draft['id']}/edit"
    token = re.search(r'name="form-token" value="([^"]*)"', (await desk.get(page)).text)
    seen = SEEN.search((await desk.get(page)).text)
    assert seen is not None
    assert token is not None
    await decide(editor, draft, "apply", out="", hunks="2", baseVersion="1")
    fields: dict[str, str | list[str]] = {"seen": seen[1], "title": "Files", "content": "Mine.\n"}
    fields["form-token"] = token[1]
    answer = await desk.post(page, fields)

    assert answer.status_code == 409
    assert f"{editor.user.email} applied this draft at" in answer.text
    assert "Mine." in answer.text
    proposed = await desk.post(f"review/{draft['id']}/propose", fields)
    assert "separate draft" in (await desk.follow(proposed)).text


async def test_the_second_of_two_who_decide_is_told_who_was_first(
    desk: Desk, editor: Desk, shelf: Shelf
) -> None:
    draft = await shelf.edit()
    await decide(editor, draft, "apply", out="", hunks="2", baseVersion="1")
    other = await shelf.edit("Other")
    answer = await desk.send(f"review/{other['id']}", f"review/{draft['id']}/dismiss")

    assert f"Nothing was changed: {editor.user.email} already applied" in (await desk.follow(answer)).text


async def test_a_conflict_is_resolved_place_by_place(desk: Desk, shelf: Shelf) -> None:
    draft = await shelf.conflict()
    page = (await desk.get(f"review/{draft['id']}")).text
    assert page.count("Live now") == 2
    assert "Conflict 1 of 2" in page
    assert "<<<<" not in page
    fields = {"pick-1": "own", "own-1": "Each file may be up to 40 MB.\r\n", "pick-2": "proposal"}
    await decide(desk, draft, "resolve", baseVersion="2", **fields)
    text = await shelf.text_of(draft)

    assert "Each file may be up to 40 MB.\n\n## What happens then" in text
    assert "| A file | 50 MB |\n| A message | 200 MB |" in text


async def test_rows_of_a_conflict_in_the_middle_of_a_table_stand_below_its_head(
    desk: Desk, shelf: Shelf
) -> None:
    rows = [f"| Row {number} | {number} MB |\n" for number in range(1, 31)]

    def table(limits: dict[int, str]) -> str:
        changed = [
            row.replace(f"{number} MB", limits.get(number, f"{number} MB"))
            for number, row in enumerate(rows, 1)
        ]
        return "Limits:\n\n" + "".join(["| What | Limit |\n| --- | --- |\n", *changed])

    draft = await shelf.edit("Limits", table({}), table({9: "90 MB", 20: "25 MB"}))
    await shelf.change(draft["articleId"], table({9: "99 MB", 20: "30 MB"}))
    page = (await desk.get(f"review/{draft['id']}")).text
    form = page[page.index("data-conflict-form") :]

    assert form.count("Live now") == 2
    assert "<td><del>20</del><ins>30</ins> MB</td>" in form
    assert "| Row" not in re.sub(r"<textarea.*?</textarea>", "", form, flags=re.DOTALL)


async def test_an_undecided_conflict_applies_nothing_and_keeps_the_picks(desk: Desk, shelf: Shelf) -> None:
    draft = await shelf.conflict()
    answer = await decide(desk, draft, "resolve", baseVersion="2", **{"pick-1": "base"})

    assert answer.status_code == 400
    assert "each conflict" in answer.text
    assert 'name="pick-1" value="base" required checked' in answer.text
    assert await shelf.statuses() == {draft["id"]: "pending"}


async def test_picks_for_an_older_text_apply_nothing(desk: Desk, shelf: Shelf) -> None:
    draft = await shelf.conflict()
    fields = {"pick-1": "live", "pick-2": "live"}
    answer = await decide(desk, draft, "resolve", baseVersion="1", **fields)

    assert answer.status_code == 400
    assert await shelf.statuses() == {draft["id"]: "pending"}


async def test_two_titles_are_a_conflict(desk: Desk, shelf: Shelf, client: Client) -> None:
    article_id = await shelf.write("Files")
    draft = (
        await client.post(
            f"/v1/articles/{article_id}/drafts", json={"contentMarkdown": NEW_LIMITS, "title": "Uploads"}
        )
    ).json()
    await shelf.change(article_id, LIMITS, "Attachments")
    assert "The title" in (await desk.get(f"review/{draft['id']}")).text
    await decide(desk, {"id": draft["id"]}, "resolve", baseVersion="2", title="proposal")

    assert await shelf.text_of({"articleId": article_id}) == NEW_LIMITS


@pytest.mark.parametrize("act", WRITES)
async def test_viewer_decides_nothing(viewer: Desk, shelf: Shelf, act: str) -> None:
    draft = await shelf.edit()
    assert "Apply" not in (await viewer.get(f"review/{draft['id']}")).text

    answer = await viewer.send(f"review/{draft['id']}", f"review/{draft['id']}/{act}")
    assert answer.status_code == 403


@pytest.mark.parametrize("act", [*WRITES, "presence"])
async def test_a_form_of_another_site_decides_nothing(desk: Desk, shelf: Shelf, act: str) -> None:
    draft = await shelf.edit()

    assert (await desk.post(f"review/{draft['id']}/{act}", {"out": ""})).status_code == 403
    assert await shelf.statuses() == {draft["id"]: "pending"}


async def test_other_viewers_of_the_draft_are_named(desk: Desk, editor: Desk, shelf: Shelf) -> None:
    draft, other = await shelf.edit(), await shelf.edit("Other")
    assert "is viewing" not in (await decide(desk, draft, "presence")).text

    assert f"{desk.user.email} is viewing" in (await decide(editor, draft, "presence")).text
    assert "is viewing" not in (await decide(editor, other, "presence")).text
    await decide(desk, draft, "dismiss")
    answer = await editor.send(f"review/{other['id']}", f"review/{draft['id']}/presence")
    assert f"{desk.user.email} dismissed this draft just now." in answer.text
