"""Changing many articles at once: one page that lists them and asks, and undoing the change."""

from urllib.parse import urlencode

from starlette.responses import Response

from instep.content.articles import bulk
from instep.content.articles.actions import list_article_overviews
from instep.content.articles.bulk import VERBS, BulkChange, BulkOutcome, BulkVerb
from instep.content.product_versions.actions import list_all_versions
from instep.interfaces.dashboard.bot_pages import BotPage, PageRouter
from instep.interfaces.dashboard.content.article_list import VISIBILITIES, ArticleFilters, members, same_list
from instep.interfaces.dashboard.content.collection_tree import NO_COLLECTION, read_tree
from instep.interfaces.dashboard.offered_languages import LANGUAGES, name_with_code
from instep.platform.core import limits
from instep.platform.core.errors import InvalidRequest
from instep.platform.identity.scopes import Role
from instep.platform.text.characters import shorten
from instep.platform.web.notices import Notice

# The sentence after each change begins with these words.
DONE: dict[BulkVerb, str] = {
    "move": "Moved",
    "owner": "Changed the owner of",
    "visibility": "Changed who can read",
    "locale": "Changed the language of",
    "since": "Changed the first version of",
    "until": "Changed the last version of",
    "publish": "Published",
    "unpublish": "Unpublished",
    "archive": "Archived",
    "delete": "Deleted",
}
# The field with the value of a verb.
FIELDS: dict[str, str] = {
    **{verb: verb for verb in ("owner", "visibility", "locale", "since", "until")},
    "move": "collection",
}
NOBODY = "none"
# Articles that stayed as they are, and that the notice names.
MAX_NAMED_REFUSALS = 3
router = PageRouter("articles/bulk", Role.EDITOR)


@router.get()
async def ask_how_to_change(page: BotPage) -> Response:
    """The selected articles, or all that match the filters in the URL, and everything that can be done."""
    versions = await list_all_versions(page.ctx)
    if page.query.get("all"):
        filters = ArticleFilters(page.query, {row.slug: row.position for row in versions})
        rows = await list_article_overviews(
            page.ctx, filters.criteria, page.first_rows(limits.MAX_BULK_ARTICLES)
        )
        ids, is_cut = [row.id for row in rows.rows], rows.next_cursor is not None
        here = urlencode({name: value for name, value in page.query.items() if name != "all"})
    else:
        ids, is_cut = page.request.query_params.getlist("id")[: limits.MAX_BULK_ARTICLES], False
        here = page.query.get("here", "")
    if not ids:
        return page.leave(same_list(here), "Select the articles to change first.")
    tree = await read_tree(page, [])
    return await page.show(
        "content/bulk.html",
        articles=await bulk.list_article_states(page.ctx, ids),
        is_cut=is_cut,
        most=limits.MAX_BULK_ARTICLES,
        here=here,
        back=same_list(here),
        collections=[(NO_COLLECTION, "Without a collection"), *tree.choices],
        owners=[(NOBODY, "Nobody"), *await members(page)],
        visibilities=VISIBILITIES,
        versions=[(row.slug, row.name) for row in versions],
        languages=[(code, name_with_code(code)) for code, _ in LANGUAGES],
        hours=int(limits.BULK_UNDO_TTL.total_seconds() // 3600),
    )


@router.post()
async def change_in_bulk(page: BotPage) -> Response:
    verb = page.form.get("verb", "")
    if verb not in VERBS:
        raise InvalidRequest("Choose what to do with the articles.")
    value = page.form.get(FIELDS.get(verb, ""), "")
    change = BulkChange(verb, "" if value in (NO_COLLECTION, NOBODY) else value)
    outcome = await bulk.change_articles(page.ctx, page.form.get("ids", "").split(), change)
    undo = page.path(f"articles/bulk/{outcome.id}/undo") if outcome.changed else None
    sentence = f"{DONE[change.verb]} {count_of(outcome)}."
    return page.leave(
        same_list(page.form.get("here", "")), Notice(with_refusals(page, sentence, outcome), undo)
    )


@router.post("{id}/undo")
async def undo_in_bulk(page: BotPage) -> Response:
    outcome = await bulk.undo_bulk_change(page.ctx, page.param("id"))
    sentence = with_refusals(page, f"Undone for {count_of(outcome)}.", outcome)
    return page.leave("articles", sentence)


def count_of(outcome: BulkOutcome) -> str:
    return f"{outcome.changed} article{'' if outcome.changed == 1 else 's'}"


def with_refusals(page: BotPage, sentence: str, outcome: BulkOutcome) -> str:
    """The sentence with warnings, and with the articles that stayed as they are."""
    sentences = [sentence, *page.ctx.warnings]
    if refusals := outcome.refusals:
        count = "1 stays" if len(refusals) == 1 else f"{len(refusals)} stay"
        named = [f"“{refusal.article.title}”: {refusal.reason}" for refusal in refusals[:MAX_NAMED_REFUSALS]]
        sentences.insert(1, f"{count} as before: {' '.join(named)}")
    return shorten(" ".join(sentences), limits.MAX_NOTICE_CHARACTERS)
