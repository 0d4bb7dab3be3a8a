"""POST /chat without a model: answers in the articles' own words."""

import re
import time
from typing import Any

import pytest
from fastapi import FastAPI

from instep.accounts.workspaces.actions import pause_workspace
from instep.platform.core import limits
from instep.platform.core.database import Database, Tx
from instep.platform.core.markdown import render
from tests.support.cast import Api, Cast, Json
from tests.support.events import heard
from tests.support.http import ID, Response, all_pages, at_once, ok, stranger
from tests.support.questions import CHAT, RESET, WEBHOOKS, ask, numbers_in, post, titles
from tests.support.site_pages import publish
from tests.support.visitors import (
    SITE,
    begin,
    cors_of,
    credentials,
    is_untouched,
    named_fields,
    open_to,
    refusal,
    rows,
    second_bot,
)
from tests.support.webhook_endpoints import create_webhook

HOW = "How do I reset my password?"


async def publish_guides(api: Api, cast: Cast) -> Json:
    """Publish the article that most tests ask about, and another one."""
    client = api(cast.acme.write_key)
    await publish(client, "Webhooks", WEBHOOKS)
    return await publish(client, "Reset your password", RESET)


async def test_the_excerpt_of_a_source_keeps_rows_and_lines_of_code_apart(api: Api, cast: Cast) -> None:
    text = "How to set the zebra port:\n\n| name | port |\n|---|---|\n| zebra | 80 |\n| lion | 81 |\n"
    await publish(api(cast.acme.write_key), "Set the zebra port", text)

    answer = await ask(api(None), cast.acme, "How do I set the zebra port?")

    assert "zebra · 80\nlion · 81" in answer["sources"][0]["excerpt"]


async def test_the_answer_is_in_the_articles_words_and_names_its_source(api: Api, cast: Cast) -> None:
    article = await publish_guides(api, cast)

    answer = await ask(api(None), cast.acme, HOW)

    assert answer.keys() == {
        *("answer", "answered", "confidence", "mayHelp", "translatedFrom", "sources", "conversationId"),
        "messageId",
    }
    assert answer["answered"] is True
    assert 0.5 <= answer["confidence"] <= 1
    assert re.fullmatch("conv" + ID, answer["conversationId"])
    assert re.fullmatch("msg" + ID, answer["messageId"])
    [source] = answer["sources"]
    assert source.keys() == {"n", "articleId", "title", "url", "heading", "excerpt", "locale"}
    assert (source["n"], source["articleId"]) == (1, article["id"])
    assert (source["title"], source["heading"]) == ("Reset your password", None)
    assert source["url"].startswith(f"http://help.test/help/{cast.acme.slug}/articles/reset-your-password")
    assert "Reset password" in source["excerpt"]


async def test_an_answer_has_the_words_of_directives_and_not_their_marks(api: Api, cast: Cast) -> None:
    text = (
        "# Export invoices\n\n::::tabs\n:::tab[Web]\nTo export invoices, open **Billing** and press Export.\n"
        ":::\n:::tab[Phone]\nTo export invoices on a phone, hold the invoice.\n:::\n::::\n"
    )
    await publish(api(cast.acme.write_key), "Export invoices", text)

    answer = await ask(api(None), cast.acme, "How do I export invoices?")

    assert "press Export" in answer["answer"]
    assert ":::" not in str(answer)


async def test_steps_stay_steps_each_with_its_number(api: Api, cast: Cast) -> None:
    await publish_guides(api, cast)

    answer = await ask(api(None), cast.acme, HOW)

    assert (
        "1. Open **Settings**, then choose *Security* [1].\n"
        "2. Choose `Reset password` [1].\n"
        "3. Enter the code that we send you by e-mail [1]."
    ) in answer["answer"]


async def test_code_stays_code_and_holds_no_number(api: Api, cast: Cast) -> None:
    await publish_guides(api, cast)

    answer = await ask(api(None), cast.acme, "How do I verify the signature of a webhook delivery?")

    assert '```\nexpected = hmac.new(secret, body, "sha256").hexdigest()\n```' in answer["answer"]
    assert "Compute the signature over the raw body [1]:" in answer["answer"]
    assert answer["sources"][0]["heading"] == "Verify a delivery"


async def test_a_table_keeps_its_head_and_a_quote_its_words(api: Api, cast: Cast) -> None:
    table = "| plan | seats |\n|---|---|\n| Free | 3 |\n| Team | 50 |"
    text = f"{table}\n\n> [!NOTE]\n> Seats of a plan can change."
    await publish(api(cast.acme.write_key), "Seats of each plan", text)

    answer = await ask(api(None), cast.acme, "Seats of each plan?")

    assert "| plan | seats |\n|---|---|\n| Free | 3 [1] |\n| Team | 50 [1] |" in answer["answer"]
    assert "Seats of a plan can change [1]." in answer["answer"]


async def test_the_last_rows_of_a_very_long_table_keep_its_head(api: Api, cast: Cast) -> None:
    rows = "\n".join(
        f"| `SETTING_{number}` | What this setting says of number {number} |" for number in range(90)
    )
    table = f"| setting | meaning |\n|---|---|\n{rows}\n| `ZEBRAS` | How many zebras may graze |"
    await publish(api(cast.acme.write_key), "All settings", table)

    answer = await ask(api(None), cast.acme, "Which setting says how many zebras may graze?")

    assert answer["answer"].startswith("| setting | meaning |\n|---|---|\n")
    assert "| `ZEBRAS` | How many zebras may graze [1] |" in answer["answer"]


async def test_nothing_in_an_answer_leads_elsewhere(api: Api, cast: Cast) -> None:
    text = (
        "Reset the password on [this page](https://evil.example/a) or <https://evil.example/b>.\n\n"
        "The password page is https://evil.example/c and www.evil.example, "
        "![password](https://evil.example/d.png) or ann@evil.example.\n\n"
        '<a href="https://evil.example/e">Reset</a> the password <script>alert(1)</script> [2] here [x].\n\n'
        "[x]: https://evil.example/f\n"
    )
    await publish(api(cast.acme.write_key), "Reset the password", text)

    answer = await ask(api(None), cast.acme, "Reset the password page")

    assert "this page" in answer["answer"]
    assert "`https://evil.example/c`" in answer["answer"]
    for gone in ("](", "<", "example/a", ".png", "example/e", "example/f", "alert"):
        assert gone not in answer["answer"]
    assert "href" not in render(answer["answer"])
    assert set(numbers_in(answer["answer"])) == {1}


async def test_declined_question_offers_a_person_and_is_logged(
    api: Api, cast: Cast, owner: Tx, monkeypatch: pytest.MonkeyPatch
) -> None:
    article = await publish_guides(api, cast)
    monkeypatch.setattr(limits, "MAY_HELP_THRESHOLD", 0)

    answer = await ask(api(None), cast.acme, "Which hotels in Brazil accept a password?")

    assert answer["answered"] is False
    assert answer["answer"] == (
        "I found no answer to this in the help articles. These are the closest. If you like, ask to talk"
        " to a person."
    )
    assert article["id"] in [source["articleId"] for source in answer["sources"]]
    [kept] = await all_pages(api(cast.acme.read_key), "/v1/insights/unanswered")
    assert kept["question"] == "Which hotels in Brazil accept a password?"
    assert (kept["askedCount"], kept["visitorCount"], kept["locale"]) == (1, 1, "en")
    assert article["id"] in [near["articleId"] for near in kept["nearestArticles"]]
    [message] = await rows(owner, "messages", cast.acme)
    assert (message["answered"], message["model"]) == (False, None)


async def test_refusal_is_in_the_language_of_the_visitor(api: Api, cast: Cast) -> None:
    refusals = [
        (await ask(api(None), cast.acme, "Wo?", locale=locale))["answer"] for locale in ("de-AT", "fr", "tlh")
    ]

    assert refusals[0].startswith("Dazu habe ich")
    assert refusals[1].startswith("Je n'ai pas trouvé")
    assert refusals[2].startswith("I found no answer")


async def test_answered_questions_are_not_among_the_unanswered(api: Api, cast: Cast) -> None:
    await publish_guides(api, cast)

    await ask(api(None), cast.acme, HOW)

    assert await all_pages(api(cast.acme.read_key), "/v1/insights/unanswered") == []


@pytest.mark.parametrize("text", ["ok", "thanks!", "who are you", "Guten Tag", "ありがとう", "👍", "?"])
async def test_small_talk_is_no_unanswered_question(api: Api, cast: Cast, text: str) -> None:
    await publish_guides(api, cast)

    answer = await ask(api(None), cast.acme, text)

    assert answer["answered"] is False
    assert await all_pages(api(cast.acme.read_key), "/v1/insights/unanswered") == []


async def test_a_question_that_begins_with_a_greeting_is_one(api: Api, cast: Cast) -> None:
    await ask(api(None), cast.acme, "Hello, do you ship to Canada? Thanks!")

    [kept] = await all_pages(api(cast.acme.read_key), "/v1/insights/unanswered")
    assert kept["question"] == "Hello, do you ship to Canada? Thanks!"


async def test_the_language_wanted_is_answered_in_and_another_one_where_it_has_nothing(
    api: Api, cast: Cast
) -> None:
    client = api(cast.acme.write_key)
    root = await publish(client, "Reset your password", RESET)
    german = "Das Passwort setzen Sie unter Einstellungen > Sicherheit zurück."
    await publish(client, "Passwort zurücksetzen", german, locale="de", translationOf=root["id"])

    for question, locale, title in (
        ("Passwort zurücksetzen", "de", "Passwort zurücksetzen"),
        ("reset password", "en", "Reset your password"),
        ("reset password", "pt-BR", "Reset your password"),
        ("Passwort zurücksetzen", ..., "Passwort zurücksetzen"),
    ):
        answer = await ask(api(None), cast.acme, question, locale=locale)
        assert titles(answer)[0] == title


async def test_white_space_in_a_question_says_nothing_and_costs_nothing(api: Api, cast: Cast) -> None:
    await publish_guides(api, cast)
    client = api(None)
    plain = await ask(client, cast.acme, HOW)
    wide = HOW.replace(" ", "\n" + " " * 380)
    began = time.thread_time()
    answers = [await ask(client, cast.acme, wide)]
    conversation = answers[0]["conversationId"]
    answers += [await ask(client, cast.acme, wide, conversationId=conversation) for _ in range(4)]

    assert {answer["answer"] for answer in answers} == {plain["answer"]}
    assert time.thread_time() - began < 2


async def test_a_question_may_go_on_from_the_one_before(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    await publish(
        client,
        "Install the agent",
        "## Linux\n\nRun `install.sh` as root.\n\n## Windows\n\nStart `setup.exe`.",
    )
    await publish(client, "Windows of the dashboard", "Each window of the dashboard can be moved.")
    first = await ask(api(None), cast.acme, "How do I install the agent on Linux?")

    second = await ask(api(None), cast.acme, "And on Windows?", conversationId=first["conversationId"])

    assert second["conversationId"] == first["conversationId"]
    assert second["messageId"] != first["messageId"]
    assert "`setup.exe`" in second["answer"]


async def test_a_conversation_goes_on_with_its_visitor_and_its_bot_only(
    api: Api, cast: Cast, database: Database, owner: Tx
) -> None:
    own = await begin(database, cast.acme, visitor="ann-7")
    other = await begin(database, cast.acme, visitor="bob-9")
    strange = await begin(database, await second_bot(owner, cast), visitor="ann-7")
    foreign = await begin(database, cast.globex, visitor="ann-7")
    unknown = "conv_01kbb6x4mwh2v7n8q9r0s1t2v8"

    refused = [
        await post(api(None), cast.acme, HOW, conversationId=conversation)
        for conversation in (other, strange, foreign, unknown)
    ]

    assert [named_fields(answer) for answer in refused] == [["conversationId"]] * 4
    assert len({answer.content for answer in refused}) == 1
    assert (await ask(api(None), cast.acme, HOW, conversationId=own))["conversationId"] == own


async def test_a_conversation_that_was_begun_here_can_be_escalated(api: Api, cast: Cast, owner: Tx) -> None:
    webhook = await create_webhook(api(cast.acme.write_key), events=["conversation.escalated"])
    asked = await ask(api(None), cast.acme, HOW, pageUrl=f"{SITE}/pricing", locale="de")

    path = f"/chat/{asked['conversationId']}/escalate"
    ok(await api(None).post(path, json=credentials(cast.acme)))

    [event] = await heard(owner, cast.acme, webhook)
    conversation = event["data"]["object"]
    assert (conversation["id"], conversation["pageUrl"], conversation["locale"]) == (
        *(asked["conversationId"], f"{SITE}/pricing", "de"),
    )


async def test_question_and_answer_are_stored_with_a_hash_of_the_visitor(
    api: Api, cast: Cast, owner: Tx
) -> None:
    article = await publish_guides(api, cast)

    answer = await ask(api(None), cast.acme, HOW, visitor="ann@secret.example")

    [message] = await rows(owner, "messages", cast.acme)
    assert message["id"] == answer["messageId"]
    assert (message["question"], message["answer"]) == (HOW, answer["answer"])
    assert [source["article_id"] for source in message["sources"]] == [article["id"]]
    saved_rows = [*await rows(owner, "conversations", cast.acme), message]
    windows = await owner.value("select string_agg(subject, ' ') from rate_windows")
    assert "secret.example" not in f"{saved_rows} {windows}"


async def test_the_log_tells_nothing_of_it(
    api: Api, cast: Cast, logged: list[Any], caplog: pytest.LogCaptureFixture
) -> None:
    question = "How do zebras reach Zanzibar?"

    await ask(api(None), cast.acme, question, visitor="zed@example.com")
    await post(api(None), cast.acme, question, visitor="zed@example.com", locale="?")

    assert [line["path"] for line in logged] == [CHAT, CHAT]
    assert not any(word in f"{logged} {caplog.text}" for word in ("zebras", "Zanzibar", "zed@"))


async def test_a_paused_workspace_goes_on_answering(api: Api, cast: Cast, owner: Tx) -> None:
    await publish_guides(api, cast)
    await pause_workspace(owner, cast.acme.workspace_id)

    assert (await ask(api(None), cast.acme, HOW))["answered"] is True
    assert (await ask(api(None), cast.acme, "Which hotels accept lamas?"))["answered"] is False


async def test_each_visitor_counts_and_so_does_the_address(app: FastAPI, api: Api, cast: Cast) -> None:
    async with stranger(app) as client:
        ann = [await post(client, cast.acme, "Hello?", visitor="ann") for _ in range(31)]
        bob = await post(client, cast.acme, "Hello?", visitor="bob")
        nobody = await client.post(CHAT, json=credentials(cast.acme))

    assert [answer.status_code for answer in ann] == [200] * 30 + [429]
    assert refusal(ann[-1]) == (429, "rate_limited")
    assert bob.status_code == 200
    assert bob.headers["RateLimit"].startswith('"widget-chat";r=29;t=60, "widget-address";r=88;')
    assert named_fields(nobody) == ["question", "visitor"]


async def test_one_address_can_not_ask_as_many_visitors(app: FastAPI, api: Api, cast: Cast) -> None:
    async with stranger(app) as client:
        answers = await at_once(
            125, lambda number: post(client, cast.acme, "Hello?", visitor=f"visitor-{number}")
        )

    assert sorted(answer.status_code for answer in answers) == [200] * 120 + [429] * 5


async def test_only_allowed_pages_may_ask(api: Api, cast: Cast, owner: Tx) -> None:
    await open_to(owner, cast.acme, SITE)
    body = {**credentials(cast.acme), "question": HOW, "visitor": "ann"}

    async def from_page(origin: str, **headers: str) -> Response:
        return await api(None).post(CHAT, json=body, headers={"Origin": origin, **headers})

    assert refusal(await from_page("https://evil.example")) == (403, "origin_not_allowed")
    assert await is_untouched(owner, cast)
    for accept in ("application/json", "text/event-stream"):
        answer = await from_page(SITE, Accept=accept)
        assert answer.status_code == 200
        assert cors_of(answer)["access-control-allow-origin"] == SITE


@pytest.mark.parametrize(
    "sent",
    [
        {"question": ...},
        {"question": None},
        {"question": ""},
        {"question": " \n\t"},
        {"question": "x" * 2_001},
        {"question": "a\0b"},
        {"question": ["a"]},
        {"question": 7},
        {"visitor": ...},
        {"visitor": ""},
        {"visitor": " "},
        {"visitor": None},
        {"visitor": "x" * 201},
        {"visitor": "a\0b"},
        {"visitor": {"id": 1}},
        {"conversationId": None},
        {"conversationId": ""},
        {"conversationId": "a\0b"},
        {"conversationId": 7},
        {"locale": None},
        {"locale": "english"},
        {"locale": "../x"},
        {"pageUrl": None},
        {"pageUrl": "x" * 2_001},
        {"pageUrl": "a\0b"},
        {"visitorToken": None},
        {"visitorToken": ""},
        {"visitorToken": "a.b.c"},
        {"visitorToken": "x" * 8_193},
        {"history": []},
        {"question": 1, "visitor": 2, "locale": 3},
    ],
    ids=lambda sent: str(sent)[:50],
)
async def test_a_bad_value_is_refused_by_name(api: Api, cast: Cast, owner: Tx, sent: dict[str, Any]) -> None:
    refused = await post(api(None), cast.acme, **{"question": HOW, **sent})

    assert named_fields(refused) == list(sent)
    assert await is_untouched(owner, cast)


@pytest.mark.parametrize(
    "question",
    [
        *(
            "?",
            "…",
            "'; drop table articles; --",
            "a & | ! <-> :* ()",
            '"',
            '"""',
            "\\",
            "%_%",
            "\u202e\u200b",
        ),
        *(
            "x" * 2_000,
            "a " * 1_000,
            '"' * 2_000,
            "パスワードを変更したい",
            "كيف أغير كلمة المرور؟",
            "👩‍👩‍👧‍👦" * 100,
            "\ue000\ue001",
        ),
        *("`" * 2_000, "[1] [2]", "<script>alert(1)</script>", "ẞßﬁ" * 300, "٣" * 50, "1e999"),
    ],
    ids=lambda text: ascii(text[:16]),
)
async def test_any_text_may_be_asked(api: Api, cast: Cast, question: str) -> None:
    await publish_guides(api, cast)

    answer = await ask(api(None), cast.acme, question)

    assert answer["answer"]


async def test_questions_that_come_at_once_are_each_kept(api: Api, cast: Cast, owner: Tx) -> None:
    await publish_guides(api, cast)
    conversation = (await ask(api(None), cast.acme, HOW))["conversationId"]
    clients = [api(None) for _ in range(4)]

    async def once(number: int) -> Json:
        question = HOW if number % 2 else "Which hotels accept lamas?"
        return await ask(clients[number % 4], cast.acme, question, conversationId=conversation)

    answers = await at_once(12, once)

    assert len({answer["messageId"] for answer in answers}) == 12
    assert len(await rows(owner, "messages", cast.acme)) == 13
    assert len(await rows(owner, "conversations", cast.acme)) == 1
    [unanswered] = await all_pages(api(cast.acme.read_key), "/v1/insights/unanswered")
    assert (unanswered["askedCount"], unanswered["visitorCount"]) == (6, 1)


async def test_another_companys_articles_are_never_a_source(api: Api, cast: Cast) -> None:
    await publish(api(cast.globex.write_key), "Reset your password", RESET)

    answer = await ask(api(None), cast.acme, HOW)

    assert (answer["answered"], answer["sources"]) == (False, [])
