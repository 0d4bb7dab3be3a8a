"""Data for the stage's running help center: tasks in every state, questions, conversations, files."""

from psycopg.types.json import Jsonb

from instep.platform.core.clock import utc_now
from instep.platform.core.database import Tx
from instep.platform.core.ids import new_id
from instep.platform.identity.schemas import Actor, Bot, Ctx
from instep.transfer.imports.report_forms import as_stored
from instep.transfer.imports.schemas import ImportReport, OutcomeCounts
from instep.transfer.imports.tree.schemas import ImportedCollection
from instep.visitors.insights.actions import log_unanswered
from instep.visitors.insights.schemas import Nearest
from tests.support.cast import Client, Json
from tests.support.file_samples import picture
from tests.support.http import created
from tests.support.import_sources import SOURCE, page, planned, tree
from tests.support.uploads import show_in_article, upload

TASKS = (
    ("Raise the upload limit to 50 MB (#482)", "completed", "drafts"),
    ("Rename “Members” to “People” in the whole product, its e-mails and its API (#479)", "running", None),
    ("Upgrade the linter", "completed", "no_changes"),
    ("Delete projects after a month", "failed", None),
    ("Let owners export everything", "queued", None),
)
DIFF = """\
diff --git a/config/limits.py b/config/limits.py
--- a/config/limits.py
+++ b/config/limits.py
@@ -12,2 +12,2 @@
-MAX_UPLOAD = 25 * MB
+MAX_UPLOAD = 50 * MB
 MAX_NAME = 200
"""


async def run(owner: Tx, client: Client) -> dict[str, str]:
    """Fill this client's help center; return the parts of page paths that differ between runs."""
    tasks = await fill_tasks(owner, client)
    paths = {f"task-{status}": task_id for status, task_id in tasks.items()}
    paths["question"] = await fill_questions(owner)
    await fill_files(client)
    await fill_visits(owner)
    paths |= await fill_imports(owner)
    paths["conversation"] = await fill_conversations(owner)
    return paths


async def fill_imports(owner: Tx) -> dict[str, str]:
    """Create an import in each state; return their ids by state."""
    collections = (ImportedCollection("guides", "Guides"), ImportedCollection("deep", "Deeper", "guides"))
    pages = (
        page(
            "guides/install-the-agent-on-a-machine-without-a-screen.md", "[a](use.md)\n", collection="guides"
        ),
        page("guides/use.md", "![The window](img/window.svg) [b](gone.md)\n", collection="deep"),
    )
    report = planned(tree(*pages, collections=collections)).report
    unchanged = ImportReport("plain", SOURCE, pages=OutcomeCounts(total=12, unchanged=12))
    reports = {"completed": report, "ready": report, "importing": report, "unchanged": unchanged}
    ids: dict[str, str] = {}
    for name in ("failed", "completed", "unchanged", "ready", "importing", "reading"):
        ids[f"import-{name}"] = new_id("imp")
        await owner.execute(
            """
            insert into imports (id, workspace_id, bot_id, name, format, source, state, report, done, total,
                error, author_type, author_name, created_at, updated_at)
            select %(id)s, workspace_id, id, 'handbook-2026-11-22.zip', 'plain', 'plain:handbook', %(state)s,
                %(report)s, 120, 480, %(error)s, 'person', 'anna@nordwind.example', now(), now()
            from bots where slug = 'nordwind'
            """,
            id=ids[f"import-{name}"],
            state="ready" if name == "unchanged" else name,
            report=Jsonb(as_stored(reports[name])) if name in reports else None,
            error="“export.zip” is not a valid ZIP archive: create it again and send all of it."
            if name == "failed"
            else None,
        )
    return ids


async def fill_tasks(owner: Tx, client: Client) -> dict[str, str]:
    """Create a task in each state; return their ids by status."""
    ids: dict[str, str] = {}
    for title, status, outcome in reversed(TASKS):
        change = {"kind": "pr", "title": title, "url": "https://git.example.com/acme/pull/482", "diff": DIFF}
        task = (await client.post("/v1/tasks", json={"change": change})).json()
        ids[status if outcome != "no_changes" else "unchanged"] = task["id"]
        await owner.execute(
            """
            update tasks set status = %(status)s, outcome = %(outcome)s,
              summary = case %(status)s when 'running' then 'Reading the change, and the articles.'
                when 'completed' then 'Two articles name the limit that changed.' end,
              error_code = case %(status)s when 'failed' then 'too_expensive' end,
              error_message = case %(status)s when 'failed' then
                'The task took too long or too much memory to read: send a smaller one.' end,
              finished_at = case when %(status)s in ('completed', 'failed') then created_at end
            where id = %(id)s
            """,
            id=task["id"],
            status=status,
            outcome=outcome,
        )
    await settle_task(owner, client, ids["completed"])
    return ids


async def settle_task(owner: Tx, client: Client, task_id: str) -> None:
    """Give a task two drafts, an article that needs writing, and articles without changes."""
    articles = (await client.get("/v1/articles?page_size=6")).json()["results"]
    verdicts = ["edit", "edit", "concerned", "no_edit", "no_edit", "no_edit"]
    reasons = {
        "edit": "The same value is named here as “25 MB”.",
        "concerned": "The limit for one message is new, and no article tells it yet.",
        "no_edit": "It shares few words with the change, and names nothing that it touches.",
    }
    for article, verdict in zip(articles, verdicts, strict=True):
        evidence = (
            '{"file": "config/limits.py", "start_line": 14, "end_line": 15, "article_line": null, '
            '"excerpt": "MAX_UPLOAD = 50 * MB\\nMAX_MESSAGE = 200 * MB"}'
        )
        await owner.execute(
            """
            update tasks set reviewed = reviewed || jsonb_build_array(jsonb_build_object('article_id',
              %(article)s::text, 'title', %(title)s::text, 'verdict', %(verdict)s::text, 'reason',
              %(reason)s::text, 'heading', 'How large a file may be', 'evidence',
              case when %(verdict)s::text = 'concerned' then jsonb_build_array(%(evidence)s::jsonb)
              else '[]' end))
            where id = %(id)s
            """,
            id=task_id,
            article=article["id"],
            title=article["title"],
            verdict=verdict,
            reason=reasons[verdict],
            evidence=evidence,
        )
        if verdict == "edit":
            draft = await propose(client, article)
            await owner.execute(
                "update drafts set task_id = %(task)s where id = %(id)s", task=task_id, id=draft
            )


async def propose(client: Client, article: Json) -> str:
    text = (await client.get(f"/v1/articles/{article['id']}")).json()["contentMarkdown"]
    body = {"contentMarkdown": f"{text}\nOne file may be up to 50 MB.\n", "reason": "The limit is higher."}
    draft_id: str = created(await client.post(f"/v1/articles/{article['id']}/drafts", json=body))["id"]
    return draft_id


QUESTIONS: tuple[tuple[str, str, tuple[str, ...], list[str]], ...] = (
    ("How do I change the billing address?", "en", ("ann", "bob", "cy", "dora"), ["Change invoice address"]),
    (
        "Is there an app for telephones that also works without a connection, say on a train?",
        "en",
        ("ann",),
        [],
    ),
    ("Where is the billing address?", "en", ("bob",), []),
    ("Wie lade ich mein Team ein?", "de", ("eva", "fritz"), []),
)


async def fill_questions(owner: Tx) -> str:
    """Create unanswered questions, one with a draft and one dismissed; return the first one's id."""
    bot = await find_bot_by_slug(owner)
    owner.workspace_id = bot.workspace_id
    ctx = Ctx(owner, bot, Actor("visitor", "Visitor", can_write=False), utc_now())
    nearest = await owner.value(
        "select array_agg(id order by slug) from articles where bot_id = %(bot)s and locale = 'en'",
        bot=bot.id,
    )
    ids: list[str] = []
    for question, locale, visitors, others in QUESTIONS:
        for visitor in visitors:
            articles = [Nearest(article_id, 3.0) for article_id in nearest[:2]]
            ids.append(await log_unanswered(ctx, question, visitor, locale, articles))
        await owner.execute(
            "update unanswered_questions set examples = examples || %(others)s::text[] where id = %(id)s",
            others=others,
            id=ids[-1],
        )
    await owner.execute(
        "update unanswered_questions set draft_id = (select min(id) from drafts), drafted_at = now() "
        "where id = %(id)s",
        id=ids[-1],
    )
    return ids[0]


async def find_bot_by_slug(owner: Tx, slug: str = "nordwind") -> Bot:
    return await owner.fetch_one(
        Bot, "select id, workspace_id, slug, name, locale from bots where slug = %(slug)s", slug=slug
    )


ANSWER = """\
You can change your password at any time [1].

1. Open **Settings**, then choose *Security*.
2. Choose `Reset password` [2].
"""


async def fill_conversations(owner: Tx) -> str:
    """Create two conversations, one of which waits for a person; return the id of that one."""
    bot = await find_bot_by_slug(owner)
    await owner.execute(
        """
        insert into conversations (id, workspace_id, bot_id, visitor_hash, locale, page_url, status, email,
            message, created_at, escalated_at)
        values
          ('conv_pricing', %(workspace)s, %(bot)s, 'a', 'en', 'https://nordwind.example/pricing', 'escalated',
            'ann@example.com', 'The invoice shows another address than mine.', now(), now()),
          ('conv_other', %(workspace)s, %(bot)s, 'b', 'de', null, 'open', null, null, now(), null)
        """,
        workspace=bot.workspace_id,
        bot=bot.id,
    )
    await owner.execute(
        """
        insert into messages (id, workspace_id, bot_id, conversation_id, question, answer, answered,
            confidence, sources, model, helpful, comment, judged_at, created_at)
        select 'msg_' || place, %(workspace)s, %(bot)s,
            case when place = 3 then 'conv_other' else 'conv_pricing' end,
            case when place = 1 then 'How do I change my password?' else 'Where is my billing address?' end,
            case when place = 1 then %(answer)s else 'I found no answer to this in our articles.' end,
            place = 1, case when place = 1 then 0.93 else 0.2 end,
            (select jsonb_agg(jsonb_build_object('article_id', id, 'heading', 'Before you begin'))
              from (select id from articles where bot_id = %(bot)s order by slug limit 2) a),
            null, case when place = 1 then false end, case when place = 1 then 'The menu is gone.' end,
            case when place = 1 then now() end, now()
        from generate_series(1, 3) as place
        """,
        workspace=bot.workspace_id,
        bot=bot.id,
        answer=ANSWER,
    )
    await owner.execute(
        """
        insert into leads (id, workspace_id, bot_id, conversation_id, email, name, message, created_at,
            done_at, done_by_name)
        values ('lead_1', %(workspace)s, %(bot)s, 'conv_pricing', 'ann@example.com', 'Ann Example',
            'Please call me about the invoice.', now(), null, null),
          ('lead_2', %(workspace)s, %(bot)s, null, 'bob@example.com', null, null, now(), null, null),
          ('lead_3', %(workspace)s, %(bot)s, null, 'eve@example.com', null, 'Thank you.', now(), now(),
            'ida@nordwind.example')
        """,
        workspace=bot.workspace_id,
        bot=bot.id,
    )
    await owner.execute(
        """
        insert into article_feedback (id, workspace_id, bot_id, article_id, helpful, reason, comment,
            created_at, given_at)
        select 'fb_' || n, a.workspace_id, a.bot_id, a.id, n = 4, (array['outdated', 'wrong'])[n],
            (array['The menu is called Team now.'])[n], now(), now()
        from articles a, generate_series(1, 4) n where a.bot_id = %(bot)s and a.slug = 'what-instep-is'
        """,
        bot=bot.id,
    )
    return "conv_pricing"


async def fill_files(client: Client) -> None:
    """Upload a picture that an article shows, an unused one, and a download."""
    shown = await upload(client, picture(width=1280, height=720, shade=40), "dashboard-in-the-evening.png")
    await upload(client, picture(width=400, height=600), "portrait.png")
    await upload(client, b"name,size\nred,5\n", "a-name-that-is-longer-than-a-telephone-is-wide-2026-11.csv")
    await show_in_article(client, shown, "What the dashboard looks like", description="A picture of it.")


async def fill_visits(owner: Tx) -> None:
    """Insert views and searches of recent days, in varying numbers."""
    await owner.execute(
        """
        insert into article_views (workspace_id, bot_id, article_id, day, views)
        select workspace_id, bot_id, id, current_date - ago, 1 + (ago * 7 + length(title)) % 23
        from articles, generate_series(0, 40, 2) as ago where status = 'published'
        """
    )
    for query, searches, empty_searches in (("invite people", 41, 0), ("dark mode", 17, 17), ("", 3, 1)):
        await owner.execute(
            """
            insert into search_counts (workspace_id, bot_id, day, query, searches, empty_searches)
            select workspace_id, id, current_date, %(query)s, %(searches)s, %(empty)s
            from bots where slug = 'nordwind'
            """,
            query=query,
            searches=searches,
            empty=empty_searches,
        )
