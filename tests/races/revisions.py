"""Reading all kept revisions of an article with their texts."""

from tests.cast import Client, Json
from tests.web.asking import all_pages, found


async def read_revisions(client: Client, article: str) -> list[Json]:
    """Newest first, page by page, as a client would."""
    rows = await all_pages(client, f"{article}/revisions", page_size=20)
    return [found(await client.get(f"{article}/revisions/{row['id']}")) for row in rows]
