"""The SQL of redirects."""

from collections.abc import Mapping, Sequence
from typing import Any

from instep.content.articles.live import LIVE
from instep.content.collections.visibility import ANCESTORS, IS_PUBLIC
from instep.content.redirects.path_patterns import anchors_of
from instep.content.redirects.schemas import ArticleAtPath, Redirect, RedirectTarget
from instep.platform.core.like_patterns import escape_like
from instep.platform.core.paging import Order, Page, PageRequest
from instep.platform.identity.schemas import Ctx

REDIRECT = "r.id, r.path, r.article_id, r.url, r.created_at"
ORDER = Order(("r.created_at", "r.id"), descending=True)
BY_PATH = Order(("r.path", "r.id"), descending=False)
# The path of a redirect as a pattern for `like`.
LIKE_PATTERN = r"""
    replace(replace(replace(replace(r.path, '\', '\\'), '%%', '\%%'), '_', '\_'), '*', '%%')
"""
# An exact path has priority over patterns, and the pattern with the most literal characters over others.
FIND_TARGET = f"""
    select r.path, r.article_id, r.url, target.slug, target.locale
    from (
        select r.path, r.article_id, r.url from redirects r
        where r.bot_id = %(bot)s and r.workspace_id = %(workspace)s
          and r.anchor = any(%(anchors)s)
          and %(path)s::text || case when r.path like '%%/**' then '/' else '' end like {LIKE_PATTERN}
        order by r.path = %(path)s desc, length(replace(r.path, '*', '')) desc, r.id limit 1
    ) r left join lateral (select a.slug, a.locale {LIVE} and a.id = r.article_id) target on true
"""


def find_target_params(ctx: Ctx, path: str) -> dict[str, Any]:
    return {"bot": ctx.bot.id, "path": path, "anchors": anchors_of(path)}


async def find_target(ctx: Ctx, path: str) -> RedirectTarget | None:
    """The target of the redirect from this path: one lookup in an index, however many patterns there are."""
    return await ctx.first(RedirectTarget, FIND_TARGET, **find_target_params(ctx, path))


async def find_article_at(ctx: Ctx, slug: str, locale: str) -> ArticleAtPath | None:
    """The article that has or had this slug."""
    return await ctx.first(
        ArticleAtPath,
        f"""
        select b.id, b.slug, b.locale, exists (select {LIVE} and a.id = b.id) as is_public
        from articles b
        where b.bot_id = %(bot)s and b.workspace_id = %(workspace)s
          and b.deleted_at is null and b.locale = %(locale)s
          and (b.slug = %(slug)s or b.id = (select f.article_id from former_slugs f
            where f.bot_id = %(bot)s and f.workspace_id = %(workspace)s
              and f.slug = %(slug)s and f.locale = %(locale)s))
        order by b.slug = %(slug)s desc limit 1
        """,
        slug=slug,
        locale=locale,
    )


async def has_collection(ctx: Ctx, slug: str) -> bool:
    """True if everyone may see a collection with this slug."""
    return bool(
        await ctx.value(
            f"""
            select exists (select from collections c {ANCESTORS}
                where c.bot_id = %(bot)s and c.workspace_id = %(workspace)s
                  and c.slug = %(slug)s and {IS_PUBLIC})
            """,
            slug=slug,
        )
    )


async def has_entry(ctx: Ctx, slug: str) -> bool:
    """True if a changelog entry with this slug is published."""
    return bool(
        await ctx.value(
            """
            select exists (select from changelog_entries
                where bot_id = %(bot)s and workspace_id = %(workspace)s
                  and slug = %(slug)s and status = 'published')
            """,
            slug=slug,
        )
    )


async def list_page(ctx: Ctx, request: PageRequest) -> Page[Redirect]:
    page = request.page(ORDER, "redirects", ctx.bot.id)
    return await page.read(
        ctx,
        Redirect,
        f"""
        select {REDIRECT} from redirects r
        where r.bot_id = %(bot)s and r.workspace_id = %(workspace)s and {page.condition} {page.tail}
        """,
    )


async def list_by_path(ctx: Ctx, words: str, request: PageRequest) -> Page[Redirect]:
    """The redirects with these words in an address or in the title of the article, sorted by path."""
    page = request.page(BY_PATH, "redirects by path", ctx.bot.id, words)
    rows = await ctx.all(
        Redirect,
        f"""
        select {REDIRECT} from redirects r
        left join articles a on a.workspace_id = %(workspace)s and a.id = r.article_id
        where r.bot_id = %(bot)s and r.workspace_id = %(workspace)s
          and concat_ws(E'\\n', r.path, r.url, a.slug, a.title) ilike %(pattern)s
          and {page.condition} {page.tail}
        """,
        pattern=f"%{escape_like(words)}%",
        **page.params,
    )
    return page.page_of(rows, lambda row: (row.source, row.id))


async def lock_count(ctx: Ctx) -> None:
    """Make other transactions that add redirects to the bot wait until this one ends."""
    await ctx.tx.advisory_lock(f"redirects {ctx.bot.id}")


async def count(ctx: Ctx) -> int:
    return await ctx.value(
        "select count(*) from redirects where bot_id = %(bot)s and workspace_id = %(workspace)s"
    )


async def list_known_paths(ctx: Ctx, paths: Sequence[str]) -> set[str]:
    """The redirected ones of these paths and patterns."""
    known_paths = await ctx.value(
        """
        select array_agg(path) from redirects
        where bot_id = %(bot)s and workspace_id = %(workspace)s and path = any(%(paths)s)
        """,
        paths=list(paths),
    )
    return set(known_paths or ())


async def insert(ctx: Ctx, row: dict[str, Any]) -> Redirect:
    """The new redirect."""
    return await ctx.fetch_one(
        Redirect,
        f"""
        insert into redirects as r (id, workspace_id, bot_id, path, anchor, article_id, url, created_at)
        values (%(id)s, %(workspace)s, %(bot)s, %(path)s, %(anchor)s, %(article_id)s, %(url)s, %(now)s)
        returning {REDIRECT}
        """,
        **row,
    )


async def insert_many(ctx: Ctx, rows: Sequence[Mapping[str, Any]]) -> int:
    """Add redirects in one statement, except from paths with one; return how many were added."""
    return await ctx.execute(
        """
        insert into redirects (id, workspace_id, bot_id, path, anchor, article_id, url, created_at)
        select id, %(workspace)s, %(bot)s, path, anchor, article_id, url, %(now)s
        from unnest(%(ids)s::text[], %(paths)s::text[], %(anchors)s::text[], %(articles)s::text[],
            %(urls)s::text[]) as new (id, path, anchor, article_id, url)
        on conflict on constraint redirects_path do nothing
        """,
        ids=[row["id"] for row in rows],
        paths=[row["path"] for row in rows],
        anchors=[row["anchor"] for row in rows],
        articles=[row["article_id"] for row in rows],
        urls=[row["url"] for row in rows],
    )


async def repoint(ctx: Ctx, article_id: str, heir_id: str) -> None:
    await ctx.execute(
        """
        update redirects set article_id = %(heir)s
        where bot_id = %(bot)s and workspace_id = %(workspace)s and article_id = %(article)s
        """,
        article=article_id,
        heir=heir_id,
    )


async def delete(ctx: Ctx, redirect_id: str) -> bool:
    return bool(
        await ctx.execute(
            "delete from redirects where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(id)s",
            id=redirect_id,
        )
    )


async def titles_of(ctx: Ctx, article_ids: list[str]) -> dict[str, str]:
    titles: dict[str, str] | None = await ctx.value(
        """
        select jsonb_object_agg(id, title) from articles
        where bot_id = %(bot)s and workspace_id = %(workspace)s and id = any(%(ids)s)
        """,
        ids=article_ids,
    )
    return titles or {}
