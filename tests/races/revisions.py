"""Reads all stored revisions of an article with their texts."""

from tests.support.cast import Client, Json
from tests.support.http import all_pages, ok


async def read_revisions(client: Client, article: str) -> list[Json]:
    """All revisions, newest first, fetched page by page as a client would."""
    rows = await all_pages(client, f"{article}/revisions", page_size=20)
    return [ok(await client.get(f"{article}/revisions/{row['id']}")) for row in rows]
