"""The review settings as one resource: assignment rules, reminders and expiry."""

from pydantic import MISSING

from instep.drafting.drafts.assignment_rules import (
    list_assignment_rules,
    replace_collection_rules,
    replace_label_rules,
)
from instep.drafting.drafts.follow_up_queries import find_schedule
from instep.drafting.drafts.overdue import change_schedule
from instep.drafting.drafts.queue_schemas import ReviewSchedule
from instep.drafting.drafts.review_settings_schemas import (
    CollectionReviewers,
    ReviewSettingsOut,
    ReviewSettingsUpdate,
)
from instep.platform.identity.access import writes
from instep.platform.identity.schemas import Ctx


async def get_review_settings(ctx: Ctx) -> ReviewSettingsOut:
    """Get the review settings: who is asked about new drafts and places, reminders, and expiry."""
    schedule, rules = await find_schedule(ctx), await list_assignment_rules(ctx)
    return ReviewSettingsOut(
        reminder_days=schedule.reminder_days,
        expiry_days=schedule.expiry_days,
        collection_rules=[
            CollectionReviewers.model_construct(collection_id=rule.collection_id, reviewers=rule.emails)
            for rule in rules
            if rule.collection_id is not None
        ],
        excluded_labels=[rule.label for rule in rules if rule.label is not None],
    )


@writes
async def update_review_settings(ctx: Ctx, sent: ReviewSettingsUpdate) -> ReviewSettingsOut:
    """Change the review settings; each list that is sent replaces the previous one."""
    before, days = await find_schedule(ctx, lock=True), sent.model_dump()
    schedule = ReviewSchedule(
        days.get("reminder_days", before.reminder_days), days.get("expiry_days", before.expiry_days)
    )
    await change_schedule(ctx, schedule)
    if sent.collection_rules is not MISSING:
        rules = [(rule.collection_id, tuple(rule.reviewers)) for rule in sent.collection_rules]
        await replace_collection_rules(ctx, rules)
    if sent.excluded_labels is not MISSING:
        await replace_label_rules(ctx, sent.excluded_labels)
    return await get_review_settings(ctx)
