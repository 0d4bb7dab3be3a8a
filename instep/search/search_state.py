"""The data that a search reads from its help center before it ranks."""

from dataclasses import dataclass

from instep.platform.identity.schemas import Ctx
from instep.search import queries
from instep.search.index.cache import Index, index_cache
from instep.search.schemas import Audience
from instep.search.semantic import vectors
from instep.search.semantic.vectors import EmbeddingState


@dataclass(frozen=True, slots=True)
class SearchState:
    """The current articles of a bot, and the other data that a search depends on."""

    index: Index
    # The ids of the collections that are not public.
    hidden: frozenset[str]
    # The lines of the bot's own synonyms.
    synonyms: list[str]
    # `None` for a bot that no model has begun to embed.
    embedding_state: EmbeddingState | None
    # The ids of the articles that the searched language shows untranslated.
    untranslated: frozenset[str] = frozenset()
    # The ids of the articles that are not about the product version that is read.
    other_versions: frozenset[str] = frozenset()


async def search_state_of(ctx: Ctx, locale: str | None = None, audience: Audience = "public") -> SearchState:
    """Read it in one round trip, together with the changes that this process's index lacks.

    Raises `IndexWarmingUp` if too many requests wait for the first reading of the bot.
    """
    synonyms = queries.ask_for_synonyms(ctx)
    embedding_state = vectors.ask_for_embedding_state(ctx)
    is_foreign = locale not in (None, ctx.bot.locale)
    untranslated = queries.ask_for_untranslated(ctx, locale, audience) if is_foreign else None
    others = queries.ask_for_other_versions(ctx) if ctx.bot.version else None
    index, hidden = await index_cache.index_of(ctx)
    return SearchState(
        index,
        hidden,
        await synonyms.value() or [],
        await embedding_state.first(EmbeddingState),
        frozenset(await untranslated.value() if untranslated else ()),
        frozenset(await others.value() if others else ()),
    )
