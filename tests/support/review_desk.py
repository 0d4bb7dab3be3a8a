"""The review queue in tests of its pages: a change with evidence, questions, and a conflict."""

from dataclasses import dataclass, field

from psycopg.types.json import Jsonb

from instep.content.articles.actions import create_article, publish_article
from instep.content.articles.body_schemas import ArticleCreate
from instep.content.articles.schemas import TextSource
from instep.content.articles.texts import find_article, replace_text
from instep.drafting.drafts.actions import queue_gap_draft
from instep.drafting.drafts.proposals import EditProposal, NewArticle
from instep.drafting.drafts.renewing import queue_edit_of_task
from instep.drafting.drafts.schemas import Certainty, EvidenceOut
from instep.platform.core.database import Database, Tx
from instep.platform.core.ids import new_id
from tests.support.articles import acting
from tests.support.cast import Company, Json

URL = "https://git.example.com/acme/app/pull/482"
TITLE = "Raise the upload limit to 50 MB"
EXCERPT = "MAX_UPLOAD = 50 * MB"
LIMITS = """You can attach files to any message, from the composer or by forwarding an email.

## How large a file may be

Each file may be up to **25 MB**, and one message may carry 100 MB in all. Larger files are refused.

## What happens then

Images are shown in the message itself. Everything else appears as a link below it.

## What is scanned

Every file is scanned before anyone can open it.

1. It is unpacked.
2. It is scanned.

## Other limits

| What | Limit |
| --- | --- |
| A file | 25 MB |
| A message | 100 MB |
"""
NEW_LIMITS = LIMITS.replace("25 MB", "50 MB").replace("100 MB", "200 MB")
VERDICTS = [
    {
        "article_id": "art_1",
        "title": "Invite your team",
        "verdict": "no_edit",
        "reason": "It names no limit.",
    },
    {
        "article_id": "art_2",
        "title": "Plans",
        "verdict": "concerned",
        "reason": "It lists limits, but not this one.",
        "heading": "What each plan holds",
        "evidence": [],
    },
]


@dataclass
class Shelf:
    """Creates a bot's articles and drafts without the API."""

    database: Database
    owner: Tx
    company: Company
    tasks: dict[str, str] = field(default_factory=dict)

    async def write(self, title: str, text: str = LIMITS) -> str:
        """Publish an article and return its id."""
        async with acting(self.database, self.company) as ctx:
            article = await create_article(
                ctx, ArticleCreate.model_validate({"title": title, "contentMarkdown": text})
            )
            await publish_article(ctx, article.id)
        return article.id

    async def change(self, article_id: str, text: str, title: str | None = None) -> None:
        """Replace the live text of an article."""
        async with acting(self.database, self.company) as ctx:
            article = await find_article(ctx, article_id, lock=True)
            await replace_text(ctx, article, title or article.title, text, TextSource("update"))

    async def task(self, url: str = URL, title: str = TITLE) -> str:
        if url not in self.tasks:
            task_id = new_id("task")
            await self.owner.execute(
                """
                insert into tasks (id, workspace_id, bot_id, type, status, change_kind, change_title,
                    change_url, outcome, summary, reviewed, created_at, started_at, finished_at, diff)
                values (%(id)s, %(workspace)s, %(bot)s, 'document_change', 'completed', 'pr', %(title)s,
                    %(url)s, 'drafts', 'Done.', %(reviewed)s, now(), now(), now(), '')
                """,
                id=task_id,
                workspace=self.company.workspace_id,
                bot=self.company.bot_id,
                title=title,
                url=url,
                reviewed=Jsonb(VERDICTS),
            )
            self.tasks[url] = task_id
        return self.tasks[url]

    async def edit(
        self,
        title: str = "Sending attachments by email",
        before: str = LIMITS,
        after: str = NEW_LIMITS,
        *,
        certainty: Certainty = "certain",
        url: str = URL,
        change_title: str = TITLE,
    ) -> Json:
        """Create a task's draft with evidence; return its id and its article's id."""
        article_id = await self.write(title, before)
        task_id = await self.task(url, change_title)
        async with acting(self.database, self.company, "Instep") as ctx:
            proposal = EditProposal(
                content=after,
                base_version=1,
                base_title=title,
                base_content=before,
                reason="The limit is raised in the code.",
                source_url=url,
                task_id=task_id,
                evidence=(
                    EvidenceOut(
                        file="config/limits.py", start_line=14, end_line=14, excerpt=EXCERPT, article_line=5
                    ),
                ),
                warnings=(),
                certainty=certainty,
            )
            await queue_edit_of_task(ctx, article_id, proposal)
        draft_id: str = await self.owner.value(
            "select id from drafts where article_id = %(id)s", id=article_id
        )
        return {"id": draft_id, "articleId": article_id}

    async def gap(self) -> str:
        async with acting(self.database, self.company, "Instep") as ctx:
            questions = ("How do I change the billing address?", "Where is my billing address?")
            text = "You can change it at any time.\n\n1. Open the settings.\n2. Choose Billing.\n"
            new = NewArticle(title="Change the billing address", content=text, questions=questions)
            return await queue_gap_draft(ctx, new)

    async def conflict(self, title: str = "Roles and what they may do") -> Json:
        draft = await self.edit(
            title, url=URL.replace("482", "479"), change_title="Rename “Members” to “People”"
        )
        await self.change(draft["articleId"], LIMITS.replace("25 MB", "30 MB"))
        return draft

    async def statuses(self) -> dict[str, str]:
        """The status of every draft, by id."""
        statuses: dict[str, str] = await self.owner.value(
            "select jsonb_object_agg(id, status) from drafts where bot_id = %(bot)s", bot=self.company.bot_id
        )
        return statuses

    async def text_of(self, draft: Json) -> str:
        """The live text of a draft's article."""
        text: str = await self.owner.value(
            "select content_markdown from articles where id = %(id)s", id=draft["articleId"]
        )
        return text
