"""Fields of exports that a sync reads in new files alone; later contradictions are reported."""

from collections.abc import Iterator, Mapping

from instep.content.product_versions.actions import referenced_version
from instep.platform.identity.schemas import Ctx
from instep.transfer.exports.file_contents import OUTDATED
from instep.transfer.git_sync.article_plans import ArticlePlan
from instep.transfer.git_sync.schemas import SyncedArticle
from instep.transfer.git_sync.work import SyncWork

VERSION_FIELDS = {"since": "sinceVersion", "until": "untilVersion"}


async def versions_of_file(ctx: Ctx, matter: Mapping[str, str]) -> dict[str, str]:
    """The versions in a new file, as fields of its article; an unknown one raises `InvalidRequest`."""
    for name in VERSION_FIELDS:
        await referenced_version(ctx, matter.get(name), name)
    return {field: matter[name] for name, field in VERSION_FIELDS.items() if name in matter}


def report_contradictions(work: SyncWork, plans: list[ArticlePlan]) -> None:
    for plan in plans:
        if plan.article is None:
            continue
        for name, stated, present in contradictions(plan.page.matter, plan.article):
            message = f"`{name}` is not synced: the file has {stated}, and the article {present}."
            work.sync.report_more(plan.page.path, "kept", message, article_id=plan.article.id)


def contradictions(matter: Mapping[str, str], article: SyncedArticle) -> Iterator[tuple[str, str, str]]:
    """The fields of a file with a value that its article does not have, and both values."""
    present = {"since": article.since_slug, "until": article.until_slug}
    for name, value in present.items():
        if name in matter and matter[name] != value:
            yield name, matter[name], value or "none"
    is_translation = article.translation_of is not None
    if is_translation and matter.get("translation") == OUTDATED and not article.is_outdated:
        yield "translation", OUTDATED, "none"
