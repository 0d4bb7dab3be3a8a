"""The SQL of the public help center. `LIVE` is the one place that says what the public may see."""

from itertools import groupby

from instep.identity.schemas import Ctx
from instep.site.schemas import ArticlePage, Entry, Section

# The stricter of article and collection decides (contract section 4).
LIVE = """
    from articles a left join collections c on c.bot_id = a.bot_id and c.id = a.collection_id
    where a.bot_id = %(bot)s and a.status = 'published' and a.deleted_at is null
      and a.visibility = 'public' and coalesce(c.visibility, 'public') = 'public'
"""


async def find_article(ctx: Ctx, slug: str, locale: str) -> ArticlePage | None:
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


async def find_moved(ctx: Ctx, slug: str, locale: str) -> str | None:
    """The present slug of the live article that had this one before."""
    found: str | None = await ctx.tx.value(
        f"""
        select a.slug {LIVE} and a.locale = %(locale)s and a.id = (
            select f.article_id from former_slugs f
            where f.bot_id = %(bot)s and f.slug = %(slug)s and f.locale = %(locale)s)
        """,
        bot=ctx.bot.id,
        slug=slug,
        locale=locale,
    )
    return found


async def list_sections(ctx: Ctx, locale: str, collection_slug: str | None = None) -> list[Section]:
    """The collections that have live articles, in the order of the help center."""
    entries = await ctx.tx.all(
        Entry,
        f"""
        select a.title, a.description, a.slug, a.locale, c.slug as collection_slug,
            c.title as collection_title, c.description as collection_description, c.icon as collection_icon
        {LIVE} and a.locale = %(locale)s and {"c.slug = %(collection)s" if collection_slug else "true"}
        order by c.sort_order nulls last, c.created_at, c.id, a.position, a.id
        """,
        bot=ctx.bot.id,
        locale=locale,
        collection=collection_slug,
    )
    return [section_of(list(group)) for _, group in groupby(entries, lambda entry: entry.collection_slug)]


def section_of(entries: list[Entry]) -> Section:
    first = entries[0]
    return Section(
        title=first.collection_title,
        slug=first.collection_slug,
        description=first.collection_description,
        icon=first.collection_icon,
        entries=entries,
    )
