"""The SQL of articles in the dashboard: rows without texts, counts, and the source of a text."""

from collections.abc import Mapping
from typing import Any

from instep.content.articles.freshness import OWNER, STANDING, STATE
from instep.content.articles.live import VERSION_SLUGS, in_version
from instep.content.articles.revision_schemas import VersionOverview, VersionText
from instep.content.articles.schemas import (
    ArticleCount,
    ArticleOverview,
    DeletedOverview,
    OverviewCriteria,
    Step,
)
from instep.platform.core import limits
from instep.platform.core.like_patterns import escape_like
from instep.platform.core.paging import Order, Page, PageRequest
from instep.platform.identity.schemas import Ctx

OVERVIEW = f"""
    a.id, a.slug, a.title, a.locale, a.translation_of, a.status, a.visibility, a.collection_id, a.position,
    a.version, a.origin, a.working_saved_at is not null as has_unpublished_changes,
    {VERSION_SLUGS},
    (select coalesce(jsonb_agg(jsonb_build_object('id', t.id, 'title', t.title, 'locale', t.locale,
            'status', t.status, 'outdated', a.version > coalesce(t.translated_version, 0))
            order by t.locale), '[]')
        from articles t
        where t.workspace_id = %(workspace)s and t.translation_of = a.id and t.deleted_at is null)
        as translations,
    (select count(*) from drafts d
        where d.workspace_id = %(workspace)s and d.bot_id = a.bot_id and d.article_id = a.id
          and d.status = 'pending')::integer
        as pending_drafts,
    coalesce(a.working_author_name, a.author_name) as author_name,
    coalesce(a.working_saved_at, a.text_changed_at) as text_changed_at, a.published_at, a.updated_at,
    coalesce(a.verified_at, a.text_changed_at) as known_at, a.verified_by_name,
    (select p.email from people p where p.id = a.owner_id) as own_owner, a.review_by as own_review_by,
    {STANDING} as standing
"""
# Each word of a search must be in one of these, including unpublished text.
SEARCHED = "a.title, a.slug, a.description, a.content_markdown, a.working_title, a.working_markdown"
NEWEST_FIRST = Order(("a.updated_at", "a.id"), descending=True)
READING_ORDER = Order(("a.position", "a.id"), descending=False)
# Longest without a verification or a change first.
DUE_ORDER = Order(("coalesce(a.verified_at, a.text_changed_at)", "a.id"), descending=False)
DELETED_ORDER = Order(("a.deleted_at", "a.id"), descending=True)


def conditions_of(criteria: OverviewCriteria) -> str:
    """The SQL of all criteria; its parameters are those of `params_of`."""
    has_draft = """exists (select from drafts d
        where d.workspace_id = %(workspace)s and d.bot_id = a.bot_id and d.article_id = a.id
          and d.status = 'pending')"""
    parts = (
        ("(a.title ilike %(pattern)s or a.slug ilike %(pattern)s)", bool(criteria.name)),
        (f"concat_ws(E'\\n', {SEARCHED}) ilike all(%(patterns)s::text[])", bool(criteria.words)),
        ("a.status = %(status)s", criteria.status is not None),
        ("a.locale = %(locale)s", criteria.locale is not None),
        ("a.translation_of is null", criteria.locale is None),
        ("a.collection_id = %(collection_id)s", bool(criteria.collection_id)),
        ("a.collection_id is null", criteria.collection_id == ""),
        ("a.visibility = %(visibility)s", criteria.visibility is not None),
        ("a.working_saved_at is not null", criteria.has_unpublished_changes),
        (has_draft, criteria.has_drafts),
        (f"{STATE} = %(freshness)s", criteria.freshness is not None),
        (f"{OWNER} is not distinct from nullif(%(owner)s, '')", criteria.owner is not None),
        (in_version(criteria.version), criteria.version is not None),
        ("a.text_changed_at < %(now)s - %(unchanged_for)s::interval", criteria.unchanged_for is not None),
    )
    return " and ".join(sql for sql, is_asked in parts if is_asked) or "true"


def params_of(criteria: OverviewCriteria) -> dict[str, Any]:
    return {
        "status": criteria.status,
        "locale": criteria.locale,
        "collection_id": criteria.collection_id,
        "visibility": criteria.visibility,
        "freshness": criteria.freshness,
        "owner": criteria.owner,
        "unchanged_for": criteria.unchanged_for,
        "version": criteria.version,
        "pattern": f"%{escape_like(criteria.name)}%",
        "patterns": [f"%{escape_like(word)}%" for word in criteria.words.split()],
    }


def order_of(criteria: OverviewCriteria) -> Order:
    """The order of the help center in a collection, otherwise the newest change first."""
    return NEWEST_FIRST if criteria.collection_id is None else READING_ORDER


async def list_page(ctx: Ctx, criteria: OverviewCriteria, request: PageRequest) -> Page[ArticleOverview]:
    """A page of the articles that meet the criteria, in their order: `order_of`."""
    page = request.page(order_of(criteria), "article overviews", ctx.bot.id, criteria)
    return await page.read(
        ctx,
        ArticleOverview,
        f"""
        select {OVERVIEW} from articles a
        where a.bot_id = %(bot)s and a.workspace_id = %(workspace)s and a.deleted_at is null
          and {conditions_of(criteria)} and {page.condition} {page.tail}
        """,
        **params_of(criteria),
    )


async def list_due(ctx: Ctx, request: PageRequest) -> Page[ArticleOverview]:
    """The published articles in all languages that need a look or are stale."""
    page = request.page(DUE_ORDER, "due articles", ctx.bot.id)
    rows = await ctx.all(
        ArticleOverview,
        f"""
        select {OVERVIEW} from articles a
        where a.bot_id = %(bot)s and a.workspace_id = %(workspace)s and a.deleted_at is null
          and a.status = 'published' and {STATE} <> 'verified' and {page.condition} {page.tail}
        """,
        **page.params,
    )
    return page.page_of(rows, lambda row: (row.known_at, row.id))


async def find(ctx: Ctx, article_id: str) -> ArticleOverview:
    """An article that is known to exist, including one in Recently deleted."""
    return await ctx.fetch_one(
        ArticleOverview,
        f"""
        select {OVERVIEW} from articles a
        where a.bot_id = %(bot)s and a.workspace_id = %(workspace)s and a.id = %(id)s
        """,
        id=article_id,
    )


async def count(ctx: Ctx) -> list[ArticleCount]:
    """A count for each collection and language that has articles."""
    return await ctx.all(
        ArticleCount,
        """
        select collection_id, locale, count(*) filter (where translation_of is null)::integer as originals
        from articles where bot_id = %(bot)s and workspace_id = %(workspace)s and deleted_at is null
        group by collection_id, locale
        """,
    )


async def list_deleted(ctx: Ctx, request: PageRequest) -> Page[DeletedOverview]:
    """Deleted articles that can still be restored; a translation is part of the article deleted with it."""
    page = request.page(DELETED_ORDER, "deleted articles", ctx.bot.id)
    return await page.read(
        ctx,
        DeletedOverview,
        f"""
        select a.id, a.title, a.slug, a.locale, a.deleted_at, a.author_name,
            a.deleted_at + %(retention)s::interval as restorable_until,
            (select coalesce(array_agg(t.locale order by t.locale), '{{}}') from articles t
             where t.workspace_id = %(workspace)s and t.translation_of = a.id
               and t.deleted_at = a.deleted_at) as translation_locales
        from articles a
        left join articles root on root.workspace_id = %(workspace)s and root.id = a.translation_of
        where a.bot_id = %(bot)s and a.workspace_id = %(workspace)s
          and a.deleted_at > now() - %(retention)s::interval
          and root.deleted_at is distinct from a.deleted_at and {page.condition} {page.tail}
        """,
        retention=limits.DELETED_ARTICLE_RETENTION,
    )


async def list_former_slugs(ctx: Ctx, article_id: str) -> list[str]:
    """The former slugs of an article, in alphabetical order."""
    slugs = await ctx.value(
        """
        select array_agg(slug order by slug) from former_slugs
        where bot_id = %(bot)s and workspace_id = %(workspace)s and article_id = %(article)s
        """,
        article=article_id,
    )
    return list(slugs or ())


async def find_source_text(ctx: Ctx, translation_id: str) -> VersionText:
    """The version of the original that the translation was made from, as far as revisions go back."""
    return await ctx.fetch_one(
        VersionText,
        """
        select coalesce(r.title, a.title) as title, coalesce(r.version, a.version) as version,
            coalesce(r.content_markdown, a.content_markdown) as content
        from articles t
        join articles a on a.workspace_id = %(workspace)s and a.id = t.translation_of
        left join lateral (
            select title, content_markdown, version from revisions
            where workspace_id = a.workspace_id and bot_id = a.bot_id and article_id = a.id
              and version >= t.translated_version
            order by version limit 1) r on true
        where t.bot_id = %(bot)s and t.workspace_id = %(workspace)s and t.id = %(id)s
        """,
        id=translation_id,
    )


async def find_version(ctx: Ctx, article_id: str, version: int) -> VersionText | None:
    """The current text or a stored revision; None for a version that is no longer stored."""
    return await ctx.first(
        VersionText,
        """
        select title, content_markdown as content, version from articles
        where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(article)s
          and version = %(version)s
        union all
        select title, content_markdown, version from revisions
        where bot_id = %(bot)s and workspace_id = %(workspace)s and article_id = %(article)s
          and version = %(version)s
        """,
        article=article_id,
        version=version,
    )


async def list_versions(ctx: Ctx, article_id: str) -> list[VersionOverview]:
    """All stored versions, the current one first. A revision's time is when its text was replaced."""
    return await ctx.all(
        VersionOverview,
        """
        with versions as (
            select version, null as revision_id, title, origin, draft_id, author_name,
                text_changed_at as written_at
            from articles where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(article)s
            union all
            select r.version, r.id, r.title, r.origin, r.draft_id, r.author_name,
                case r.version when 1 then a.created_at else older.created_at end
            from revisions r
            join articles a on a.workspace_id = %(workspace)s and a.id = r.article_id
            left join revisions older
                on older.workspace_id = %(workspace)s and older.article_id = r.article_id
                and older.version = r.version - 1
            where r.bot_id = %(bot)s and r.workspace_id = %(workspace)s and r.article_id = %(article)s
        )
        select version, revision_id, title, origin, draft_id, author_name, written_at
        from versions order by version desc
        """,
        article=article_id,
    )


async def lock_order(ctx: Ctx) -> None:
    """Let no other transaction move an article up or down until this one ends."""
    await ctx.tx.advisory_lock(f"articles {ctx.bot.id}")


async def find_neighbour(ctx: Ctx, article_id: str, step: Step) -> str | None:
    """The id of the original before or after an article in its collection; None at the end."""
    sign, direction = ("<", " desc") if step == "up" else (">", "")
    return await ctx.value(
        f"""
        select other.id from articles a join articles other
            on other.workspace_id = %(workspace)s and other.bot_id = a.bot_id
            and other.collection_id is not distinct from a.collection_id
        where a.bot_id = %(bot)s and a.workspace_id = %(workspace)s and a.id = %(id)s
          and other.deleted_at is null
          and other.translation_of is null and (other.position, other.id) {sign} (a.position, a.id)
        order by other.position{direction}, other.id{direction} limit 1
        """,
        id=article_id,
    )


async def number_positions(ctx: Ctx, collection_id: str | None) -> None:
    """Give each article of a collection a position of its own, in order; translations share it."""
    await ctx.execute(
        """
        select a.id from articles a
        join articles root on root.workspace_id = %(workspace)s and root.bot_id = a.bot_id
            and root.id = coalesce(a.translation_of, a.id)
        where a.bot_id = %(bot)s and a.workspace_id = %(workspace)s
          and root.collection_id is not distinct from %(collection)s::text and root.deleted_at is null
        order by a.id for no key update of a
        """,
        collection=collection_id,
    )
    await ctx.execute(
        """
        with stamp as (select stamp_change(%(bot)s) as at), numbered as (
            select id, row_number() over (order by position, id) - 1 as number from articles
            where bot_id = %(bot)s and workspace_id = %(workspace)s
              and collection_id is not distinct from %(collection)s::text and deleted_at is null
              and translation_of is null)
        update articles a set position = numbered.number, updated_at = stamp.at from stamp, numbered
        where a.bot_id = %(bot)s and a.workspace_id = %(workspace)s
          and numbered.id = coalesce(a.translation_of, a.id) and a.position <> numbered.number
        """,
        collection=collection_id,
    )


async def set_positions(ctx: Ctx, positions: Mapping[str, int]) -> None:
    """Move articles with their translations, by the ids of originals; a move creates no version."""
    if not positions:
        return
    await ctx.execute(
        """
        with stamp as (select stamp_change(%(bot)s) as at), moves as (
            select * from unnest(%(ids)s::text[], %(positions)s::integer[]) as p (id, position))
        update articles a set position = p.position, updated_at = stamp.at from stamp, moves p
        where a.bot_id = %(bot)s and a.workspace_id = %(workspace)s
          and p.id = coalesce(a.translation_of, a.id)
        """,
        ids=list(positions),
        positions=list(positions.values()),
    )
