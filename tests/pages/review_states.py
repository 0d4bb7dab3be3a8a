"""Data for the review: a change with evidence, a conflict, questions, and decided drafts."""

from psycopg.types.json import Jsonb

from instep.platform.core.database import Tx
from instep.platform.core.ids import new_id
from tests.support.cast import Client, Json
from tests.support.drafts import propose, write_article
from tests.support.http import body_of
from tests.support.review_desk import EXCERPT, LIMITS, NEW_LIMITS, TITLE, URL, VERDICTS

LONG_TABLE = "| Plan | Limit |\n| --- | --- |\n" + "".join(f"| Plan {n} | {n} MB |\n" for n in range(1, 41))
LONG_CODE = "```yaml\n" + "".join(f"option-{n}: {n} MB\n" for n in range(1, 41)) + "```\n"
EXPORTS = """An export holds all that you have written, as **CSV** or **JSON**.

## What is in it

Texts, pictures and comments.

## Schedule an export

1. Open *Settings → Exports*.
2. Choose a day and an hour. The file comes by email.
"""
LABELS = (
    '<label for="pause" class="switch">Pause the scheduled export until someone resumes it</label>',
    '<p class="help">A paused export keeps its day and hour.</p>',
)
DIFF = f"""diff --git a/config/limits.py b/config/limits.py
--- a/config/limits.py
+++ b/config/limits.py
@@ -14 +14 @@
-{EXCERPT.replace("50", "25")}
+{EXCERPT}
"""


async def fill_review(owner: Tx, client: Client, slug: str) -> dict[str, str]:
    """Create the drafts; return their paths by the names used in the catalog."""
    task_id = await add_task(owner, slug)
    drafts: dict[str, Json] = {}
    for name, title in (("edit", "Sending attachments by email"), ("other", "Upload limits")):
        article = await write_article(client, title, LIMITS, live=False)
        drafts[name] = await propose(client, article, NEW_LIMITS, sourceUrl=URL)
        await give_evidence(owner, drafts[name], task_id, "certain" if name == "edit" else "likely")
    conflict = await write_article(client, "Roles and what they may do", LIMITS, live=False)
    drafts["conflict"] = await propose(client, conflict, NEW_LIMITS)
    text = LIMITS.replace("25 MB", "30 MB")
    await client.patch(f"/v1/articles/{conflict['id']}", json={"contentMarkdown": text})
    table = await write_article(client, "What each plan holds", LONG_TABLE, live=False)
    drafts["table"] = await propose(client, table, LONG_TABLE.replace("| 20 MB |", "| 25 MB |"))
    code = await write_article(client, "What to configure", LONG_CODE, live=False)
    drafts["code"] = await propose(client, code, LONG_CODE.replace(": 20 MB", ": 25 MB"))
    settled = await write_article(client, "Invoices", LIMITS, live=False)
    drafts["settled"] = await propose(client, settled, NEW_LIMITS)
    await client.post(f"/v1/drafts/{drafts['settled']['id']}/dismiss", json={"reason": "later"})
    paths = {f"review_{name}": f"/app/{slug}/review/{draft['id']}" for name, draft in drafts.items()}
    exports = await write_article(client, "Export your data", EXPORTS, live=False)
    for status in ("open", "resolved"):
        place_id = await add_place(owner, exports["id"], task_id, status)
        paths[f"review_place_{status}"] = f"/app/{slug}/review/{place_id}"
        paths[f"write_{status}"] = f"/app/{slug}/articles/{exports['id']}/edit?place={place_id}"
    return paths


THREAD = (
    "It is the same for every plan.",
    "See https://example.com/plans",
    "W" * 120,
    "Then say so.\n\nOnce.",
)


async def comment_on_drafts(owner: Tx, client: Client, paths: dict[str, str]) -> None:
    """Add a long thread with an edited comment by Anna, a resolved one, and versions of another draft."""
    draft_id = paths["review_edit"].rpartition("/")[2]

    async def comment(body: str, **fields: str) -> str:
        answer = await client.post(f"/v1/comments?subject={draft_id}", json={"body": body, **fields})
        return str(body_of(answer)["id"])

    first = await comment("@anna Which plan is it about?", block="Each file may be up to 50 MB")
    replies = [await comment(body, replyTo=first) for body in THREAD]
    await client.patch(f"/v1/comments/{replies[0]}", json={"body": "It is the same for all plans."})
    await owner.execute(
        """
        update comments set author_type = 'person', author_id = p.id, author_name = p.email
        from people p where p.email = 'anna@nordwind.example' and comments.id = %(id)s
        """,
        id=replies[0],
    )
    await client.post(f"/v1/comments/{await comment('Is it live?')}/resolve")
    other = paths["review_other"].rpartition("/")[2]
    for number in (60, 50):
        text = NEW_LIMITS.replace("50 MB", f"{number} MB")
        await client.patch(f"/v1/drafts/{other}", json={"contentMarkdown": text + f"\nUp to {number}.\n"})


async def add_task(owner: Tx, slug: str) -> str:
    task_id = new_id("task")
    await owner.execute(
        """
        insert into tasks (id, workspace_id, bot_id, type, status, change_kind, change_title, change_url,
            outcome, summary, reviewed, created_at, started_at, finished_at, diff)
        select %(id)s, workspace_id, id, 'document_change', 'completed', 'pr', %(title)s, %(url)s,
            'drafts', 'Done.', %(reviewed)s, now(), now(), now(), %(diff)s
        from bots where slug = %(slug)s
        """,
        id=task_id,
        title=TITLE,
        url=URL,
        reviewed=Jsonb(VERDICTS),
        slug=slug,
        diff=DIFF,
    )
    return task_id


async def add_place(owner: Tx, article_id: str, task_id: str, status: str) -> str:
    place_id = new_id("plc")
    place = {"file": "web/templates/exports/schedule_export_of_a_project.html", "article_line": 9}
    await owner.execute(
        """
        insert into places (id, workspace_id, bot_id, article_id, task_id, status, heading, line, reason,
            evidence, statement, source_kind, source_title, source_url, settled_by_name, settled_at,
            created_at, updated_at)
        select %(id)s, workspace_id, bot_id, id, %(task)s, %(status)s, 'Schedule an export', 9,
            'The change adds “Pause the scheduled export” to a page that this section is about.',
            %(evidence)s, '{"key": "pause", "summary": "Words"}', 'pr', %(title)s, %(url)s,
            case when %(status)s <> 'open' then 'olga@nordwind.example' end,
            case when %(status)s <> 'open' then now() end, now(), now()
        from articles where id = %(article)s
        """,
        id=place_id,
        article=article_id,
        task=task_id,
        status=status,
        evidence=Jsonb(
            [
                {**place, "start_line": number, "end_line": number, "excerpt": line}
                for number, line in enumerate(LABELS, 14)
            ]
        ),
        title=TITLE,
        url=URL,
    )
    return place_id


async def give_evidence(owner: Tx, draft: Json, task_id: str, certainty: str) -> None:
    evidence = {"file": "config/limits.py", "start_line": 14, "end_line": 14, "excerpt": EXCERPT}
    await owner.execute(
        """
        update drafts set task_id = %(task)s, certainty = %(certainty)s, evidence = %(evidence)s,
            author_type = 'task', author_name = 'Instep', reason = 'The limit is raised in the code.'
        where id = %(id)s
        """,
        id=draft["id"],
        task=task_id,
        certainty=certainty,
        evidence=Jsonb([{**evidence, "article_line": 5}]),
    )
