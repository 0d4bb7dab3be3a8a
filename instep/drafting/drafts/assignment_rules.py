"""The rules of a bot that say who is asked about its drafts and places."""

from collections.abc import Sequence

from instep.content.collections.actions import referenced_id
from instep.drafting.drafts import assignment_queries
from instep.drafting.drafts.assignment_queries import AssignmentRule
from instep.platform.core import limits
from instep.platform.core.errors import InvalidRequest, InvalidState, NotFound
from instep.platform.identity.access import writes
from instep.platform.identity.schemas import Ctx


async def list_assignment_rules(ctx: Ctx) -> list[AssignmentRule]:
    """List the rules: those for collections, then those for labels."""
    return await assignment_queries.list_rules(ctx)


@writes
async def add_collection_rule(ctx: Ctx, collection_id: str, person_ids: Sequence[str]) -> str:
    """Ask these people in turn about the drafts and places of a collection and of those inside it."""
    ids = list(dict.fromkeys(person_ids))
    if not ids or not await assignment_queries.are_reviewers(ctx, ids):
        raise InvalidRequest("Choose one or more people who may review drafts.")
    collection = await referenced_id(ctx, collection_id, "collection", lock="key share")
    return await _add(ctx, collection, None, ids)


@writes
async def add_label_rule(ctx: Ctx, label: str) -> str:
    """Ask nobody about the drafts and places of pull requests with this label."""
    label = label.strip()
    if not label or len(label) > limits.MAX_LABEL_CHARACTERS or "\0" in label:
        raise InvalidRequest(f"Enter a label of 1 to {limits.MAX_LABEL_CHARACTERS} characters.")
    return await _add(ctx, None, label, [])


@writes
async def remove_assignment_rule(ctx: Ctx, rule_id: str) -> str:
    """Delete a rule; drafts and places that were assigned by it stay assigned."""
    if not await assignment_queries.delete_rule(ctx, rule_id):
        raise NotFound.of("rule")
    return rule_id


async def _add(ctx: Ctx, collection_id: str | None, label: str | None, person_ids: list[str]) -> str:
    if await assignment_queries.count_rules(ctx) >= limits.MAX_ASSIGNMENT_RULES:
        raise InvalidState(
            f"This help center has {limits.MAX_ASSIGNMENT_RULES} rules: remove one before you add another."
        )
    values = {"collection": collection_id, "label": label, "people": person_ids}
    rule_id = await assignment_queries.insert_rule(ctx, values)
    if rule_id is None:
        raise InvalidState("There is already a rule for this: remove it before you add another.")
    return rule_id
