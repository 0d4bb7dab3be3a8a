"""The SQL of the public help center's articles, changelog entries and files.

Only `LIVE`, `LIVE_TO_SIGNED_IN` and `PUBLISHED_ENTRIES`, and for collections `collections_of` in
`collection_queries`, define what visitors may see.
"""

from datetime import datetime

from instep.content.articles.live import (
    FAMILY,
    LIVE,
    LIVE_TO_SIGNED_IN,
    in_language,
    in_read_version,
    in_version_at,
)
from instep.content.collections.visibility import ANCESTORS, IS_PUBLIC, PLACE
from instep.content.files.actions import find_by_digest
from instep.content.parts.readers_texts import readers_text
from instep.interfaces.site.schemas import (
    ArticleAddress,
    ArticlePage,
    EntryAddress,
    HelpCenterLink,
    ListedText,
    PublishedEntry,
    RelatedArticle,
    ServedFile,
    WholeText,
)
from instep.platform.core import limits
from instep.platform.core.database import Tx
from instep.platform.core.paging import Order, Page, PageRequest
from instep.platform.identity.schemas import Ctx, ReadVersion
from instep.search.schemas import Audience

ARTICLE_PAGE = f"""
    a.id, a.slug, a.locale, a.title, a.description, a.content_html as html,
    coalesce((select jsonb_agg(jsonb_build_object('slug', l.slug, 'title', l.title) order by level)
        from (values (1, grandparent.slug, grandparent.title), (2, parent.slug, parent.title),
            (3, c.slug, c.title)) as l (level, slug, title) where l.slug is not null), '[]')
        as breadcrumbs, a.updated_at, a.position, a.visibility = 'public' and {IS_PUBLIC} as is_public
"""
# A change for a product version is compared with the articles of that version.
COMPARES = f"""(t.version_id is null or exists (
    select from product_versions v
    join articles a on a.workspace_id = %(workspace)s and a.id = p.id
    where v.bot_id = %(bot)s and v.workspace_id = %(workspace)s and v.id = t.version_id
        and {in_version_at("v.position")}))"""
# The time of the newest code change that the article `p` was compared with together with all others: before
# the first change with a pending edit of it or an open place in it.
COMPARED_AT = f"""
    select t.created_at from tasks t
    where t.bot_id = %(bot)s and t.workspace_id = %(workspace)s
        and t.type = 'document_change' and t.status = 'completed'
        and t.unread_articles = 0 and {COMPARES}
        and t.created_at > p.created_at and t.created_at < coalesce(least((
            select min(s.created_at) from drafts d
            join tasks s on s.workspace_id = %(workspace)s and s.id = d.task_id
            where d.bot_id = %(bot)s and d.workspace_id = %(workspace)s
                and d.article_id = p.id and d.status = 'pending'), (
            select min(s.created_at) from places w
            join tasks s on s.workspace_id = %(workspace)s and s.id = w.task_id
            where w.bot_id = %(bot)s and w.workspace_id = %(workspace)s
                and w.article_id = p.id and w.status = 'open')), 'infinity')
    order by t.created_at desc, t.id desc limit 1
"""
# A live article with its whole text. Lists for programs begin with the bot's language, each in reading order.
TEXT = (
    f"a.slug, a.locale, a.title, a.description, {readers_text('a')} as markdown, a.content_html as html,"
    " a.updated_at"
)
TEXT_ORDER = f"a.locale <> %(locale)s, a.locale, c.id is null, {PLACE}, a.position, a.id"
PUBLISHED_ENTRIES = """
    from changelog_entries e
    where e.bot_id = %(bot)s and e.workspace_id = %(workspace)s and e.status = 'published'
"""
ENTRY_ORDER = Order(("e.published_at", "e.id"), descending=True)


def live(ctx: Ctx) -> str:
    """The articles that the visitor may read, in the product version of the visit."""
    return in_read_version(ctx, LIVE_TO_SIGNED_IN if is_signed_in(ctx) else LIVE)


def live_in(ctx: Ctx, locale: str) -> str:
    """The articles that the visitor may read in a language, `%(locale)s`, also untranslated ones."""
    language = "a.locale = %(locale)s" if locale == ctx.bot.locale else in_language(live(ctx))
    return f"{live(ctx)} and {language}"


def is_signed_in(ctx: Ctx) -> bool:
    """True if the visitor has signed in; only then the actor has an id."""
    return ctx.actor.type == "visitor" and ctx.actor.id is not None


async def is_paused(ctx: Ctx) -> bool:
    """True if the workspace is paused: its questions are answered without a paid model."""
    return await ctx.value(
        "select paused_at is not null from workspaces where id = %(workspace)s", workspace=ctx.workspace_id
    )


async def has_language(ctx: Ctx, locale: str) -> bool:
    """True if the help center has a live article in this language."""
    return await ctx.value(f"select exists (select {LIVE} and a.locale = %(locale)s)", locale=locale)


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


async def find_any_article(ctx: Ctx, article_id: str) -> ArticlePage | None:
    """An article that may not be public: the caller has checked that the visitor may see it."""
    return await ctx.first(
        ArticlePage,
        f"""
        select {ARTICLE_PAGE}
        from articles a
        left join collections c on c.workspace_id = %(workspace)s and c.id = a.collection_id
        {ANCESTORS}
        where a.bot_id = %(bot)s and a.workspace_id = %(workspace)s and a.id = %(id)s and a.deleted_at is null
        """,
        id=article_id,
    )


async def find_live_article(ctx: Ctx, slug: str, locale: str) -> ArticlePage | None:
    """The article at an address; its own language differs if it is shown there untranslated."""
    return await ctx.first(
        ArticlePage,
        f"""
        with page as (
            select {ARTICLE_PAGE}, coalesce(a.translation_of, a.id) as text_id, a.created_at,
                a.verified_at
            {live_in(ctx, locale)} and a.slug = %(slug)s
        )
        select p.id, p.slug, p.locale, p.title, p.description, p.html, p.breadcrumbs, p.updated_at,
            p.position, p.is_public, p.verified_at, ({COMPARED_AT}) as compared_at,
            (select jsonb_object_agg(a.locale, a.slug) {live(ctx)}
                and (a.id = p.text_id or a.translation_of = p.text_id)) as slugs
        from page p
        """,
        slug=slug,
        locale=locale,
    )


async def find_counterpart(ctx: Ctx, slug: str, locale: str) -> str | None:
    """The slug of the live article on a topic in the product version that is read.

    The topic is that of the article at `slug`, which may be deleted by now.
    """
    families = await _families_at(ctx, slug, locale)
    if not families:
        return None
    return await ctx.value(
        f"""
        select a.slug {live_in(ctx, locale)} and a.id in (
            select f.id from articles f where f.bot_id = %(bot)s and f.workspace_id = %(workspace)s
                and (f.version_family = any(%(families)s) or f.translation_of = any(%(families)s)
                    or f.id = any(%(families)s)))
            and {FAMILY} = any(%(families)s)
        order by array_position(%(families)s::text[], {FAMILY}), a.locale = %(locale)s desc, a.id limit 1
        """,
        families=families,
        locale=locale,
    )


async def _families_at(ctx: Ctx, slug: str, locale: str) -> list[str]:
    """The families of the articles at an address: of existing ones first, then in the language itself."""
    # No index contains the addresses of existing and of deleted articles.
    at_address = f"""
        select {FAMILY} as family, a.deleted_at, a.locale, a.id from articles a
        where a.bot_id = %(bot)s and a.workspace_id = %(workspace)s and a.slug = %(slug)s
            and a.locale in (%(locale)s, %(default_locale)s) and a.deleted_at is"""
    return await ctx.column(
        f"""
        select t.family from ({at_address} null union all {at_address} not null) t
        order by t.deleted_at desc nulls first, t.locale = %(locale)s desc, t.id
        """,
        slug=slug,
        locale=locale,
        default_locale=ctx.bot.locale,
    )


async def versions_of(ctx: Ctx, article_id: str) -> list[ReadVersion]:
    """The product versions that an article is about, the newest first."""
    return await ctx.all(
        ReadVersion,
        f"""
        select r.slug, r.name, r.position, r.is_current from product_versions r
        where r.bot_id = %(bot)s and r.workspace_id = %(workspace)s and exists (
            select from articles a where a.bot_id = %(bot)s and a.workspace_id = %(workspace)s
            and a.id = %(id)s and {in_version_at("r.position")})
        order by r.position desc
        """,
        id=article_id,
    )


async def find_text(ctx: Ctx, slug: str, locale: str) -> WholeText | None:
    """A live article with its Markdown."""
    return await ctx.first(
        WholeText,
        f"select {TEXT} {live_in(ctx, locale)} and a.slug = %(slug)s",
        slug=slug,
        locale=locale,
    )


async def find_entry_text(ctx: Ctx, slug: str) -> WholeText | None:
    """A published entry with its Markdown."""
    return await ctx.first(
        WholeText,
        f"""
        select e.slug, %(locale)s as locale, e.title, null as description, {readers_text("e")} as markdown,
            e.content_html as html, e.updated_at
        {PUBLISHED_ENTRIES} and e.slug = %(slug)s
        """,
        locale=ctx.bot.locale,
        slug=slug,
    )


async def list_texts(ctx: Ctx) -> list[ListedText]:
    """The live articles in reading order: one more than `llms.txt` links to, if there are more."""
    return await ctx.all(
        ListedText,
        f"""
        select a.slug, a.locale, a.title, a.description,
            array_remove(array[grandparent.title, parent.title, c.title], null) as collection_titles
        {in_read_version(ctx)} order by {TEXT_ORDER} limit {limits.MAX_LLMS_LINKS + 1}
        """,
        locale=ctx.bot.locale,
    )


async def list_whole_texts(ctx: Ctx) -> tuple[list[WholeText], int]:
    """The first live articles whose texts fit into `llms-full.txt`, and the number of all of them."""
    count: int = await ctx.value(f"select count(*)::integer {in_read_version(ctx)}")
    texts = await ctx.all(
        WholeText,
        f"""
        select {TEXT} from (
            select a.*, row_number() over reading as place,
                sum(octet_length({readers_text("a")})) over reading as bytes
            {in_read_version(ctx)} window reading as (order by {TEXT_ORDER})
        ) a where a.bytes <= %(max_bytes)s order by a.place
        """,
        locale=ctx.bot.locale,
        max_bytes=limits.MAX_LLMS_FULL_BYTES,
    )
    return texts, count


async def suggest_texts(ctx: Ctx, query: str) -> list[ListedText]:
    """Live articles in the bot's language whose titles contain the query, those beginning with it first."""
    return await ctx.all(
        ListedText,
        f"""
        select a.slug, a.locale, a.title, a.description, '{{}}'::text[] as collection_titles
        {in_read_version(ctx)} and a.locale = %(locale)s and strpos(lower(a.title), lower(%(query)s)) > 0
        order by not starts_with(lower(a.title), lower(%(query)s)), a.title, a.id
        limit {limits.SITE_SUGGESTIONS}
        """,
        locale=ctx.bot.locale,
        query=query,
    )


async def list_related(ctx: Ctx, ids: list[str]) -> list[RelatedArticle]:
    """The public ones of these articles, in this order."""
    return await ctx.all(
        RelatedArticle,
        f"""
        select a.slug, a.locale, a.title, a.description {LIVE} and a.id = any(%(ids)s)
        order by array_position(%(ids)s::text[], a.id)
        """,
        ids=ids,
    )


async def find_present_slug(ctx: Ctx, slug: str, locale: str) -> str | None:
    """The current slug of the live article that formerly had this one.

    A slug of a text in the default language leads to its translation, which may have been added later. The
    slug of an unpublished translation leads to the original if the language shows it.
    """
    return await ctx.value(
        f"""
        with moved as (
            select f.article_id as id, f.locale from former_slugs f
            where f.bot_id = %(bot)s and f.workspace_id = %(workspace)s
                and f.slug = %(slug)s and f.locale in (%(locale)s, %(default_locale)s)
        ), named as (
            select coalesce(o.translation_of, o.id) as id from articles o
            where o.bot_id = %(bot)s and o.workspace_id = %(workspace)s and o.deleted_at is null
                and %(locale)s <> %(default_locale)s
                and (o.locale = %(default_locale)s or o.locale = %(locale)s and o.published_at is not null)
                and (o.slug = %(slug)s or o.id in (select m.id from moved m where m.locale = o.locale))
        )
        select a.slug {live_in(ctx, locale)} and (
            a.id in (select m.id from moved m where m.locale = %(locale)s)
            or coalesce(a.translation_of, a.id) in (select n.id from named n))
        order by a.id in (select m.id from moved m where m.locale = %(locale)s) desc limit 1
        """,
        slug=slug,
        locale=locale,
        default_locale=ctx.bot.locale,
    )


async def find_entry(ctx: Ctx, slug: str) -> PublishedEntry | None:
    return await ctx.first(
        PublishedEntry,
        f"""
        select e.id, e.slug, e.title, e.content_html as html, e.published_at, e.updated_at
        {PUBLISHED_ENTRIES} and e.slug = %(slug)s
        """,
        slug=slug,
    )


async def list_entries(ctx: Ctx, request: PageRequest) -> Page[PublishedEntry]:
    page = request.page(ENTRY_ORDER, "news", ctx.bot.id)
    return await page.read(
        ctx,
        PublishedEntry,
        f"""
        select e.id, e.slug, e.title, e.published_at, e.updated_at,
            case when length(e.content_html) <= %(max_characters)s then e.content_html end as html
        {PUBLISHED_ENTRIES} and {page.condition} {page.tail}
        """,
        max_characters=limits.MAX_CHANGELOG_INLINE_CHARACTERS,
    )


async def find_file(ctx: Ctx, sha256: str, content_type: str) -> ServedFile | None:
    """The file at a URL, with its audience: readers of the live texts that refer to it."""
    file = await find_by_digest(ctx, sha256, content_type)
    if file is None:
        return None
    references = """
        select r.source_id from file_references r
        where r.bot_id = %(bot)s and r.workspace_id = %(workspace)s and r.sha256 = %(sha256)s
    """
    # An author's comment may refer to it too, but it is invisible.
    articles = (
        f"and strpos(a.content_html, %(sha256)s) > 0 and a.id in ({references} and r.source = 'article')"
    )
    audience: Audience | None = await ctx.value(
        f"""
        select case
            when exists (select {LIVE} {articles}) or exists (
                select {PUBLISHED_ENTRIES} and strpos(e.content_html, %(sha256)s) > 0
                and e.id in ({references} and r.source = 'changelog_entry'))
                or exists ({references} and r.source = 'site_frame')
                then 'public'
            when exists (select {LIVE_TO_SIGNED_IN} {articles}) then 'authenticated' end
        """,
        sha256=sha256,
    )
    return ServedFile(file, audience)


async def change_stamp(ctx: Ctx) -> datetime:
    """The time of the help center's last change; every public change has a later one."""
    return await ctx.value("select changed_at from bots where id = %(bot)s")


async def list_article_addresses(ctx: Ctx) -> list[ArticleAddress]:
    """The addresses of all live articles in all languages, newest change first."""
    return await ctx.all(
        ArticleAddress,
        f"""
        select a.slug, a.locale, coalesce(a.translation_of, a.id) as text_id,
            array_remove(array[grandparent.slug, parent.slug, c.slug], null) as collection_slugs, a.updated_at
        {in_read_version(ctx)} order by a.updated_at desc, a.id limit {limits.MAX_SITEMAP_URLS}
        """,
    )


async def list_entry_addresses(ctx: Ctx) -> list[EntryAddress]:
    """The addresses of all published entries, newest change first."""
    return await ctx.all(
        EntryAddress,
        f"select e.slug, e.updated_at {PUBLISHED_ENTRIES}"
        f" order by e.updated_at desc, e.id limit {limits.MAX_SITEMAP_URLS}",
    )
