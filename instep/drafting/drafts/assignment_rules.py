"""The rules of a bot that say who is asked about its drafts and places."""

from collections.abc import Sequence

from instep.content.collections.actions import referenced_id
from instep.drafting.drafts import assignment_queries
from instep.drafting.drafts.assignment_queries import AssignmentRule
from instep.platform.core import limits
from instep.platform.core.errors import InvalidRequest, InvalidState, InvalidValue, NotFound
from instep.platform.identity.access import writes
from instep.platform.identity.schemas import Ctx


async def list_assignment_rules(ctx: Ctx) -> list[AssignmentRule]:
    """List the rules: those for collections, then those for labels."""
    return await assignment_queries.list_rules(ctx)


@writes
async def add_collection_rule(ctx: Ctx, collection_id: str, person_ids: Sequence[str]) -> str:
    """Ask these people in turn about the drafts and places of a collection and of those inside it."""
    return await _add_collection_rule(ctx, collection_id, person_ids)


@writes
async def add_label_rule(ctx: Ctx, label: str) -> str:
    """Ask nobody about the drafts and places of pull requests with this label."""
    return await _add_label_rule(ctx, label)


@writes
async def remove_assignment_rule(ctx: Ctx, rule_id: str) -> str:
    """Delete a rule; drafts and places that were assigned by it stay assigned."""
    if not await assignment_queries.delete_rules(ctx, [rule_id]):
        raise NotFound.of("rule")
    return rule_id


async def replace_collection_rules(ctx: Ctx, rules: Sequence[tuple[str, tuple[str, ...]]]) -> None:
    """Make these the rules for collections, each with a collection and email addresses.

    A rule that is sent as it is stays, with the people in it who can't review at the moment.
    """
    stored = await list_assignment_rules(ctx)
    before = {(rule.collection_id, tuple(rule.emails)): rule.id for rule in stored if rule.collection_id}
    await assignment_queries.delete_rules(ctx, [before[rule] for rule in before.keys() - set(rules)])
    added = [rule for rule in rules if rule not in before]
    addresses = {email.lower() for _, emails in added for email in emails}
    reviewers = await assignment_queries.find_reviewers(ctx, addresses)
    if strangers := sorted(addresses - reviewers.keys()):
        raise InvalidValue("reviewers", f"“{strangers[0]}” is not the address of a member who may review")
    for collection, emails in added:
        await _add_collection_rule(ctx, collection, [reviewers[email.lower()] for email in emails])


async def replace_label_rules(ctx: Ctx, labels: Sequence[str]) -> None:
    """Make these the labels whose changes nobody is asked about."""
    before = {rule.label: rule.id for rule in await list_assignment_rules(ctx) if rule.label}
    await assignment_queries.delete_rules(ctx, [before[label] for label in before.keys() - set(labels)])
    for label in labels:
        if label not in before:
            await _add_label_rule(ctx, label)


async def _add_collection_rule(ctx: Ctx, collection_id: str, person_ids: Sequence[str]) -> str:
    ids = list(dict.fromkeys(person_ids))
    if not ids or not await assignment_queries.are_reviewers(ctx, ids):
        raise InvalidRequest("Choose one or more people who may review drafts.")
    collection = await referenced_id(ctx, collection_id, "collectionId", lock="key share")
    return await _add(ctx, collection, None, ids)


async def _add_label_rule(ctx: Ctx, label: str) -> str:
    label = label.strip()
    if not label or len(label) > limits.MAX_LABEL_CHARACTERS or "\0" in label:
        raise InvalidRequest(f"Enter a label of 1 to {limits.MAX_LABEL_CHARACTERS} characters.")
    return await _add(ctx, None, label, [])


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
