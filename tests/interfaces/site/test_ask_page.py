"""Asking, rating and contacting a person on the public site, in a browser without scripts."""

from html import unescape
from urllib.parse import quote

import httpx2
import pytest
from fastapi import FastAPI

from instep.accounts.workspaces.actions import pause_workspace
from instep.interfaces.site import public_forms
from instep.interfaces.site.ask_page import link_citations, mark_citations
from instep.platform.core import limits
from instep.platform.core.database import Tx
from instep.platform.core.markdown import render_answer
from instep.platform.web.catalogues import catalogue_of
from tests.support.cast import Api, Cast, Client
from tests.support.limits import SetLimit
from tests.support.questions import RESET
from tests.support.scripted_model import Scripted, replying
from tests.support.site_pages import Page, hidden_fields, publish, send_form, visit
from tests.support.visitors import rows

QUESTION = "How do I reset my password?"


@pytest.fixture
def patient(set_limit: SetLimit) -> None:
    """Accept forms as soon as they are shown."""
    set_limit("MIN_SITE_FORM_SECONDS", 0)


async def ask(api: Api, cast: Cast, question: str = QUESTION, **headers: str) -> httpx2.Response:
    return await visit(api, f"{cast.acme.slug}/ask?q={quote(question)}", **headers)


async def test_the_answer_cites_its_sources_by_numbers_that_lead_to_them(
    client: Client, api: Api, cast: Cast, owner: Tx
) -> None:
    await publish(client, "Reset your password", RESET)

    answer = await ask(api, cast)

    page = Page(answer.text)
    assert answer.status_code == 200
    assert '<a class="mark" href="#source-1" aria-label="Source 1">1</a>' in answer.text
    assert 'id="source-1"' in answer.text
    assert any(link.startswith(f"/help/{cast.acme.slug}/articles/reset-your-password") for link in page.links)
    assert "Did this help?" in page.text
    assert page.foreign_scripts == []
    assert (answer.headers["Cache-Control"], answer.headers["X-Robots-Tag"]) == ("no-store", "noindex")
    assert "Set-Cookie" not in answer.headers
    [message] = await rows(owner, "messages", cast.acme)
    assert (message["question"], message["answered"]) == (QUESTION, True)


async def test_a_page_begins_before_a_model_has_written_the_answer(
    app: FastAPI, client: Client, api: Api, cast: Cast
) -> None:
    await publish(client, "Reset your password", RESET)
    app.state.model = model = Scripted(replying(("Press **Reset**.", 1)))

    answer = await ask(api, cast)

    before, _, after = answer.text.partition("Reading the articles")
    assert QUESTION in before
    assert model.was_asked.is_set()
    assert 'id="answer"' in after
    assert "Talk to a person" in after or "Sources" in after
    assert answer.text.rstrip().endswith("</html>")
    assert (answer.headers["Cache-Control"], answer.headers["X-Robots-Tag"]) == ("no-store", "noindex")


async def test_declined_question_links_to_the_contact_form(
    client: Client, api: Api, cast: Cast, owner: Tx
) -> None:
    await publish(client, "Reset your password", RESET)

    answer = await ask(api, cast, "Do you sell zeppelins?")

    page = Page(answer.text)
    assert "no answer" in page.text
    contact = next(link for link in page.links if "/contact?about=" in link)
    assert "Do you sell zeppelins?" in Page((await api(None).get(contact)).text).text
    assert len(await rows(owner, "unanswered_questions", cast.acme)) == 1


async def test_the_empty_form_a_prepared_page_and_a_request_for_the_head_ask_nothing(
    api: Api, cast: Cast, owner: Tx
) -> None:
    path = f"/help/{cast.acme.slug}/ask"
    empty = await api(None).get(path)
    prepared = await ask(api, cast, **{"Sec-Purpose": "prefetch"})
    head = await api(None).head(f"{path}?q=install")

    assert [answer.status_code for answer in (empty, prepared, head)] == [200, 200, 200]
    assert "Ask a question" in Page(empty.text).text
    assert f'value="{QUESTION}"' in prepared.text
    assert await rows(owner, "messages", cast.acme) == []


async def test_a_question_that_is_too_long_is_refused_and_kept_in_the_field(
    api: Api, cast: Cast, owner: Tx
) -> None:
    question = "w" * (limits.MAX_QUESTION_CHARACTERS + 1)

    answer = await ask(api, cast, question)

    assert answer.status_code == 400
    assert f"{limits.MAX_QUESTION_CHARACTERS:,} characters" in Page(answer.text).text
    assert question in answer.text
    assert await rows(owner, "messages", cast.acme) == []


async def test_markup_in_a_question_is_text(api: Api, cast: Cast) -> None:
    answer = await ask(api, cast, "<img src=x onerror=alert(1)>")

    assert "<img" not in answer.text
    assert "&lt;img src=x onerror=alert(1)&gt;" in answer.text


async def test_one_address_asks_so_often_in_a_minute(api: Api, cast: Cast, set_limit: SetLimit) -> None:
    set_limit("VISITOR_CALLS_PER_MINUTE", 2)

    answers = [await ask(api, cast) for _ in range(3)]

    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert "Retry-After" in answers[-1].headers


async def test_search_offers_to_ask_the_same_words_and_the_answer_to_search_them(
    api: Api, cast: Cast
) -> None:
    search = await visit(api, f"{cast.acme.slug}/search?q=zeppelin")
    answer = await ask(api, cast, "zeppelin")

    assert f'action="/help/{cast.acme.slug}/ask"' in search.text
    assert hidden_fields(search.text)["q"] == "zeppelin"
    assert f"/help/{cast.acme.slug}/search?q=zeppelin" in Page(answer.text).links


LINK = '<a class="mark" href="#source-1" aria-label="Source 1">1</a>'


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        ("`list[1]` [1] or [7].", f"<p><code>list[1]</code> {LINK} or [7].</p>"),
        ("Press \\[1\\] for billing [1].", f"<p>Press [1] for billing {LINK}.</p>"),
        ("In C:\\\\[1]", f"<p>In C:\\{LINK}</p>"),
        ("Stop\U000f00001\U000f0001 [1].", f"<p>Stop1 {LINK}.</p>"),
        ("`\\[1\\]` [1]", f"<p><code>\\[1\\]</code> {LINK}</p>"),
    ],
    ids=[
        "code and no source",
        "an article's own brackets",
        "behind a backslash",
        "marks",
        "backslashes in code",
    ],
)
async def test_only_the_numbers_of_sources_are_links(markdown: str, html: str) -> None:
    page = link_citations(await render_answer(mark_citations(markdown)), 2, catalogue_of("en"))

    assert page.strip() == html


async def test_brackets_of_an_article_stay_as_they_are(client: Client, api: Api, cast: Cast) -> None:
    await publish(client, "Call support", "To call support, dial 555 and press [1] for billing.")

    answer = await ask(api, cast, "How do I call support?")

    assert f"press [1] for billing {LINK}." in answer.text


async def test_an_answer_is_rated_once_its_page_was_shown(
    client: Client, api: Api, cast: Cast, owner: Tx
) -> None:
    await publish(client, "Reset your password", RESET)
    fields = hidden_fields((await ask(api, cast)).text)

    forged = await send_form(api, cast, "ask/feedback", {**fields, "helpful": "no", "stamp": "1.x"})
    foreign = await send_form(
        api, cast, "ask/feedback", {**fields, "helpful": "no"}, **{"Sec-Fetch-Site": "cross-site"}
    )
    rated = await send_form(api, cast, "ask/feedback", {**fields, "helpful": "no"})

    assert [answer.status_code for answer in (forged, foreign, rated)] == [400, 403, 303]
    thanks = Page((await api(None).get(rated.headers["Location"])).text)
    assert "not help" in thanks.text
    assert f"/help/{cast.acme.slug}/contact" in thanks.links
    [message] = await rows(owner, "messages", cast.acme)
    assert message["helpful"] is False


@pytest.mark.usefixtures("patient")
async def test_an_article_is_rated_and_then_asks_what_was_wrong(
    client: Client, api: Api, cast: Cast, owner: Tx
) -> None:
    article = await publish(client, "Invite people")
    shown = await visit(api, f"{cast.acme.slug}/articles/invite-people")

    rated = await send_form(api, cast, "feedback", {**hidden_fields(shown.text), "helpful": "no"})
    reasons = await api(None).get(rated.headers["Location"])
    sent = await send_form(
        api,
        cast,
        "feedback/reason",
        {**hidden_fields(reasons.text), "reason": "outdated", "comment": "It is\r\nTeam now."},
    )

    assert "Did this help?" in Page(shown.text).text
    values = [field.get("value") for field in Page(reasons.text).attributes("input")]
    assert [value for value in values if value in ("unclear", "outdated", "incomplete", "wrong")] == [
        "unclear",
        "outdated",
        "incomplete",
        "wrong",
    ]
    assert sent.status_code == 303
    assert "goes to the people" in Page((await api(None).get(sent.headers["Location"])).text).text
    [row] = await rows(owner, "article_feedback", cast.acme)
    assert (row["article_id"], row["helpful"]) == (article["id"], False)
    assert (row["reason"], row["comment"]) == ("outdated", "It is\nTeam now.")


async def test_a_yes_is_thanked_for(client: Client, api: Api, cast: Cast, owner: Tx) -> None:
    article = await publish(client, "Invite people")

    rated = await send_form(api, cast, "feedback", {"article": article["id"], "helpful": "yes"})

    assert "glad it helped" in Page((await api(None).get(rated.headers["Location"])).text).text
    assert [row["helpful"] for row in await rows(owner, "article_feedback", cast.acme)] == [True]


@pytest.mark.parametrize(
    "fields",
    [{"helpful": "maybe"}, {}, {"helpful": "no", "website": "https://spam.example"}],
    ids=["another value", "nothing", "what people don't see"],
)
async def test_no_rating_of_a_program_counts(
    client: Client, api: Api, cast: Cast, owner: Tx, fields: dict[str, str]
) -> None:
    article = await publish(client, "Invite people")

    refused = await send_form(api, cast, "feedback", {"article": article["id"], **fields})

    assert refused.status_code == 400
    assert "Your rating was not saved" in Page(refused.text).text
    assert await rows(owner, "article_feedback", cast.acme) == []


async def contact(api: Api, cast: Cast, **fields: str) -> httpx2.Response:
    stamp = hidden_fields((await visit(api, f"{cast.acme.slug}/contact")).text)
    return await send_form(
        api, cast, "contact", {**stamp, "email": "ann@example.com", "message": "Hi", **fields}
    )


@pytest.mark.usefixtures("patient")
async def test_a_message_becomes_a_lead_and_the_page_says_what_happens_next(
    api: Api, cast: Cast, owner: Tx
) -> None:
    sent = await contact(api, cast, name="Ann", website="", message="One\r\nTwo")

    assert sent.status_code == 303
    assert "mail address" in Page((await api(None).get(sent.headers["Location"])).text).text
    [lead] = await rows(owner, "leads", cast.acme)
    assert (lead["email"], lead["name"], lead["message"]) == ("ann@example.com", "Ann", "One\nTwo")


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"email": "ann"}, "ann@example.com"),
        ({"message": " "}, "Enter a message"),
        ({"message": "w" * 2_001}, "2,000 characters"),
        ({"name": "w" * 201}, "200 characters"),
        ({"website": "https://spam.example"}, "press “Send”"),
        ({"stamp": "1.x"}, "press “Send”"),
    ],
    ids=lambda value: str(value)[:30],
)
async def test_refused_message_shows_its_reason_and_stays_on_the_page(
    api: Api, cast: Cast, owner: Tx, fields: dict[str, str], sentence: str
) -> None:
    sent = {"name": "Ann", "message": "Two words", **fields}
    refused = await contact(api, cast, **sent)

    assert refused.status_code == 400
    assert sentence in Page(refused.text).text
    assert unescape(refused.text).count(sent["message"].strip()) >= 1
    assert await rows(owner, "leads", cast.acme) == []


async def test_a_form_that_is_sent_within_a_moment_is_sent_by_a_second_press(
    api: Api, cast: Cast, owner: Tx, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick = await contact(api, cast, message="Two words")
    fields = {**hidden_fields(quick.text), "email": "ann@example.com", "message": "Two words"}
    monkeypatch.setattr(public_forms, "form_age", lambda stamp: 3.0)
    second = await send_form(api, cast, "contact", fields)

    assert (quick.status_code, second.status_code) == (400, 303)
    assert "Two words" in quick.text
    assert len(await rows(owner, "leads", cast.acme)) == 1


@pytest.mark.usefixtures("patient")
async def test_a_paused_workspace_and_a_full_hour_keep_the_words_on_the_page(
    api: Api, cast: Cast, owner: Tx, set_limit: SetLimit
) -> None:
    set_limit("LEADS_PER_HOUR", 0)
    full = await contact(api, cast, message="Two words")
    await pause_workspace(owner, cast.acme.workspace_id)
    paused = await contact(api, cast, message="Two words")

    assert (full.status_code, paused.status_code) == (429, 402)
    assert all("Two words" in answer.text and "Nothing was sent" in answer.text for answer in (full, paused))
    assert (await ask(api, cast)).status_code == 200


@pytest.mark.parametrize("path", ["ask?q=x", "contact", "feedback"])
async def test_there_is_none_of_it_without_a_help_center(api: Api, path: str) -> None:
    assert (await visit(api, f"nowhere/{path}")).status_code == 404
