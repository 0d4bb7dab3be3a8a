"""A source never has more preview links than the limit, even if several are created at once."""

from instep.drafting.drafts.previews import create_preview, list_previews
from instep.platform.core.database import Database
from instep.platform.core.errors import InvalidState
from tests.support.articles import acting
from tests.support.cast import Cast, Client
from tests.support.drafts import propose, write_article
from tests.support.http import at_once
from tests.support.limits import SetLimit


async def test_links_made_at_once_stay_within_their_number(
    client: Client, database: Database, cast: Cast, set_limit: SetLimit
) -> None:
    set_limit("MAX_PREVIEWS", 2)
    draft = await propose(client, await write_article(client))

    async def make(_: int) -> bool:
        try:
            async with acting(database, cast.acme) as ctx:
                await create_preview(ctx, draft["id"])
        except InvalidState:
            return False
        return True

    assert sorted(await at_once(6, make)) == [False] * 4 + [True] * 2
    async with acting(database, cast.acme) as ctx:
        assert len(await list_previews(ctx, draft["id"])) == 2
