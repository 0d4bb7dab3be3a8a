"""Signs against an article, from code changes and visitors, count in its health until its text changes."""

from collections.abc import Sequence

import pytest

from instep.platform.core.database import Tx
from instep.visitors.insights.health import assessment
from tests.support.cast import Api, Cast, Client, Json, RunJobs
from tests.support.changes import SETTINGS, send
from tests.support.http import created, ok
from tests.support.questions import RESET as TEXT
from tests.support.questions import ask
from tests.support.site_pages import publish
from tests.support.visitors import credentials
from tests.support.wording import like

SIGNS = {"stale", "gone_name", "low_helpfulness", "part_problem"}
REMOVAL = """\
diff --git a/src/settings.py b/src/settings.py
--- a/src/settings.py
+++ b/src/settings.py
@@ -1,4 +1,3 @@
 import os
 
-TIMEOUT = int(os.environ.get("ACME_TIMEOUT", "30"))
 RETRIES = 3
"""


@pytest.fixture(autouse=True)
def forgetful() -> None:
    """Clears what earlier tests left in the process."""
    for cache in (assessment.health_cache, assessment.analysis_cache):
        cache.clear()


async def signs(client: Client, article: Json) -> list[Json]:
    rows = ok(await client.get("/v1/insights/health", params={"page_size": 100}))["results"]
    [row] = [row for row in rows if row["articleId"] == article["id"]]
    return [problem for problem in row["problems"] if problem["code"] in SIGNS]


async def test_an_edit_that_a_change_made_necessary_makes_it_stale(
    api: Api, cast: Cast, run_jobs: RunJobs
) -> None:
    client = api(cast.acme.write_key)
    article = await publish(client, "Settings", SETTINGS)
    await send(client)
    assert await signs(client, article) == []
    await run_jobs()

    assert await signs(client, article) == [
        {
            "code": "stale",
            "severity": "warning",
            "message": like("…“Rename ACME_TIMEOUT to ACME_REQUEST_TIMEOUT”…outdated…"),
            "line": None,
        }
    ]
    [draft] = ok(await client.get("/v1/drafts"))["results"]
    ok(await client.post(f"/v1/drafts/{draft['id']}/apply", json={}))
    assert await signs(client, article) == []


async def test_a_name_that_a_change_removed_is_told_where_it_stands_until_the_text_changes(
    api: Api, cast: Cast, run_jobs: RunJobs
) -> None:
    client = api(cast.acme.write_key)
    article = await publish(client, "Settings", SETTINGS)
    other = await publish(client, "Names", "Set `ACME_TIMEOUTS`, which is another one.")
    await send(client, title="Drop  the timeout", diff=REMOVAL)
    await run_jobs()

    [told] = await signs(client, article)
    assert (told["code"], told["line"]) == ("gone_name", 3)
    assert told["message"] == (like("…`ACME_TIMEOUT`…“Drop the timeout” removed…"))
    assert await signs(client, other) == []

    body = {"contentMarkdown": f"{SETTINGS}\nIt was removed."}
    ok(await client.patch(f"/v1/articles/{article['id']}", json=body))
    assert await signs(client, article) == []
    await send(client, title="Drop it once more", diff=REMOVAL)
    await run_jobs()
    assert "Drop it once more" in (await signs(client, article))[0]["message"]


@pytest.mark.parametrize(
    ("judgements", "told"),
    [
        ([False, False], None),
        ([False, False, False], "3 of 3"),
        ([False, False, False, True], "3 of 4"),
        ([False, False, False, True, True, True], "3 of 6"),
        ([False, False, False, True, True, True, True], None),
    ],
)
async def test_an_article_whose_answers_help_few_is_told(
    api: Api, cast: Cast, judgements: Sequence[bool], told: str | None
) -> None:
    client, visitor = api(cast.acme.write_key), api(None)
    article = await publish(client, "Reset your password", TEXT)
    for helpful in judgements:
        answer = await ask(visitor, cast.acme, "How do I reset my password?")
        assert [source["articleId"] for source in answer["sources"]] == [article["id"]]
        body = {**credentials(cast.acme), "helpful": helpful}
        ok(await visitor.post(f"/chat/messages/{answer['messageId']}/feedback", json=body))

    one_line_excerpt = [
        problem["message"].partition(" visitors")[0] for problem in await signs(client, article)
    ]

    assert one_line_excerpt == ([told] if told else [])
    ok(await client.patch(f"/v1/articles/{article['id']}", json={"contentMarkdown": f"{TEXT}\nMore."}))
    assert await signs(client, article) == []


async def test_nothing_is_told_of_another_companys_changes(
    api: Api, cast: Cast, run_jobs: RunJobs, owner: Tx
) -> None:
    theirs = api(cast.globex.write_key)
    await publish(theirs, "Settings", SETTINGS)
    await send(theirs, title="Drop the timeout", diff=REMOVAL)
    await run_jobs()
    article = await publish(api(cast.acme.write_key), "Settings", SETTINGS)

    assert await signs(api(cast.acme.read_key), article) == []


async def test_an_article_that_keeps_the_earlier_text_of_a_part_is_named(
    api: Api, cast: Cast, run_jobs: RunJobs
) -> None:
    client = api(cast.acme.write_key)
    part = created(await client.post("/v1/parts", json={"name": "long", "text": "x" * 10_000}))
    article = await publish(client, "Long", "{{part.long}}\n\n" * 60)
    ok(await client.patch(f"/v1/parts/{part['id']}", json={"text": "x" * 20_000}))
    await run_jobs()

    [sign] = await signs(client, article)
    assert (sign["code"], sign["line"]) == ("part_problem", None)

    ok(await client.patch(f"/v1/articles/{article['id']}", json={"contentMarkdown": "{{part.long}}"}))
    assert await signs(client, article) == []
