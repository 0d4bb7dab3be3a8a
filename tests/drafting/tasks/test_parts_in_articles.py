"""A change that makes a part wrong: a place in an article that contains it, and no draft of an article."""

from tests.support.cast import Client, RunJobs
from tests.support.changes import SETTINGS, publish, send
from tests.support.http import created, ok


async def test_an_edit_of_a_part_is_a_place_that_names_the_part(client: Client, run_jobs: RunJobs) -> None:
    created(await client.post("/v1/parts", json={"name": "timeouts", "text": SETTINGS}))
    first = await publish(client, "Install", "{{part.timeouts}}\n")
    await publish(client, "Configure", "Read this:\n\n{{part.timeouts}}\n")

    await send(client)
    await run_jobs()

    assert ok(await client.get("/v1/drafts"))["results"] == []
    [place] = ok(await client.get("/v1/places"))["results"]
    assert place["articleId"] == first["id"]
    assert "{{part.timeouts}}, which 2 texts contain" in place["reason"]
    assert "ACME_REQUEST_TIMEOUT" in str(place["evidence"])
