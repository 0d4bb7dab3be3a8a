"""Operations on redirects, and the lookup of a redirect for an address without a page."""

from collections.abc import Sequence

from instep.content.articles.texts import referenced_article
from instep.content.redirects import queries, resolving
from instep.content.redirects.path_patterns import (
    REST,
    WRITTEN_REST,
    anchor_of,
    both_forms,
    normal_path,
    path_below,
    prefix_path,
    requested_path,
)
from instep.content.redirects.schemas import FormerPath, Redirect, RedirectCreate
from instep.platform.core import limits
from instep.platform.core.errors import InvalidRequest, InvalidState, InvalidValue, NotFound
from instep.platform.core.ids import new_id
from instep.platform.core.paging import Page, PageRequest
from instep.platform.identity.access import writes
from instep.platform.identity.schemas import Ctx


async def list_redirects(ctx: Ctx, page: PageRequest) -> Page[Redirect]:
    """List the redirects, newest first."""
    return await queries.list_page(ctx, page)


async def find_redirects(ctx: Ctx, words: str, page: PageRequest) -> Page[Redirect]:
    """The redirects with these words in an address or in the title of the article, sorted by path."""
    return await queries.list_by_path(ctx, words, page)


async def titles_of_targets(ctx: Ctx, redirects: Sequence[Redirect]) -> dict[str, str]:
    """The titles of the articles that these redirects lead to, by their ids."""
    return await queries.titles_of(ctx, [row.article_id for row in redirects if row.article_id is not None])


@writes
async def create_redirect(ctx: Ctx, new: RedirectCreate) -> Redirect:
    """Create a redirect from an address where the help center has no page, to exactly one target.

    A page always has priority. If the URL is in the same help center and redirected itself, its final target
    is stored. A prefix redirect, from `/docs/*` to a `url` that ends with `/*`, keeps the rest of the
    path. A bot has at most 10,000 redirects.
    """
    path = _source_path(ctx, new)
    await queries.lock_count(ctx)
    if await queries.list_known_paths(ctx, both_forms(path)):
        raise InvalidValue("from", "there is already a redirect from this address: delete it first")
    if await queries.count(ctx) >= limits.MAX_REDIRECTS:
        raise InvalidState(
            f"The bot has {limits.MAX_REDIRECTS:,} redirects, which is the maximum: delete some first."
        )
    target = await _target_columns(ctx, new)
    if await resolving.is_circular(ctx, path, target["url"]):
        raise InvalidValue("url", "it leads back to an address that this redirect covers")
    row = {"id": new_id("rdr"), "path": path, "anchor": anchor_of(path), **target}
    return await queries.insert(ctx, row)


async def add_redirects(ctx: Ctx, redirects: Sequence[FormerPath]) -> list[str]:
    """Add many redirects at once, inside an action that is marked `@writes`.

    Paths that are already redirected do not change, and redirects that would be circular are left out.
    Returns the paths beyond the maximum number.
    """
    await queries.lock_count(ctx)
    room = limits.MAX_REDIRECTS - await queries.count(ctx)
    known_paths = await queries.list_known_paths(ctx, [redirect.path for redirect in redirects])
    rows: list[dict[str, str | None]] = []
    paths_left: list[str] = []
    for redirect in redirects:
        if redirect.path in known_paths:
            continue
        if len(rows) >= room:
            paths_left.append(redirect.path)
        elif (row := await _row_of(ctx, redirect)) is not None:
            rows.append(row)
    await queries.insert_many(ctx, rows)
    return paths_left


async def repoint_redirects(ctx: Ctx, article_id: str, heir_id: str) -> None:
    """Point the redirects of an article to another one, inside an action that is marked `@writes`."""
    await queries.repoint(ctx, article_id, heir_id)


@writes
async def delete_redirect(ctx: Ctx, redirect_id: str) -> str:
    """Delete a redirect; its address is then not found."""
    if not await queries.delete(ctx, redirect_id):
        raise NotFound.of("redirect")
    return redirect_id


async def find_redirect_url(ctx: Ctx, path: str) -> str | None:
    """The target for the decoded path of a request without a page; None without a redirect.

    It never redirects again. An article that not everyone may read counts as no target.
    """
    known_path = requested_path(path)
    return await resolving.follow(ctx, known_path) if known_path else None


async def find_page_before(ctx: Ctx, path: str) -> str | None:
    """The target of a redirect from exactly this path, to show instead of an empty page."""
    target = await queries.find_target(ctx, path)
    return await resolving.follow(ctx, path) if target is not None and target.path == path else None


async def _row_of(ctx: Ctx, redirect: FormerPath) -> dict[str, str | None] | None:
    target = resolving.to_article(redirect.article_id)
    if redirect.path.endswith(REST):
        target = resolving.to_url(ctx.bot, redirect.url or "")
    elif redirect.url is not None:
        target = await resolving.resolve(ctx, redirect.url)
    if await resolving.is_circular(ctx, redirect.path, target["url"]):
        return None
    return {"id": new_id("rdr"), "path": redirect.path, "anchor": anchor_of(redirect.path), **target}


def _source_path(ctx: Ctx, new: RedirectCreate) -> str:
    try:
        path = normal_path(
            path_below(ctx.bot.help_url, new.source)
            or path_below(ctx.bot.plain_url, new.source)
            or new.source
        )
        return prefix_path(path) if _is_prefix(new) else path
    except ValueError as error:
        raise InvalidValue("from", str(error)) from None


def _is_prefix(new: RedirectCreate) -> bool:
    return str(new.model_dump().get("url", "")).endswith(WRITTEN_REST)


async def _target_columns(ctx: Ctx, new: RedirectCreate) -> resolving.Columns:
    sent = new.model_dump(exclude={"source"})
    if len(sent) != 1:
        raise InvalidRequest("Send exactly one of `articleId` and `url` as the redirect's target.")
    if _is_prefix(new):
        return resolving.to_url(ctx.bot, sent["url"])
    if "url" in sent:
        return await resolving.resolve(ctx, sent["url"])
    return resolving.to_article((await referenced_article(ctx, sent["article_id"], "articleId")).id)
