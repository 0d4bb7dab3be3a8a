"""The rule that decides who is asked about a draft or a place, and the notices to those people."""

from instep.drafting.drafts import assignment_queries
from instep.notifications.inbox.actions import notify
from instep.platform.identity.schemas import Ctx


async def choose_assignee(ctx: Ctx, article_id: str, task_id: str | None) -> str | None:
    """The id of the person who is asked about a new draft or place of an article; None for nobody.

    The first of these who may review: the article's owner, the next person of the rule for the nearest
    collection, the collection's owner, the author of the change. Changes with an excluded label
    are not assigned.
    """
    facts = await assignment_queries.find_facts(ctx, article_id, task_id)
    if facts.has_excluded_label:
        return None
    return facts.article_owner_id or facts.team_member_id or facts.collection_owner_id or facts.author_id


async def ask_assignees(ctx: Ctx, task_id: str) -> None:
    """Notify each person of the drafts and places that this transaction has created for a task."""
    for request in await assignment_queries.list_new_requests(ctx, task_id):
        await notify(ctx, [request.person_id], "assigned", request.subject)
