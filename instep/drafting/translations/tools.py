"""Translations as a tool of the workspace's MCP server."""

from instep.accounts.language_model.choosing import models_of
from instep.drafting.translations import missing_translations
from instep.drafting.translations.schemas import ArticlesToTranslate, TranslationPlanOut, translation_plan_out
from instep.platform.web.call import Call
from instep.platform.web.mcp.tools import Toolbox

toolbox = Toolbox()


@toolbox.tool(
    missing_translations.translate_articles, TranslationPlanOut, "Translate articles", additive=True
)
async def translate_articles(call: Call, body: ArticlesToTranslate) -> TranslationPlanOut:
    """Have missing translations written as drafts. It costs tokens: use `dryRun` first."""
    async with call.begin() as ctx:
        plan = await missing_translations.translate_articles(ctx, models_of(call.state), body)
    return translation_plan_out(plan)
