"""The SQL of articles and their former slugs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from instep.content.articles.freshness import STANDING, STATE
from instep.content.articles.live import VERSION_SLUGS, in_version, in_version_at
from instep.content.articles.schemas import (
    Article,
    DeletedArticle,
    FamilyMember,
    FreshnessState,
    LinkTarget,
    TextAuthor,
    TextSource,
    Verification,
    WorkingCopy,
)
from instep.platform.core import limits
from instep.platform.core.ids import looks_like_id, new_id
from instep.platform.core.like_patterns import escape_like
from instep.platform.core.markdown import Format
from instep.platform.core.paging import Order, Page, PageRequest
from instep.platform.identity.schemas import Ctx

ORDER = Order(("a.updated_at", "a.id"), descending=True)
NO_WORKING_COPY = dict.fromkeys(
    ("working_title", "working_markdown", "working_author_type", "working_author_name", "working_saved_at")
)
TEXT_COLUMNS: dict[Format, str] = {"markdown": "a.content_markdown", "html": "a.content_html"}


# The slug of the newest version of an article that the current version lacks: its address names that version.
ADDRESS_VERSION = f"""
    case when a.since_version is not null or a.until_version is not null then (
        select case when not v.is_current then v.slug end from product_versions v
        where v.bot_id = %(bot)s and v.workspace_id = %(workspace)s and {in_version_at("v.position")}
        order by v.is_current desc, v.position desc limit 1) end as address_version
"""


def columns(format: Format, standing: str = STANDING) -> str:
    """The columns of `Article`; with `null` as its standing for readers that need none."""
    return f"""
        a.id, a.slug, a.locale, a.translation_of,
        coalesce((select jsonb_agg(jsonb_build_object('id', t.id, 'locale', t.locale, 'status', t.status,
                'outdated', a.version > coalesce(t.translated_version, 0)) order by t.locale)
            from articles t
            where t.workspace_id = %(workspace)s and t.translation_of = a.id and t.deleted_at is null), '[]')
            as translations,
        a.title, a.description, {TEXT_COLUMNS[format]} as content, a.expanded_markdown as expanded,
        a.collection_id, a.visibility, a.position, a.status,
        a.since_version, a.until_version, a.version_family, {VERSION_SLUGS},
        {ADDRESS_VERSION},
        a.working_saved_at is not null as has_unpublished_changes, a.version,
        a.published_at, a.created_at, a.updated_at, {standing} as standing
    """


# A translation has these of its original.
VERSION_COLUMNS = ("since_version", "until_version", "version_family")


@dataclass(frozen=True, slots=True)
class ArticleCriteria:
    """The criteria of a list of articles."""

    status: str = "all"
    collection_id: str | None = None
    locale: str | None = None
    updated_since: datetime | None = None
    freshness: FreshnessState | None = None
    # The position of a product version.
    version: int | None = None


async def find(ctx: Ctx, ref: str, format: Format, *, lock: bool = False) -> Article | None:
    """Find by id or slug; a slug is looked up in the bot's own locale first.

    The lock still lets others, who may hold the lock on the bot, insert rows that refer to the article.
    """
    column = "id" if looks_like_id(ref) else "slug"
    return await ctx.first(
        Article,
        f"""
        select {columns(format)} from articles a
        where a.bot_id = %(bot)s and a.workspace_id = %(workspace)s and a.deleted_at is null
          and a.{column} = %(ref)s
        order by a.locale <> %(locale)s, a.locale limit 1 {"for no key update of a" if lock else ""}
        """,
        ref=ref,
        locale=ctx.bot.locale,
    )


async def find_former(ctx: Ctx, slug: str) -> str | None:
    """The id of the article that formerly had this slug."""
    return await ctx.value(
        """
        select f.article_id from former_slugs f
        join articles a on a.workspace_id = %(workspace)s and a.id = f.article_id
        where f.bot_id = %(bot)s and f.workspace_id = %(workspace)s and f.slug = %(slug)s
          and a.deleted_at is null
        order by f.locale <> %(locale)s, f.locale limit 1
        """,
        slug=slug,
        locale=ctx.bot.locale,
    )


async def list_page(
    ctx: Ctx, criteria: ArticleCriteria, format: Format, request: PageRequest
) -> Page[Article]:
    conditions = {
        "status": "a.status = %(status)s" if criteria.status != "all" else "true",
        "collection_id": "a.collection_id = %(collection_id)s" if criteria.collection_id else "true",
        "locale": "a.locale = %(locale)s" if criteria.locale else "true",
        "updated_since": "a.updated_at >= %(updated_since)s" if criteria.updated_since else "true",
        "freshness": f"{STATE} = %(freshness)s" if criteria.freshness else "true",
        "version": in_version(criteria.version),
    }
    page = request.page(
        ORDER,
        "articles",
        ctx.bot.id,
        criteria.status,
        criteria.collection_id,
        criteria.locale,
        criteria.updated_since,
        *([criteria.freshness] if criteria.freshness else []),
        *([f"version {criteria.version}"] if criteria.version is not None else []),
    )
    return await page.read(
        ctx,
        Article,
        f"""
        select {columns(format)} from articles a
        where a.bot_id = %(bot)s and a.workspace_id = %(workspace)s and a.deleted_at is null
          and {" and ".join(conditions.values())} and {page.condition} {page.tail}
        """,
        status=criteria.status,
        collection_id=criteria.collection_id,
        locale=criteria.locale,
        updated_since=criteria.updated_since,
        freshness=criteria.freshness,
        version=criteria.version,
    )


async def slugs_like(ctx: Ctx, base: str, locale: str) -> set[str]:
    """Slugs that a numbered form of `base` could clash with."""
    slugs = await ctx.value(
        """
        select array_agg(slug) from articles
        where bot_id = %(bot)s and workspace_id = %(workspace)s and locale = %(locale)s
          and deleted_at is null and starts_with(slug, %(base)s)
        """,
        locale=locale,
        base=base[:100],
    )
    return set(slugs or ())


async def locales_of(ctx: Ctx, root_id: str) -> set[str]:
    """The languages in which an article has a text."""
    locales = await ctx.value(
        """
        select array_agg(locale) from articles
        where bot_id = %(bot)s and workspace_id = %(workspace)s
          and (id = %(root)s or translation_of = %(root)s) and deleted_at is null
        """,
        root=root_id,
    )
    return set(locales or ())


async def insert(ctx: Ctx, row: dict[str, Any], format: Format) -> Article | None:
    """The new article, at the end of its collection; None if its slug or locale has just been taken."""
    # A statement of its own, so that the next one sees the positions that earlier writers took.
    stamp = await ctx.value("select stamp_change(%(bot)s)")
    # PostgreSQL finds the last position in an index for these conditions, not for `is not distinct from`.
    in_collection = (
        "collection_id is null" if row["collection_id"] is None else "collection_id = %(collection_id)s"
    )
    versions = ", ".join(
        f"""case when %(translation_of)s::text is null then %({name})s else (select {name} from articles
            where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(translation_of)s) end"""
        for name in VERSION_COLUMNS
    )
    return await ctx.first(
        Article,
        f"""
        insert into articles as a (id, workspace_id, bot_id, slug, locale, translation_of, title, description,
            content_markdown, content_html, html_version, expanded_markdown, parts, collection_id, visibility,
            position, status, since_version, until_version, version_family, version, translated_version,
            origin, draft_id, author_type, author_name, text_changed_at, created_at, updated_at)
        values (%(id)s, %(workspace)s, %(bot)s, %(slug)s, %(locale)s, %(translation_of)s, %(title)s,
            %(description)s, %(content_markdown)s, %(content_html)s, %(html_version)s, %(expanded_markdown)s,
            %(parts)s, %(collection_id)s,
            %(visibility)s,
            coalesce(%(position)s::integer, (
                select least(coalesce(max(position)::bigint + 1, 0), %(max_position)s)::integer from articles
                where bot_id = %(bot)s and workspace_id = %(workspace)s
                  and {in_collection} and deleted_at is null)),
            %(status)s, {versions}, 1, (select version from articles
                where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(translation_of)s),
            %(origin)s, %(draft_id)s, %(author_type)s, %(author_name)s,
            %(stamp)s, %(stamp)s, %(stamp)s)
        on conflict do nothing
        returning {columns(format)}
        """,
        author_type=ctx.actor.type,
        author_name=ctx.actor.name,
        max_position=limits.MAX_INTEGER,
        stamp=stamp,
        **row,
    )


async def update(
    ctx: Ctx, article_id: str, changes: dict[str, Any], format: Format, source: TextSource | None = None
) -> Article:
    """Change columns of an article; with a source its text is replaced: the old one becomes a revision.

    Its working copy, based on the replaced text, is deleted; the caller saves it before if needed.
    """
    values = dict(changes)
    if source:
        author = {"author_type": ctx.actor.type, "author_name": ctx.actor.name}
        values = author | NO_WORKING_COPY | verified_columns(ctx, source.verification) | values
        values |= {"origin": source.origin, "draft_id": source.draft_id}
    assignments = [f"{name} = %({name})s" for name in values]
    if source:
        assignments += ["version = a.version + 1", "text_changed_at = stamp.at"]
        assignments += [f"translated_version = ({VERSION_OF_ORIGINAL})"]
    return await ctx.fetch_one(
        Article,
        f"""
        with stamp as (select stamp_change(%(bot)s) as at) {KEEP_REVISION if source else ""}
        update articles as a set {", ".join((*assignments, "updated_at = stamp.at"))} from stamp
        where a.bot_id = %(bot)s and a.workspace_id = %(workspace)s and a.id = %(id)s
        returning {columns(format)}
        """,
        id=article_id,
        revision=new_id("rev"),
        max_revisions=limits.MAX_REVISIONS,
        **values,
    )


VERSION_OF_ORIGINAL = """
    select r.version from articles r where r.workspace_id = a.workspace_id and r.id = a.translation_of
"""
# This reads the row as it was before the update in the same statement. `pruned` runs though nothing reads it.
KEEP_REVISION = """
    , replaced as (
        insert into revisions (id, workspace_id, bot_id, article_id, version, title, content_markdown, origin,
            draft_id, author_type, author_name, created_at)
        select %(revision)s, workspace_id, bot_id, id, version, title, content_markdown, origin,
            draft_id, author_type, author_name, stamp.at
        from articles, stamp where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(id)s
        returning article_id, version
    ), pruned as (
        delete from revisions r using replaced
        where r.workspace_id = %(workspace)s and r.article_id = replaced.article_id
          and r.version <= replaced.version - %(max_revisions)s
    )
"""


def verified_columns(ctx: Ctx, verification: Verification | None) -> dict[str, Any]:
    """The columns that say what has verified an article's present text; None: nothing has."""
    if verification is None:
        return dict.fromkeys(("verified_at", "verified_by", "verified_by_name", "verified_commit"))
    looked = {"reviewed_at": ctx.now} if ctx.actor.type == "person" else {}
    return {
        "verified_at": ctx.now,
        "verified_by": verification.by,
        "verified_by_name": ctx.actor.name,
        "verified_commit": verification.commit,
        "due_announced_at": None,
        **looked,
    }


async def record_verifications(
    ctx: Ctx, article_ids: Sequence[str], verification: Verification, *, read_at: datetime | None = None
) -> None:
    """Say that the present texts of published articles are right.

    `read_at` is when the texts were read, if that was earlier: what changed since is not verified. The
    articles do not change by it (`updatedAt` stays), but their public pages may show it.
    """
    values = verified_columns(ctx, verification)
    count = await ctx.execute(
        f"""
        with verified as (
            select id from articles
            where bot_id = %(bot)s and workspace_id = %(workspace)s and id = any(%(ids)s)
              and status = 'published' and deleted_at is null and text_changed_at <= %(read_at)s
            order by id for no key update)
        update articles a set {assignments_of(values)} from verified v
        where a.bot_id = %(bot)s and a.workspace_id = %(workspace)s and a.id = v.id
        """,
        ids=list(article_ids),
        read_at=read_at or "infinity",
        **values,
    )
    if count:
        await ctx.stamp_at_commit()


async def set_care(ctx: Ctx, article_id: str, care: dict[str, Any]) -> None:
    """Set the owner and the review date of an article; readers see no change."""
    await ctx.execute(
        f"""
        update articles set {assignments_of(care)}, due_announced_at = null
        where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(id)s
          and ({" or ".join(f"{name} is distinct from %({name})s" for name in care)})
        """,
        id=article_id,
        **care,
    )


def assignments_of(columns: Iterable[str]) -> str:
    return ", ".join(f"{name} = %({name})s" for name in columns)


async def list_family(ctx: Ctx, article: Article) -> list[FamilyMember]:
    """The other originals of an article's family, by their versions."""
    return await ctx.all(
        FamilyMember,
        f"""
        select a.id, a.title, a.status, {VERSION_SLUGS} from articles a
        left join product_versions since on since.workspace_id = %(workspace)s and since.id = a.since_version
        where a.bot_id = %(bot)s and a.workspace_id = %(workspace)s and a.deleted_at is null
          and a.translation_of is null and a.id <> %(id)s
          and (a.id = %(family)s or a.version_family = %(family)s)
        order by since.position desc nulls last, a.id
        """,
        id=article.id,
        family=article.version_family or article.id,
    )


async def move_family(ctx: Ctx, head_id: str, family: str) -> None:
    """Put the articles of the family that began with `head_id` into another family."""
    await ctx.execute(
        """
        update articles set version_family = %(family)s
        where bot_id = %(bot)s and workspace_id = %(workspace)s and version_family = %(head)s
        """,
        head=head_id,
        family=family,
    )


async def find_working_copy(ctx: Ctx, article_id: str) -> WorkingCopy | None:
    return await ctx.first(
        WorkingCopy,
        """
        select working_title as title, working_markdown as content, working_author_type as author_type,
            working_author_name as author_name, working_saved_at as saved_at
        from articles
        where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(id)s
          and working_saved_at is not null
        """,
        id=article_id,
    )


async def find_text_author(ctx: Ctx, article_id: str) -> TextAuthor:
    """The author of an article's own text and the time."""
    return await ctx.fetch_one(
        TextAuthor,
        """
        select author_name as name, text_changed_at as changed_at from articles
        where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(id)s
        """,
        id=article_id,
    )


async def list_link_targets(ctx: Ctx, words: str, locale: str) -> list[LinkTarget]:
    """Articles in a language whose title or slug contains the words, titles that begin with them first."""
    pattern = escape_like(words)
    return await ctx.all(
        LinkTarget,
        """
        select a.id, a.slug, a.locale, a.title, a.status from articles a
        where a.bot_id = %(bot)s and a.workspace_id = %(workspace)s and a.deleted_at is null
          and a.locale = %(locale)s and a.status <> 'archived'
          and (a.title ilike %(inside)s or a.slug ilike %(inside)s)
        order by a.title not ilike %(beginning)s, a.status <> 'published', length(a.title), a.id
        limit %(limit)s
        """,
        locale=locale,
        inside=f"%{pattern}%",
        beginning=f"{pattern}%",
        limit=limits.MAX_LINKS_OFFERED,
    )


def working_columns(ctx: Ctx, title: str, content: str) -> dict[str, Any]:
    """The columns of a working copy that the caller saves."""
    return {
        "working_title": title,
        "working_markdown": content,
        "working_author_type": ctx.actor.type,
        "working_author_name": ctx.actor.name,
        "working_saved_at": ctx.now,
    }


async def keep_former_slug(ctx: Ctx, article: Article | DeletedArticle, new_slug: str) -> None:
    """Redirect the old address to the article, and remove a redirect from an address that it now uses."""
    await ctx.execute(
        """
        delete from former_slugs
        where bot_id = %(bot)s and workspace_id = %(workspace)s and slug = %(new)s and locale = %(locale)s
          and article_id = %(article)s
        """,
        new=new_slug,
        locale=article.locale,
        article=article.id,
    )
    await ctx.execute(
        """
        insert into former_slugs (workspace_id, bot_id, locale, slug, article_id)
        values (%(workspace)s, %(bot)s, %(locale)s, %(slug)s, %(article)s)
        on conflict (bot_id, slug, locale, workspace_id) do update set article_id = excluded.article_id
        """,
        locale=article.locale,
        slug=article.slug,
        article=article.id,
    )


async def set_translated_version(ctx: Ctx, article_id: str, version: int) -> None:
    """Say which version of the original a translation's text was made from; nothing else changes."""
    await ctx.execute(
        """
        update articles set translated_version = %(version)s
        where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(id)s
          and translation_of is not null
        """,
        id=article_id,
        version=version,
    )


async def resolve_review(ctx: Ctx, article_ids: list[str], status: Literal["applied", "dismissed"]) -> None:
    """Settle the drafts of these new articles; pending edits of the articles stay."""
    await ctx.execute(
        """
        update drafts d set status = %(status)s, updated_at = %(now)s, settled_at = %(now)s,
            settled_by_type = %(by_type)s, settled_by_name = %(by_name)s,
            replaced_version = case %(status)s when 'applied' then a.version end,
            applied_version = case %(status)s when 'applied' then a.version end
        from articles a
        where d.bot_id = %(bot)s and d.workspace_id = %(workspace)s and d.article_id = any(%(articles)s)
          and d.type <> 'edit' and d.status = 'pending'
          and a.workspace_id = %(workspace)s and a.bot_id = d.bot_id and a.id = d.article_id
        """,
        articles=article_ids,
        status=status,
        by_type=ctx.actor.type,
        by_name=ctx.actor.name,
    )
