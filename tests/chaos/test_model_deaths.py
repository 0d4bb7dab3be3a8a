"""A server is killed while a language model answers: the task and the question still complete afterwards."""

import asyncio
from collections.abc import AsyncIterator

import httpx2
import pytest

from tests.support.cast import Json
from tests.support.changes import DIFF, PETS, SETTINGS
from tests.support.installation import Installation, installed
from tests.support.model_endpoint import INPUT, KEY, OUTPUT, Asked, Endpoint, answered, endpoint

pytestmark = pytest.mark.chaos

END_SECONDS = 60


@pytest.fixture
async def provider() -> AsyncIterator[Endpoint]:
    """A model endpoint that never answers the first question, but all later ones."""

    async def first(asked: Asked) -> bytes:
        await asyncio.sleep(END_SECONDS)
        return b""

    async def later(asked: Asked) -> bytes:
        return answered(asked, '{"edits": []}')

    async with endpoint(first, later) as behind:
        yield behind


def begin(installation: Installation, provider: Endpoint) -> httpx2.Client:
    """A server with articles whose bot uses this model endpoint."""
    installation.serve()
    client = installation.client()
    place = ("--provider", "openai", "--model", "gpt-9", "--url", f"{provider.url}/v1", "--key", "-")
    installation.run("model", "set", *place, typed=f"{KEY}\n")
    for title, text in (("Settings", SETTINGS), ("Pets", PETS)):
        article = client.post("/v1/articles", json={"title": title, "contentMarkdown": text}).json()
        client.post(f"/v1/articles/{article['id']}/publish")
    return client


async def until_asked(provider: Endpoint) -> None:
    async with asyncio.timeout(END_SECONDS):
        while not provider.asked:
            await asyncio.sleep(0.05)


async def test_a_task_goes_on_after_its_server_was_killed(provider: Endpoint) -> None:
    with installed(INSTEP_MODEL_ALLOW="127.0.0.0/8") as installation:
        client = await asyncio.to_thread(begin, installation, provider)
        change = {"kind": "pr", "title": "Rename ACME_TIMEOUT to ACME_REQUEST_TIMEOUT", "diff": DIFF}
        task = client.post("/v1/tasks", json={"change": change}).json()
        await until_asked(provider)
        installation.running[-1].kill()
        await asyncio.to_thread(installation.running[-1].wait)
        await asyncio.to_thread(installation.serve)

        def ended() -> Json:
            found: Json = {}

            def is_over() -> bool:
                found.update(client.get(f"/v1/tasks/{task['id']}").json())
                return found["status"] in ("completed", "failed")

            installation.until(is_over, END_SECONDS)
            return found

        after = await asyncio.to_thread(ended)

    assert (after["status"], after["outcome"], len(after["drafts"])) == ("completed", "drafts", 1)
    # Only the unanswered question is asked again.
    prompts = [asked.data for asked in provider.asked]
    assert prompts[0] == prompts[1]
    assert len(prompts[1:]) == len(set(prompts[1:])) == after["model"]["calls"]
    assert after["model"]["inputTokens"] == INPUT * after["model"]["calls"]
    assert after["model"]["outputTokens"] == OUTPUT * after["model"]["calls"]
