"""The workspace server's tools by permission, and a text too long for one response."""

from tests.support.cast import Client, Json
from tests.support.http import body_of
from tests.support.mcp import MODERN, WORKSPACE, post

READS = [
    *("search_articles", "get_article", "list_drafts", "get_draft", "list_changelog", "get_task"),
    *(
        "list_gaps",
        "doc_health",
        "list_searches",
        "check_articles",
        "list_collections",
        "list_redirects",
        "list_files",
        "get_file",
        "list_suppressed",
        *("list_places", "list_comments"),
    ),
]
ADDS = [
    *("create_article", "propose_edit", "create_changelog_entry", "create_task"),
    *("create_collection", "create_redirect", "lift_suppressed", "translate_articles"),
    *("resolve_place", "dismiss_place", "add_comment"),
]
# Tools that add something and need only `content:propose`.
PROPOSES = [
    *("propose_edit", "create_task", "translate_articles", "resolve_place", "dismiss_place", "add_comment")
]
CHANGES = [
    "update_article",
    "publish_article",
    "apply_draft",
    "dismiss_draft",
    "reopen_draft",
    "release_drafts",
    "delete_redirect",
    "delete_file",
]
LONG = "".join(f"Line {number} of a long text, with some words in it.\n" for number in range(1_000))


async def listed(client: Client, era: str = MODERN) -> list[Json]:
    answer = await post(client, WORKSPACE, "tools/list", None, era)
    tools: list[Json] = body_of(answer)["result"]["tools"]
    return tools
