"""A change that makes a part wrong: a place in an article that contains the part, but no draft."""

from instep.content.parts.schemas import UsedPart
from instep.drafting.tasks.part_places import with_part_places
from instep.platform.core.database import Database
from instep.platform.core.outbound.allowed import AllowList
from instep.platform.core.outbound.client import OutboundClient
from instep.runtime import worker_of
from tests.support.cast import Client, RunJobs
from tests.support.changes import SETTINGS, publish, send
from tests.support.http import created, ok
from tests.support.model_replies import CHOICE, INSERT_ROW, NEW_ROW, TEXT, edited, edits
from tests.support.scripted_model import Scripted
from tests.support.wording import like


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


async def test_a_model_reads_parts_and_its_edit_of_one_is_a_place_with_its_words(
    client: Client, database: Database
) -> None:
    created(await client.post("/v1/parts", json={"name": "timeouts", "text": SETTINGS}))
    await publish(client, "Install", "{{part.timeouts}}\n")
    model = Scripted(lambda data: {"edits": []})

    await send(client)
    await worker_of(database, OutboundClient(AllowList()), model).run_due()

    assert any("part.timeouts" in prompt.user for prompt in model.prompts)

    part = UsedPart("settings", "part", "settings", "en", TEXT, ["a1", "a2"])
    report, _ = await edited(CHOICE, edits(INSERT_ROW), is_part=True)
    assert report.summary == like("…read no articles and 1 part and edited no articles and 1 part.")
    [row] = [place for place in with_part_places(report, [part], {"a2"}).places if NEW_ROW in place.reason]
    assert row.article_id == "a2"
    assert "{{part.settings}}, which 2 texts contain" in row.reason
