"""A check for the fuzzer: a valid request is refused only because of the state of a resource.

JSON Schema can't express that a slug is in use or that an article does not exist: for these there are codes.
Any other refusal of a request that matches the document is a gap in the document.
"""

import schemathesis
from schemathesis import Case, CheckContext, Response

STATE_CODES = {
    "bot_required",
    "conflict",
    "draft_not_pending",
    "idempotency_mismatch",
    "invalid_cursor",
    "invalid_state",
    "no_changes",
    "slug_taken",
}
# Fields whose rules no pattern can express, or which name something that must exist.
CONSTRAINED_FIELDS = {
    *("slug", "locale", "collectionId", "translationOf", "botId", "url", "events", "change.diff"),
    *("article.collectionId", "updated_since", "q", "start_cursor"),
}


@schemathesis.check
def valid_request_is_accepted(ctx: CheckContext, response: Response, case: Case) -> None:
    """A request that matches the document is refused only because of the state of a resource."""
    is_positive = case.meta is not None and case.meta.generation.mode.is_positive
    if not is_positive or response.status_code != 400:
        return
    error = response.json()
    fields = {detail["field"] for detail in error.get("details", ())}
    if error["code"] in STATE_CODES or (fields and fields <= CONSTRAINED_FIELDS):
        return
    raise AssertionError(f"a valid request was refused: {error}")
