"""Readings: the language model compares an article with the code that bears on it, each in a task.

A long article is read in parts. A part is read again only after the article or this code has changed.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence

from psycopg.types.json import Jsonb

from instep.content.articles.schemas import Article
from instep.content.product_versions.schemas import ProductVersion
from instep.drafting import writer
from instep.drafting.drift import queries
from instep.drafting.drift.schemas import ArticleNamesOut, DriftCheck
from instep.drafting.tasks.checks import begin_reading_task
from instep.drafting.writer.drift.stated_names import names_by_part
from instep.platform.core import limits
from instep.platform.core.sandbox import run_bounded, run_with_timeout
from instep.platform.identity.schemas import Ctx

_POSITION = re.compile(r"(?m)^@@ .*$")


async def list_names_to_read(ctx: Ctx, texts: Sequence[writer.Article]) -> list[ArticleNamesOut]:
    """The parts of articles in the order in which they are read, with the names to find their code by.

    Those that no check has looked at come first, then those that were looked at the longest ago. An article
    with an edit that waits for review is left out, because a reading may propose the same.
    """
    past = await queries.list_readings(ctx)
    checked_at = {(row.article_id, row.first_line): row.checked_at for row in past}
    edited = await queries.list_edited(ctx)
    names = await run_with_timeout(names_by_part, texts, seconds=limits.MAX_WRITER_SECONDS)
    titles = {row.id: [row.title, row.url.rpartition("/")[2]] for row in texts}
    parts = [(checked_at.get(part, ""), *part) for part in names if part[0] not in edited]
    return [
        ArticleNamesOut(article_id=id, first_line=line, titles=titles[id], names=list(names[id, line]))
        for _, id, line in sorted(parts)[: limits.MAX_WRITER_ARTICLES]
    ]


async def identify_codes(new: DriftCheck) -> dict[tuple[str, int], str]:
    """Identify the code of each part, by the article's id and first line, wherever in their files it is."""
    codes = {(row.article_id, row.first_line): row.diff for row in new.code}
    is_small = sum(map(len, codes.values())) <= limits.MAX_INLINE_CHARACTERS
    return await run_bounded(_digests_of, codes, seconds=limits.MAX_WRITER_SECONDS, is_small=is_small)


async def begin_readings(
    ctx: Ctx,
    new: DriftCheck,
    digests: Mapping[tuple[str, int], str],
    articles: Mapping[str, Article],
    version: ProductVersion | None,
) -> int:
    """Begin a task for each part whose text or code no reading has compared; return their number.

    `digests` are those of `identify_codes`. Call it under the lock of `store_drift`, so that two checks at
    once begin a reading once.
    """
    past = {(row.article_id, row.first_line): row for row in await queries.list_readings(ctx)}
    read_ids = articles.keys() - await queries.list_edited(ctx)
    codes = {(row.article_id, row.first_line): row.diff for row in new.code if row.article_id in read_ids}
    begun, unchanged = 0, list[str]()
    for part, code in codes.items():
        article_id, line = part
        article = articles[article_id]
        digest = f"{article.version} {digests[part]}"
        if part in past and digest in past[part].digests:
            unchanged.append(past[part].task_id)
            continue
        context = Jsonb(
            {"article": article_id, "line": line, "digest": digest, "checked_at": ctx.now.isoformat()}
        )
        await begin_reading_task(ctx, article.title, new.commit, code, context, version)
        begun += 1
    await queries.note_unchanged(ctx, unchanged)
    return begun


def _digests_of(codes: Mapping[tuple[str, int], str]) -> dict[tuple[str, int], str]:
    return {
        part: hashlib.sha256(_POSITION.sub("", code).encode()).hexdigest() for part, code in codes.items()
    }
