"""Reviews: who is asked about new drafts and places, reminders, and the expiry of drafts."""

from starlette.responses import Response
from starlette.routing import Route

from instep.accounts.people.actions import list_users
from instep.drafting.drafts import assignment_rules
from instep.drafting.drafts.overdue import get_review_schedule, update_review_schedule
from instep.drafting.drafts.queue_schemas import ReviewSchedule
from instep.interfaces.dashboard.bot_pages import BotPage, bot_page
from instep.interfaces.dashboard.review.draft_pages import number_in
from instep.interfaces.dashboard.settings.frame import attempt, show_settings
from instep.interfaces.dashboard.writing.article_editor import offered_collections
from instep.platform.core import limits
from instep.platform.core.errors import AppError
from instep.platform.identity.scopes import Role

PATH = "/app/{bot_slug}/settings/reviews"


@bot_page("settings", Role.OWNER)
async def show_reviews(page: BotPage) -> Response:
    return await reviews(page)


async def reviews(page: BotPage, refusal: AppError | None = None) -> Response:
    ctx = page.ctx
    users = await list_users(ctx.tx, ctx.workspace_id)
    return await show_settings(
        page,
        "reviews",
        "reviews.html",
        refusal,
        rules=await assignment_rules.list_assignment_rules(ctx),
        schedule=await get_review_schedule(ctx),
        collections=(await offered_collections(page, None))[1:],
        reviewers=[
            (user.id, user.email, None)
            for user in users
            if user.disabled_at is None and user.role != Role.VIEWER
        ],
        limits=limits,
    )


@bot_page("settings", Role.OWNER)
async def save_schedule(page: BotPage) -> Response:
    schedule = ReviewSchedule(days_in(page, "reminder_days"), days_in(page, "expiry_days"))
    outcome = await attempt(page, update_review_schedule(page.ctx, schedule))
    return await after(page, outcome, "Saved.")


@bot_page("settings", Role.OWNER)
async def add_collection_rule(page: BotPage) -> Response:
    people, collection = page.form.all("people"), page.form.get("collection", "")
    outcome = await attempt(page, assignment_rules.add_collection_rule(page.ctx, collection, people))
    return await after(page, outcome, "Added: new drafts and places are assigned by this rule.")


@bot_page("settings", Role.OWNER)
async def add_label_rule(page: BotPage) -> Response:
    outcome = await attempt(page, assignment_rules.add_label_rule(page.ctx, page.form.get("label", "")))
    return await after(page, outcome, "Added: new drafts and places of these changes stay unassigned.")


@bot_page("settings", Role.OWNER)
async def remove_rule(page: BotPage) -> Response:
    outcome = await attempt(page, assignment_rules.remove_assignment_rule(page.ctx, page.form.get("id", "")))
    return await after(page, outcome, "Removed: drafts and places that are assigned stay so.")


async def after(page: BotPage, outcome: str | AppError, notice: str) -> Response:
    if isinstance(outcome, AppError):
        return await reviews(page, outcome)
    return page.leave("settings/reviews", notice)


def days_in(page: BotPage, name: str) -> int | None:
    """The number in a field; None for an empty one, 0 for anything else."""
    text = page.form.get(name, "").strip()
    return number_in(text) if text else None


routes = [
    Route(PATH, show_reviews, methods=["GET"]),
    Route(PATH, save_schedule, methods=["POST"]),
    Route(f"{PATH}/collections", add_collection_rule, methods=["POST"]),
    Route(f"{PATH}/labels", add_label_rule, methods=["POST"]),
    Route(f"{PATH}/remove", remove_rule, methods=["POST"]),
]
