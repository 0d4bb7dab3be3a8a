"""The SQL of imports, and of the results of earlier ones."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from psycopg.types.json import Jsonb

from instep.content.redirects.schemas import whole_url
from instep.platform.core import limits
from instep.platform.identity.schemas import Ctx
from instep.transfer.imports.schemas import (
    ArticlePlace,
    BotState,
    ImportRow,
    ImportState,
    KnownCollection,
    KnownEntry,
    KnownPage,
    KnownPart,
    RefKind,
)
from instep.transfer.imports.tree.schemas import MovedPage

IMPORT = """
    i.id, i.name, i.format, i.source, i.state, i.site, i.prunes, i.object_key, i.bytes, i.report, i.done,
    i.total, i.error, i.author_type, i.author_name, i.created_at, i.ended_at
"""
# Someone has changed title or text since the import, or is editing it now.
IS_CHANGED = """
    ((a.title, a.content_markdown) is distinct from (r.title, r.content_markdown)
        or a.working_saved_at is not null)
"""


@dataclass(frozen=True, slots=True)
class ImportedText:
    """The result of an earlier import of a page or entry, and the current text; the article is locked."""

    key: str
    id: str
    title: str
    content: str
    version: int | None
    facts: dict[str, Any]
    is_changed_here: bool
    is_deleted: bool


async def find_state(ctx: Ctx, source: str, keys: Collection[str]) -> BotState:
    """The state of the bot for a plan, in eleven statements whatever its size.

    `keys` are the keys of the pages in the source: only the texts of other pages are read.
    """
    slugs: dict[str, list[str]] | None = await ctx.value(SLUGS)
    collections = await ctx.all(KnownCollection, KNOWN_COLLECTIONS, source=source)
    pages = await ctx.all(
        KnownPage, KNOWN_PAGES, source=source, keys=list(keys), length=limits.MAX_COMPARED_CHARACTERS
    )
    entries = await ctx.all(KnownEntry, KNOWN_ENTRIES, source=source)
    collection_slugs = await ctx.value(
        "select array_agg(slug) from collections where bot_id = %(bot)s and workspace_id = %(workspace)s"
    )
    entry_slugs = await ctx.value(
        """
        select array_agg(slug) from changelog_entries
        where bot_id = %(bot)s and workspace_id = %(workspace)s
        """
    )
    redirects: dict[str, str] | None = await ctx.value(
        """
        select jsonb_object_agg(path, coalesce(article_id, url)) from redirects
        where bot_id = %(bot)s and workspace_id = %(workspace)s
        """
    )
    site = await ctx.value(
        """
        select site from imports
        where bot_id = %(bot)s and workspace_id = %(workspace)s and source = %(source)s
          and site is not null
        order by created_at desc limit 1
        """,
        source=source,
    )
    questions: list[tuple[str, str]] | None = await ctx.value(
        """
        select jsonb_agg(jsonb_build_array(article_id, question)) from golden_questions
        where bot_id = %(bot)s and workspace_id = %(workspace)s
        """
    )
    parts = await ctx.all(
        KnownPart,
        """
        select kind || '.' || name as reference, locale, text, imported_text,
            case when import_source = %(source)s then import_key end as key, import_digest as digest
        from parts
        where bot_id = %(bot)s and workspace_id = %(workspace)s
        """,
        source=source,
    )
    return BotState(
        ctx.bot.slug,
        ctx.bot.locale,
        pages={row.key: row for row in pages},
        collections={row.key: row for row in collections},
        entries={row.key: row for row in entries},
        slugs={locale: set(names) for locale, names in (slugs or {}).items()},
        collection_slugs=set(collection_slugs or ()),
        entry_slugs=set(entry_slugs or ()),
        redirects={path: whole_url(ctx.bot, target) for path, target in (redirects or {}).items()},
        questions={(article_id, question) for article_id, question in questions or ()},
        parts={(row.reference, row.locale): row for row in parts},
        help_url=ctx.bot.help_url,
        site=site,
    )


# A former slug still leads to its article, so nothing else may use it.
SLUGS = """
    select jsonb_object_agg(locale, slugs) from (
        select locale, jsonb_agg(slug) as slugs from (
            select locale, slug from articles
            where bot_id = %(bot)s and workspace_id = %(workspace)s and deleted_at is null
            union
            select locale, slug from former_slugs where bot_id = %(bot)s and workspace_id = %(workspace)s
        ) as rows group by locale
    ) as locales
"""
KNOWN_PAGES = f"""
    select r.key, r.article_id, a.slug, a.locale, r.digest, r.facts, a.deleted_at is not null as is_deleted,
        {IS_CHANGED} as is_changed_here, a.status, r.title,
        case when r.key = any(%(keys)s) then '' else left(r.content_markdown, %(length)s) end as text
    from import_refs r
    join articles a on a.workspace_id = %(workspace)s and a.id = r.article_id
    where r.bot_id = %(bot)s and r.workspace_id = %(workspace)s and r.source = %(source)s and r.kind = 'page'
"""
KNOWN_COLLECTIONS = """
    select r.key, r.collection_id, c.slug, r.facts
    from import_refs r
    join collections c on c.workspace_id = %(workspace)s and c.id = r.collection_id
    where r.bot_id = %(bot)s and r.workspace_id = %(workspace)s
      and r.source = %(source)s and r.kind = 'collection'
"""
KNOWN_ENTRIES = """
    select r.key, r.entry_id, e.slug, r.digest,
        (e.title, e.content_markdown) is distinct from (r.title, r.content_markdown) as is_changed_here
    from import_refs r
    join changelog_entries e on e.workspace_id = %(workspace)s and e.bot_id = r.bot_id and e.id = r.entry_id
    where r.bot_id = %(bot)s and r.workspace_id = %(workspace)s
      and r.source = %(source)s and r.kind = 'entry'
"""


async def list_texts(ctx: Ctx, source: str, keys: Sequence[str]) -> dict[str, ImportedText]:
    """The texts from earlier imports of these pages, by key; locks their articles in the order of ids."""
    rows = await ctx.all(
        ImportedText,
        f"""
        select r.key, a.id, r.title, r.content_markdown as content, r.version, r.facts,
            {IS_CHANGED} as is_changed_here, a.deleted_at is not null as is_deleted
        from import_refs r
        join articles a on a.workspace_id = %(workspace)s and a.id = r.article_id
        where r.bot_id = %(bot)s and r.workspace_id = %(workspace)s
          and r.source = %(source)s and r.kind = 'page' and r.key = any(%(keys)s)
        order by a.id for no key update of a
        """,
        source=source,
        keys=list(keys),
    )
    return {row.key: row for row in rows}


async def ids_of(ctx: Ctx, source: str, kind: RefKind) -> dict[str, str]:
    """The ids here for the source's keys, without deleted articles."""
    ids: dict[str, str] | None = await ctx.value(
        """
        select jsonb_object_agg(r.key, coalesce(r.article_id, r.collection_id, r.entry_id))
        from import_refs r
        left join articles a on a.workspace_id = %(workspace)s and a.id = r.article_id
        where r.bot_id = %(bot)s and r.workspace_id = %(workspace)s
          and r.source = %(source)s and r.kind = %(kind)s and a.deleted_at is null
        """,
        source=source,
        kind=kind,
    )
    return ids or {}


async def keep_ref(ctx: Ctx, source: str, kind: RefKind, key: str, row: dict[str, Any]) -> None:
    """Store the facts of the source and the result of their import.

    `row` contains the id in `article_id`, `collection_id` or `entry_id`, and `digest`, `facts`, `title`,
    `content` and `version`.
    """
    values = {"article_id": None, "collection_id": None, "entry_id": None, "version": None, **row}
    await ctx.execute(
        """
        insert into import_refs (workspace_id, bot_id, source, kind, key, article_id, collection_id, entry_id,
            digest, facts, title, content_markdown, version, updated_at)
        values (%(workspace)s, %(bot)s, %(source)s, %(kind)s, %(key)s, %(article_id)s, %(collection_id)s,
            %(entry_id)s, %(digest)s, %(facts)s, %(title)s, %(content)s, %(version)s, %(now)s)
        on conflict (bot_id, source, kind, key, workspace_id) do update set
            article_id = excluded.article_id, collection_id = excluded.collection_id,
            entry_id = excluded.entry_id, digest = excluded.digest, facts = excluded.facts,
            title = excluded.title, content_markdown = excluded.content_markdown,
            version = excluded.version, updated_at = excluded.updated_at
        """,
        **{**values, "facts": Jsonb(values["facts"])},
        source=source,
        kind=kind,
        key=key,
    )


async def rename_refs(ctx: Ctx, source: str, moved: Sequence[MovedPage]) -> None:
    """Replace the keys of moved pages by their current ones."""
    values = {
        "source": source,
        "before": [row.before for row in moved],
        "after": [row.after for row in moved],
    }
    await ctx.execute(
        """
        update import_refs r set key = moved.after, updated_at = %(now)s
        from unnest(%(before)s::text[], %(after)s::text[]) as moved (before, after)
        where r.bot_id = %(bot)s and r.workspace_id = %(workspace)s
          and r.source = %(source)s and r.kind = 'page' and r.key = moved.before
        """,
        **values,
    )
    await ctx.execute(
        """
        update import_refs r set updated_at = %(now)s, facts = jsonb_set(facts, '{order}', (
          select jsonb_agg(coalesce(moved.after, page.key) order by page.number)
          from jsonb_array_elements_text(r.facts -> 'order') with ordinality as page (key, number)
          left join unnest(%(before)s::text[], %(after)s::text[]) as moved (before, after)
            on moved.before = page.key))
        where r.bot_id = %(bot)s and r.workspace_id = %(workspace)s
          and r.source = %(source)s and r.kind = 'collection' and r.facts -> 'order' ?| %(before)s
        """,
        **values,
    )


async def add_facts(ctx: Ctx, source: str, kind: RefKind, key: str, facts: dict[str, Any]) -> None:
    """Add to the stored facts of an imported page or collection."""
    await ctx.execute(
        """
        update import_refs set facts = facts || %(facts)s, updated_at = %(now)s
        where bot_id = %(bot)s and workspace_id = %(workspace)s
          and source = %(source)s and kind = %(kind)s and key = %(key)s
        """,
        source=source,
        kind=kind,
        key=key,
        facts=Jsonb(facts),
    )


async def list_places(ctx: Ctx, collection_ids: Sequence[str]) -> list[ArticlePlace]:
    """The originals in collections, in order, locked in the order of ids."""
    of_collections = """
        from articles
        where bot_id = %(bot)s and workspace_id = %(workspace)s
          and collection_id = any(%(ids)s) and deleted_at is null
    """
    ids = list(collection_ids)
    await ctx.execute(f"select id {of_collections} order by id for no key update", ids=ids)
    return await ctx.all(
        ArticlePlace,
        f"""
        select id, collection_id, position {of_collections} and translation_of is null
        order by position, id
        """,
        ids=ids,
    )


async def insert(ctx: Ctx, row: dict[str, Any]) -> None:
    """Insert an import: `row` contains its id, name, state and other known columns."""
    names = ("format", "source", "site", "object_key", "bytes")
    await ctx.execute(
        """
        insert into imports (id, workspace_id, bot_id, name, format, source, state, site, prunes, object_key,
            bytes, author_type, author_name, created_at, updated_at)
        values (%(id)s, %(workspace)s, %(bot)s, %(name)s, %(format)s, %(source)s, %(state)s, %(site)s,
            %(prunes)s, %(object_key)s, %(bytes)s, %(author_type)s, %(author_name)s, %(now)s, %(now)s)
        """,
        **{**dict.fromkeys(names), "prunes": False, **row},
        author_type=ctx.actor.type,
        author_name=ctx.actor.name,
    )


async def find(ctx: Ctx, import_id: str, *, lock: bool = False) -> ImportRow | None:
    return await ctx.first(
        ImportRow,
        f"""
        select {IMPORT} from imports i
        where i.bot_id = %(bot)s and i.workspace_id = %(workspace)s and i.id = %(id)s
        {"for no key update" if lock else ""}
        """,
        id=import_id,
    )


async def find_unended(ctx: Ctx, name: str, source: str) -> ImportRow | None:
    """The interrupted import by command of this source, if there is one."""
    return await ctx.first(
        ImportRow,
        f"""
        select {IMPORT} from imports i
        where i.bot_id = %(bot)s and i.workspace_id = %(workspace)s and i.name = %(name)s
          and i.source = %(source)s and i.state = 'importing' and i.object_key is null
        order by i.created_at desc, i.id desc limit 1
        """,
        name=name,
        source=source,
    )


async def list_newest(ctx: Ctx) -> list[ImportRow]:
    return await ctx.all(
        ImportRow,
        f"""
        select {IMPORT} from imports i where i.bot_id = %(bot)s and i.workspace_id = %(workspace)s
        order by i.created_at desc, i.id desc limit %(limit)s
        """,
        limit=limits.MAX_SHOWN_IMPORTS,
    )


async def set_plan(ctx: Ctx, import_id: str, format: str, source: str, report: dict[str, Any]) -> None:
    """Store the plan of an import, which then waits for confirmation."""
    await change(
        ctx, import_id, {"state": "ready", "format": format, "source": source, "report": Jsonb(report)}
    )


async def set_state(ctx: Ctx, import_id: str, state: ImportState, total: int = 0) -> None:
    await change(ctx, import_id, {"state": state, "done": 0, "total": total})


async def set_progress(ctx: Ctx, import_id: str, done: int, total: int) -> None:
    await change(ctx, import_id, {"done": done, "total": total})


async def end(ctx: Ctx, import_id: str, report: dict[str, Any] | None, error: str | None) -> None:
    """End an import and release its archive. A failed import keeps the report of its plan."""
    values: dict[str, Any] = {"state": "failed" if error else "completed", "error": error, "object_key": None}
    values |= {"report": Jsonb(report)} if report is not None else {}
    await change(ctx, import_id, {**values, "ended_at": ctx.now})


async def change(ctx: Ctx, import_id: str, values: dict[str, Any]) -> None:
    assignments = ", ".join(f"{name} = %({name})s" for name in values)
    await ctx.execute(
        f"""
        update imports set {assignments}, updated_at = %(now)s
        where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(id)s
        """,
        id=import_id,
        **values,
    )


async def delete(ctx: Ctx, import_id: str) -> None:
    """Delete an import; the trigger `imports_free_object` deletes its archive."""
    await ctx.execute(
        "delete from imports where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(id)s",
        id=import_id,
    )
