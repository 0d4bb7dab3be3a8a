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
names the bot with `bot_id` or the header `Service-Bot`; else the call is for the bot that was the only one
when the key was made, or, where there were several, refused with `bot_required`.

**Errors** are JSON: `error` is a sentence that says what to do, `code` is for programs, `details` name the
fields with bad values. Checks run in this order: 401, 429, the bot (400 or 403), the scope (403), a paused
workspace (402), the body (400), 404.

**Limits.** 120 requests a minute and 300 tasks an hour per key, where the operator has not set others;
`RateLimit` and `RateLimit-Policy` on every answer tell what is left, `Retry-After` on a 429 how long to wait.
A body has at most {limits.MAX_BODY_BYTES // MIB} MiB, that of a task {limits.MAX_TASK_BODY_BYTES // MIB} MiB,
a file {limits.MAX_FILE_BYTES // MIB} MiB.

**Lists** have `page_size` rows a page (1 to {limits.MAX_PAGE_SIZE}, {limits.DEFAULT_PAGE_SIZE} by default).
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
    "files": "Images and downloads of articles.",
    "changelog": "Entries that tell what changed in the product.",
    "tasks": "Background work that ends in drafts: nothing goes live until someone applies them.",
    "bots": "The help centers that a key covers.",
    "insights": "What visitors ask in vain, and how healthy the articles are.",
    "webhooks": "Endpoints that receive signed events.",
    "events": "What is sent to webhook endpoints, signed.",
}

PARAMETERS = {
    "id": "The id; for articles, collections and changelog entries also the slug.",
    "botId": "The bot's id.",
    "conversationId": "The id of a conversation of the bot.",
    "messageId": "The id of an answer of the bot.",
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

# What a field says where its shape has no words of its own: a name means the same everywhere.
FIELDS = {
    "additions": "How many lines come in.",
    "botKey": "The bot's public key.",
    "conversationId": "The conversation: send it along with the next question of the same visitor.",
    "email": "Where the visitor can be reached.",
    "hint": "What to do.",
    "messageId": "The answer, for feedback.",
    "article": "The article to write.",
    "articleCount": "How many articles stand in it, deleted ones left out.",
    "articleId": "The article's id.",
    "articleLine": "The line of the article that it bears on.",
    "at": "When it was.",
    "author": "Who wrote it.",
    "botId": "The bot that it belongs to.",
    "code": "For programs.",
    "collectionId": "The collection that the article stands in; null: in none.",
    "contentHtml": "The text in HTML, sanitised, as the public page shows it.",
    "contentMarkdown": "The text in Markdown.",
    "createdAt": "When it was made.",
    "deleted": "Always true.",
    "deletedAt": "When it was deleted.",
    "deletions": "How many lines go out.",
    "description": "One sentence: in lists, in search results and as the lead.",
    "details": "The fields at fault.",
    "diff": "The difference as a unified diff.",
    "drafts": "The drafts that the task ended in.",
    "durationMs": "How long it took, in milliseconds.",
    "endLine": "The last line of the place.",
    "escalatedAt": "When the visitor asked for a person.",
    "error": "What is wrong, in a sentence that says what to do.",
    "eventId": "The event that is delivered.",
    "events": "The kinds of events that are delivered.",
    "excerpt": "The place itself.",
    "field": "Where it stands: a field of the body, a parameter or a header.",
    "file": "The path of the file in the code change.",
    "finishedAt": "When it ended.",
    "firstAskedAt": "When it was asked first.",
    "has_more": "Whether there is another page.",
    "icon": "An emoji.",
    "id": "The id; nothing can be read off it.",
    "instructions": "What the article has to say, in your words.",
    "kind": "Where the change comes from.",
    "lastAskedAt": "When it was asked last.",
    "locale": "The language code.",
    "message": "What is wrong with it.",
    "name": "The name.",
    "next_cursor": "Send it as `start_cursor` for the next page; null on the last one.",
    "position": "The place in the collection, 0 first.",
    "publishedAt": "When it became live, for the first time.",
    "reason": "Why, in a sentence.",
    "results": "The rows of this page.",
    "reviewed": "Every article that was considered, and why it got a draft or none.",
    "revisionId": "The revision's id.",
    "slug": "The last part of the address, in lower-case words joined by hyphens; made from the title.",
    "sortOrder": "The place among the collections, 0 first.",
    "sourceUrl": "The pull request, issue or page behind it.",
    "startLine": "The first line of the place.",
    "startedAt": "When work on it began.",
    "status": "The state that it is in.",
    "title": "The title, in plain text.",
    "translationOf": "The article that this one translates.",
    "translations": "Its texts in other languages.",
    "type": "The kind of it.",
    "updatedAt": "When it changed last: for `updated_since`.",
    "url": "The address.",
    "verdict": "Whether the article got a draft.",
    "visibility": "Who may read it: everybody, or signed-in visitors only.",
}

# Query parameters that name something, which may not exist.
REFERENCES = {"collection_id", "article_id"}

REPEATED = "An earlier request has done the same: this is its result."
SUCCESSES = {200: "Done.", 201: "Created.", 202: "Accepted: it runs in the background."}
