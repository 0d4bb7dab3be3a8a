"""The versions of the product: their order, the current one, and their branches."""

from typing import Any

from starlette.responses import Response
from starlette.routing import Route

from instep.content.product_versions import actions
from instep.content.product_versions.schemas import ProductVersion, ProductVersionCreate, ProductVersionUpdate
from instep.interfaces.dashboard.bot_pages import BotPage, bot_page
from instep.interfaces.dashboard.settings.frame import attempt, show_settings
from instep.platform.core import limits
from instep.platform.core.errors import AppError
from instep.platform.identity.scopes import Role
from instep.platform.web.bodies import body_from

PATH = "/app/{bot_slug}/settings/versions"


@bot_page("settings")
async def show_product_versions(page: BotPage) -> Response:
    return await product_versions(page)


async def product_versions(page: BotPage, refusal: AppError | None = None) -> Response:
    rows = await actions.list_all_versions(page.ctx)
    return await show_settings(page, "versions", "versions.html", refusal, versions=rows[::-1], limits=limits)


@bot_page("settings", Role.EDITOR)
async def add_version(page: BotPage) -> Response:
    outcome = await attempt(page, create_version(page))
    if isinstance(outcome, AppError):
        return await product_versions(page, outcome)
    return page.leave("settings/versions", f"Added {outcome.name}.")


async def create_version(page: BotPage) -> ProductVersion:
    body = body_from(ProductVersionCreate, version_fields(page))
    return await actions.create_product_version(page.ctx, body)


@bot_page("settings", Role.EDITOR)
async def change_version(page: BotPage) -> Response:
    outcome = await attempt(page, update_version(page))
    if isinstance(outcome, AppError):
        return await product_versions(page, outcome)
    return page.leave("settings/versions", f"Saved {outcome.name}.")


async def update_version(page: BotPage) -> ProductVersion:
    """Save the fields of a version, move it, or make it the current one, whichever the form contains."""
    fields = version_fields(page) if "slug" in page.form else {}
    if "position" in page.form:
        fields["position"] = int(page.form["position"]) if page.form["position"].isdecimal() else 0
    if "current" in page.form:
        fields["isCurrent"] = True
    body = body_from(ProductVersionUpdate, fields)
    return await actions.update_product_version(page.ctx, page.form.get("id", ""), body)


@bot_page("settings", Role.EDITOR)
async def remove_version(page: BotPage) -> Response:
    outcome = await attempt(page, actions.delete_product_version(page.ctx, page.form.get("id", "")))
    if isinstance(outcome, AppError):
        return await product_versions(page, outcome)
    return page.leave("settings/versions", "Deleted: its articles are still in the other versions.")


def version_fields(page: BotPage) -> dict[str, Any]:
    """The fields of a version in a form; each line of its branches is a name or a pattern."""
    slug = page.form.get("slug", "").strip()
    branches = [line.strip() for line in page.form.get("branches", "").splitlines() if line.strip()]
    return {"slug": slug, "name": page.form.get("name", "").strip() or slug, "branches": branches}


routes = [
    Route(PATH, show_product_versions, methods=["GET"]),
    Route(PATH, add_version, methods=["POST"]),
    Route(f"{PATH}/change", change_version, methods=["POST"]),
    Route(f"{PATH}/remove", remove_version, methods=["POST"]),
]
