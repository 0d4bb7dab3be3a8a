"""Settings → Language model: an owner sets a model without a terminal, tests it and sees its usage."""

import re

import pytest
from playwright.async_api import Page as Tab
from playwright.async_api import expect

from instep.platform.core.database import Database
from instep.platform.core.outbound.allowed import AllowList
from instep.platform.core.outbound.client import OutboundClient
from instep.runtime import worker_of
from tests.interfaces.dashboard.conftest import Desk
from tests.support.budgets import spend
from tests.support.cast import Api, Cast
from tests.support.changes import get, send, write_articles
from tests.support.chromium import Complaints
from tests.support.limits import SetSetting
from tests.support.model_endpoint import (
    INPUT,
    KEY,
    OUTPUT,
    Asked,
    Mood,
    answered,
    endpoint,
    errs,
    http,
    says,
    sends,
)
from tests.support.setting_models import LOOPBACK, give_model, with_model
from tests.support.site_pages import Page

PATH = "settings/model"
FORM = {"provider": "openai", "model": "gpt-9", "purposes": "answers"}
NO_SCHEMA = http(400, b'{"error": {"message": "response_format is not supported"}}')


@pytest.fixture(autouse=True)
def loopback(set_setting: SetSetting) -> None:
    set_setting(*LOOPBACK)


def text_of(html: str) -> str:
    return Page(html).text


async def test_a_model_is_set_with_a_key_that_is_never_shown_again(desk: Desk) -> None:
    sent = {**FORM, "key": KEY, "tokens_per_day": "250,000", "input_price": "0.25", "output_price": "2"}
    saved = await desk.send(PATH, PATH, **sent)
    page = await desk.follow(saved)

    text = text_of(page.text)
    assert f"with the key …{KEY[-4:]}" in text
    assert "of 250,000 tokens" in text
    assert KEY not in page.text
    assert re.search(r'value="answers" checked', page.text)
    assert not re.search(r'value="drafts" checked', page.text)
    assert 'value="0.25"' in page.text


async def test_a_refusal_keeps_what_was_typed_but_the_key(desk: Desk) -> None:
    sent = {**FORM, "base_url": "http://127.0.0.1:99999/v1", "key": KEY, "reader_model": "gpt-9-small"}
    refused = await desk.send(PATH, PATH, **sent)

    assert refused.status_code == 400
    assert "Nothing was changed." in refused.text
    assert "http://127.0.0.1:99999/v1" in refused.text
    assert "gpt-9-small" in refused.text
    assert KEY not in refused.text
    assert "No model is set." in (await desk.get(PATH)).text


@pytest.mark.parametrize("amount", ["many", "nan", "inf", "-1", "1e99", "0.5"])
async def test_an_amount_that_is_no_number_is_refused(desk: Desk, amount: str) -> None:
    refused = await desk.send(PATH, PATH, **FORM, key=KEY, tokens_per_day=amount)

    assert refused.status_code == 400
    assert "tokens per day" in refused.text


@pytest.mark.parametrize(
    ("preset", "provider", "address"),
    [
        ("openai", "openai", ""),
        ("anthropic", "anthropic", ""),
        ("azure", "openai", "https://YOUR-RESOURCE.openai.azure.com/openai/v1"),
        ("openrouter", "openai", "https://openrouter.ai/api/v1"),
        ("ollama", "openai", "http://localhost:11434/v1"),
        ("vllm", "openai", "http://localhost:8000/v1"),
        ("lmstudio", "openai", "http://localhost:1234/v1"),
    ],
)
async def test_a_form_starts_from_a_preset(desk: Desk, preset: str, provider: str, address: str) -> None:
    plain, page = await desk.get(PATH), await desk.get(f"{PATH}?preset={preset}")

    assert f'href="?preset={preset}"' in plain.text
    assert f'value="{provider}" checked' in page.text
    assert (f'value="{address}"' in page.text) == bool(address)


async def test_only_owners_see_and_change_it(desk: Desk, editor: Desk, stranger: Desk) -> None:
    for action in (PATH, f"{PATH}/test", f"{PATH}/forget"):
        for person, status in ((editor, 403), (stranger, 404)):
            token = {
                "form-token": re.findall(r'name="form-token" value="([^"]+)"', (await desk.get(PATH)).text)[0]
            }
            assert (await person.post(action, token)).status_code in (status, 403)
    assert (await editor.get(PATH)).status_code == 403
    assert (await stranger.get(PATH)).status_code == 404


@pytest.mark.parametrize(
    ("moods", "said"),
    [
        (
            (says({"days": 7}),),
            f"took N ms and {INPUT} + {OUTPUT} tokens",
        ),
        ((says("Seven."),), "a JSON schema"),
        ((sends(NO_SCHEMA), says({"days": 7})), "a JSON schema"),
        ((errs(401),), "the key (401)"),
        ((errs(401),), "“Something is wrong"),
        ((errs(402),), "(402)"),
        ((errs(404),), "(404)"),
        ((sends(http(200, b"<html>")),), "format"),
    ],
)
async def test_a_test_says_what_works_and_what_does_not(
    desk: Desk, cast: Cast, database: Database, moods: tuple[Mood, ...], said: str
) -> None:
    async with endpoint(*moods) as behind:
        await give_model(database, cast.acme, base_url=f"{behind.url}/v1")
        answer = await desk.send(PATH, f"{PATH}/test")

    assert answer.status_code == 200
    assert said in re.sub(r"took [\d,]+ ms", "took N ms", text_of(answer.text))
    assert KEY not in answer.text


async def test_both_models_are_tested(desk: Desk, cast: Cast, database: Database) -> None:
    async with endpoint(says({"days": 7}), errs(404)) as behind:
        await give_model(database, cast.acme, base_url=f"{behind.url}/v1", reader_model="gone")
        text = text_of((await desk.send(PATH, f"{PATH}/test")).text)

    assert "openai:gpt-9 answers." in text
    assert "openai:gone does not answer." in text


async def test_no_connection_is_held_while_a_model_is_tested(
    desk: Desk, cast: Cast, database: Database
) -> None:
    async def looks(asked: Asked) -> bytes:
        stats = database.pool.get_stats()
        held.append(stats["pool_size"] - stats["pool_available"])
        return answered(asked, '{"days": 7}')

    held: list[int] = []
    async with endpoint(looks) as behind:
        await give_model(database, cast.acme, base_url=f"{behind.url}/v1")
        await desk.send(PATH, f"{PATH}/test")

    assert held == [0]


async def test_without_a_model_there_is_nothing_to_test(desk: Desk) -> None:
    answer = await desk.send(PATH, f"{PATH}/test")

    assert answer.status_code == 404
    assert "set one first" in answer.text


async def test_model_is_removed_with_its_key(desk: Desk, cast: Cast, database: Database) -> None:
    await give_model(database, cast.acme)
    page = await desk.follow(await desk.send(PATH, f"{PATH}/forget"))

    assert "No model is set." in page.text


async def test_use_of_the_model_is_shown_by_day_and_purpose(
    desk: Desk, cast: Cast, database: Database
) -> None:
    nothing = await desk.get(PATH)
    await spend(database, cast.acme)
    async with endpoint(says({"days": 7})) as behind:
        await give_model(database, cast.acme, base_url=f"{behind.url}/v1")
        await desk.send(PATH, f"{PATH}/test")
    page = await desk.get(PATH)

    assert "<rect" not in nothing.text
    assert '<rect data-purpose="test"' in page.text
    assert f"Tests: {INPUT + OUTPUT} tokens" in text_of(page.text)
    assert f"Tests 1 {INPUT} {OUTPUT}" in text_of(page.text)


async def test_the_installations_model_may_be_kept_with_budgets_of_ones_own(
    desk: Desk, set_setting: SetSetting
) -> None:
    set_setting("OPENAI_API_KEY", KEY)
    set_setting("INSTEP_MODEL", "openai:gpt-8")
    sent = {**FORM, "provider": "installation", "tokens_per_day": "1000"}
    page = await desk.follow(await desk.send(PATH, PATH, **sent))

    text = text_of(page.text)
    assert "of this installation" in text
    assert "0 of 1,000 tokens" in text


async def test_a_task_names_the_model_that_it_has_asked(
    desk: Desk, cast: Cast, database: Database, api: Api
) -> None:
    client = api(cast.acme.write_key)
    await write_articles(client)
    async with with_model(database, cast.acme, says({"edits": []})):
        task = await send(client)
        await worker_of(database, OutboundClient(AllowList())).run_due()
    assert (await get(client, f"tasks/{task['id']}"))["status"] == "completed"

    text = text_of((await desk.get(f"tasks/{task['id']}")).text)
    assert f"The language model openai:gpt-9 was asked 1 question: {INPUT} tokens read" in text


async def test_get_started_offers_owners_a_model(desk: Desk, editor: Desk) -> None:
    assert f'href="{desk.path(PATH)}"' in (await desk.get("get-started")).text
    assert f'href="{desk.path(PATH)}"' not in (await editor.get("get-started")).text


async def test_in_a_browser_a_model_is_set_and_tested(
    signed_in_tab: Tab, cast: Cast, complaints: Complaints
) -> None:
    """On a narrow screen, from a preset to the model's answer."""
    await signed_in_tab.set_viewport_size({"width": 390, "height": 844})
    async with endpoint(says({"days": 7})) as behind:
        await signed_in_tab.goto(f"/app/{cast.acme.slug}/{PATH}")
        await signed_in_tab.get_by_role("link", name="Ollama").click()
        await signed_in_tab.get_by_label("Address").fill(f"{behind.url}/v1")
        await signed_in_tab.get_by_label("Model", exact=True).fill("qwen3:8b")
        await signed_in_tab.get_by_label("Key", exact=True).fill(KEY)
        await signed_in_tab.get_by_role("button", name="Save").click()
        await signed_in_tab.get_by_role("button", name="Test").click()
        await expect(signed_in_tab.get_by_text("openai:qwen3:8b answers.")).to_be_visible()

    assert await signed_in_tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert KEY not in await signed_in_tab.content()
    assert complaints.lines == []
