"""A check for the fuzzer: a valid request is refused only because of the state of a resource.

JSON Schema can't express that a slug is in use or that an article does not exist; error codes report these.
The document says in words which fields go together. Any other refusal of a request that matches the document
is a gap in the document.
"""

import re

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
    # A file's bytes determine its type, which no schema can describe.
    "unsupported_type",
}
# Fields whose rules no pattern can express, or which name something that must exist.
CONSTRAINED_FIELDS = {
    *("slug", "locale", "collectionId", "translationOf", "botId", "url", "events", "change.diff"),
    *("article.collectionId", "updated_since", "q", "start_cursor", "parentId", "articleId"),
    # Paths, words allowed in synonyms, and the version that the chosen hunks belong to.
    *("from", "folder", "files.path", "assets.path", "renames.from", "renames.to", "navigation"),
    *("groups", "baseVersion"),
}
# "Send either `hunks` or `contentMarkdown`, not both.", "`files`: send the `content` of …".
TOGETHER = re.compile(r"Send (?:either |exactly one of )?`\w+`|`files`: send the `content` of ")


@schemathesis.check
def valid_request_is_accepted(ctx: CheckContext, response: Response, case: Case) -> None:
    """A request that matches the document is refused only because of the state of a resource."""
    is_positive = case.meta is not None and case.meta.generation.mode.is_positive
    if not is_positive or response.status_code != 400:
        return
    error = response.json()
    # Numbers in it are list positions: `groups.0.8`.
    fields = {re.sub(r"\.\d+", "", detail["field"]) for detail in error.get("details", ())}
    if error["code"] in STATE_CODES or (fields and fields <= CONSTRAINED_FIELDS):
        return
    if not fields and TOGETHER.match(error["error"]):
        return
    raise AssertionError(f"a valid request was refused: {error}")
