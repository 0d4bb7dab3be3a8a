"""The versions of the product: their order, the current one, and their branches."""

from typing import Any

from starlette.responses import Response

from instep.content.product_versions import actions
from instep.content.product_versions.schemas import ProductVersionCreate, ProductVersionUpdate
from instep.interfaces.dashboard.bot_pages import BotPage, PageRouter
from instep.interfaces.dashboard.settings.frame import show_settings
from instep.platform.core import limits
from instep.platform.core.errors import AppError
from instep.platform.identity.scopes import Role
from instep.platform.web.errors import body_from

router = PageRouter("settings/versions")


@router.get()
async def show_product_versions(page: BotPage, refusal: AppError | None = None) -> Response:
    rows = await actions.list_all_versions(page.ctx)
    return await show_settings(page, "versions", refusal, versions=rows[::-1], limits=limits)


@router.post(role=Role.EDITOR, refused=show_product_versions)
async def add_version(page: BotPage) -> Response:
    body = body_from(ProductVersionCreate, version_fields(page))
    version = await actions.create_product_version(page.ctx, body)
    return page.leave("settings/versions", f"Added {version.name}.")


@router.post("change", Role.EDITOR, refused=show_product_versions)
async def change_version(page: BotPage) -> Response:
    """Save the fields of a version, move it, or make it the current one, whichever the form contains."""
    fields = version_fields(page) if "slug" in page.form else {}
    if "position" in page.form:
        fields["position"] = int(page.form["position"]) if page.form["position"].isdecimal() else 0
    if "current" in page.form:
        fields["isCurrent"] = True
    body = body_from(ProductVersionUpdate, fields)
    version = await actions.update_product_version(page.ctx, page.form.get("id", ""), body)
    return page.leave("settings/versions", f"Saved {version.name}.")


@router.post("remove", Role.EDITOR, refused=show_product_versions)
async def remove_version(page: BotPage) -> Response:
    await actions.delete_product_version(page.ctx, page.form.get("id", ""))
    return page.leave("settings/versions", "Deleted: its articles are still in the other versions.")


def version_fields(page: BotPage) -> dict[str, Any]:
    """The fields of a version in a form; each line of its branches is a name or a pattern."""
    slug = page.form.get("slug", "").strip()
    branches = [line.strip() for line in page.form.get("branches", "").splitlines() if line.strip()]
    return {"slug": slug, "name": page.form.get("name", "").strip() or slug, "branches": branches}
