"""Page views and searches of visitors, and the counter that records them."""

from fastapi import FastAPI

from instep.platform.core.database import Database
from instep.visitors.insights.visits.counter import VisitCounter
from tests.support.articles import acting
from tests.support.cast import Company, Json

BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0"


async def write_counts(app: FastAPI, database: Database) -> None:
    """Write the counts, as a server does every few seconds."""
    counter: VisitCounter = app.state.visit_counter
    await counter.write(database)


async def read_and_search(database: Database, company: Company, article: Json) -> None:
    """Open an article and run a search that finds nothing."""
    counter = VisitCounter()
    async with acting(database, company) as ctx:
        counter.count_view(ctx, article["id"])
        counter.count_search(ctx, "canary", is_empty=True)
    await counter.write(database)
