"""A long or hostile draft is shown in part, does not slow the page down, and can be dismissed."""

import pytest

from instep.interfaces.dashboard.review import diff_lines
from instep.interfaces.dashboard.review.diff_lines import DiffLine, read_hunks
from instep.platform.core import limits
from instep.platform.text.diff import compare_now
from tests.interfaces.dashboard.conftest import Desk
from tests.support.event_loop import MAX_SECONDS, watched_loop
from tests.support.review_desk import Shelf

SWAPPED = ("b\na\n" * 8_000, "a\nb\n" * 8_000)
BLANK_LINES = ("Some text.\n", "Some text.\n" + "\n" * 60_000 + "more\n")
PARAGRAPHS = tuple("\n\n".join(f"w{n} {word}" for n in range(4_000)) for word in ("x", "y"))
WORDS = ("a b " * 15_000, "b a " * 15_000)
CODE = tuple("```c\n" + "\n".join(f"w{n} {word}" for n in range(4_000)) + "\n```\n" for word in ("x", "y"))
ITEMS = tuple("\n".join(f"- w{n} {word}" for n in range(4_000)) for word in ("x", "y"))
HOSTILE = {
    "swapped": SWAPPED,
    "blank lines": BLANK_LINES,
    "paragraphs": PARAGRAPHS,
    "words": WORDS,
    "code": CODE,
    "items": ITEMS,
}


@pytest.mark.parametrize("name", HOSTILE)
async def test_a_hostile_draft_keeps_nobody_waiting_and_can_be_dismissed(
    desk: Desk, shelf: Shelf, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    before, after = HOSTILE[name]
    draft = await shelf.edit(before=before, after=after)
    page = f"review/{draft['id']}"

    with watched_loop(monkeypatch) as longest:
        queue = await desk.get("review")
        views = [await desk.get(f"{page}{view}") for view in ("", "?view=text", "?view=sides", "/diff")]
        dismissed = await desk.send("review", f"{page}/dismiss", reason="not_needed")

    assert longest.seconds < MAX_SECONDS
    assert [answer.status_code for answer in (queue, *views)] == [200] * 5
    assert dismissed.status_code == 303
    assert await shelf.statuses() == {draft["id"]: "dismissed"}


async def test_a_hostile_conflict_keeps_nobody_waiting_and_can_be_dismissed(
    desk: Desk, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = ["\n\n".join(f"w{n} {word}" for n in range(3_000)) for word in ("x", "y", "z")]
    draft = await shelf.edit(before=texts[0], after=texts[1])
    await shelf.change(draft["articleId"], texts[2])

    with watched_loop(monkeypatch) as longest:
        shown = await desk.get("review")
        await desk.send("review", f"review/{draft['id']}/dismiss", reason="not_needed")

    assert "conflict" in shown.text
    assert shown.text.count('value="live"') == 1
    assert await shelf.statuses() == {draft["id"]: "dismissed"}
    assert longest.seconds < MAX_SECONDS


async def test_a_long_diff_is_cut_and_there_as_a_whole(desk: Desk, shelf: Shelf) -> None:
    count = limits.MAX_SHOWN_DIFF_LINES + 500
    draft = await shelf.edit(before="First.\n", after="First.\n" + "".join(f"w{n}\n" for n in range(count)))
    page = f"review/{draft['id']}"
    text, whole = [(await desk.get(f"{page}{rest}")).text for rest in ("?view=text", "/diff")]

    assert text.count("<tr data-sign") == limits.MAX_SHOWN_DIFF_LINES
    assert f"/{page}/diff" in text
    assert whole.count("\n+w") == count


async def test_the_first_blocks_of_many_are_shown_with_a_way_to_the_others(desk: Desk, shelf: Shelf) -> None:
    draft = await shelf.edit(before=PARAGRAPHS[0], after=PARAGRAPHS[1])
    text = (await desk.get("review")).text

    assert text.count("data-change ") == limits.MAX_SHOWN_BLOCKS
    assert f"/review/{draft['id']}/diff" in text


async def test_a_draft_of_more_changes_than_can_be_left_out_is_applied_as_a_whole(
    desk: Desk, shelf: Shelf
) -> None:
    lines = [f"w{n}\na\nb\nc\nd\ne\nf\ng\n" for n in range(limits.MAX_SWITCHED_HUNKS + 1)]
    draft = await shelf.edit(before="".join(lines), after="".join(lines).replace("w", "v"))
    page = f"review/{draft['id']}"

    assert "data-switch" not in (await desk.get(f"{page}?view=text&out=1")).text
    await desk.send(page, f"{page}/apply", baseVersion="1", hunks="201", out="")
    assert (await shelf.text_of(draft)).startswith("v0")


async def test_a_stranger_sees_no_diff(stranger: Desk, shelf: Shelf) -> None:
    draft = await shelf.edit()

    assert (await stranger.get(f"review/{draft['id']}/diff")).status_code == 404


def test_reading_a_diff_handles_each_line_once(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = 0

    def counted(lines: list[DiffLine]) -> tuple[DiffLine, ...]:
        nonlocal steps
        steps += len(lines)
        return tuple(lines)

    monkeypatch.setattr(diff_lines, "tuple", counted, raising=False)
    diff = compare_now(*SWAPPED, ("live", "proposed")).diff

    assert sum(len(hunk.lines) for hunk in read_hunks(diff)) == steps == diff.count("\n") - 3
