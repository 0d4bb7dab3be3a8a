"""The SQL of the public help center. Only `LIVE` and `PUBLISHED_ENTRIES` define what the public may see."""

from datetime import datetime
from itertools import groupby

from instep.core import limits
from instep.core.database import Tx
from instep.core.paging import Order, Page, PageRequest
from instep.files.actions import find_by_digest
from instep.identity.schemas import Ctx
from instep.site.schemas import (
    ArticleAddress,
    ArticleEntry,
    ArticlePage,
    CollectionHead,
    CollectionSection,
    EntryAddress,
    HelpCenterLink,
    PublishedEntry,
    ServedFile,
)

# The stricter of article and collection decides (contract section 4).
LIVE = """
    from articles a left join collections c on c.bot_id = a.bot_id and c.id = a.collection_id
    where a.bot_id = %(bot)s and a.status = 'published' and a.deleted_at is null
      and a.visibility = 'public' and coalesce(c.visibility, 'public') = 'public'
"""
ARTICLE_ENTRY = """
    a.title, a.description, a.slug, a.locale, c.slug as collection_slug, c.title as collection_title,
    c.description as collection_description, c.icon as collection_icon
"""
# The order of collections. Articles without one come last, because nulls do.
SECTION_ORDER = "c.sort_order, c.created_at, c.id"
PUBLISHED_ENTRIES = "from changelog_entries e where e.bot_id = %(bot)s and e.status = 'published'"
ENTRY_ORDER = Order(("e.published_at", "e.id"), descending=True)
# The first statement of a visit also reads whether each page links to a changelog. The order makes PostgreSQL
# look the newest entry up in the index of published ones; `exists` could make it scan all entries.
ARRIVE = """
    select s.*, coalesce((select true from changelog_entries e
        where e.bot_id = s.bot_id and e.status = 'published'
        order by e.published_at desc, e.id desc limit 1), false) as has_changelog
    from enter_site(%(slug)s) s
"""

# A search is counted before anything else is done for it.
COUNT_SEARCH = """
    select 'site-search' as policy, %(quota)s::integer as quota, %(seconds)s::integer as seconds,
        hit.hits, hit.seconds_left
    from enter_site(%(slug)s) s,
        count_hit('site-search', s.bot_id || ' ' || %(address)s::text, %(seconds)s) hit
"""

ENTER_FRONT_PAGE = "select f.has_bots, f.workspace_id from enter_front_page() f"


async def list_help_centers(tx: Tx) -> list[HelpCenterLink]:
    """The help centers of the workspace that the connection is in."""
    live_in_bot = LIVE.replace("%(bot)s", "b.id")
    return await tx.all(
        HelpCenterLink,
        f"""
        select b.slug, b.name, exists (select {live_in_bot}) as has_articles
        from bots b order by b.name, b.slug limit {limits.FRONT_PAGE_HELP_CENTERS}
        """,
    )


async def find_live_article(ctx: Ctx, slug: str, locale: str) -> ArticlePage | None:
    return await ctx.tx.first(
        ArticlePage,
        f"""
        select a.id, a.slug, a.locale, a.title, a.description, a.content_html as html,
            c.title as collection_title, c.slug as collection_slug, a.updated_at
        {LIVE} and a.slug = %(slug)s and a.locale = %(locale)s
        """,
        bot=ctx.bot.id,
        slug=slug,
        locale=locale,
    )


async def find_present_slug(ctx: Ctx, slug: str, locale: str) -> str | None:
    """The present slug of the live article that had this one before."""
    present_slug: str | None = await ctx.tx.value(
        f"""
        select a.slug {LIVE} and a.locale = %(locale)s and a.id = (
            select f.article_id from former_slugs f
            where f.bot_id = %(bot)s and f.slug = %(slug)s and f.locale = %(locale)s)
        """,
        bot=ctx.bot.id,
        slug=slug,
        locale=locale,
    )
    return present_slug


async def list_sections(ctx: Ctx, locale: str, page: int) -> Page[CollectionSection]:
    """A page of the collections with live articles, in their order, each with its first articles."""
    first = (page - 1) * limits.HOME_COLLECTIONS
    entries = await ctx.tx.all(
        ArticleEntry,
        f"""
        with live as (
            select a.id, dense_rank() over (order by {SECTION_ORDER}) as section,
                row_number() over (partition by {SECTION_ORDER} order by a.position, a.id) as place,
                count(*) over (partition by {SECTION_ORDER}) as article_count
            {LIVE} and a.locale = %(locale)s
        )
        select {ARTICLE_ENTRY}, live.article_count
        from live join articles a on a.bot_id = %(bot)s and a.id = live.id
            left join collections c on c.bot_id = a.bot_id and c.id = a.collection_id
        where live.place <= {limits.HOME_ARTICLES} and live.section > %(first)s
            and live.section <= %(first)s + {limits.HOME_COLLECTIONS + 1}
        order by live.section, live.place
        """,
        bot=ctx.bot.id,
        locale=locale,
        first=first,
    )
    sections = [section_of(list(group)) for _, group in groupby(entries, lambda entry: entry.collection_slug)]
    has_more = len(sections) > limits.HOME_COLLECTIONS
    return Page(sections[: limits.HOME_COLLECTIONS], str(page + 1) if has_more else None)


async def find_section(ctx: Ctx, locale: str, slug: str | None, page: int) -> CollectionSection | None:
    """A page of a public collection's live articles, or of those without a collection where `slug` is None.

    A collection may have no live articles; a page beyond the last one is None.
    """
    entries = await ctx.tx.all(
        ArticleEntry,
        f"""
        select {ARTICLE_ENTRY}, count(*) over () as article_count
        {LIVE} and a.locale = %(locale)s and c.slug is not distinct from %(slug)s::text
        order by a.position, a.id limit {limits.COLLECTION_ARTICLES} offset %(first)s
        """,
        bot=ctx.bot.id,
        locale=locale,
        slug=slug,
        first=(page - 1) * limits.COLLECTION_ARTICLES,
    )
    if entries:
        return section_of(entries)
    return await find_empty_section(ctx, slug) if slug is not None and page == 1 else None


async def find_empty_section(ctx: Ctx, slug: str) -> CollectionSection | None:
    head = await ctx.tx.first(
        CollectionHead,
        """
        select c.title, c.slug, c.description, c.icon from collections c
        where c.bot_id = %(bot)s and c.slug = %(slug)s and c.visibility = 'public'
        """,
        bot=ctx.bot.id,
        slug=slug,
    )
    return (
        CollectionSection(head.title, head.slug, head.description, head.icon, 0, entries=[]) if head else None
    )


def section_of(entries: list[ArticleEntry]) -> CollectionSection:
    first = entries[0]
    return CollectionSection(
        title=first.collection_title,
        slug=first.collection_slug,
        description=first.collection_description,
        icon=first.collection_icon,
        article_count=first.article_count,
        entries=entries,
    )


async def find_entry(ctx: Ctx, slug: str) -> PublishedEntry | None:
    return await ctx.tx.first(
        PublishedEntry,
        f"""
        select e.id, e.slug, e.title, e.content_html as html, e.published_at, e.updated_at
        {PUBLISHED_ENTRIES} and e.slug = %(slug)s
        """,
        bot=ctx.bot.id,
        slug=slug,
    )


async def list_entries(ctx: Ctx, request: PageRequest) -> Page[PublishedEntry]:
    page = request.page(ENTRY_ORDER, "news", ctx.bot.id)
    rows = await ctx.tx.all(
        PublishedEntry,
        f"""
        select e.id, e.slug, e.title, e.published_at, e.updated_at,
            case when length(e.content_html) <= %(max_characters)s then e.content_html end as html
        {PUBLISHED_ENTRIES} and {page.condition} {page.tail}
        """,
        bot=ctx.bot.id,
        max_characters=limits.MAX_CHANGELOG_INLINE_CHARACTERS,
        **page.params,
    )
    return page.page_of(rows, lambda row: (row.published_at, row.id))


async def find_file(ctx: Ctx, sha256: str, content_type: str) -> ServedFile | None:
    """The file at an address; it is public while a live article or a published entry refers to it."""
    file = await find_by_digest(ctx, sha256, content_type)
    if file is None:
        return None
    refers = "select r.source_id from file_references r where r.bot_id = %(bot)s and r.sha256 = %(sha256)s"
    is_public: bool = await ctx.tx.value(
        f"""
        select exists (select {LIVE} and a.id in ({refers} and r.source = 'article'))
            or exists (select {PUBLISHED_ENTRIES} and e.id in ({refers} and r.source = 'changelog_entry'))
        """,
        bot=ctx.bot.id,
        sha256=sha256,
    )
    return ServedFile(file, is_public)


async def change_stamp(ctx: Ctx) -> datetime:
    """The time stamp of the help center's last change; every change of what is public has a later one."""
    stamp: datetime = await ctx.tx.value("select changed_at from bots where id = %(bot)s", bot=ctx.bot.id)
    return stamp


async def list_article_addresses(ctx: Ctx) -> list[ArticleAddress]:
    """The addresses of all live articles in all languages, newest change first."""
    return await ctx.tx.all(
        ArticleAddress,
        f"""
        select a.slug, a.locale, coalesce(a.translation_of, a.id) as text_id, c.slug as collection_slug,
            a.updated_at
        {LIVE} order by a.updated_at desc, a.id limit {limits.MAX_SITEMAP_URLS}
        """,
        bot=ctx.bot.id,
    )


async def list_entry_addresses(ctx: Ctx) -> list[EntryAddress]:
    """The addresses of all published entries, newest change first."""
    return await ctx.tx.all(
        EntryAddress,
        f"select e.slug, e.updated_at {PUBLISHED_ENTRIES}"
        f" order by e.updated_at desc, e.id limit {limits.MAX_SITEMAP_URLS}",
        bot=ctx.bot.id,
    )
