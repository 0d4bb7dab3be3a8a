"""Writes the versions of the product, and gives imported articles theirs."""

from collections.abc import Sequence

from instep.content.articles.actions import update_article
from instep.content.articles.body_schemas import ArticleUpdate
from instep.content.articles.texts import find_article
from instep.content.product_versions.actions import add_product_version, list_all_versions
from instep.content.product_versions.schemas import ProductVersionCreate
from instep.platform.identity.access import writes
from instep.platform.identity.schemas import Ctx
from instep.transfer.exports.file_contents import VERSIONS_FILE
from instep.transfer.imports.tree.schemas import ImportedPage, ImportedVersion
from instep.transfer.imports.write.batch_writing import Batch, attempt_item

LOST_BOUNDS = "versions of the page, which is in all versions now"
LOST_TOPIC = "topic of the page, which has no link to the pages of other versions now"


@writes
async def import_versions(ctx: Ctx, import_id: str, batch: Batch, versions: Sequence[ImportedVersion]) -> str:
    """Create the versions that the help center lacks; existing ones stay unchanged.

    A new one comes before the next one of the export that is there, or else it is the newest.
    """
    present = [version.slug for version in await list_all_versions(ctx)]
    has_versions = bool(present)
    for index, version in enumerate(versions):
        if version.slug in present:
            continue
        later = next((other.slug for other in versions[index:] if other.slug in present), None)
        position = present.index(later) if later else len(present)
        fields = {
            "slug": version.slug,
            "name": version.name,
            "branches": list(version.branches),
            "position": position,
            "isCurrent": version.is_current and not has_versions,
        }
        what = f"version “{version.slug}” that can't be created"
        async with attempt_item(ctx, batch, VERSIONS_FILE, what):
            await add_product_version(ctx, ProductVersionCreate.model_validate(fields))
            present.insert(position, version.slug)
    return import_id


@writes
async def import_ranges(ctx: Ctx, import_id: str, batch: Batch, pages: Sequence[ImportedPage]) -> str:
    """Set the first and the last version of articles, and then their families; versions set here stay."""
    new = [page for page in pages if await _lacks_versions(ctx, batch, page)]
    for page in new:
        bounds = {"sinceVersion": page.since, "untilVersion": page.until}
        sent = {name: slug for name, slug in bounds.items() if slug}
        await _set_versions(ctx, batch, page, sent, LOST_BOUNDS)
    for page in new:
        head_id = batch.ids.articles.get(page.version_of or "")
        await _set_versions(ctx, batch, page, {"versionOf": head_id} if head_id else {}, LOST_TOPIC)
    return import_id


async def _lacks_versions(ctx: Ctx, batch: Batch, page: ImportedPage) -> bool:
    article_id = batch.ids.articles.get(page.key)
    if article_id is None:
        return False
    article = await find_article(ctx, article_id)
    return (article.since_version, article.until_version, article.version_family) == (None, None, None)


async def _set_versions(
    ctx: Ctx, batch: Batch, page: ImportedPage, fields: dict[str, str], lost: str
) -> None:
    if fields:
        async with attempt_item(ctx, batch, page.path, lost):
            await update_article(ctx, batch.ids.articles[page.key], ArticleUpdate.model_validate(fields))
