"""Following pages by email: double opt-in, one digest a day, unsubscribing, and privacy."""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable
from email.message import EmailMessage

import httpx2
import pytest

from instep.accounts.workspaces.actions import pause_workspace
from instep.operations.ops.prune import Step, delete_expired
from instep.platform.core import limits
from instep.platform.core.database import Database, Tx
from instep.platform.core.jobs import Job
from instep.platform.email.unsubscribing import Subscription, unsubscribe_token
from instep.visitors.subscriptions.jobs import SEND_NEWS, send_news
from tests.support.cast import Api, Cast, Client, Company, RunJobs
from tests.support.changelog_entries import publish_entry
from tests.support.commands import Operator
from tests.support.http import created, ok
from tests.support.limits import SetLimit, SetSetting
from tests.support.mail_server import MailServer, html_of, text_of
from tests.support.site_pages import Page, collect, hidden_fields, publish, send_form, visit
from tests.support.visitors import rows

ANN = "ann@reader.example"
CONFIRM_LINK = re.compile(r"http://help\.test/help/(\S+/confirm\?token=\S+)")
DAY = "interval '25 hours'"
SendNews = Callable[[], Awaitable[None]]


@pytest.fixture(autouse=True)
def patient(set_limit: SetLimit) -> None:
    """Accept forms as soon as they are shown."""
    set_limit("MIN_SITE_FORM_SECONDS", 0)


@pytest.fixture
def send_todays_news(owner: Tx, database: Database, mail: MailServer, run_jobs: RunJobs) -> SendNews:
    """Let a day pass, then send the digests."""

    async def send() -> None:
        for table, column in (
            ("published_versions", "published_at"),
            ("changelog_entries", "published_at"),
            ("subscriptions", "notified_at"),
        ):
            await owner.execute(f"update {table} set {column} = {column} - {DAY}")
        mail.messages.clear()
        await send_news(database, Job(1, SEND_NEWS, {}, 1))
        await owner.execute("delete from jobs where kind = 'send_news'")
        await run_jobs()

    return send


async def follow(api: Api, cast: Cast, query: str = "", email: str = ANN, **fields: str) -> httpx2.Response:
    shown = await visit(api, f"{cast.acme.slug}/follow?{query}")
    assert shown.status_code == 200
    return await send_form(
        api, cast, "follow", {**hidden_fields(shown.text), "website": "", "email": email, **fields}
    )


async def confirm(api: Api, cast: Cast, message: EmailMessage) -> httpx2.Response:
    """Open the link in an email and press the button."""
    [path] = CONFIRM_LINK.findall(text_of(message))
    shown = await visit(api, path)
    fields = hidden_fields(shown.text) if shown.status_code == 200 else {"token": path.partition("=")[2]}
    return await send_form(api, cast, "subscriptions/confirm", fields)


@pytest.fixture
async def subscribe(
    api: Api, cast: Cast, mail: MailServer, run_jobs: RunJobs
) -> Callable[..., Awaitable[str]]:
    """Follow with an address and confirm it; return the path of the reader's subscriptions."""

    async def subscribe_to(query: str = "", email: str = ANN) -> str:
        assert (await follow(api, cast, query, email)).status_code == 303
        await run_jobs()
        answer = await confirm(api, cast, mail.to(email.lower())[-1])
        assert answer.status_code == 303
        return answer.headers["Location"].removeprefix("/help/").removesuffix("&confirmed=yes")

    return subscribe_to


def path_to_end(message: EmailMessage) -> str:
    path: str = message["List-Unsubscribe"].strip("<>").removeprefix("http://help.test/help/")
    return path


async def test_a_reader_confirms_gets_one_digest_and_ends_it_with_one_click(
    client: Client,
    api: Api,
    cast: Cast,
    owner: Tx,
    mail: MailServer,
    run_jobs: RunJobs,
    subscribe: Callable[..., Awaitable[str]],
    send_todays_news: SendNews,
) -> None:
    guides = await collect(client, "Guides")
    article = await publish(client, "Guide", "## Install\n\nOne.\n\n## Configure\n\nOne.")
    await publish_entry(client, "Old news")
    asked = await follow(api, cast, f"article={article['slug']}", ANN.title())
    await run_jobs()
    [letter] = mail.to(ANN)
    assert asked.status_code == 303
    assert all(word in text_of(letter) for word in ("Guide", "Acme"))
    assert [row["confirmed_at"] for row in await rows(owner, "subscriptions", cast.acme)] == [None]
    answers = await asyncio.gather(*(confirm(api, cast, letter) for _ in range(2)))
    assert sorted(answer.status_code for answer in answers) == [303, 400]
    await subscribe(f"collection={guides['slug']}")
    mine = await subscribe()
    listed = Page((await visit(api, mine)).text).text
    assert all(word in listed for word in ("Guide", "Guides", "Changelog", ANN))

    await send_todays_news()
    assert mail.messages == []
    text = "## Install\n\nOne.\n\n## Configure\n\nTwo."
    ok(await client.patch(f"/v1/articles/{article['id']}", json={"contentMarkdown": text}))
    ok(await client.patch(f"/v1/articles/{article['id']}", json={"contentMarkdown": text + "\n\nThree."}))
    await publish(client, "Brand new <b>", collectionId=guides["id"])
    await publish(client, "Elsewhere")
    await publish_entry(client, "Exports")
    await send_todays_news()

    [digest] = mail.messages
    words = text_of(digest)
    assert digest["To"] == ANN
    assert all(
        part in words for part in ("Guide (Changed: Configure)", "Brand new <b> (New article)", "Exports")
    )
    assert not any(part in words for part in ("Elsewhere", "Old news", "Install"))
    assert f"http://help.test/help/{cast.acme.slug}/articles/{article['slug']}" in words
    assert "<b>" not in html_of(digest)
    await send_todays_news()
    assert mail.messages == []
    assert digest["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    path = path_to_end(digest)
    assert (await visit(api, path)).status_code == 200
    await send_form(
        api, cast, path.partition("/")[2], {"id": (await rows(owner, "subscriptions", cast.acme))[0]["id"]}
    )
    assert len(await rows(owner, "subscriptions", cast.acme)) == 2
    await api(None).post(f"/help/{path}", data={"List-Unsubscribe": "One-Click"})
    assert await rows(owner, "subscriptions", cast.acme) == []
    assert ANN in Page((await visit(api, path)).text).text


async def test_the_answer_says_nothing_about_an_address(
    client: Client,
    api: Api,
    cast: Cast,
    mail: MailServer,
    run_jobs: RunJobs,
    subscribe: Callable[..., Awaitable[str]],
) -> None:
    await publish_entry(client, "Exports")
    await subscribe("", "follows@reader.example")
    await follow(api, cast, "", "waits@reader.example")
    mail.messages.clear()
    answers = []
    for name in ("follows", "waits", "new"):
        answer = await follow(api, cast, "", f"{name}@reader.example")
        page = await api(None).get(answer.headers["Location"])
        answers.append((answer.status_code, answer.headers["Location"], answer.content, page.text))
    await run_jobs()

    assert answers[0] == answers[1] == answers[2]
    assert len({message["To"] for message in mail.messages}) == 3


async def test_rates_hold_by_client_by_address_and_by_help_center(
    client: Client, api: Api, cast: Cast, mail: MailServer, run_jobs: RunJobs, set_limit: SetLimit
) -> None:
    await publish_entry(client, "Exports")
    set_limit("SUBSCRIPTION_LINKS_PER_ADDRESS_PER_HOUR", 2)
    answers = [await follow(api, cast) for _ in range(3)]
    await run_jobs()
    assert {(answer.status_code, answer.headers["Location"]) for answer in answers} == {
        (303, answers[0].headers["Location"])
    }
    # The second link invalidates the first one.
    first, second = mail.to(ANN)
    assert [(await confirm(api, cast, letter)).status_code for letter in (first, second)] == [400, 303]

    for name in ("SUBSCRIPTION_REQUESTS_PER_HOUR", "SUBSCRIPTION_LINKS_PER_HOUR"):
        set_limit(name, 0)
        refused = await follow(api, cast, "", "bob@reader.example")
        assert refused.status_code == 429
        assert int(refused.headers["Retry-After"]) > 0
        assert "bob@reader.example" in refused.text
        set_limit(name, 100)


@pytest.mark.parametrize(
    "fields",
    [{"email": "ann"}, {"email": f"{'a' * 250}@x.example"}, {"stamp": "1.x"}, {"website": "x"}],
    ids=str,
)
async def test_refused_form_keeps_the_email(
    client: Client, api: Api, cast: Cast, owner: Tx, mail: MailServer, fields: dict[str, str]
) -> None:
    await publish_entry(client, "Exports")

    refused = await follow(api, cast, **fields)

    assert refused.status_code == 400
    assert fields.get("email", ANN) in refused.text
    assert await rows(owner, "subscriptions", cast.acme) == []


async def test_forged_links_open_and_change_nothing(
    client: Client, api: Api, cast: Cast, owner: Tx, subscribe: Callable[..., Awaitable[str]]
) -> None:
    await publish_entry(client, "Exports")
    mine = await subscribe()

    def token(kind: Subscription, company: Company) -> str:
        return unsubscribe_token(kind, company.workspace_id, f"{company.bot_id} {ANN}")

    forged = [
        token("alerts", cast.acme),
        token("digest", cast.acme),
        token("topics", cast.globex),
        "x",
        "",
        "ä",
    ]
    forged.append(unsubscribe_token("topics", cast.acme.workspace_id, f"{cast.second_bot_id} {ANN}"))
    forged.append(mine.partition("=")[2][:-6])
    for each in forged:
        for path in ("subscriptions", "subscriptions/confirm"):
            address = f"/help/{cast.acme.slug}/{path}"
            shown = await api(None).get(address, params={"token": each})
            sent = await api(None).post(address, params={"token": each}, data={"token": each})
            assert (shown.status_code, sent.status_code) == (400, 400), (path, each)
    dashboard = await api(None).get("/email/unsubscribe", params={"token": token("topics", cast.acme)})

    assert dashboard.status_code == 404
    assert len(await rows(owner, "subscriptions", cast.acme)) == 1
    page = await visit(api, mine)
    assert (page.headers["Referrer-Policy"], page.headers["Cache-Control"]) == ("no-referrer", "no-store")


async def test_nothing_is_told_of_what_is_not_public(
    client: Client,
    api: Api,
    cast: Cast,
    mail: MailServer,
    subscribe: Callable[..., Awaitable[str]],
    send_todays_news: SendNews,
) -> None:
    guides = await collect(client, "Guides")
    secret = await publish(client, "Secret", visibility="authenticated", collectionId=guides["id"])
    articles = [await publish(client, f"Article {n}", collectionId=guides["id"]) for n in range(3)]
    assert (await visit(api, f"{cast.acme.slug}/follow?article=secret")).status_code == 404
    assert (await send_form(api, cast, "follow", {"article": "secret", "email": ANN})).status_code == 404
    await subscribe("collection=guides")
    await subscribe("article=article-0")

    for article in (secret, *articles):
        ok(await client.patch(f"/v1/articles/{article['id']}", json={"contentMarkdown": "Changed."}))
    ok(await client.patch(f"/v1/articles/{articles[0]['id']}", json={"visibility": "authenticated"}))
    ok(await client.delete(f"/v1/articles/{articles[1]['id']}"))
    await send_todays_news()

    [digest] = mail.messages
    assert "Article 2" in text_of(digest)
    assert not any(title in text_of(digest) for title in ("Secret", "Article 0", "Article 1"))


async def test_followers_of_a_collection_read_of_the_current_version_and_not_of_copies(
    client: Client,
    mail: MailServer,
    subscribe: Callable[..., Awaitable[str]],
    send_todays_news: SendNews,
) -> None:
    for slug in ("1.x", "2.x", "3.x"):
        created(await client.post("/v1/product-versions", json={"slug": slug, "isCurrent": slug == "2.x"}))
    await collect(client, "Guides")
    article = await publish(client, "Install", collectionId="guides")
    await subscribe("collection=guides")
    await send_todays_news()

    created(await client.post(f"/v1/articles/{article['id']}/split", json={"version": "3.x"}))
    ok(await client.patch("/v1/product-versions/3.x", json={"isCurrent": True}))
    await publish(client, "Telnet", collectionId="guides", untilVersion="2.x")
    await send_todays_news()
    assert mail.messages == []

    await publish(client, "Orbit", collectionId="guides", sinceVersion="3.x")
    await send_todays_news()
    [digest] = mail.messages
    assert "Orbit" in text_of(digest)


async def test_the_email_about_an_article_leads_to_the_version_that_has_it(
    client: Client,
    cast: Cast,
    mail: MailServer,
    subscribe: Callable[..., Awaitable[str]],
    send_todays_news: SendNews,
) -> None:
    for slug in ("1.x", "2.x"):
        created(await client.post("/v1/product-versions", json={"slug": slug, "isCurrent": slug == "2.x"}))
    article = await publish(client, "Telnet", untilVersion="1.x")
    await subscribe("article=telnet")
    await send_todays_news()
    ok(await client.patch(f"/v1/articles/{article['id']}", json={"contentMarkdown": "Dial."}))
    await send_todays_news()

    [digest] = mail.messages
    home = f"http://help.test/help/{cast.acme.slug}"
    assert f"{home}/versions/1.x/articles/telnet" in text_of(digest)
    assert f"{home}/articles/telnet" not in text_of(digest)


async def test_hundreds_of_articles_at_once_are_one_bounded_email(
    client: Client,
    cast: Cast,
    mail: MailServer,
    set_limit: SetLimit,
    subscribe: Callable[..., Awaitable[str]],
    send_todays_news: SendNews,
) -> None:
    set_limit("MAX_DIGEST_NEWS", 2)
    set_limit("MAX_DIGESTS_AT_ONCE", 1)
    await collect(client, "Guides")
    for email in (ANN, "bob@reader.example", "cleo@reader.example"):
        await subscribe("collection=guides", email)
    for number in range(5):
        await publish(client, f"Page {number}", collectionId="guides")
    await send_todays_news()

    assert sorted(message["To"] for message in mail.messages) == [
        ANN,
        "bob@reader.example",
        "cleo@reader.example",
    ]
    for message in mail.messages:
        assert text_of(message).count("New article") == 2
        assert "3 more pages" in text_of(message)


async def test_emails_end_when_the_owner_switches_them_off(
    client: Client,
    api: Api,
    cast: Cast,
    owner: Tx,
    mail: MailServer,
    subscribe: Callable[..., Awaitable[str]],
    send_todays_news: SendNews,
) -> None:
    await publish_entry(client, "Exports")
    mine = await subscribe()
    await publish_entry(client, "Imports")
    off = json.dumps({"follow_by_email": False})
    await owner.execute("update bots set frame = %(off)s where id = %(id)s", off=off, id=cast.acme.bot_id)
    await send_todays_news()
    shown = await visit(api, f"{cast.acme.slug}/follow")
    refused = await send_form(api, cast, "follow", {"email": ANN})

    assert mail.messages == []
    assert (shown.status_code, refused.status_code) == (200, 404)
    assert "changelog.atom" in shown.text
    assert 'name="email"' not in shown.text
    assert (await visit(api, mine)).status_code == 200


async def test_without_a_mail_server_or_while_paused_there_is_the_feed(
    client: Client, api: Api, cast: Cast, owner: Tx, set_setting: SetSetting
) -> None:
    await publish_entry(client, "Exports")
    without = await visit(api, f"{cast.acme.slug}/follow")
    set_setting("INSTEP_EMAIL_FROM", "help@acme.example")
    set_setting("INSTEP_SMTP_URL", "smtp://127.0.0.1:9")
    offered = await visit(api, f"{cast.acme.slug}/follow")
    await pause_workspace(owner, cast.acme.workspace_id)
    paused = await visit(api, f"{cast.acme.slug}/follow")

    shown = ['name="email"' in page.text for page in (without, offered, paused)]
    assert shown == [False, True, False]
    assert all("changelog.atom" in page.text for page in (without, offered, paused))
    assert (await visit(api, f"{cast.globex.slug}/follow")).status_code == 404


async def test_a_request_that_is_not_confirmed_ends(
    client: Client,
    api: Api,
    cast: Cast,
    owner: Tx,
    mail: MailServer,
    run_jobs: RunJobs,
    subscribe: Callable[..., Awaitable[str]],
) -> None:
    await publish_entry(client, "Exports")
    await subscribe("", "bob@reader.example")
    await follow(api, cast)
    await run_jobs()
    await owner.execute(
        "update subscriptions set requested_at = now() - %(age)s", age=limits.SUBSCRIPTION_LINK_TTL
    )

    late = await confirm(api, cast, mail.to(ANN)[0])
    await delete_expired(owner, Step("prune_subscriptions", (limits.SUBSCRIPTION_LINK_TTL,)))

    assert late.status_code == 400
    assert [row["email"] for row in await rows(owner, "subscriptions", cast.acme)] == ["bob@reader.example"]


async def test_subscriptions_are_exported_and_erased_with_the_reader(
    client: Client, cast: Cast, owner: Tx, operator: Operator, subscribe: Callable[..., Awaitable[str]]
) -> None:
    await publish_entry(client, "Exports")
    await subscribe()
    await subscribe("", "bob@reader.example")
    subject = ("--email", ANN.upper(), "--workspace", cast.acme.workspace_id)

    exported = await operator.json("visitor", "export", *subject)
    erased = await operator.json("visitor", "erase", *subject)

    [row] = exported["subscriptions"]
    assert (row["email"], "token_hash" in row, erased["subscriptions"]) == (ANN, False, 1)
    assert [row["email"] for row in await rows(owner, "subscriptions", cast.acme)] == ["bob@reader.example"]


async def test_emails_are_in_the_language_of_the_page(
    client: Client, api: Api, cast: Cast, mail: MailServer, run_jobs: RunJobs, send_todays_news: SendNews
) -> None:
    article = await publish(client, "Guide")
    german = await publish(client, "Anleitung", translationOf=article["id"], locale="de")
    root = f"{cast.acme.slug}/de"
    shown = await visit(api, f"{root}/follow?article={german['slug']}")
    fields = {**hidden_fields(shown.text), "website": "", "email": ANN}
    assert (await send_form(api, cast, "de/follow", fields)).status_code == 303
    await run_jobs()
    [letter] = mail.to(ANN)
    assert f"/help/{root}/subscriptions/confirm" in text_of(letter)
    assert '<html lang="de"' in html_of(letter)
    assert (await confirm(api, cast, letter)).status_code == 303

    for text in (article, german):
        ok(await client.patch(f"/v1/articles/{text['id']}", json={"contentMarkdown": "Anders."}))
    await send_todays_news()

    [digest] = mail.messages
    assert "Anleitung" in text_of(digest)
    assert "Guide" not in text_of(digest)
    assert '<html lang="de"' in html_of(digest)
