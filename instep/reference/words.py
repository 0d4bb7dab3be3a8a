"""The words of the API's description that stand in no action's docstring."""

from instep.core import limits

TITLE = "Instep management API"
VERSION = "1.0.0"
SUMMARY = "The help center's content, its review queue, and code changes as tasks."
LICENSE = {"name": "Apache-2.0", "identifier": "Apache-2.0"}
CONTACT = {"name": "The developers of Instep"}
MIB = 1024 * 1024
DESCRIPTION = f"""\
Read and edit a help center from your own tools and CI: articles, drafts that await review, revisions,
collections, the changelog, tasks, insights and webhooks.

**Authentication.** Send `Authorization: Bearer <API key>`. A key has the scope `content:read` or
`content:write` and covers one, several or all bots (help centers) of a workspace. One that covers several
names the bot with `bot_id` or the header `Service-Bot`; else the call is refused with `bot_required`.

**Errors** are JSON: `error` is a sentence that says what to do, `code` is for programs, `details` name the
fields with bad values. Checks run in this order: 401, 429, the bot (400 or 403), the scope (403), a paused
workspace (402), the body (400), 404.

**Limits.** 120 requests a minute per key and 30 tasks an hour per workspace, where the operator has not set
others; `RateLimit` and `RateLimit-Policy` on every answer tell what is left, `Retry-After` on a 429 how long
to wait. A body has at most {limits.BODY_BYTES // MIB} MiB, that of a task
{limits.TASK_BODY_BYTES // MIB} MiB.

**Lists** have `page_size` rows a page (1 to {limits.PAGE_SIZE_MOST}, {limits.PAGE_SIZE} where not sent).
While `has_more` is true, send `next_cursor` as `start_cursor`: rows that do not change meanwhile come exactly
once.

**Bodies.** Fields are camelCase; unknown ones are refused. PATCH changes only the fields sent. Timestamps are
ISO 8601 in UTC with milliseconds. `contentMarkdown` is the text; with `format=html` the answer holds
`contentHtml` instead, sanitised, as the public page shows it.

**Conditions.** `ETag` names the state of an article, entry or collection. `If-None-Match` saves the transfer,
`If-Match` refuses a change of what has changed meanwhile (400 `conflict`).
"""

TAGS = {
    "articles": "Help articles: their texts, statuses, translations and revisions.",
    "drafts": "The review queue: proposed edits, new articles, and drafts from visitors' questions.",
    "collections": "The sections of the help center, in its order.",
    "changelog": "Entries that tell what changed in the product.",
    "tasks": "Background work that ends in drafts: nothing goes live until someone applies them.",
    "bots": "The help centers that a key covers.",
    "insights": "What visitors ask in vain, and how healthy the articles are.",
    "webhooks": "Endpoints that receive signed events.",
    "events": "What is sent to webhook endpoints, signed.",
}

PARAMETERS = {
    "id": "The id; for articles, collections and changelog entries also the slug.",
    "revisionId": "The id of a revision of the article.",
    "deliveryId": "The id of a delivery to the endpoint.",
    "status": "Only those with this status.",
    "collection_id": "Only articles of this collection, by its id or slug.",
    "article_id": "Only drafts of this article, by its id or slug.",
    "locale": "Only texts in this language.",
    "updated_since": "Only what has changed at this time or later: for incremental sync.",
    "type": "Only drafts of this type.",
    "q": "The words to look for.",
    "compare_to": "Another revision of the article; the current article where not sent.",
}

# Query parameters that name something, which may not exist.
REFERENCES = {"collection_id", "article_id"}

SUCCESSES = {200: "Done.", 201: "Created.", 202: "Accepted: it runs in the background."}
