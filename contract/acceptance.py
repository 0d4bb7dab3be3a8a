"""Our own check in the fuzzer: a request of the right shape is refused only because of a resource's state.

JSON Schema cannot say that a slug is in use or that an article does not exist: for these there are codes.
Every other refusal of a request that fits the document would be a hole in the document.
"""

import schemathesis
from schemathesis import Case, CheckContext, Response

STATES = {
    "bot_required",
    "conflict",
    "draft_not_pending",
    "idempotency_mismatch",
    "invalid_cursor",
    "invalid_state",
    "no_changes",
    "slug_taken",
}
# Fields whose rules a pattern cannot say, or which name something that must exist.
WORDED = {
    *("slug", "locale", "collectionId", "translationOf", "botId", "url", "events", "change.diff"),
    *("article.collectionId", "updated_since", "q", "start_cursor"),
}


@schemathesis.check
def right_shape_is_accepted(ctx: CheckContext, response: Response, case: Case) -> None:
    """A request that fits the document is refused only for the state that it meets."""
    is_positive = case.meta is not None and case.meta.generation.mode.is_positive
    if not is_positive or response.status_code != 400:
        return
    refusal = response.json()
    fields = {detail["field"] for detail in refusal.get("details", ())}
    if refusal["code"] in STATES or (fields and fields <= WORDED):
        return
    raise AssertionError(f"a request of the right shape was refused: {refusal}")
