"""Readings: the language model compares an article with the code that bears on it, each in a task.

An article is read again only after its text or this code has changed.
"""

import hashlib
from collections.abc import Mapping, Sequence

from psycopg.types.json import Jsonb

from instep.content.articles.schemas import Article
from instep.content.product_versions.schemas import ProductVersion
from instep.drafting import writer
from instep.drafting.drift import queries
from instep.drafting.drift.schemas import ArticleNamesOut, DriftCheck
from instep.drafting.tasks.checks import begin_reading_task
from instep.drafting.writer.drift.stated_names import names_by_article
from instep.platform.core import limits
from instep.platform.core.sandbox import run_with_timeout
from instep.platform.identity.schemas import Ctx


async def list_names_to_read(ctx: Ctx, texts: Sequence[writer.Article]) -> list[ArticleNamesOut]:
    """The articles in the order in which they are read, with the names to find their code by.

    Those that were never read come first, then those whose last reading is the oldest.
    """
    last = {row.article_id: row.checked_at for row in await queries.list_readings(ctx)}
    names = await run_with_timeout(names_by_article, texts, seconds=limits.MAX_WRITER_SECONDS)
    ids = sorted(names, key=lambda id: (last.get(id, ""), id))
    return [ArticleNamesOut(article_id=id, names=list(names[id])) for id in ids]


async def begin_readings(
    ctx: Ctx, new: DriftCheck, articles: Mapping[str, Article], version: ProductVersion | None
) -> int:
    """Begin a task for each article whose text or code has changed since its last reading; return how many.

    An article with a draft of a check that waits is left out, because the draft may say the same.
    """
    last = {row.article_id: row for row in await queries.list_readings(ctx)}
    waiting = {row.article_id for row in await queries.list_waiting(ctx, limits.MAX_DRIFT_FINDINGS)}
    begun, unchanged = 0, list[str]()
    for row in new.code:
        article = articles.get(row.article_id)
        if article is None or article.id in waiting:
            continue
        digest = hashlib.sha256(f"{article.title}\n{article.content}\n{row.diff}".encode()).hexdigest()
        earlier = last.get(article.id)
        if earlier is not None and earlier.digest == digest:
            unchanged.append(earlier.task_id)
            continue
        context = Jsonb({"article": article.id, "digest": digest, "checked_at": ctx.now.isoformat()})
        await begin_reading_task(ctx, article.title, new.commit, row.diff, context, version)
        begun += 1
    await queries.note_unchanged(ctx, unchanged)
    return begun
