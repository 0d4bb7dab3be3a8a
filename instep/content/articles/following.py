"""Has the translations of an article compared with it after its published text has changed."""

from instep.content.articles.schemas import Article
from instep.platform.core import limits
from instep.platform.core.jobs import defer
from instep.platform.identity.schemas import Ctx

FOLLOW_TRANSLATIONS = "follow_translations"


async def follow_later(ctx: Ctx, before: Article, after: Article) -> None:
    """Schedule the comparison, once for several changes in a short time.

    It is due when the original has a new text, and when an original or a translation goes live. A live
    translation with a new text is compared alone and at once, because nothing further is expected.
    """
    is_new_text = after.version != before.version
    has_others = after.translation_of is not None or bool(after.translations)
    if not (after.is_live and has_others and (is_new_text or not before.is_live)):
        return
    is_alone = before.is_live and after.translation_of is not None
    article_id = after.id if is_alone else after.translation_of or after.id
    payload = {"workspace": ctx.bot.workspace_id, "bot": str(ctx.bot.id), "article": article_id}
    run_at = ctx.now if is_alone else ctx.now + limits.TRANSLATION_DELAY
    await defer(ctx.tx, FOLLOW_TRANSLATIONS, payload, run_at=run_at, dedupe=article_id)
