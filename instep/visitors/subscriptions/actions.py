"""Readers' subscriptions: asked for, and confirmed with a link (double opt-in)."""

from instep.platform.core import limits
from instep.platform.core.errors import RateLimited
from instep.platform.core.rate_window import count_hit
from instep.platform.email.outgoing import send_email
from instep.platform.email.unsubscribing import read_unsubscription
from instep.platform.identity.keys import hash_key
from instep.platform.identity.schemas import Ctx
from instep.platform.identity.sessions import new_token
from instep.visitors.subscriptions import queries
from instep.visitors.subscriptions.reader_letters import confirmation_letter
from instep.visitors.subscriptions.schemas import Subscription, Topic


async def find_topic(ctx: Ctx, locale: str, article: str = "", collection: str = "") -> Topic | None:
    """The public article or collection with this slug, if one is named, or the changelog."""
    if article:
        return await queries.find_article_topic(ctx, article, locale)
    return await queries.find_collection_topic(ctx, collection) if collection else Topic("")


async def request_subscription(ctx: Ctx, topic: Topic, email: str, locale: str, client: str) -> None:
    """Send the address a link that confirms the subscription, whether or not it follows the topic already.

    `client` is a `client_address`. Raises `RateLimited`; further links to one email address are dropped, so
    that the answer does not depend on it.
    """
    email = email.lower()
    subjects = {
        f"{ctx.bot.id} {client}": limits.SUBSCRIPTION_REQUESTS_PER_HOUR,
        str(ctx.bot.id): limits.SUBSCRIPTION_LINKS_PER_HOUR,
    }
    for subject, quota in subjects.items():
        window = await count_hit(ctx.tx, "subscriptions", subject, limits.HOUR_SECONDS)
        if window.hits > quota:
            raise RateLimited(headers={"Retry-After": str(window.seconds_left)})
    address = hash_key(f"{ctx.bot.id} {email}").hex()
    window = await count_hit(ctx.tx, "subscription-links", address, limits.HOUR_SECONDS)
    if window.hits > limits.SUBSCRIPTION_LINKS_PER_ADDRESS_PER_HOUR:
        return
    token = new_token()
    await queries.request_subscription(ctx, topic, email, locale, hash_key(token))
    letter = confirmation_letter(ctx.bot, topic, locale, token)
    until = ctx.now + limits.SUBSCRIPTION_LINK_TTL
    await send_email(ctx.tx, ctx.workspace_id, email, letter, locale, until=until)


async def find_unconfirmed_subscription(ctx: Ctx, token: str) -> Subscription | None:
    """The subscription that a link confirms; None if it was used or has expired."""
    return await queries.find_unconfirmed(ctx, hash_key(token), limits.SUBSCRIPTION_LINK_TTL)


async def confirm_subscription(ctx: Ctx, token: str) -> str | None:
    """Use a link; the email address of the reader, or None if it was used or has expired."""
    return await queries.confirm_subscription(ctx, hash_key(token), limits.SUBSCRIPTION_LINK_TTL)


def subscriber_of(ctx: Ctx, token: str) -> str | None:
    """The email address in the token of a link to a reader's subscriptions; None if it is not valid here."""
    link = read_unsubscription(token)
    if link is None or (link.subscription, link.workspace_id) != ("topics", ctx.workspace_id):
        return None
    bot_id, _, email = link.subject_id.partition(" ")
    return email if bot_id == str(ctx.bot.id) else None
