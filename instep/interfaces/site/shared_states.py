"""The state of help centers, which concurrent visitors read together."""

import asyncio

from instep.interfaces.site import entrances
from instep.interfaces.site.schemas import SiteState
from instep.platform.core.database import Database


class SharedStates:
    """Reads the state of help centers, with one statement for all who ask while another one is running.

    A caller gets the result of a statement that began after the call, so that nobody sees a page that was
    withdrawn before they requested it.
    """

    def __init__(self) -> None:
        # The next reading and the running one, by slug or host name.
        self.next: dict[str, asyncio.Task[SiteState | None]] = {}
        self.current: dict[str, asyncio.Task[SiteState | None]] = {}

    async def find(self, database: Database, slug: str) -> SiteState | None:
        reading = self.next.get(slug)
        if reading is None:
            reading = self.next[slug] = asyncio.create_task(self.read(database, slug))
        # A caller who leaves does not cancel the reading for the others.
        return await asyncio.shield(reading)

    async def read(self, database: Database, slug: str) -> SiteState | None:
        if before := self.current.get(slug):
            await asyncio.wait([before])
        reading = self.current[slug] = self.next.pop(slug)
        try:
            async with database.enter(SiteState, entrances.SITE_STATE, slug=slug) as (state, _):
                return state
        finally:
            if self.current.get(slug) is reading:
                del self.current[slug]
