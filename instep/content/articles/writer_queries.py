"""The SQL that reads articles for the writer: live ones, and those that may go live."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from instep.content.articles.live import FAMILY, in_version
from instep.content.articles.queries import columns
from instep.content.articles.schemas import Article
from instep.platform.core import limits
from instep.platform.identity.schemas import Ctx


def could_be_wrong(version: int | None) -> str:
    """The articles that a change could make wrong: of the version with this position, or with None of all."""
    return f"""
        from articles a
        where a.bot_id = %(bot)s and a.workspace_id = %(workspace)s and a.deleted_at is null
          and a.status in ('draft', 'published') and {in_version(version)}
    """


# The articles that the search index lacks, or does not contain completely.
UNINDEXED = "(a.status = 'draft' or octet_length(a.content_markdown) > %(indexed_bytes)s)"
# The number of articles that one statement scans, well within its time limit. PostgreSQL takes 10 us to
# search for one text in 2,000 characters, and a thousand times as long for a regular expression of many.
SCANNED_ARTICLES = 5_000


@dataclass(slots=True)
class ScannedArticles:
    """The last scanned article, and those that match; both may be empty."""

    last: str | None
    ids: list[str] | None


async def count_for_writer(ctx: Ctx, version: int | None = None) -> int:
    return await ctx.value(f"select count(*) {could_be_wrong(version)}", version=version)


async def list_for_writer(ctx: Ctx, version: int | None = None) -> list[Article]:
    """Every article that a code change could make wrong."""
    return await ctx.all(
        Article,
        f"select {columns('markdown', 'null::jsonb')} {could_be_wrong(version)} order by a.id",
        version=version,
    )


async def list_some_for_writer(ctx: Ctx, ids: Collection[str], version: int | None = None) -> list[Article]:
    """The articles among these that a code change could make wrong."""
    return await ctx.all(
        Article,
        f"""
        select {columns("markdown", "null::jsonb")} {could_be_wrong(version)} and a.id = any(%(ids)s)
        order by a.id
        """,
        ids=list(ids),
        version=version,
    )


async def ids_in_version(ctx: Ctx, ids: Collection[str], version: int) -> set[str]:
    """The articles among these that a change of this version could make wrong."""
    return set(
        await ctx.column(
            f"select a.id {could_be_wrong(version)} and a.id = any(%(ids)s)", ids=list(ids), version=version
        )
    )


async def find_counterparts_in_version(ctx: Ctx, ids: Collection[str], version: int) -> dict[str, str]:
    """The articles of this version on the topics of articles that are not in it, by the ids of these."""
    counterparts: dict[str, str] | None = await ctx.value(
        f"""
        with texts as (
            select a.id, a.locale, {FAMILY} as family, {in_version(version)} as is_in
            from articles a
            where a.bot_id = %(bot)s and a.workspace_id = %(workspace)s and a.deleted_at is null)
        select jsonb_object_agg(t.id, counterpart.id) from texts t
        join texts counterpart on counterpart.family = t.family and counterpart.locale = t.locale
            and counterpart.is_in
        where t.id = any(%(ids)s) and not t.is_in
        """,
        ids=list(ids),
        version=version,
    )
    return counterparts or {}


async def unindexed_ids(ctx: Ctx, limit: int, version: int | None) -> list[str]:
    """The newest articles that the search index lacks or has only in part."""
    return await ctx.column(
        f"""
        select a.id {could_be_wrong(version)} and {UNINDEXED} order by a.updated_at desc, a.id limit %(limit)s
        """,
        indexed_bytes=limits.MAX_INDEXED_CHARACTERS,
        limit=limit,
        version=version,
    )


async def ids_with_text(ctx: Ctx, texts: Sequence[str], limit: int, version: int | None) -> list[str]:
    """Articles with one of these texts, also in the targets of links, which the search index omits."""
    ids: list[str] = []
    scan = ScannedArticles("", None)
    while texts and scan.last is not None and len(ids) < limit:
        scan = await scan_texts(ctx, texts, scan.last, version)
        ids += scan.ids or []
    return ids[:limit]


async def scan_texts(ctx: Ctx, texts: Sequence[str], after: str, version: int | None) -> ScannedArticles:
    return await ctx.fetch_one(
        ScannedArticles,
        f"""
        select max(s.id) as last, array_agg(s.id) filter (where exists (
            select from unnest(%(texts)s::text[]) t (text)
            where strpos(s.content_markdown, t.text) > 0)) as ids
        from (select a.id, a.content_markdown
            {could_be_wrong(version)} and a.id > %(after)s order by a.id limit %(count)s) s
        """,
        texts=list(texts),
        after=after,
        count=SCANNED_ARTICLES,
        version=version,
    )
