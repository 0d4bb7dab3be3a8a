"""Translations over REST."""

from fastapi.responses import Response
from starlette.requests import Request

from instep.accounts.language_model.choosing import models_of
from instep.drafting.translations import missing_translations
from instep.drafting.translations.schemas import ArticlesToTranslate, TranslationPlanOut, translation_plan_out
from instep.platform.identity.schemas import Ctx
from instep.platform.web.api import ApiRouter, reply

router = ApiRouter()


@router.operation("POST /articles/translate", missing_translations.translate_articles, TranslationPlanOut)
async def translate_articles(ctx: Ctx, request: Request, body: ArticlesToTranslate) -> Response:
    plan = await missing_translations.translate_articles(ctx, models_of(request.app.state), body)
    return reply(translation_plan_out(plan))
