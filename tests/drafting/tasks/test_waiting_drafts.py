"""A change is compared with pending drafts, line by line: it renews them, withdraws them or warns of them."""

from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import pairwise
from random import Random
from typing import Any

import pytest

from instep.drafting.tasks import jobs
from instep.drafting.tasks.outlook import Outlook, look_ahead
from instep.drafting.tasks.queries import TaskInput
from instep.drafting.writer import Report
from instep.platform.core.config import settings
from instep.platform.core.database import Database, Tx
from instep.platform.core.outbound.client import OutboundClient
from instep.runtime import worker_of
from tests.support.cast import Api, Cast, Client, Json, RunJobs
from tests.support.changes import DIFF, SETTINGS, get, publish, send
from tests.support.http import error
from tests.support.model_replies import ScriptedModel

LIVE = "# Queues\n\nThe setting `max_queue_n` is 10 by default.\n\nJobs wait in line.\n\nAsk us.\n"
WORDS = "Ask us, day and night."


def url(number: int) -> str:
    return f"https://git.test/acme/pull/{number}"


def value(before: str, after: str) -> str:
    """The diff of a change to one setting."""
    return (
        "diff --git a/app/c.py b/app/c.py\n--- a/app/c.py\n+++ b/app/c.py\n@@ -1,3 +1,3 @@\n"
        f" class S:\n-    max_queue_n = {before}\n+    max_queue_n = {after}\n x = 1\n"
    )


NOTHING = value("3", "3").replace("max_queue_n", "unknown_n")


async def change(client: Client, run_jobs: RunJobs, number: int, diff: str, title: str = "") -> Json:
    task = await send(client, None, title=title or f"Change {number}", url=url(number), diff=diff)
    await run_jobs()
    ended = await get(client, f"tasks/{task['id']}")
    assert ended["status"] == "completed", ended
    return ended


async def pending(client: Client) -> list[Json]:
    rows = (await get(client, "drafts"))["results"]
    return [await get(client, f"drafts/{row['id']}") for row in rows]


async def edit(client: Client, old: str, new: str) -> Json:
    """Edit the only draft, as a person would."""
    [draft] = await pending(client)
    assert old in draft["contentMarkdown"]
    body = {"contentMarkdown": draft["contentMarkdown"].replace(old, new)}
    answer = await client.patch(f"/v1/drafts/{draft['id']}", json=body)
    assert answer.status_code == 200, answer.text
    return draft


@dataclass(frozen=True)
class Case:
    """Changes (number, diff) and a person's edits (old, new) in order, and the texts then pending."""

    name: str
    steps: tuple[tuple[int | str, str], ...]
    waiting: tuple[str, ...]


def live_with(*edits: tuple[str, str]) -> str:
    text = LIVE
    for old, new in edits:
        text = text.replace(old, new)
    return text


TO_25 = (1, value("10", "25"))
EDITED = ("Ask us.", WORDS)
CASES = (
    Case("sent again", (TO_25, TO_25), (live_with(("10", "25")),)),
    Case("another value", (TO_25, (1, value("10", "30"))), (live_with(("10", "30")),)),
    Case("edited, sent again", (TO_25, EDITED, TO_25), (live_with(("10", "25"), EDITED),)),
    Case(
        "edited, another value",
        (TO_25, EDITED, (1, value("10", "30"))),
        (live_with(("10", "30"), EDITED),),
    ),
    Case(
        "edited, another value, and once more",
        (TO_25, EDITED, (1, value("10", "30")), (1, value("10", "35"))),
        (live_with(("10", "35"), EDITED),),
    ),
    Case(
        "edited in the same line",
        (TO_25, ("25 by", "25 (more than before) by"), (1, value("10", "30"))),
        (live_with(("10", "30")), live_with(("10", "25 (more than before)"))),
    ),
    Case("no longer called for", (TO_25, (1, NOTHING)), ()),
    Case("edited, no longer called for", (TO_25, EDITED, (1, NOTHING)), (live_with(("10", "25"), EDITED),)),
    Case("changed further", (TO_25, (2, value("25", "15"))), (live_with(("10", "15")),)),
    Case(
        "changed further twice",
        (TO_25, (2, value("25", "15")), (3, value("15", "12"))),
        (live_with(("10", "12")),),
    ),
    Case(
        "edited, changed further",
        (TO_25, EDITED, (2, value("25", "15"))),
        (live_with(("10", "15"), EDITED),),
    ),
    Case(
        "changed further, which is edited and sent again",
        (TO_25, (2, value("25", "15")), EDITED, (2, value("25", "16"))),
        (live_with(("10", "16"), EDITED),),
    ),
    Case(
        "edited in the line that is changed further",
        (TO_25, ("25 by", "25 (plenty) by"), (2, value("25", "15"))),
        (live_with(("10", "15 (plenty)")), live_with(("10", "25 (plenty)"))),
    ),
    Case("taken back", (TO_25, (2, value("25", "10"))), ()),
    Case("edited, taken back", (TO_25, EDITED, (2, value("25", "10"))), (live_with(EDITED),)),
    Case(
        "the first one sent again after the further one",
        (TO_25, (2, value("25", "15")), TO_25),
        (live_with(("10", "15")),),
    ),
    Case(
        "another state of the first after the further one",
        (TO_25, (2, value("25", "15")), (1, value("10", "30"))),
        (live_with(("10", "30")), live_with(("10", "15"))),
    ),
    Case(
        "the further one sent again with another value",
        (TO_25, (2, value("25", "15")), (2, value("25", "20"))),
        (live_with(("10", "20")),),
    ),
    Case(
        "the further one no longer calls for it",
        (TO_25, (2, value("25", "15")), (2, NOTHING)),
        (live_with(("10", "25")),),
    ),
    Case(
        "edited, and the further one no longer calls for it",
        (TO_25, EDITED, (2, value("25", "15")), (2, NOTHING)),
        (live_with(("10", "25"), EDITED),),
    ),
    Case(
        "both from the live value",
        (TO_25, (2, value("10", "30"))),
        (live_with(("10", "30")), live_with(("10", "25"))),
    ),
    Case(
        "another setting",
        (TO_25, (2, value("7", "8").replace("max_queue_n", "other_n"))),
        (live_with(("10", "25")),),
    ),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
async def test_changes_and_edits_leave_the_expected_drafts(
    api: Api, cast: Cast, run_jobs: RunJobs, case: Case
) -> None:
    client = api(cast.acme.write_key)
    await publish(client, "Queues", LIVE)

    for first, second in case.steps:
        if isinstance(first, int):
            await change(client, run_jobs, first, second)
        else:
            await edit(client, first, second)

    assert [row["contentMarkdown"] for row in await pending(client)] == list(case.waiting)


async def test_a_draft_that_goes_on_names_both_changes(api: Api, cast: Cast, run_jobs: RunJobs) -> None:
    client = api(cast.acme.write_key)
    await publish(client, "Queues", LIVE)
    await change(client, run_jobs, *TO_25, "Raise the queue")
    [first] = await pending(client)

    task = await change(client, run_jobs, 2, value("25", "15"), "Lower it again")

    [renewed] = await pending(client)
    assert (renewed["sourceUrl"], renewed["certainty"], task["outcome"]) == (url(2), "certain", "drafts")
    assert [row["id"] for row in task["drafts"]] == [renewed["id"]]
    assert "“Raise the queue”" in renewed["reason"]
    assert [place["excerpt"].strip() for place in renewed["evidence"]] == [
        "max_queue_n = 15",
        "max_queue_n = 25",
    ]
    assert [row["verdict"] for row in task["reviewed"]] == ["edit"]
    dismissal = (await get(client, f"drafts/{first['id']}"))["dismissal"]
    assert dismissal["replacedBy"] == renewed["id"]
    assert "“Lower it again”" in dismissal["comment"]


async def test_a_draft_that_is_taken_back_says_why_and_can_be_reopened(
    api: Api, cast: Cast, run_jobs: RunJobs
) -> None:
    client = api(cast.acme.write_key)
    await publish(client, "Queues", LIVE)
    await change(client, run_jobs, *TO_25)
    [draft] = await pending(client)

    task = await change(client, run_jobs, 2, value("25", "10"), "Back to ten")

    withdrawn = await get(client, f"drafts/{draft['id']}")
    assert (withdrawn["status"], withdrawn["dismissal"]["replacedBy"]) == ("dismissed", None)
    assert "“Back to ten”" in withdrawn["dismissal"]["comment"]
    assert (task["outcome"], "1 draft was withdrawn" in task["summary"]) == ("no_changes", True)
    assert (await client.post(f"/v1/drafts/{draft['id']}/reopen")).status_code == 200
    [reopened] = await pending(client)
    assert (reopened["id"], reopened["dismissal"]) == (draft["id"], None)


async def test_an_approval_does_not_pass_to_another_text(api: Api, cast: Cast, run_jobs: RunJobs) -> None:
    client = api(cast.acme.write_key)
    await publish(client, "Queues", LIVE)
    await change(client, run_jobs, *TO_25)
    [draft] = await pending(client)
    await client.post(f"/v1/drafts/{draft['id']}/apply", json={"when": "release"})

    await change(client, run_jobs, 2, value("25", "15"))

    [renewed] = await pending(client)
    assert renewed["approvedAt"] is None
    assert any("had approved" in warning for warning in renewed["warnings"])
    released = await client.post("/v1/releases", json={"sourceUrls": [url(1)]})
    assert released.json() == {"applied": [], "conflicts": [], "waiting": []}


async def test_a_warning_takes_an_approval_back(api: Api, cast: Cast, run_jobs: RunJobs) -> None:
    client = api(cast.acme.write_key)
    await publish(client, "Queues", LIVE)
    await change(client, run_jobs, *TO_25)
    [draft] = await pending(client)
    await client.post(f"/v1/drafts/{draft['id']}/apply", json={"when": "release"})

    await change(client, run_jobs, 1, NOTHING)

    [kept] = await pending(client)
    assert (kept["id"], kept["approvedAt"]) == (draft["id"], None)
    assert any("had approved" in warning for warning in kept["warnings"])


async def test_drafts_of_the_same_lines_warn_of_each_other(api: Api, cast: Cast, run_jobs: RunJobs) -> None:
    client = api(cast.acme.write_key)
    await publish(client, "Queues", LIVE)
    await change(client, run_jobs, *TO_25)

    await change(client, run_jobs, 2, value("10", "30"))

    newer, older = await pending(client)
    for draft, other in ((newer, older), (older, newer)):
        assert [w for w in draft["warnings"] if "the same lines" in w and other["id"] in w]


async def test_a_persons_own_proposal_stays_with_a_warning(api: Api, cast: Cast, run_jobs: RunJobs) -> None:
    client = api(cast.acme.write_key)
    article = await publish(client, "Queues", LIVE)
    body = {"contentMarkdown": live_with(("10", "25"))}
    proposed = (await client.post(f"/v1/articles/{article['id']}/drafts", json=body)).json()

    await change(client, run_jobs, 2, value("25", "15"), "Lower it")

    newer, older = await pending(client)
    assert (older["id"], newer["contentMarkdown"]) == (proposed["id"], live_with(("10", "15")))
    assert any("“Lower it”" in warning for warning in older["warnings"])


async def test_a_flag_that_is_renamed_twice_has_its_last_name(
    api: Api, cast: Cast, run_jobs: RunJobs
) -> None:
    client = api(cast.acme.write_key)
    await publish(client, "Settings", SETTINGS)
    await change(client, run_jobs, 1, DIFF)
    again = DIFF.replace("ACME_REQUEST_TIMEOUT", "ACME_HTTP_TIMEOUT").replace(
        '"ACME_TIMEOUT', '"ACME_REQUEST_TIMEOUT'
    )

    await change(client, run_jobs, 2, again)

    [draft] = await pending(client)
    assert draft["contentMarkdown"] == SETTINGS.replace("ACME_TIMEOUT", "ACME_HTTP_TIMEOUT")


async def test_a_name_that_goes_is_told_of_in_the_draft_that_says_it(
    api: Api, cast: Cast, run_jobs: RunJobs
) -> None:
    client = api(cast.acme.write_key)
    await publish(client, "Settings", SETTINGS)
    await change(client, run_jobs, 1, DIFF)
    gone = (
        "diff --git a/src/settings.py b/src/settings.py\n--- a/src/settings.py\n+++ b/src/settings.py\n"
        "@@ -1,5 +1,3 @@\n import os\n \n"
        '-TIMEOUT = int(os.environ.get("ACME_REQUEST_TIMEOUT", "30"))\n'
        '-print(os.environ["ACME_REQUEST_TIMEOUT"])\n'
        " RETRIES = 3\n"
    )

    await change(client, run_jobs, 2, gone, "Drop the timeout")

    assert all(
        "ACME_REQUEST_TIMEOUT" not in draft["contentMarkdown"]
        or any("ACME_REQUEST_TIMEOUT" in warning for warning in draft["warnings"])
        for draft in await pending(client)
    )


async def test_a_revert_leaves_what_a_person_has_edited(api: Api, cast: Cast, run_jobs: RunJobs) -> None:
    client = api(cast.acme.write_key)
    await publish(client, "Queues", LIVE)
    await change(client, run_jobs, *TO_25, "Raise the queue")
    await edit(client, *EDITED)

    await change(client, run_jobs, 2, NOTHING, 'Revert "Raise the queue"')

    [kept] = await pending(client)
    assert WORDS in kept["contentMarkdown"]
    assert any("reverts" in warning for warning in kept["warnings"])


@pytest.mark.parametrize("act", ["edit", "edit the same line", "apply", "dismiss"])
async def test_work_of_a_person_during_the_task_is_kept(
    api: Api, cast: Cast, run_jobs: RunJobs, monkeypatch: pytest.MonkeyPatch, act: str
) -> None:
    client = api(cast.acme.write_key)
    article = await publish(client, "Queues", LIVE)
    await change(client, run_jobs, *TO_25)
    [draft] = await pending(client)

    async def act_and_look(*arguments: Any) -> Outlook:
        outlook = await look_ahead(*arguments)
        if act.startswith("edit"):
            await edit(client, *(EDITED if act == "edit" else ("25 by", "25 (plenty) by")))
        else:
            await client.post(f"/v1/drafts/{draft['id']}/{act}", json={})
        return outlook

    monkeypatch.setattr(jobs, "look_ahead", act_and_look)
    await change(client, run_jobs, 2, value("25", "15"))

    texts = [row["contentMarkdown"] for row in await pending(client)]
    assert (
        texts
        == {
            "edit": [live_with(("10", "15"), EDITED)],
            "edit the same line": [live_with(("10", "15")), live_with(("10", "25 (plenty)"))],
            "apply": [live_with(("10", "15"))],
            "dismiss": [],
        }[act]
    )
    for row in await pending(client) if act == "apply" else ():
        assert (await client.post(f"/v1/drafts/{row['id']}/apply", json={})).status_code == 200
        assert (await get(client, f"articles/{article['id']}"))["contentMarkdown"] == live_with(("10", "15"))


async def test_an_edit_of_a_draft_that_has_left_names_its_successor(
    api: Api, cast: Cast, run_jobs: RunJobs
) -> None:
    client = api(cast.acme.write_key)
    await publish(client, "Queues", LIVE)
    await change(client, run_jobs, *TO_25)
    [first] = await pending(client)
    await change(client, run_jobs, 1, value("10", "30"))
    [second] = await pending(client)

    refused = await client.patch(f"/v1/drafts/{first['id']}", json={"contentMarkdown": "Mine."})

    assert error(refused) == (400, "draft_not_pending")
    assert second["id"] in refused.text


@pytest.mark.parametrize("seed", range(12))
async def test_no_word_of_a_person_is_lost_by_any_sequence(
    api: Api, cast: Cast, run_jobs: RunJobs, seed: int
) -> None:
    """Every word that a person typed stays in a pending draft or in the article, whatever the order."""
    client = api(cast.acme.write_key)
    article = await publish(client, "Queues", LIVE)
    chance, typed, now = Random(seed), list[str](), {1: "10", 2: "10", 3: "10"}
    for step in range(8):
        rows = await pending(client)
        kind = chance.choice(["change", "change", "edit", "edit", "apply"])
        if kind == "change" or not rows:
            number = chance.choice([1, 2, 3])
            before = chance.choice([now[number], *now.values()])
            now[number] = chance.choice(["10", "25", "30", "40"])
            await change(
                client, run_jobs, number, value(before, now[number]) if before != now[number] else NOTHING
            )
            continue
        row = chance.choice(rows)
        if kind == "apply":
            await client.post(f"/v1/drafts/{row['id']}/apply", json={})
            continue
        line = chance.choice([" by default.", "Jobs wait in line.", "Ask us."])
        word = f"word{step}"
        text = row["contentMarkdown"].replace(line, f"{line} {word}", 1)
        if text != row["contentMarkdown"]:
            answer = await client.patch(f"/v1/drafts/{row['id']}", json={"contentMarkdown": text})
            assert answer.status_code == 200, answer.text
            typed.append(word)

    seen = "".join(row["contentMarkdown"] for row in await pending(client))
    seen += (await get(client, f"articles/{article['id']}"))["contentMarkdown"]
    assert [word for word in typed if word not in seen] == []


async def test_changes_sent_together_are_read_in_turn_and_hold_no_worker_meanwhile(
    api: Api, cast: Cast, run_jobs: RunJobs
) -> None:
    client = api(cast.acme.write_key)
    await publish(client, "Queues", LIVE)
    values = ["10", *map(str, range(25, 54))]
    tasks = [
        await send(client, None, title=f"Change {number}", url=url(number), diff=value(*pair))
        for number, pair in enumerate(pairwise(values))
    ]

    attempts = await run_jobs()

    ended = [await get(client, f"tasks/{task['id']}") for task in tasks]
    assert {task["status"] for task in ended} == {"completed"}
    assert ended == sorted(ended, key=lambda task: task["finishedAt"])
    [draft] = await pending(client)
    assert draft["contentMarkdown"] == LIVE.replace("10", "53")
    # Each job is tried in vain at most once, and runs once.
    assert attempts < 3 * len(tasks) + 10


async def test_an_edit_that_overlaps_a_renewed_draft_is_left_out_with_a_warning(
    api: Api, cast: Cast, run_jobs: RunJobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = api(cast.acme.write_key)
    await publish(client, "Queues", LIVE)
    await change(client, run_jobs, *TO_25)
    write_drafts = jobs.write_drafts

    async def write_other_words(work: TaskInput, *arguments: Any) -> Report:
        return await write_drafts(replace(work, diff=value("10", "99")), *arguments)

    monkeypatch.setattr(jobs, "write_drafts", write_other_words)
    await change(client, run_jobs, 2, value("25", "15"))

    [draft] = await pending(client)
    assert draft["contentMarkdown"] == LIVE.replace("10", "15")
    assert any("left out" in warning for warning in draft["warnings"])


async def test_a_change_that_keeps_failing_holds_the_next_one_for_less_than_a_minute(
    api: Api, cast: Cast, run_jobs: RunJobs, owner: Tx, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = api(cast.acme.write_key)
    await publish(client, "Queues", LIVE)
    write_drafts = jobs.write_drafts

    async def fail_on_the_first(work: TaskInput, *arguments: Any) -> Report:
        if work.change_url == url(1):
            raise RuntimeError("a fault of the writer")
        return await write_drafts(work, *arguments)

    monkeypatch.setattr(jobs, "write_drafts", fail_on_the_first)
    tasks = [await send(client, None, url=url(number), diff=value("10", "25")) for number in (1, 2)]

    waited, its_job = timedelta(), "from jobs where payload->>'task' = %(id)s"
    await run_jobs()
    while wait := await owner.value(f"select run_at - now() {its_job}", id=tasks[0]["id"]):
        waited += wait
        await owner.execute(
            f"update jobs set run_at = now() where id in (select id {its_job})", id=tasks[0]["id"]
        )
        await run_jobs()

    first, second = [await get(client, f"tasks/{task['id']}") for task in tasks]
    assert (first["status"], first["error"]["code"]) == ("failed", "internal_error")
    assert (second["status"], second["outcome"]) == ("completed", "drafts")
    assert waited < timedelta(minutes=1)


async def test_a_model_reads_the_edits_of_other_changes_that_wait(
    api: Api, cast: Cast, database: Database
) -> None:
    client = api(cast.acme.write_key)
    article = await publish(client, "Queues", LIVE)
    body = {"title": "Queues of jobs", "contentMarkdown": LIVE.replace("10 by default", "20 by default")}
    assert (await client.post(f"/v1/articles/{article['id']}/drafts", json=body)).status_code == 201
    await send(client, None, title="Allow 30 in max_queue_n", url=url(1), diff=value("10", "30"))

    model = ScriptedModel('{"sections": [{"section": "A1", "reason": ""}]}', '{"edits": []}')
    await worker_of(database, OutboundClient(settings().allow_list), model).run_due()

    line = "The setting `max_queue_n` is {} by default."
    lines = ("-Queues", "+Queues of jobs", f"-{line.format(10)}", f"+{line.format(20)}")
    assert "\n".join(lines) in model.prompts[1].user
