"""The SQL of topics, of the versions in their feeds, and of subscriptions."""

from datetime import datetime, timedelta

from instep.content.articles.live import (
    LIVE,
    in_read_version,
    in_version_at,
    nearest_other_version,
    other_version,
)
from instep.content.collections.visibility import ANCESTORS, IS_PUBLIC
from instep.platform.core import limits
from instep.platform.core.ids import new_id
from instep.platform.identity.schemas import Ctx
from instep.visitors.subscriptions.schemas import NewsItem, PublishedVersion, Subscription, Topic

LINEAGE = "array[c.id, parent.id, grandparent.id]"
CURRENT_POSITION = """(select position from product_versions
    where bot_id = %(bot)s and workspace_id = %(workspace)s and is_current)"""
SUBSCRIPTION = """
    select s.id, s.email, s.locale, coalesce(a.title, c.title) as title from subscriptions s
    left join articles a on a.workspace_id = %(workspace)s and a.id = s.article_id
    left join collections c on c.workspace_id = %(workspace)s and c.id = s.collection_id
    where s.bot_id = %(bot)s and s.workspace_id = %(workspace)s
"""
UNUSED_TOKEN = "s.token_hash = %(token)s and s.requested_at > %(now)s - %(ttl)s"


async def find_article_topic(ctx: Ctx, slug: str, locale: str) -> Topic | None:
    return await ctx.first(
        Topic,
        f"""
        select a.title, a.slug, a.id as article_id, {other_version(ctx)} as other_version
        {LIVE} and a.slug = %(slug)s and a.locale = %(locale)s
        """,
        slug=slug,
        locale=locale,
    )


async def find_collection_topic(ctx: Ctx, slug: str) -> Topic | None:
    return await ctx.first(
        Topic,
        f"""
        select c.title, c.slug, null as article_id, c.id as collection_id from collections c {ANCESTORS}
        where c.bot_id = %(bot)s and c.workspace_id = %(workspace)s and c.slug = %(slug)s and {IS_PUBLIC}
        """,
        slug=slug,
    )


async def list_published_versions(ctx: Ctx, topic: Topic, locale: str) -> list[PublishedVersion]:
    """The newest public versions of the article, or of the articles in the collection and those below it.

    A collection has those about the product version that is read.
    """
    articles = in_read_version(ctx) if topic.collection_id else LIVE
    return await ctx.all(
        PublishedVersion,
        f"""
        with live as (
            select a.id, a.slug, a.title, a.description {articles} and a.locale = %(locale)s
                and (a.id = %(article)s or %(collection)s = any ({LINEAGE})))
        select v.article_id, v.version, live.slug, live.title, live.description, v.is_first, v.sections,
            v.published_at
        from published_versions v join live on live.id = v.article_id
        where v.bot_id = %(bot)s and v.workspace_id = %(workspace)s
        order by v.published_at desc, v.article_id, v.version desc limit {limits.MAX_FEED_VERSIONS}
        """,
        locale=locale,
        article=topic.article_id,
        collection=topic.collection_id,
    )


async def request_subscription(ctx: Ctx, topic: Topic, email: str, locale: str, token: bytes) -> None:
    """Store a subscription that the token confirms; a confirmed one stays confirmed."""
    await ctx.execute(
        """
        insert into subscriptions (id, workspace_id, bot_id, email, locale, article_id, collection_id,
            token_hash, requested_at, notified_at)
        values (%(id)s, %(workspace)s, %(bot)s, %(email)s, %(locale)s, %(article)s, %(collection)s,
            %(token)s, %(now)s, %(now)s)
        on conflict (bot_id, email, workspace_id, coalesce(article_id, ''), coalesce(collection_id, ''),
            locale)
        do update set token_hash = excluded.token_hash, requested_at = excluded.requested_at
        """,
        id=new_id("sub"),
        email=email,
        locale=locale,
        article=topic.article_id,
        collection=topic.collection_id,
        token=token,
    )


async def find_unconfirmed(ctx: Ctx, token: bytes, ttl: timedelta) -> Subscription | None:
    return await ctx.first(Subscription, f"{SUBSCRIPTION} and {UNUSED_TOKEN}", token=token, ttl=ttl)


async def confirm_subscription(ctx: Ctx, token: bytes, ttl: timedelta) -> str | None:
    """Use the token up; the email address of its subscription, or None if there is none."""
    return await ctx.value(
        f"""
        update subscriptions s set token_hash = null, confirmed_at = coalesce(confirmed_at, %(now)s),
            notified_at = case when confirmed_at is null then %(now)s else notified_at end
        where s.bot_id = %(bot)s and s.workspace_id = %(workspace)s and {UNUSED_TOKEN} returning email
        """,
        token=token,
        ttl=ttl,
    )


async def list_subscriptions(ctx: Ctx, email: str) -> list[Subscription]:
    return await ctx.all(
        Subscription,
        f"{SUBSCRIPTION} and s.email = %(email)s and s.confirmed_at is not null"
        f" order by title nulls first, s.id limit {limits.MAX_SHOWN_SUBSCRIPTIONS}",
        email=email,
    )


async def delete_subscriptions(ctx: Ctx, email: str, subscription_id: str | None) -> None:
    """Delete one subscription of an address, or all of them; a second call changes nothing."""
    await ctx.execute(
        """
        delete from subscriptions
        where bot_id = %(bot)s and workspace_id = %(workspace)s and email = %(email)s
          and id = coalesce(%(id)s, id)
        """,
        email=email,
        id=subscription_id,
    )


async def count_subscribers(ctx: Ctx) -> int:
    return await ctx.value(
        """
        select count(distinct email) from subscriptions
        where bot_id = %(bot)s and workspace_id = %(workspace)s and confirmed_at is not null
        """
    )


async def take_news(ctx: Ctx, until: datetime) -> list[NewsItem]:
    """Mark some readers as notified until then; what they have not been notified of, newest first for each.

    News of more than a few days ago, such as before an outage, is left out. A collection has news of the
    articles of the current product version.
    """
    return await ctx.all(
        NewsItem,
        f"""
        with due as (
            select s.* from subscriptions s
            where s.bot_id = %(bot)s and s.workspace_id = %(workspace)s
              and s.confirmed_at is not null and s.notified_at < %(until)s and s.email in (
                select distinct d.email from subscriptions d
                where d.bot_id = %(bot)s and d.workspace_id = %(workspace)s
                  and d.confirmed_at is not null and d.notified_at < %(until)s
                order by d.email limit {limits.MAX_DIGESTS_AT_ONCE})
            order by s.id for update
        ), notified as (
            update subscriptions s set notified_at = %(until)s from due
            where s.workspace_id = %(workspace)s and s.id = due.id
        ), live as materialized (
            select a.id, a.locale, a.slug, a.title, {LINEAGE} as lineage,
                {in_version_at(CURRENT_POSITION)} as is_current,
                {nearest_other_version(CURRENT_POSITION)} as other_version
            {LIVE} and a.id in (
                select v.article_id from published_versions v
                where v.bot_id = %(bot)s and v.workspace_id = %(workspace)s
                  and v.published_at > %(since)s and v.published_at <= %(until)s)
        ), news as (
            select due.email, due.locale, true as is_entry, e.slug, e.title, true as is_first,
                '' as sections, null::jsonb as other_version, e.published_at
            from due join changelog_entries e on e.bot_id = %(bot)s and e.workspace_id = %(workspace)s
                and e.status = 'published' and due.article_id is null and due.collection_id is null
            where e.published_at > greatest(due.notified_at, %(since)s) and e.published_at <= %(until)s
            union all
            select due.email, due.locale, false, live.slug, live.title, v.is_first,
                array_to_string(v.sections, chr(10)), live.other_version, v.published_at
            from due join live on live.id = due.article_id
                or (due.collection_id = any (live.lineage) and due.locale = live.locale and live.is_current)
            join published_versions v on v.workspace_id = %(workspace)s and v.article_id = live.id
            where v.published_at > greatest(due.notified_at, %(since)s) and v.published_at <= %(until)s
        ), items as (
            select email, locale, is_entry, slug, title, other_version, bool_or(is_first) as is_first,
                string_agg(sections, chr(10)) as sections,
                count(*) over (partition by email, locale)::integer as count,
                row_number() over (partition by email, locale order by max(published_at) desc, slug) as place
            from news group by email, locale, is_entry, slug, title, other_version
        )
        select email, locale, is_entry, slug, title, is_first, sections, count, other_version from items
        where place <= {limits.MAX_DIGEST_NEWS} order by email, locale, place
        """,
        since=until - limits.NEWS_AGE,
        until=until,
    )
