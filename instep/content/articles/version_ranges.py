"""The versions of the product that an article is about: a first one, a last one, and a family.

The articles of a family are about one topic; each version of the product has at most one of them.
"""

from typing import Any

from instep.content.articles import queries
from instep.content.articles.queries import VERSION_COLUMNS
from instep.content.product_versions.actions import list_all_versions, lock_versions, referenced_version
from instep.platform.core.errors import InvalidValue
from instep.platform.identity.schemas import Ctx

FIELDS = {"since_version": "sinceVersion", "until_version": "untilVersion"}


async def version_columns(ctx: Ctx, sent: dict[str, Any]) -> dict[str, Any]:
    """Take the version fields out of the sent fields of a body, as columns, and lock the versions.

    Raises `InvalidValue` for a version or an article that does not exist.
    """
    columns: dict[str, Any] = {name: sent.pop(name) for name in FIELDS if name in sent}
    if "version_of" in sent:
        columns["version_family"] = sent.pop("version_of")
    if columns:
        # Before the article is locked, as everywhere.
        await lock_versions(ctx)
    for name, field in FIELDS.items():
        if columns.get(name) is not None:
            version = await referenced_version(ctx, columns[name], field)
            columns[name] = version and version.id
    if columns.get("version_family") is not None:
        columns["version_family"] = await _find_family(ctx, columns["version_family"])
    return columns


def changed_versions(changes: dict[str, Any], root_id: str | None) -> dict[str, Any]:
    """The version columns among the changes of an article; a translation's versions can't be changed."""
    versions = {name: changes[name] for name in VERSION_COLUMNS if name in changes}
    if versions and root_id is not None:
        field = FIELDS.get(next(iter(versions)), "versionOf")
        raise InvalidValue(field, "a translation has the versions of its original: change them there")
    return versions


async def _find_family(ctx: Ctx, ref: str) -> str:
    if not await list_all_versions(ctx):
        raise InvalidValue("versionOf", "the help center has no versions")
    article = await queries.find(ctx, ref, "markdown")
    if article is None:
        raise InvalidValue("versionOf", "this article does not exist")
    return article.version_family or article.translation_of or article.id
