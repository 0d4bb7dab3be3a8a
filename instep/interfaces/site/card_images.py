"""URLs of cards, each with a digest of the card's content, so that it never changes."""

from contextlib import suppress

from anyio import CapacityLimiter, to_thread
from cachetools import LRUCache
from starlette.requests import Request
from starlette.responses import Response

from instep.interfaces.site import queries
from instep.interfaces.site.cards import Card, draw_card
from instep.interfaces.site.rendering import content_addressed_headers
from instep.interfaces.site.schemas import ArticlePage
from instep.interfaces.site.visits import Visit, help_center, with_version
from instep.platform.core import limits
from instep.platform.core.config import settings
from instep.platform.core.errors import NotFound
from instep.platform.identity.schemas import Bot
from instep.platform.web.public import public

EXTENSION = ".png"
# Cards by their digests; sizes are in bytes.
cards: LRUCache[str, bytes] = LRUCache(limits.MAX_CARDS_BYTES, getsizeof=len)


def card_of_article(visit: Visit, article: ArticlePage) -> Card:
    collection = article.breadcrumbs[-1]["title"] if article.breadcrumbs else ""
    return Card(
        article.title,
        collection,
        visit.ctx.bot.name,
        article.locale,
        visit.accent,
        settings().card_font_files,
    )


def card_of_home(visit: Visit) -> Card:
    title = visit.ctx.bot.name
    return Card(title, "", "", visit.locale, visit.accent, settings().card_font_files)


def card_url(visit: Visit, card: Card, slug: str | None = None) -> str | None:
    """The URL of an article's card (with a slug) or the home page's; None if it can't be drawn."""
    if not card.is_drawable:
        return None
    name = f"{slug}/" if slug else ""
    below = visit.root.removeprefix(visit.ctx.bot.home_path)
    return f"{visit.ctx.bot.with_all_versions.help_url}{below}/cards/{name}{card.digest}{EXTENSION}"


@public
async def show_article_card(request: Request) -> Response:
    """The current card of a public article."""
    async with help_center(request) as visit:
        ctx = with_version(visit.ctx, None)
        article = await queries.find_live_article(ctx, request.path_params["slug"], visit.locale)
    if article is None:
        raise NotFound
    return await card_response(request, visit.ctx.bot, card_of_article(visit, article))


@public
async def show_home_card(request: Request) -> Response:
    async with help_center(request) as visit:
        card = card_of_home(visit)
    return await card_response(request, visit.ctx.bot, card)


async def card_response(request: Request, bot: Bot, card: Card) -> Response:
    """The image; only the current URL has one, so that callers can't have others drawn."""
    if request.path_params["digest"] != card.digest or not card.is_drawable:
        raise NotFound
    content = cards.get(card.digest)
    if content is None:
        # Drawing takes a while, so another thread does it, and only few at once.
        content = await to_thread.run_sync(draw_card, card, limiter=drawing_limiter(request))
        with suppress(ValueError):
            cards[card.digest] = content
    return Response(content, headers=content_addressed_headers(bot), media_type="image/png")


def drawing_limiter(request: Request) -> CapacityLimiter:
    """Limits the cards that a process draws at the same time."""
    state = request.app.state
    if not hasattr(state, "card_limiter"):
        state.card_limiter = CapacityLimiter(limits.MAX_CONCURRENT_CARDS)
    limiter: CapacityLimiter = state.card_limiter
    return limiter
