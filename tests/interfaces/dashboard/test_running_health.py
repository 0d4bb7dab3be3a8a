"""Article health in the dashboard: what is wrong, where, and what to do."""

import re
from typing import get_args

import pytest

from instep.interfaces.dashboard.running.health_pages import KINDS
from instep.platform.core import limits
from instep.platform.core.database import Database
from instep.platform.llm.embedding import NO_EMBEDDERS, Embedders
from instep.search.semantic.query_embedder import query_embedder
from instep.visitors.insights.health import assessment
from instep.visitors.insights.health.problems import Code
from tests.interfaces.dashboard.conftest import Desk
from tests.support.cast import Api, Cast, Client
from tests.support.embeddings import embed, embedding, knows
from tests.support.limits import SetLimit
from tests.support.site_pages import publish
from tests.support.visitors import rate

LINKS = "Read [the guide](/nowhere) and [another](#missing) before you begin with anything else at all.\n"
BROKEN = LINKS + "\nSee also [this page](articles/gone), which nobody has written so far.\n"
PART = {"HX-Request": "true"}
SOUND = "Open the settings, choose the language that you would like to read, and save it for next time. " * 2


async def test_kinds_are_counted_errors_first(desk: Desk, client: Client) -> None:
    await publish(client, "Broken", BROKEN, description="All that is broken.")
    await publish(client, "Sound", SOUND, description="All is well.")

    text = (await desk.get("health")).text

    assert text.index("Links to") < text.index("Without a collection")
    assert f'href="{desk.path("health")}?kind=broken_anchor"' in text
    assert "of 2 published articles" in text


@pytest.mark.parametrize("path", ["health", "questions"])
async def test_vectors_that_are_still_being_made_are_mentioned(
    desk: Desk, client: Client, cast: Cast, database: Database, path: str
) -> None:
    await publish(client, "Sound", SOUND)
    without_model = await desk.get(path)
    async with embedding(knows) as (embedder, _):
        query_embedder.use(Embedders.for_all(embedder))
        waiting = await desk.get(path)
        await embed(database, embedder, cast.acme)
        embedded = await desk.get(path)
        query_embedder.use(NO_EMBEDDERS)

    assert "1 new or changed article can" in waiting.text
    assert "by meaning" not in without_model.text + embedded.text


async def test_a_kind_names_its_articles_the_lines_and_what_to_do(desk: Desk, client: Client) -> None:
    article = await publish(client, "Broken", BROKEN, description="All that is broken.")
    await publish(client, "Sound", SOUND, description="All is well.")

    text = (await desk.get("health?kind=broken_link")).text

    assert re.findall(r'<h2 id="[^"]+"><a href="([^"]+)"', text) == [desk.path(f"articles/{article['id']}")]
    assert "Line 3" in text
    assert "1 article, worst first" in text
    assert "fix or remove it" in text
    assert "a heading" not in text


@pytest.mark.parametrize("kind", ["duplicate_title", "duplicate_content"])
async def test_another_article_is_a_link_without_its_id(desk: Desk, client: Client, kind: str) -> None:
    text = " ".join(f"Step {number} opens the page {number}." for number in range(100))
    articles = [await publish(client, "The <same> title", text) for _ in range(2)]

    text = (await desk.get(f"health?kind={kind}")).text

    for article in articles:
        assert f'(<a href="{desk.path("articles")}/{article["id"]}">open it</a>)' in text
        assert f"({article['id']})" not in text


async def test_articles_are_listed_worst_first_and_paged(desk: Desk, client: Client) -> None:
    for number in range(20):
        await publish(client, f"Sound {number}", f"{SOUND}{number}", description="All is well.")
    await publish(client, "Broken", BROKEN)

    text = (await desk.get("health?by=article")).text
    [following] = re.findall(r'rel="next" href="([^"]+)"', text)
    rest = (await desk.visitor.get(following.replace("&amp;", "&"))).text

    titles = [re.findall(r"<h2 id=[^>]*><a [^>]*><bdi>([^<]+)", page) for page in (text, rest)]
    assert (titles[0][0], len(titles[0]), len(titles[1])) == ("Broken", 20, 1)


async def test_while_articles_are_examined_the_page_says_so(
    desk: Desk, client: Client, set_limit: SetLimit
) -> None:
    await publish(client, "Broken", BROKEN)
    set_limit("MAX_CONCURRENT_CHECKS", 0)
    assessment.health_cache.clear()
    assessment.analysis_cache.clear()

    answer = await desk.get("health")

    assert (answer.status_code, "Check again" in answer.text) == (429, True)


async def test_many_articles_are_examined_beside_the_page(
    desk: Desk, client: Client, set_limit: SetLimit
) -> None:
    set_limit("MAX_PROMPTLY_EXAMINED_ARTICLES", 0)
    article = await publish(client, "Broken", BROKEN)

    waiting = await desk.get("health?kind=broken_link")
    answer = await desk.get("health/examination?kind=broken_link")
    page = await desk.follow(answer)
    await client.patch(f"/v1/articles/{article['id']}", json={"contentMarkdown": SOUND})
    stale = await desk.get("health?kind=broken_link")
    part = await desk.visitor.client.get(desk.path("health/examination"), headers=PART)
    current = await desk.get("health?kind=broken_link")

    assert (waiting.status_code, "are being checked" in waiting.text) == (200, True)
    assert f'hx-get="{desk.path("health/examination?kind=broken_link")}"' in waiting.text
    assert answer.headers["Location"].endswith("/health?kind=broken_link")
    assert ("are being checked" in page.text, "Line 3" in page.text) == (False, True)
    assert ("are being checked" in stale.text, "Line 3" in stale.text) == (True, True)
    assert part.headers["HX-Refresh"] == "true"
    assert ("are being checked" in current.text, "Line 3" in current.text) == (False, False)


async def test_an_open_page_asks_again_while_others_are_examined(
    desk: Desk, client: Client, set_limit: SetLimit
) -> None:
    await publish(client, "Broken", BROKEN)
    set_limit("MAX_CONCURRENT_CHECKS", 0)
    assessment.health_cache.clear()
    assessment.analysis_cache.clear()

    part = await desk.visitor.client.get(desk.path("health/examination"), headers=PART)

    assert "HX-Refresh" not in part.headers
    assert 'hx-trigger="load delay:5s"' in part.text


async def test_assessment_too_large_for_the_cache_is_computed_again(
    desk: Desk, client: Client, set_limit: SetLimit
) -> None:
    set_limit("MAX_PROMPTLY_EXAMINED_ARTICLES", 0)
    await publish(client, "Broken", BROKEN)

    await desk.get("health/examination")
    assessment.health_cache.clear()

    assert "of 1 published articles" in (await desk.get("health")).text


async def test_feedback_is_counted_and_quoted_as_text(
    desk: Desk, client: Client, api: Api, cast: Cast
) -> None:
    assert "No feedback" in (await desk.get("health?by=feedback")).text
    article = await publish(client, "Broken", BROKEN)
    await rate(api(None), cast.acme, article, reason="outdated", comment="It is <b>Team</b> now.")
    await rate(api(None), cast.acme, article, helpful=True)

    text = (await desk.get("health?by=feedback")).text

    assert desk.path(f"articles/{article['id']}") in text
    assert "1 of 2 readers were not helped" in text
    assert "outdated 1" in text
    assert "It is &lt;b&gt;Team&lt;/b&gt; now." in text


async def test_viewers_read_and_others_see_nothing(
    desk: Desk, viewer: Desk, stranger: Desk, client: Client
) -> None:
    await publish(client, "Broken", BROKEN)

    assert "/edit" not in (await viewer.get("health?by=article")).text
    assert "/edit" in (await desk.get("health?by=article")).text
    assert (await stranger.get("health")).status_code == 404


@pytest.mark.parametrize("below", ["health", "health?kind=broken_link", "health?kind=nonsense"])
async def test_without_articles_the_page_says_what_to_do_first(desk: Desk, below: str) -> None:
    text = (await desk.get(below)).text

    assert "articles/new" in text or "All kinds of problems" in text


def test_every_kind_of_problem_has_a_name() -> None:
    assert set(KINDS) == set(get_args(Code))
    assert limits.DEFAULT_PAGE_SIZE == 20
