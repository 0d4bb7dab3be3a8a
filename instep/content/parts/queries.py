"""The SQL of parts and variables, and of the texts that contain them."""

from collections.abc import Sequence
from dataclasses import dataclass

from instep.content.parts.schemas import FormerText, PartKind, PartUse, SharedPart, UsedPart
from instep.platform.core import limits
from instep.platform.core.like_patterns import escape_like
from instep.platform.core.paging import Order, Page, PageRequest
from instep.platform.identity.schemas import Ctx

ORDER = Order(("p.kind", "p.name", "p.locale", "p.id"), descending=False)
# Texts with references. An index contains only these, because few help centers have many.
USERS = """
    select 'article' as kind, a.id, a.slug, a.title, a.locale, a.status, a.parts from articles a
    where a.bot_id = %(bot)s and a.workspace_id = %(workspace)s and a.deleted_at is null and a.parts <> '{}'
    union all
    select 'changelog_entry', e.id, e.slug, e.title, %(locale)s, e.status, e.parts from changelog_entries e
    where e.bot_id = %(bot)s and e.workspace_id = %(workspace)s and e.parts <> '{}'
"""
PARTS = f"""
    with users as ({USERS}), counted as (
        select reference, count(*)::integer as uses from users, unnest(users.parts) as reference
        group by reference)
    select p.id, p.kind, p.name, p.locale, p.text, p.version, p.author_name, coalesce(c.uses, 0) as uses,
        p.created_at, p.updated_at
    from parts p left join counted c on c.reference = p.kind || '.' || p.name
    where p.bot_id = %(bot)s and p.workspace_id = %(workspace)s
"""


@dataclass(frozen=True, slots=True)
class PartText:
    """The text of a part or variable in one language."""

    reference: str
    locale: str
    text: str


async def lock_parts(ctx: Ctx) -> None:
    """Prevent other changes of parts until this one ends, because together they could make a circle."""
    await ctx.tx.advisory_lock(f"parts {ctx.bot.id}")


async def lock_name(ctx: Ctx, kind: PartKind, name: str) -> None:
    """Wait for texts that are being saved with this part; the texts to come wait for its change."""
    await ctx.execute(
        """
        select id from parts
        where bot_id = %(bot)s and workspace_id = %(workspace)s and kind = %(kind)s and name = %(name)s
        order by id for update
        """,
        kind=kind,
        name=name,
    )


async def texts_of(ctx: Ctx, references: Sequence[str], locale: str, *, lock: bool) -> list[PartText]:
    """The texts in a language and in the bot's language; those in the bot's language come first.

    With the lock, a change of one of these texts waits until the caller's text is stored.
    """
    return await ctx.all(
        PartText,
        f"""
        select kind || '.' || name as reference, locale, text from parts
        where bot_id = %(bot)s and workspace_id = %(workspace)s and locale in (%(locale)s, %(default)s)
          and kind || '.' || name = any(%(references)s)
        order by locale <> %(default)s, id {"for share" if lock else ""}
        """,
        references=list(references),
        locale=locale,
        default=ctx.bot.locale,
    )


async def all_texts(ctx: Ctx) -> list[PartText]:
    return await ctx.all(
        PartText,
        """
        select kind || '.' || name as reference, locale, text from parts
        where bot_id = %(bot)s and workspace_id = %(workspace)s order by id
        """,
    )


async def list_offers(ctx: Ctx, words: str, locale: str) -> list[PartText]:
    """The beginnings of the texts, in the language if there is one, of references that contain the words."""
    return await ctx.all(
        PartText,
        """
        select distinct on (kind, name) kind || '.' || name as reference, locale,
            left(text, %(characters)s) as text
        from parts
        where bot_id = %(bot)s and workspace_id = %(workspace)s and locale in (%(locale)s, %(default)s)
          and kind || '.' || name like %(pattern)s
        order by kind, name, locale <> %(locale)s limit %(limit)s
        """,
        pattern=f"%{escape_like(words)}%",
        locale=locale,
        default=ctx.bot.locale,
        characters=limits.MAX_OFFERED_PART_CHARACTERS,
        limit=limits.MAX_LINKS_OFFERED,
    )


async def list_references(ctx: Ctx) -> list[str]:
    return await ctx.column(
        """
        select distinct kind || '.' || name from parts
        where bot_id = %(bot)s and workspace_id = %(workspace)s
        """
    )


async def list_page(ctx: Ctx, request: PageRequest) -> Page[SharedPart]:
    page = request.page(ORDER, "parts", ctx.bot.id)
    return await page.read(
        ctx, SharedPart, f"{PARTS} and {page.condition} {page.tail}", locale=ctx.bot.locale
    )


async def find(ctx: Ctx, part_id: str) -> SharedPart | None:
    return await ctx.first(SharedPart, f"{PARTS} and p.id = %(id)s", id=part_id, locale=ctx.bot.locale)


async def find_named(ctx: Ctx, kind: PartKind, name: str, locale: str) -> SharedPart | None:
    return await ctx.first(
        SharedPart,
        f"{PARTS} and p.kind = %(kind)s and p.name = %(name)s and p.locale = %(of_locale)s",
        kind=kind,
        name=name,
        of_locale=locale,
        locale=ctx.bot.locale,
    )


async def list_locales(ctx: Ctx, kind: str, name: str) -> list[str]:
    return await ctx.column(
        """
        select locale from parts
        where bot_id = %(bot)s and workspace_id = %(workspace)s and kind = %(kind)s and name = %(name)s
        """,
        kind=kind,
        name=name,
    )


async def list_with_words(ctx: Ctx, words: str) -> list[SharedPart]:
    """The parts and variables with the words in their text, in any case."""
    return await ctx.all(
        SharedPart,
        f"{PARTS} and p.text ilike %(pattern)s order by p.kind, p.name, p.locale, p.id",
        pattern=f"%{escape_like(words)}%",
        locale=ctx.bot.locale,
    )


async def list_former_texts(ctx: Ctx, part_id: str) -> list[FormerText]:
    """The earlier texts of a part, newest first."""
    return await ctx.all(
        FormerText,
        """
        select (f ->> 'version')::integer as version, f ->> 'text' as text, f ->> 'author' as author,
            f ->> 'at' as at
        from parts p, jsonb_array_elements(p.former) as f
        where p.bot_id = %(bot)s and p.workspace_id = %(workspace)s and p.id = %(id)s
        order by version desc
        """,
        id=part_id,
    )


async def list_uses(ctx: Ctx, reference: str, limit: int = limits.MAX_USES_SHOWN) -> list[PartUse]:
    """Texts with the reference, also inside other parts: live ones first."""
    return await ctx.all(
        PartUse,
        f"""
        select u.kind, u.id, u.slug, u.title, u.locale, u.status, count(*) over ()::integer as total
        from ({USERS}) u where %(reference)s = any(u.parts)
        order by u.status <> 'published', u.title, u.id limit %(limit)s
        """,
        reference=reference,
        limit=limit,
        locale=ctx.bot.locale,
    )


async def list_used(ctx: Ctx) -> list[UsedPart]:
    """The parts that drafts or live articles show."""
    return await ctx.all(
        UsedPart,
        """
        select p.id, p.kind, p.name, p.locale, p.text,
            array_agg(a.id order by a.status <> 'published', a.id) as article_ids
        from parts p join articles a on a.bot_id = p.bot_id and a.workspace_id = %(workspace)s
            and a.deleted_at is null and a.status in ('draft', 'published') and a.parts <> '{}'
            and p.kind || '.' || p.name = any(a.parts)
            and (a.locale = p.locale or p.locale = %(locale)s and not exists (
                select from parts o where o.workspace_id = %(workspace)s and o.bot_id = p.bot_id
                    and o.kind = p.kind and o.name = p.name and o.locale = a.locale))
        where p.bot_id = %(bot)s and p.workspace_id = %(workspace)s
        group by p.id, p.kind, p.name, p.locale, p.text order by p.id
        """,
        locale=ctx.bot.locale,
    )


async def insert(ctx: Ctx, part_id: str, kind: PartKind, name: str, locale: str, text: str) -> None:
    await ctx.execute(
        """
        insert into parts (id, workspace_id, bot_id, kind, name, locale, text, version, author_name,
            created_at, updated_at)
        values (%(id)s, %(workspace)s, %(bot)s, %(kind)s, %(name)s, %(locale)s, %(text)s, 1, %(author)s,
            %(now)s, %(now)s)
        """,
        id=part_id,
        kind=kind,
        name=name,
        locale=locale,
        text=text,
        author=ctx.actor.name,
    )


async def update(ctx: Ctx, part_id: str, text: str) -> None:
    """Replace the text; the earlier one is kept, up to a limit."""
    await ctx.execute(
        """
        update parts p set text = %(text)s, version = p.version + 1, author_name = %(author)s,
            updated_at = %(now)s, former = (
                select jsonb_agg(f.value order by f.number) from (
                    select value, number from jsonb_array_elements(p.former || jsonb_build_object(
                        'version', p.version, 'text', p.text, 'author', p.author_name, 'at', p.updated_at))
                        with ordinality as each (value, number)
                    order by number desc limit %(versions)s) f)
        where p.bot_id = %(bot)s and p.workspace_id = %(workspace)s and p.id = %(id)s
        """,
        id=part_id,
        text=text,
        author=ctx.actor.name,
        versions=limits.MAX_PART_VERSIONS,
    )


async def keep_imported(ctx: Ctx, part_id: str, source: str, key: str, digest: str) -> None:
    """Record that the present text of a part comes from a source."""
    await ctx.execute(
        """
        update parts set imported_text = text, import_source = %(source)s, import_key = %(key)s,
            import_digest = %(digest)s
        where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(id)s
        """,
        id=part_id,
        source=source,
        key=key,
        digest=digest,
    )


async def delete(ctx: Ctx, part_id: str) -> None:
    await ctx.execute(
        "delete from parts where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(id)s",
        id=part_id,
    )


async def mark_uses(ctx: Ctx, reference: str) -> None:
    """Have the texts with the reference rendered again, by the job that renders outdated HTML."""
    for table in ("articles", "changelog_entries"):
        await ctx.execute(
            f"""
            update {table} set html_version = 0 where id in (
                select id from {table}
                where bot_id = %(bot)s and workspace_id = %(workspace)s and parts <> '{{}}'
                  and %(reference)s = any(parts) order by id for no key update)
              and workspace_id = %(workspace)s
            """,
            reference=reference,
        )
