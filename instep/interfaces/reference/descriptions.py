"""Texts of the OpenAPI document that are not docstrings of actions."""

from instep.platform.core import limits

TITLE = "Instep management API"
VERSION = "1.0.0"
SUMMARY = "The help center's content, its review queue, and code changes as tasks."
LICENSE = {"name": "Apache-2.0", "identifier": "Apache-2.0"}
CONTACT = {"name": "The developers of Instep"}
MIB = 1024 * 1024
DESCRIPTION = f"""\
Read and edit a help center from your own tools and CI: articles, drafts that await review, revisions,
collections, parts, redirects, the changelog, tasks, insights and webhooks.

**Authentication.** Send `Authorization: Bearer <API key>`. A key has the scope `content:read`,
`content:propose` or `content:write` and covers one, several or all bots (help centers) of a workspace. With a
key that covers several bots, name the bot with `bot_id` or the header `Service-Bot`. A call without it is for
the bot that was the only one when the key was created; if there were several, it is refused with
`bot_required`.

**Errors** are JSON: `error` is a sentence that says what to do, `code` is for programs, `details` name the
invalid fields. Checks run in this order: 429, 401, the bot (400 or 403), the scope (403), a paused workspace
(402), the body (400), 404.

**Limits.** 120 requests a minute and 30 tasks an hour per key, unless the operator has set other limits.
Every response has `RateLimit-Policy` and `RateLimit`, which say what is left; a 429 says how long to wait in
`Retry-After`. A body has at most {limits.MAX_BODY_BYTES // MIB} MiB, that of a task
{limits.MAX_TASK_BODY_BYTES // MIB} MiB, a file {limits.MAX_FILE_BYTES // MIB} MiB, a sync and a check for
drift {limits.MAX_SYNC_BODY_BYTES // MIB} MiB.

**Lists** have `page_size` rows a page (1 to {limits.MAX_PAGE_SIZE}, {limits.DEFAULT_PAGE_SIZE} by default).
While `has_more` is true, send `next_cursor` as `start_cursor`. A row that does not change while you read the
pages is listed exactly once.

**Bodies.** Fields are camelCase; unknown ones are refused. PATCH changes only the fields sent. Timestamps are
ISO 8601 in UTC with milliseconds. `contentMarkdown` is the text; with `format=html` the response has
`contentHtml` instead, the sanitized HTML of the public page.

**Conditions.** `ETag` identifies the state of an article, entry, collection or part. `If-None-Match` saves
the transfer of an unchanged one; `If-Match` refuses to overwrite a newer state (400 `conflict`).
"""

TAGS = {
    "articles": "Help articles: their texts, statuses, translations and revisions.",
    "drafts": "The review queue: proposed edits, new articles, and drafts from visitors' questions.",
    "comments": "Comments on drafts, places and articles, in threads.",
    "places": "Places where articles need text that a code change does not contain.",
    "drift": "Checks of all articles against the code of a checkout, as `instep drift` sends them.",
    "review-settings": "The reviewers of new drafts and places, the reminders, and the expiry of drafts.",
    "releases": "Approved drafts go live when the change that they describe ships.",
    "collections": "The sections of the help center, which can contain sections, in reading order.",
    "parts": "Texts and variables that are kept once and shown in many articles.",
    "product-versions": "The versions of the product that articles are about.",
    "api-references": "Addresses of OpenAPI documents whose operations are articles, imported each day.",
    "redirects": "Destinations of addresses without a page, such as those of an earlier help center.",
    "synonyms": "Words that mean the same in one help center.",
    "style": "Rules in plain words, a glossary, and checks that need no language model.",
    "files": "Images and downloads of articles.",
    "changelog": "Entries about changes to the product.",
    "sync": "A folder of Markdown files in a git repository, in sync with the help center.",
    "tasks": "Background work that produces drafts: nothing goes live until someone applies them.",
    "bots": "The help centers that a key covers.",
    "insights": "Unanswered questions of visitors, and the health of articles.",
    "webhooks": "Endpoints that receive signed events.",
    "events": "The signed requests that webhook endpoints receive.",
}

PARAMETERS = {
    "id": "The id; for articles, collections and changelog entries also the slug.",
    "botId": "The bot's id.",
    "conversationId": "The id of a conversation of the bot.",
    "articleId": "The id of a public article of the bot.",
    "messageId": "The id of an answer of the bot.",
    "revisionId": "The id of a revision of the article.",
    "deliveryId": "The id of a delivery to the endpoint.",
    "status": "Only those with this status.",
}

# Descriptions of fields whose shapes have none; a name means the same in every shape.
FIELDS = {
    "additions": "Number of added lines.",
    "botKey": "The bot's public key.",
    "conversationId": "The id of the conversation: send it with the next question of the same visitor.",
    "email": "The visitor's email address.",
    "hint": "How to fix it.",
    "messageId": "The id of the answer: send it with feedback.",
    "article": "The article to write.",
    "articleId": "The article's id.",
    "articleLine": "The line of the article that it concerns.",
    "at": "When it happened.",
    "author": "The person or program that wrote it.",
    "botId": "The bot that it belongs to.",
    "code": "The kind of error or problem, for programs.",
    "collectionId": "The id of the article's collection; null if it has none.",
    "contentHtml": "The sanitized HTML of the text, as on the public page.",
    "contentMarkdown": "The text in Markdown.",
    "createdAt": "When it was created.",
    "deleted": "Always true.",
    "deletedAt": "When it was deleted.",
    "deletions": "Number of removed lines.",
    "description": "One sentence, shown in lists, in search results and above the text.",
    "details": "The invalid fields.",
    "diff": "The difference as a unified diff.",
    "drafts": "The drafts that the task created.",
    "durationMs": "How long it took, in milliseconds.",
    "endLine": "The last line of the excerpt.",
    "escalatedAt": "The time at which the visitor asked for a person.",
    "error": "The problem, in a sentence that says what to do.",
    "eventId": "The event that is delivered.",
    "events": "The kinds of events that are delivered.",
    "excerpt": "The quoted text.",
    "field": "The name of the field, parameter or header.",
    "file": "The path of the file in the code change.",
    "finishedAt": "When it ended.",
    "firstAskedAt": "When it was first asked.",
    "has_more": "Whether there is another page.",
    "icon": "An emoji.",
    "id": "The id, an opaque string.",
    "instructions": "The content of the article, in your words.",
    "lastAskedAt": "When it was last asked.",
    "locale": "The language code.",
    "message": "The problem, in a sentence.",
    "name": "The name.",
    "next_cursor": "Send it as `start_cursor` for the next page; null on the last one.",
    "parentId": "The collection that contains it; null at the top.",
    "position": "The position in the collection, from 0.",
    "publishedAt": "When it first became live.",
    "reason": "The reason, in a sentence.",
    "results": "The rows of this page.",
    "reviewed": "Every article that was considered, and why it got a draft or not.",
    "revisionId": "The revision's id.",
    "slug": "The last part of the URL: lower-case words joined by hyphens, by default those of the title.",
    "sortOrder": "The position among the collections with the same parent, from 0.",
    "source": "The change that asks for it.",
    "sourceUrl": "The pull request, issue or page that caused it.",
    "startLine": "The first line of the excerpt.",
    "startedAt": "When work on it started.",
    "status": "Its status.",
    "title": "The title, in plain text.",
    "translationOf": "The article that this one translates.",
    "translations": "Its texts in other languages.",
    "type": "Its type.",
    "updatedAt": "When it last changed.",
    "url": "The URL.",
    "visibility": "The audience: everyone, or signed-in visitors only.",
}

# Query parameters that refer to a resource, so that a call may respond with 404.
REFERENCES = {"collection_id", "article_id", "subject"}

REPEATED = "An earlier request has done the same; this is its result."
SUCCESSES = {200: "Done.", 201: "Created.", 202: "Accepted: the work runs in the background."}
