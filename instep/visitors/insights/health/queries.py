"""The SQL for the health of articles: their rows and texts, and the signals against them."""

from collections.abc import Hashable
from dataclasses import dataclass
from datetime import datetime

from instep.content.articles.live import FAMILY
from instep.platform.core import limits
from instep.platform.identity.schemas import Ctx
from instep.visitors.insights.health.help_center import ArticleMeta, FormerSlug
from instep.visitors.insights.health.problems import Code

# The number of articles that one statement searches for terms.
MENTION_BATCH_SIZE = 20


@dataclass(frozen=True, slots=True)
class HealthState:
    """Everything that the health of a bot's articles depends on: if it is the same, so is their health.

    `changed_at` covers the articles. `waiting` are the ids of articles with a long-pending edit, which
    changes with time alone. The other fields show cheaply whether the signals against articles have changed.
    """

    changed_at: datetime
    waiting: list[str]
    collections: list[str]
    redirects: int
    redirected_at: datetime | None
    proposed: int
    proposed_at: datetime | None
    gone_at: datetime | None
    judged_at: datetime | None
    rated_at: datetime | None
    styled_at: datetime | None

    @property
    def key(self) -> tuple[Hashable, ...]:
        pages = (tuple(self.collections), self.redirects, self.redirected_at)
        signals = (self.proposed, self.proposed_at, self.gone_at, self.judged_at, self.rated_at)
        return self.changed_at, tuple(self.waiting), pages, signals, self.styled_at


@dataclass(frozen=True, slots=True)
class Signal:
    """A sign of a problem outside of an article's text; `what` is inserted in the problem's message."""

    article_id: str
    code: Code
    line: int | None
    what: str


@dataclass(frozen=True, slots=True)
class TextRow:
    """The text of one version of an article."""

    id: str
    version: int
    locale: str
    title: str
    content: str


@dataclass(frozen=True, slots=True)
class MentionRow:
    """An article that contains one of the searched terms."""

    id: str
    title: str
    description: str | None
    content: str


async def find_state(ctx: Ctx) -> HealthState:
    return await ctx.fetch_one(
        HealthState,
        """
        select b.changed_at, coalesce((select array_agg(distinct d.article_id order by d.article_id)
            from drafts d
            where d.bot_id = b.id and d.workspace_id = %(workspace)s and d.status = 'pending'
              and d.type = 'edit' and d.created_at < %(before)s),
            '{}') as waiting,
            coalesce((select array_agg(c.slug order by c.slug) from collections c
            where c.bot_id = b.id and c.workspace_id = %(workspace)s),
            '{}') as collections,
            r.redirects, r.redirected_at,
            p.proposed, p.proposed_at,
            (select max(g.gone_at) from gone_names g
            where g.bot_id = b.id and g.workspace_id = %(workspace)s) as gone_at,
            (select max(m.judged_at) from messages m
            where m.bot_id = b.id and m.workspace_id = %(workspace)s and m.helpful is not null) as judged_at,
            (select max(f.given_at) from article_feedback f
            where f.bot_id = b.id and f.workspace_id = %(workspace)s) as rated_at,
            (select s.updated_at from bot_styles s
            where s.bot_id = b.id and s.workspace_id = %(workspace)s) as styled_at
        from bots b,
            lateral (select count(*)::integer as proposed, max(d.updated_at) as proposed_at from drafts d
            where d.bot_id = b.id and d.workspace_id = %(workspace)s and d.status = 'pending'
              and d.task_id is not null) as p,
            lateral (select count(*)::integer as redirects, max(r.created_at) as redirected_at
            from redirects r where r.bot_id = b.id and r.workspace_id = %(workspace)s) as r
        where b.id = %(bot)s
        """,
        before=ctx.now - limits.STALE_EDIT_AGE,
    )


async def has_more_articles(ctx: Ctx, count: int) -> bool:
    """True if the bot has more articles than `count`."""
    return await ctx.value(
        """
        select count(*) > %(count)s from (
            select from articles
            where bot_id = %(bot)s and workspace_id = %(workspace)s and deleted_at is null
            limit %(count)s + 1) counted
        """,
        count=count,
    )


async def list_signals(ctx: Ctx) -> list[Signal]:
    """Signals of code changes and of visitors' ratings since the texts of the articles changed last."""
    return await ctx.all(
        Signal,
        f"{' union all '.join(SIGNALS)} order by 1, 2, 3, 4",
        gone_since=ctx.now - limits.REMOVED_NAME_RETENTION,
        judged_since=ctx.now - limits.FEEDBACK_WINDOW,
        unhelpful=limits.MIN_UNHELPFUL_RATINGS,
        share=limits.MIN_UNHELPFUL_SHARE,
    )


STALE_TEXTS = """
    select d.article_id, 'stale' as code, null::integer as line, left(t.change_title, 80) as what
    from drafts d join tasks t on t.workspace_id = %(workspace)s and t.id = d.task_id
    where d.bot_id = %(bot)s and d.workspace_id = %(workspace)s and d.status = 'pending' and d.type = 'edit'
"""
# The text may no longer contain the name, for example because an older revision was restored.
GONE_NAMES = """
    select g.article_id, 'gone_name', 1 + (length(before) - length(replace(before, chr(10), ''))),
        '`' || left(g.name, 80) || '`, which “' || left(g.change_title, 80) || '” removed'
    from gone_names g
    join articles a on a.workspace_id = %(workspace)s and a.id = g.article_id,
        left(a.content_markdown, strpos(a.content_markdown, g.name)) as before
    where g.bot_id = %(bot)s and g.workspace_id = %(workspace)s
      and g.gone_at > greatest(a.text_changed_at, %(gone_since)s) and before <> ''
"""
# An answer may cite several passages of an article, but counts as one rating.
LOW_RATINGS = """
    select j.article_id, 'low_helpfulness', null,
        count(*) filter (where not m.helpful) || ' of ' || count(*)
    from messages m
    cross join lateral (select distinct source ->> 'article_id' as article_id
        from jsonb_array_elements(m.sources) as source) as j
    join articles a on a.workspace_id = %(workspace)s and a.bot_id = m.bot_id and a.id = j.article_id
      and m.judged_at > a.text_changed_at
    where m.bot_id = %(bot)s and m.workspace_id = %(workspace)s and m.helpful is not null and m.answered
      and m.judged_at > %(judged_since)s
    group by j.article_id
    having count(*) filter (where not m.helpful) >= greatest(%(unhelpful)s, %(share)s::float8 * count(*))
"""
UNHELPFUL = """
    select f.article_id, 'unhelpful', null,
        count(*) filter (where not f.helpful) || ' of ' || count(*)
    from article_feedback f
    join articles a on a.workspace_id = %(workspace)s and a.id = f.article_id
      and f.given_at > a.text_changed_at
    where f.bot_id = %(bot)s and f.workspace_id = %(workspace)s and f.given_at > %(judged_since)s
    group by f.article_id
    having count(*) filter (where not f.helpful) >= greatest(%(unhelpful)s, %(share)s::float8 * count(*))
"""
# A text that was changed since does not have the problem, or could not have been saved.
PART_PROBLEMS = """
    select a.id, 'part_problem', null, left(a.part_problem, 300)
    from articles a
    where a.bot_id = %(bot)s and a.workspace_id = %(workspace)s and a.deleted_at is null
      and a.part_problem is not null and a.part_problem_at >= a.text_changed_at
"""
SIGNALS = (STALE_TEXTS, GONE_NAMES, LOW_RATINGS, UNHELPFUL, PART_PROBLEMS)


async def list_article_meta(ctx: Ctx) -> list[ArticleMeta]:
    return await ctx.all(
        ArticleMeta,
        f"""
        select a.id, a.slug, a.locale, a.title, a.description, a.collection_id, a.status, a.version,
            octet_length(a.content_markdown) as size, a.translation_of, a.translated_version,
            {FAMILY} as family
        from articles a
        where a.bot_id = %(bot)s and a.workspace_id = %(workspace)s and a.deleted_at is null
        order by a.id
        """,
    )


async def list_former_slugs(ctx: Ctx) -> list[FormerSlug]:
    return await ctx.all(
        FormerSlug,
        """
        select slug, locale, article_id from former_slugs
        where bot_id = %(bot)s and workspace_id = %(workspace)s
        """,
    )


async def list_redirect_paths(ctx: Ctx) -> list[str]:
    """The paths and patterns of addresses that a redirect leads on from."""
    return await ctx.column(
        "select path from redirects where bot_id = %(bot)s and workspace_id = %(workspace)s"
    )


async def list_texts(ctx: Ctx, article_ids: list[str]) -> list[TextRow]:
    return await ctx.all(
        TextRow,
        """
        select id, version, locale, title, content_markdown as content from articles
        where bot_id = %(bot)s and workspace_id = %(workspace)s and id = any(%(ids)s)
        """,
        ids=article_ids,
    )


async def list_texts_with(ctx: Ctx, words: str, besides_id: str) -> list[TextRow]:
    """The texts of other articles, drafts and live ones, that contain these characters."""
    return await ctx.all(
        TextRow,
        """
        select id, version, locale, title, content_markdown as content from articles
        where bot_id = %(bot)s and workspace_id = %(workspace)s and deleted_at is null
          and status in ('draft', 'published') and id <> %(besides)s
          and strpos(content_markdown, %(words)s) > 0
        order by id limit %(limit)s
        """,
        besides=besides_id,
        words=words,
        limit=limits.MAX_CHECKED_ARTICLES,
    )


async def ids_of(ctx: Ctx, refs: list[str]) -> dict[str, str]:
    """The ids of articles by their ids or slugs; for a slug, the article in the bot's locale comes first."""
    return await ctx.value(
        """
        select coalesce(jsonb_object_agg(ref, id), '{}') from (
            select distinct on (ref) ref, a.id from unnest(%(refs)s::text[]) as ref
            join articles a on a.bot_id = %(bot)s and a.workspace_id = %(workspace)s and a.deleted_at is null
              and ref in (a.id, a.slug)
            order by ref, a.id <> ref, a.locale <> %(locale)s, a.locale) as named
        """,
        refs=refs,
        locale=ctx.bot.locale,
    )


async def list_mentions(ctx: Ctx, terms: list[str], start: str) -> list[MentionRow]:
    """The next articles, ordered by id, that contain one of the terms, ignoring case."""
    return await ctx.all(
        MentionRow,
        """
        select a.id, a.title, a.description, a.content_markdown as content from articles a
        where a.bot_id = %(bot)s and a.workspace_id = %(workspace)s and a.deleted_at is null
          and a.status in ('draft', 'published') and a.id >= %(start)s
          and exists (select from unnest(%(terms)s::text[]) as term where strpos(
            lower(concat_ws(chr(10), a.title, a.description, a.content_markdown)), lower(term)) > 0)
        order by a.id limit %(limit)s
        """,
        terms=terms,
        start=start,
        limit=MENTION_BATCH_SIZE,
    )
