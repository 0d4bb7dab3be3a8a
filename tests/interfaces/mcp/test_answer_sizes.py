"""Response sizes that an agent can afford: with large data each list is short, and its pages are complete."""

import json

from instep.platform.core import limits
from instep.platform.core.database import Database
from instep.visitors.insights.visits.counter import VisitCounter
from tests.support import unanswered
from tests.support.articles import acting
from tests.support.cast import Cast, Client, Json
from tests.support.drafts import hold_back_statement
from tests.support.http import created
from tests.support.mcp import use
from tests.support.places import URL, find_places, new_place

ROWS = 14
# A title of maximum length in characters that take the most bytes.
TITLE = "帮助" * (limits.MAX_TITLE_CHARACTERS // 2 - 2)
BROKEN = "".join(f"[a link to nowhere](missing-{n}/{'x' * 80})\n\n" for n in range(40))
TEXT = "Install the agent. " * 2_000 + "\n\n" + BROKEN
LISTS: dict[str, Json] = {
    "search_articles": {"query": "install agent"},
    "list_drafts": {},
    "list_changelog": {"includeText": True, "status": "draft"},
    "list_gaps": {},
    "list_suppressed": {},
    "list_places": {},
    "list_collections": {},
    "list_redirects": {},
    "doc_health": {},
    "list_searches": {},
    "check_articles": {"articleIds": ["article-0", "article-1"]},
}


async def fill(client: Client, cast: Cast, database: Database) -> None:
    """Create many rows with fields of maximum length."""
    for n in range(ROWS):
        new = {
            "title": f"{TITLE}{n}",
            "contentMarkdown": TEXT,
            "slug": f"article-{n}",
            "description": "长" * 500,
        }
        article = created(await client.post("/v1/articles", json=new))
        await client.post(f"/v1/articles/{article['id']}/publish")
        reason = {"contentMarkdown": f"{n}\n", "reason": f"{n} {'because ' * 240}"}
        await client.post(f"/v1/articles/{article['id']}/drafts", json=reason)
        await hold_back_statement(cast.acme, database, article["id"])
        words = new_place(article["id"], reason=f"{n} {'because ' * 240}")
        await find_places(client, database, cast.acme, words, url=f"{URL}{n}")
        entry = {"title": f"{TITLE}{n}", "contentMarkdown": TEXT}
        await client.post("/v1/changelog/entries", json=entry)
        group = {"title": f"{TITLE}{n}", "description": "长" * 500}
        await client.post("/v1/collections", json=group)
        far = {"from": f"/{n}{'旧' * 490}", "url": f"https://example.com/{'x' * 1_900}"}
        created(await client.post("/v1/redirects", json=far))
        await unanswered.ask(
            database,
            cast.acme,
            f"{n * 7919} how {'用' * (limits.MAX_QUESTION_CHARACTERS - 20)}",
            f"visitor {n}",
        )
    counter = VisitCounter()
    async with acting(database, cast.acme) as ctx:
        for n in range(ROWS):
            counter.count_search(
                ctx, f"{'abcdefghijklmn'[n]} {'长' * limits.MAX_QUERY_CHARACTERS}", is_empty=True
            )
    await counter.write(database)


async def pages_of(client: Client, tool: str, arguments: Json) -> list[Json]:
    pages: list[Json] = []
    cursor = None
    while not pages or cursor is not None:
        pages.append(await use(client, tool, {**arguments, "limit": limits.MAX_TOOL_ROWS, "cursor": cursor}))
        cursor = pages[-1]["next_cursor"]
    return pages


async def test_with_large_data_every_answer_of_a_list_is_short_and_all_of_them_tell_everything(
    client: Client, reader: Client, cast: Cast, database: Database
) -> None:
    await fill(client, cast, database)
    for tool, arguments in LISTS.items():
        pages = await pages_of(reader, tool, arguments)

        sizes = [len(json.dumps(page, ensure_ascii=False, separators=(",", ":")).encode()) for page in pages]
        assert max(sizes) < limits.MAX_TOOL_RESULT_BYTES + 200, (tool, sizes)
        rows = [json.dumps(row, sort_keys=True) for page in pages for row in page["results"]]
        assert len(rows) == len(set(rows)) >= ROWS, tool
