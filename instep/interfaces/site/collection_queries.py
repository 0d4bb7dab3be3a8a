"""The SQL of collections on the help center: its home page, their own pages, and the tree next to articles.

`collections_of` defines which of them visitors may see.
"""

from typing import Any

from instep.content.collections.visibility import ANCESTORS, IS_PUBLIC, PLACE
from instep.interfaces.site.queries import is_signed_in, live, live_in
from instep.interfaces.site.schemas import ArticlePage, CollectionSection, TreeArticle, TreeCollection
from instep.platform.core import limits
from instep.platform.core.paging import Page
from instep.platform.identity.schemas import Ctx

# The collections that a visitor may see. `lineage` are the ids from the top down to the collection itself.
COLLECTIONS = f"""
    select c.id, c.slug, c.title, c.description, c.icon, c.parent_id, {PLACE} as place,
        {IS_PUBLIC} as is_public,
        array_remove(array[grandparent.id, parent.id, c.id], null) as lineage
    from collections c {ANCESTORS}
    where c.bot_id = %(bot)s and c.workspace_id = %(workspace)s and {{condition}}
"""
# Links to collections, in reading order, as JSON.
LINKS = """
    coalesce((select jsonb_agg(jsonb_build_object('slug', l.slug, 'title', l.title) order by l.place)
        from shown l where {condition}), '[]')
"""
# Links to the collections above the collection `s`, from the top down.
BREADCRUMBS = LINKS.format(condition="l.id = any(s.lineage) and l.id <> s.id")
# Links to its subcollections that lead to live articles.
CHILDREN = LINKS.format(condition="l.parent_id = s.id and l.id in (select id from populated)")
# The collections that lead to live articles: those with some, and those above them. PostgreSQL turns
# `exists` into a join, which is slow while a table has no statistics.
POPULATED = """
    populated as materialized (
        select distinct unnest(s.lineage) as id from shown s
        where (select true {live} and a.collection_id = s.id limit 1)
    )
"""
ENTRY = """
    jsonb_build_object('slug', e.slug, 'title', e.title, 'description', e.description, 'locale', e.locale)
"""
# A page of live articles, which the condition selects, and the number of all of them.
ENTRIES = f"""
    select coalesce(max(e.article_count), 0) as article_count,
        coalesce(jsonb_agg({ENTRY} order by e.position, e.id), '[]') as articles
    from (select a.id, a.slug, a.locale, a.title, a.description, a.position,
        count(*) over ()::integer as article_count {{live}} and {{condition}}
        order by a.position, a.id limit %(limit)s offset %(first)s) e
"""


def collections_of(ctx: Ctx) -> str:
    """The collections that the visitor may see."""
    return COLLECTIONS.format(condition="true" if is_signed_in(ctx) else IS_PUBLIC)


async def list_sections(ctx: Ctx, locale: str, page: int) -> Page[CollectionSection]:
    """A page of the top collections that lead to live articles, in reading order.

    Each has its first articles and links to its subcollections; its count includes all articles below. The
    last one contains the articles without a collection.
    """
    sections = await ctx.all(
        CollectionSection,
        f"""
        with shown as ({collections_of(ctx)}),
        live as materialized (
            select a.id, coalesce(c.id, '') as collection_id,
                coalesce(grandparent.id, parent.id, c.id, '') as top_id,
                row_number() over (partition by c.id order by a.position, a.id) as place
            {live_in(ctx, locale)}
        ),
        populated as materialized (
            select distinct unnest(s.lineage) as id from shown s
            where s.id = any(array(select distinct collection_id from live))
        ),
        totals as (select top_id, count(*)::integer as article_count from live group by top_id),
        sections as (
            select t.article_count, s.id, s.slug, s.title, s.description, s.icon, s.place
            from totals t left join shown s on s.id = t.top_id
            order by s.place limit {limits.HOME_COLLECTIONS + 1} offset %(first)s
        )
        select coalesce(s.slug, '') as slug, s.title, s.description, s.icon, s.article_count,
            coalesce(jsonb_agg({ENTRY} order by live.place) filter (where e.id is not null), '[]')
                as articles,
            '[]'::jsonb as breadcrumbs,
            {CHILDREN} as children
        from sections s
            left join live on live.collection_id = coalesce(s.id, '') and live.place <=
                case when s.id is null then {limits.HOME_LOOSE_ARTICLES} else {limits.HOME_ARTICLES} end
            left join articles e on e.workspace_id = %(workspace)s and e.id = live.id
        group by s.id, s.slug, s.title, s.description, s.icon, s.article_count, s.place
        order by s.place
        """,
        locale=locale,
        first=(page - 1) * limits.HOME_COLLECTIONS,
    )
    has_more = len(sections) > limits.HOME_COLLECTIONS
    return Page(sections[: limits.HOME_COLLECTIONS], str(page + 1) if has_more else None)


async def find_section(ctx: Ctx, locale: str, slug: str, page: int) -> CollectionSection | None:
    """A page of a public collection's live articles, with links to the collections around it.

    A collection may have no live articles; a page beyond the last one is None.
    """
    articles = live_in(ctx, locale)
    section = await ctx.first(
        CollectionSection,
        f"""
        with shown as materialized ({collections_of(ctx)}), {POPULATED.format(live=articles)}
        select s.slug, s.title, s.description, s.icon, s.is_public, page.article_count, page.articles,
            {BREADCRUMBS} as breadcrumbs, {CHILDREN} as children, array(
                select distinct unnest((
                    select array_agg(distinct a.locale) {live(ctx)} and a.collection_id = b.id))
                from shown b where s.id = any(b.lineage)) as locales
        from shown s, lateral ({ENTRIES.format(live=articles, condition="a.collection_id = s.id")}) page
        where s.slug = %(slug)s
        """,
        slug=slug,
        **entries_params(locale, page),
    )
    return section if section and (section.articles or page == 1) else None


async def find_loose_articles(ctx: Ctx, locale: str, page: int) -> CollectionSection | None:
    """A page of the live articles without a collection; None if there are none on it."""
    section = await ctx.fetch_one(
        CollectionSection,
        f"""
        select '' as slug, null as title, null as description, null as icon, page.*,
            '[]'::jsonb as breadcrumbs, '[]'::jsonb as children
        from ({ENTRIES.format(live=live_in(ctx, locale), condition="a.collection_id is null")}) page
        """,
        **entries_params(locale, page),
    )
    return section if section.articles else None


async def list_tree(ctx: Ctx, locale: str, slug: str | None) -> list[TreeCollection]:
    """The top collections that lead to live articles, expanded to the one with the slug and its content.

    They come in reading order. Without a slug, only the top ones come.
    """
    return await ctx.all(
        TreeCollection,
        f"""
        with shown as materialized ({collections_of(ctx)}), {POPULATED.format(live=live_in(ctx, locale))}
        select s.slug, s.title, s.icon, cardinality(s.lineage) as level
        from shown s where s.id in (select id from populated) and (s.parent_id is null
            or s.parent_id = any((select page.lineage from shown page where page.slug = %(slug)s)::text[]))
        order by s.place limit {limits.TREE_COLLECTIONS}
        """,
        locale=locale,
        slug=slug,
    )


async def list_siblings(ctx: Ctx, article: ArticlePage, locale: str, slug: str | None) -> list[TreeArticle]:
    """A live article among those before and after it in the collection with this slug, or in none."""
    collection = """
        (select s.id from collections s
            where s.bot_id = %(bot)s and s.workspace_id = %(workspace)s and s.slug = %(slug)s::text)
    """
    siblings = f"""
        select a.slug, a.locale, a.title, a.position, a.id {live_in(ctx, locale)}
            and a.collection_id {f"= {collection}" if slug else "is null"}
    """
    return await ctx.all(
        TreeArticle,
        f"""
        select s.slug, s.locale, s.title from (
            ({siblings} and (a.position, a.id) < (%(position)s, %(id)s)
                order by a.position desc, a.id desc limit {limits.TREE_NEIGHBOURS})
            union all
            ({siblings} and (a.position, a.id) >= (%(position)s, %(id)s)
                order by a.position, a.id limit {limits.TREE_NEIGHBOURS + 1})
        ) s order by s.position, s.id
        """,
        locale=locale,
        slug=slug,
        position=article.position,
        id=article.id,
    )


def entries_params(locale: str, page: int) -> dict[str, Any]:
    size = limits.COLLECTION_ARTICLES
    return {"locale": locale, "limit": size, "first": (page - 1) * size}
