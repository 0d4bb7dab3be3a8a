"""Find and replace over all articles: a preview, and a draft for each article that changes."""

from starlette.responses import Response

from instep.drafting.drafts.replacing import (
    ReplacedTexts,
    WordReplacement,
    find_replacements,
    propose_replacements,
)
from instep.interfaces.dashboard.bot_pages import BotPage, PageRouter
from instep.interfaces.dashboard.field_errors import errors_by_field
from instep.platform.core import limits
from instep.platform.core.errors import InvalidRequest
from instep.platform.identity.scopes import Role

router = PageRouter("articles/replace", Role.EDITOR)


@router.get()
async def show_replacements(page: BotPage) -> Response:
    """The form; with words to find also the articles and lines that change."""
    if "find" not in page.query:
        return await replacement_page(page, WordReplacement("", ""))
    replacement = replacement_of(page.query)
    try:
        return await replacement_page(page, replacement, await find_replacements(page.ctx, replacement))
    except InvalidRequest as error:
        return await replacement_page(page, replacement, status=error.status, errors=errors_by_field(error))


@router.post()
async def make_replacement_drafts(page: BotPage) -> Response:
    draft_ids = await propose_replacements(page.ctx, replacement_of(page.form))
    count = len(draft_ids)
    drafts = "1 draft is" if count == 1 else f"{count} drafts are"
    target = f"review/{draft_ids[0]}/source" if count > 1 else "review"
    return page.leave(target, f"{drafts} waiting for review. No text has changed yet.")


async def replacement_page(
    page: BotPage,
    replacement: WordReplacement,
    changes: ReplacedTexts | None = None,
    status: int = 200,
    errors: dict[str, str] | None = None,
) -> Response:
    return await page.show(
        "content/replace.html",
        status,
        replacement=replacement,
        found=changes,
        errors=errors or {},
        max_characters=limits.MAX_SOUGHT_CHARACTERS,
        most=limits.MAX_REPLACED_ARTICLES,
    )


def replacement_of(fields: dict[str, str]) -> WordReplacement:
    return WordReplacement(
        fields.get("find", "").replace("\0", ""),
        fields.get("replacement", "").replace("\0", ""),
        is_case_sensitive=bool(fields.get("case")),
        is_whole_words=bool(fields.get("words")),
    )
